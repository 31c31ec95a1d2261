package versions

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
)

// A Bridge is the [translate.Stage] that converts the messages of one connection after
// initialize. It must not be used by two goroutines at once. Messages are valid only during
// the call; out is complete when the call returns.
//
// It receives every message, even one that is neither a request nor a notification nor a
// response. No message can make it panic, and each request gets exactly one response, from the
// receiver or from the bridge; after the end of the agent, from the bridge. A Bridge keeps the
// ids of pending requests, so its caller refuses requests with long ids. The caller also refuses a
// further initialize.
type Bridge interface {
	translate.TimedStage

	// Adopt registers a request of the agent that the client has received before the bridge
	// existed, under the agent's own raw id and unconverted. The client's response is
	// converted like any other. Adopt is called before any other method.
	Adopt(id []byte, method, session string)
}

// Everything implements methods of a Bridge that receives every message and queues none.
type Everything struct{ filter scan.Filter }

// Wants implements [translate.Stage].
func (e *Everything) Wants() [2]*scan.Filter {
	e.filter.All = true
	return [2]*scan.Filter{&e.filter, &e.filter}
}

// Awaits implements [translate.Stage].
func (*Everything) Awaits(translate.Side, jsonrpc.ID) bool { return true }

// HasQueued implements [translate.TimedStage].
func (*Everything) HasQueued() bool { return false }

// RefuseQueued implements [translate.TimedStage].
func (*Everything) RefuseQueued(string, time.Time, *translate.Out) {}
