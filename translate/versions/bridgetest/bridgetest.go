// Package bridgetest plays conversations to a bridge between two versions of the protocol, for
// the tests of both bridges.
//
// A conversation is a list of steps. A [Step] is a message of a side, time that passes, or the
// end of the agent, with the expected output and losses:
//
//	Client(`5 session/list {}`, ToAgent(`3 session/list {}`)),
//	Agent(`3 ! {"code":-32603,"message":"no"}`, ToClient(`5 ! {"code":-32603,"message":"no"}`)),
//
// Messages omit common members, see [Full]. As text, a conversation has the marks of
// testdata/conversations/README.md, see [Talks] and [Script]. A [Peer] plays it, and judges
// each output line by the schema of its receiver's version, see [Judge].
package bridgetest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"acp-plan-proxy/translate"
)

// A Step is an event with the expected output: a message of a side, time that passes, or the
// end of the agent.
type Step struct {
	From      translate.Side
	Message   string // see Full
	AgentEnds bool   // the agent has ended
	Wait      time.Duration
	Want      []string // from ToClient and ToAgent
	Losses    []string // kinds of losses, with their names

	// foreign is set if the output has a line that its receiver's schema does not define,
	// because the bridge forwards unknown messages.
	foreign bool
}

// Then returns steps followed by more steps.
func Then(steps []Step, more ...Step) []Step { return append(slices.Clone(steps), more...) }

// Client is a message of the client with its output.
func Client(message string, want ...string) Step {
	return Step{From: translate.Client, Message: message, Want: want}
}

// Agent is a message of the agent with its output.
func Agent(message string, want ...string) Step {
	return Step{From: translate.Agent, Message: message, Want: want}
}

// Wait is time that passes, with the output at its end.
func Wait(d time.Duration, want ...string) Step { return Step{Wait: d, Want: want} }

// Gone is the end of the agent, with its output.
func Gone(want ...string) Step { return Step{AgentEnds: true, Want: want} }

// The marks of lines, as in testdata/conversations.
const (
	clientSays = "client> "
	clientGets = "client< "
	agentSays  = "agent> "
	agentGets  = "agent< "
	waits      = "wait "
	asked      = "asked> "
)

// ToClient is an output line: a message to the client.
func ToClient(message string) string { return clientGets + message }

// ToAgent is an output line: a message to the agent.
func ToAgent(message string) string { return agentGets + message }

// ParseOutput returns the receiver and the message of an output line. It is the inverse of To.
func ParseOutput(line string) (to translate.Side, text string) {
	if text, ok := strings.CutPrefix(line, clientGets); ok {
		return translate.Client, text
	}
	return translate.Agent, strings.TrimPrefix(line, agentGets)
}

// To is an output line: a message to a side.
func To(side translate.Side, message string) string {
	if side == translate.Client {
		return ToClient(message)
	}
	return ToAgent(message)
}

// UpdateIn is the short form of a session/update in a session.
func UpdateIn(session, update string) string {
	return `session/update {"sessionId":"` + session + `","update":` + update + `}`
}

// UpdateOf is an update of that kind with the other members.
func UpdateOf(kind, members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"sessionUpdate":"` + kind + `"` + members + `}`
}

// Full returns the message for its short form.
//
//	5 session/new {…}      a request, with its raw id; without {…} it has no params
//	session/cancel {…}     a notification
//	5 = {…}                a result
//	5 ! {…}                an error
//	{"sessionUpdate":…}    a session/update, of session s
//	{…}                    any other message; Full adds jsonrpc if the message does not begin with it
func Full(message string) string {
	const begin = `{"jsonrpc":"2.0",`
	switch {
	case strings.HasPrefix(message, `{"sessionUpdate":`):
		return Full(UpdateIn("s", message))
	case strings.HasPrefix(message, `{"jsonrpc":`):
		return message
	case strings.HasPrefix(message, `{`):
		return begin + message[1:]
	}
	head, rest, _ := strings.Cut(message, " ")
	if !json.Valid([]byte(head)) {
		return begin + `"method":"` + head + `"` + params(rest) + `}`
	}
	method, body, _ := strings.Cut(rest, " ")
	switch method {
	case "=":
		return begin + `"id":` + head + `,"result":` + body + `}`
	case "!":
		return begin + `"id":` + head + `,"error":` + body + `}`
	}
	return begin + `"id":` + head + `,"method":"` + method + `"` + params(body) + `}`
}

func params(value string) string {
	if value == "" {
		return ""
	}
	return `,"params":` + value
}

// Script returns the events of the steps as text for [Peer.Run].
func Script(steps ...Step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case s.AgentEnds:
		case s.Message == "":
			b.WriteString(waits + s.Wait.String() + "\n")
		case s.From == translate.Client:
			b.WriteString(clientSays + Full(s.Message) + "\n")
		default:
			b.WriteString(agentSays + Full(s.Message) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
