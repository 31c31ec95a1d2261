package plans

import (
	"fmt"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// An Action is the effect of the translation on a message.
type Action string

// The actions.
const (
	Forward Action = "forward" // the client receives the message unchanged
	Rewrite Action = "rewrite" // the client receives one or more other messages
	Drop    Action = "drop"    // the client receives nothing
)

// A Result describes the translation of one plan message.
type Result struct {
	Action  Action
	Plan    string // the id of the plan in the agent's message; "" if the message has none
	Type    string // the type of the plan, if the message has one
	Entries int    // number of the plan's entries in the list for the client
	Reason  string // for the log
}

// A currentMessage is the message that the Stage processes, with the result of its translation.
type currentMessage struct {
	*jsonrpc.Message
	out     *translate.Out
	isAdded bool // the Stage sends the message in the agent's place
	result  Result
}

// isOwn reports whether the Stage, or another one, sends the message in the agent's place.
func (c *currentMessage) isOwn() bool { return c.isAdded || c.out.IsOwn() }

// lose records a loss. The arguments form a sentence without a period.
func (s *Stage) lose(kind translate.LossKind, format string, args ...any) {
	s.current.out.LoseIn(string(s.current.Session), kind, fmt.Sprintf(format, args...))
}

// drop drops the message.
func (s *Stage) drop(reason string) { s.current.result.Action, s.current.result.Reason = Drop, reason }

// sendOwn sends the client a message in the agent's place.
func (s *Stage) sendOwn(message []byte) {
	s.current.out.Send(translate.Client, message)
	s.current.out.MarkOwn()
}
