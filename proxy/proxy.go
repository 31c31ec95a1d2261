// Package proxy joins a client and an agent that speak different drafts or
// versions of the Agent Client Protocol.
//
// # One message's way
//
// A markdown plan_update is on its way from the agent to a client that knows
// only plan:
//
//	agent.go          starts the agent and relays both directions
//	  transport/relay.go      reads what there is and looks at each line
//	direction.go      asks its scanner
//	  transport/jsonrpc/scanner.go   stops at the first byte that decides: a line
//	                                 that no stage has to see passes, a plan is held
//	                    reads the whole line: the message (transport/jsonrpc/message.go)
//	                    and its plan (translate/plans/update.go) in one pass
//	conversation.go   takes the lock and gives the message to the chain
//	  translate/stage.go             hands it from stage to stage: stages.go has which
//	                                 there are, and where a further one is added
//	  translate/plans/stage.go       decides what the client gets
//	place.go          has what leaves the chain in the line's place
//	observer.go       shows what came in and what has left
//
// # The way of initialize
//
//	direction.go      holds the client's request, as its method matters
//	negotiation.go    is the stage of initialize: reads what the client can show
//	                  (capabilities), tells the agent what the options say, and notes
//	                  that an answer is due
//	discovery.go      asks the agent what translate/versions/handshake.go decides: if
//	                  it refuses the version, the other one. Once it has to be started
//	                  again for that
//	gate.go           holds the client's next lines meanwhile
//	join.go           says the request, and later the answer, in the other
//	                  version (translate/versions/shapes/initialize.go)
//	negotiation.go    reads the answer, and tells the other stages: from now
//	                  on plans are translated; or it answers in the place of an agent
//	                  that has failed before (failure.go says why)
//
// # Through a bridge
//
// When client and agent share no version, join puts a [versions.Bridge] into the chain
// (translate/versions/v1client or v1agent), which sees every message. What leaves the
// chain then has no place in a line. Each side's lines leave through one
// [transport.Outlet], in the order in which they were decided. What is
// lost goes to the log and, with the next event, to the observer (observer.go). A line
// that is too long or is not JSON is not converted: what [jsonrpc.Scanner.Keep] keeps
// of it tells refusal.go who gets an error.
//
// [Translate] rewrites what an agent has written, without the agent. A [Local] is the proxy
// between a client and an agent in the same process.
package proxy

import (
	"log/slog"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/permissions"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
)

// Options are a user's choices. All fields must be set but those marked
// optional.
type Options struct {
	Client      capabilities.Settings // may be zero: the client shows what initialize says
	Told        capabilities.Told     // may be zero
	Bridge      Bridge                // optional; without it BridgeOff
	Vendors     vendors.Mode          // optional; without it vendors.Off
	Permissions permissions.Mode      // optional; without it permissions.Pass
	Stray       Stray                 // optional; without it StrayPass
	Plans       plans.Options         // without a ReadFile, plan files of this machine are read
	MaxMessage  int                   // the longest line that is inspected, in bytes
	Log         *slog.Logger

	// Observe, which is optional, is shown each plan message and, with
	// ObserveAll, each message and each line that is not a message, except
	// lines longer than MaxMessage. It is called in the order in which messages
	// pass, holds up the traffic of both directions, and may be called by both at once.
	Observe    func(Event)
	ObserveAll bool
}

// A Bridge says whether a client and an agent that share no version of the
// protocol are joined.
type Bridge string

// The values of --bridge.
const (
	BridgeAuto Bridge = "auto" // they are
	BridgeOff  Bridge = "off"  // no message is changed for that
	Bridge1    Bridge = "1"    // they are, and the agent is asked for version 1 first
	Bridge2    Bridge = "2"    // they are, and the agent is asked for version 2 first
)

// version returns the version that the agent is asked for first, 0 if it is the
// client's.
func (b Bridge) version() capabilities.Version {
	switch b {
	case Bridge1:
		return 1
	case Bridge2:
		return 2
	}
	return 0
}

// A Stray says what becomes of the agent's lines that are not messages.
type Stray string

// The values of --stray.
const (
	StrayLog  Stray = "log"  // they go to the log; a message behind such text goes on
	StrayPass Stray = "pass" // nothing is taken off for that
)

// An Event is a message that passed. In and Out are valid until Observe
// returns.
type Event struct {
	FromClient bool // it went from the client to the agent, not the other way
	Action     plans.Action
	In         []byte // the message, or the line; nil if the proxy said Out by itself
	Out        []byte // what arrives: no, one or several messages

	// Cause is, without In, the message that made the proxy send Out: Last and Next are
	// those of the events before and behind this one.
	Cause trace.Cause

	// Lost is what was lost in the translation of the message or, without one, since
	// the last event. Each loss is there once, and at most 32 are.
	Lost []translate.Loss
}

// maxWaiting bounds, in bytes, what waits for a peer that does not read.
func maxWaiting(o Options) int { return 4*o.MaxMessage + 64<<20 }
