// Package proxy runs an agent behind a proxy that translates between drafts and versions of
// the Agent Client Protocol.
//
// # The path of a message
//
// The agent sends a markdown plan_update to a client that supports only plan:
//
//	agent.go          starts the agent and relays both directions
//	  transport/relay.go      reads, and passes each line to its Inspector
//	direction.go      is the Inspector, and calls its scanner
//	  transport/jsonrpc/scanner.go   decides at the earliest byte: a line that no stage
//	                                 needs passes, a plan is held
//	                    reads the whole line: the message (transport/jsonrpc/message.go)
//	                    and its plan (translate/plans/update.go) in one pass
//	conversation.go   takes the lock and passes the message to the chain
//	  translate/stage.go             calls one stage after the other; stages.go lists them
//	  translate/plans/stage.go       translates the plan for the client
//	slot.go           replaces the message in its line
//	observer.go       reports the message and its translation to the trace
//
// # The path of initialize
//
//	direction.go      holds the client's request
//	negotiation.go    is the stage of initialize: reads the client's capabilities, edits
//	                  the capabilities for the agent, and records the pending request
//	discovery.go      follows the steps of translate/versions/handshake.go: if the agent
//	                  refuses the version, it requests the other one, after a restart if
//	                  necessary
//	gate.go           holds the client's next lines meanwhile
//	join.go           converts the request and the response to the other version
//	                  (translate/versions/shapes/initialize.go)
//	negotiation.go    reads the response and configures the other stages, or responds for
//	                  an agent that has failed (failure.go has the reason)
//
// # Through a bridge
//
// When client and agent share no version, join inserts a [versions.Bridge] into the chain
// (translate/versions/v1client or v1agent). A bridge receives every message, and its output
// is sent through a [transport.Outlet] for each side, in order. Losses go to the log and,
// with the next event, to the observer. A line that is too long or not JSON is refused: the
// members that [jsonrpc.Scanner.Keep] keeps identify the receiver of the error (refusal.go).
//
// [Translate] rewrites recorded lines of an agent. A [Local] is the proxy between a client and
// an agent in the same process.
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

// Options configure the proxy. All fields are required unless marked optional.
type Options struct {
	Client      capabilities.Settings // the zero value derives the client's capabilities from initialize
	Told        capabilities.Told     // may be zero
	Bridge      Bridge                // optional; default BridgeOff
	Vendors     vendors.Mode          // optional; default vendors.Off
	Permissions permissions.Mode      // optional; default permissions.Pass
	Stray       Stray                 // optional; default StrayPass
	Plans       plans.Options         // a nil ReadFile reads plan files of this machine
	MaxMessage  int                   // the longest line that is inspected, in bytes
	Log         *slog.Logger

	// Observe, which is optional, receives each plan message and, with ObserveAll, each
	// message and each line that is not a message, except lines longer than MaxMessage.
	// Calls are in the order of the messages and block the traffic. Both directions may
	// call it at once.
	Observe    func(Event)
	ObserveAll bool
}

// A Bridge selects when to join a client and an agent by a bridge between their versions.
type Bridge string

// The values of --bridge.
const (
	BridgeAuto Bridge = "auto" // if they share no version
	BridgeOff  Bridge = "off"  // never
	Bridge1    Bridge = "1"    // as auto, but request version 1 from the agent first
	Bridge2    Bridge = "2"    // as auto, but request version 2 from the agent first
)

// version returns the version to request from the agent first, 0 for the client's.
func (b Bridge) version() capabilities.Version {
	switch b {
	case Bridge1:
		return 1
	case Bridge2:
		return 2
	}
	return 0
}

// A Stray selects the handling of the agent's output that is not a message.
type Stray string

// The values of --stray.
const (
	StrayLog  Stray = "log"  // log it, and forward a message after it in the line
	StrayPass Stray = "pass" // forward it
)

// An Event is a message and its translation. In and Out are valid until Observe returns.
type Event struct {
	FromClient bool // the direction is client to agent
	Action     plans.Action
	In         []byte // the message, or the line; nil for a message of the proxy
	Out        []byte // the translation, any number of messages

	// Cause identifies, if In is nil, the message that made the proxy send Out: Last and
	// Next mean the adjacent events.
	Cause trace.Cause

	// Lost has the losses of the translation or, if In is nil, since the last event: at
	// most 32, each once.
	Lost []translate.Loss
}

// maxWaiting limits the output queued for a peer that does not read, in bytes.
func maxWaiting(o Options) int { return 4*o.MaxMessage + 64<<20 }
