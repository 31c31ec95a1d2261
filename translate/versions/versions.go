package versions

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// A Bridge is the [translate.Stage] that converts the messages of one connection, after
// initialize. It must not be used by two goroutines at once. Messages are valid only during
// the call; what out is given is complete when the call returns.
//
// It is given every message, even one that is neither a request nor a
// notification nor a response. Nothing can make it panic, and each request gets
// exactly one answer, from the side that was asked or from the bridge: when the agent is
// gone, the bridge answers what the client still waits for. A Bridge keeps the ids of open
// requests, so its caller refuses requests with long ones.
type Bridge interface {
	translate.TimedStage

	// Asked notes that the client has been asked something by the agent before there
	// was a bridge: under the agent's own raw id, and in the agent's words.
	// The client's answer is converted like any other. It is called first.
	Asked(id []byte, method, session string)
}

// Everything is the part of a Bridge that has it see every message.
type Everything struct{ filter jsonrpc.Filter }

// Wants implements [translate.Stage].
func (e *Everything) Wants() [2]*jsonrpc.Filter {
	e.filter.All = true
	return [2]*jsonrpc.Filter{&e.filter, &e.filter}
}

// Awaits implements [translate.Stage].
func (*Everything) Awaits(translate.Side, jsonrpc.ID) bool { return true }
