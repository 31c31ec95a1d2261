// Package conversation translates the messages between a client and an agent. It holds the state
// of a connection: the chain of stages, the negotiation of initialize, the handshake between
// protocol versions, and the observer of both directions.
package conversation

import (
	"log/slog"
	"strconv"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/permissions"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
)

// Options configure the proxy. All fields are required unless marked optional.
type Options struct {
	Client       capabilities.Settings     // the zero value derives the client's capabilities from initialize
	Announcement capabilities.Announcement // may be zero
	Bridge       Bridge                    // optional; default BridgeOff
	Vendors      vendors.Mode              // optional; default vendors.Off
	Permissions  permissions.Mode          // optional; default permissions.Pass
	Stray        Stray                     // optional; default StrayPass
	Plans        plans.Options             // a nil ReadFile reads plan files of this machine
	MaxMessage   int                       // the longest line that is inspected, in bytes
	Log          *slog.Logger

	// Observe, which is optional, receives each plan message and, with ObserveAll, each message and
	// each line that is not a message, except lines longer than MaxMessage. Of a stray line that
	// long it receives the beginning. Each direction calls it in the order of its messages, and
	// waits until it returns. Both directions may call it at once.
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
	version, _ := strconv.Atoi(string(b))
	return capabilities.Version(version)
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
	In         []byte // the message, or a line that is not one; nil for messages of the proxy
	Out        []byte // the translation, any number of messages

	// Cause identifies, if In is nil, the message that made the proxy send Out: Last and
	// Next mean the adjacent events.
	Cause trace.Cause

	// Lost has the losses of the translation or, if In is nil, since the last event: at
	// most 32, each once.
	Lost []translate.Loss
}
