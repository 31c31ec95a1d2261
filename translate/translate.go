// Package translate contains the parts that all translations share: [Stage], the interface
// of a translation, [Chain], which passes messages from stage to stage, and [Out], the output
// of a stage.
//
// Each translation is a package below this one. Package plans rewrites plan messages to the
// form that the client can show. Package versions joins a client and an agent of different
// protocol versions. Package vendors translates vendor-specific messages. Package
// selectors adds the form of modes, models and options that an agent does not report.
// Packages forms and permissions ask the user on behalf of clients that cannot show a form,
// or would misread a permission request. All are pure: no input or output, no clock; plan files
// are read by a function that is passed in.
package translate

import (
	"strings"
	"time"

	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Side is one of the two peers that the proxy sits between.
type Side uint8

// The sides.
const (
	Client Side = iota
	Agent
)

// Other returns the opposite side.
func (s Side) Other() Side { return 1 - s }

// String returns "client" or "agent".
func (s Side) String() string {
	if s == Client {
		return "client"
	}
	return "agent"
}

// An Out collects the output of a stage for one message, or for a timer: messages and
// losses, in order. A message is dropped unless it is forwarded. The zero value is ready
// for Reset.
type Out struct {
	message *jsonrpc.Message // nil for a timer
	from    Side             // the sender of the message
	isOwn   bool             // see Output
	isPlan  bool             // the message concerns a plan
	outputs []Output
	text    []byte // the texts of the messages sent with Send
	losses  []Loss
}

// An Output is an output message.
type Output struct {
	To   Side
	Same bool // the input message, unchanged
	Span jsonrpc.Span

	// IsOwn marks a message of the stage itself, rather than a rewritten input message. All
	// messages that a [SimpleStage] sends count as its own.
	IsOwn bool

	// Topic is nil if the stage does not know it. Otherwise it saves the following stages from
	// scanning the message. It is valid as long as the text.
	Topic scan.Topic
}

// Openings returns the methods of requests that open a session.
func Openings() []string {
	return []string{"session/new", "session/load", "session/resume", "session/fork"}
}

// Replays reports whether the request of a client, with these raw params, opens a session and makes
// the agent replay the session's updates.
func Replays(method string, params []byte) bool {
	return method == "session/load" || method == "session/resume" && !rawjson.IsNull(rawjson.Get(params, "replayFrom"))
}

// A Loss is a message or a part of it that does not arrive as it was sent, or that the proxy does not
// understand. The log contains the first loss of each kind and name, and counts the others.
type Loss struct {
	Kind    LossKind
	Name    string // distinguishes losses of the kind; chosen by a peer, may be empty
	Session string
	Detail  string // the consequence, a sentence without a period

	BetweenVersions bool // the difference between the versions caused the loss
}

// Reset prepares o for a message from a side, or for a timer if m is nil. It reuses the
// memory of o.
func (o *Out) Reset(from Side, m *jsonrpc.Message) {
	o.message, o.from, o.isOwn, o.isPlan = m, from, false, false
	o.outputs, o.text, o.losses = o.outputs[:0], rawjson.Reuse(o.text), o.losses[:0]
}

// Forward forwards the message unchanged.
func (o *Out) Forward() {
	o.outputs = append(o.outputs, Output{To: o.from.Other(), Same: true})
}

// Send sends another message, one line of JSON without a newline. It concatenates the
// parts and copies them.
func (o *Out) Send(to Side, parts ...[]byte) {
	start := len(o.text)
	for _, part := range parts {
		o.text = append(o.text, part...)
	}
	o.outputs = append(o.outputs, Output{To: to, Span: jsonrpc.Span{Start: start, End: len(o.text)}})
}

// MarkOwn sets IsOwn of the last output message.
func (o *Out) MarkOwn() { o.outputs[len(o.outputs)-1].IsOwn = true }

// markAllOwn sets IsOwn of all output messages except the forwarded one.
func (o *Out) markAllOwn() {
	for i := range o.outputs {
		o.outputs[i].IsOwn = !o.outputs[i].Same
	}
}

// IsOwn reports whether the input message is a stage's own, not a peer's.
func (o *Out) IsOwn() bool { return o.isOwn }

// MarkPlan records that the input message concerns a plan.
func (o *Out) MarkPlan() { o.isPlan = true }

// SetTopic sets the Topic of the last output message. It must remain valid until the next Reset.
func (o *Out) SetTopic(t scan.Topic) { o.outputs[len(o.outputs)-1].Topic = t }

// isForwarded reports whether the output is only the unchanged message.
func (o *Out) isForwarded() bool {
	return len(o.outputs) == 1 && o.outputs[0].Same && len(o.losses) == 0
}

// Lose adds a loss.
func (o *Out) Lose(l Loss) { o.losses = append(o.losses, l) }

// LoseIn adds a loss in a session, "" if it concerns none.
func (o *Out) LoseIn(session string, kind LossKind, detail string) {
	o.Lose(Loss{Kind: kind, Session: session, Detail: detail})
}

// Outputs returns the output messages in order, valid until the next Reset.
func (o *Out) Outputs() []Output { return o.outputs }

// Text returns the text of an output message, valid until the next call of Send or Reset.
func (o *Out) Text(output Output) []byte {
	if output.Same {
		return o.message.Span.Of(o.message.Text)
	}
	return o.text[output.Span.Start:output.Span.End]
}

// Losses returns the losses, valid until the next Reset.
func (o *Out) Losses() []Loss { return o.losses }

// IsAbsolute reports whether a path is absolute by the rules of POSIX or of Windows, because the
// agent may run on another system.
func IsAbsolute(path string) bool {
	hasDrive := len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
	return hasDrive || strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`)
}

// IsTime reports whether a text is an RFC 3339 time, in capital letters and without a leap
// second.
func IsTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	// time.Parse also accepts a comma in the seconds, and an hour of one digit.
	const hour = len("2006-01-02T")
	return err == nil && !strings.Contains(text, ",") && text[hour+1] != ':'
}
