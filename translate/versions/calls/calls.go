// Package calls is the base of both bridges: the requests in flight under ids of the bridge's
// own, and the writing of outgoing messages.
//
//	calls.go     the current message, outgoing messages, losses, the agent's end
//	requests.go  pending requests, responses, cancellation
//	routes.go    dispatch of messages to the handlers of their methods
//	timers.go    deadlines
//	updates.go   session/update: forwarded, rewritten, or written by the bridge
//
// Ids are translated because the two sides may use the same ids, and because bridges send
// requests of their own.
//
// A method whose name ends in With begins a message and returns before the value that its
// caller writes; SendObject or another Send method completes and sends the message. At most
// one message is being written at a time.
package calls

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Link is one connection after initialize. The zero value is ready for Begin. It must not be
// used by two goroutines at once.
type Link struct {
	// Requests and Notifications have the handlers, see Dispatch.
	Requests, Notifications Routes

	Pending [2]jsonrpc.Calls[Request] // pending requests, by the side that answers them
	Ended   bool                      // the agent has ended

	now     time.Time
	out     *translate.Out
	session []byte        // of the current message
	writer  shapes.Writer // the message being written
	topic   scan.Topic    // of the message being written; nil if unknown
	scratch shapes.Writer // see Scratch
	update  Update        // see ReadUpdate
}

// Begin is called before a message, timers or the end of a peer are processed. Output is appended
// to out. Losses are reported for the session, which may be nil, and must be valid until the next
// call.
func (l *Link) Begin(now time.Time, out *translate.Out, session []byte) {
	l.now, l.out, l.session = now, out, session
	l.writer.Reset() // releases the memory of a large message
}

// After returns the time d after that of Begin.
func (l *Link) After(d time.Duration) time.Time { return l.now.Add(d) }

// ErrAgentEnded is the error for requests after the end of the agent.
var ErrAgentEnded = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "agent exited"}

// Forward sends the current message unchanged.
func (l *Link) Forward() { l.out.Forward() }

// Lose reports a loss in the current message.
func (l *Link) Lose(kind translate.LossKind, detail string) {
	l.Report(translate.Loss{Kind: kind, Detail: detail})
}

// Report reports losses in the current message.
func (l *Link) Report(losses ...translate.Loss) { l.ReportIn(l.session, losses...) }

// ReportIn reports losses in a session, or in none if it is nil.
func (l *Link) ReportIn(session []byte, losses ...translate.Loss) {
	for _, loss := range losses {
		loss.Session, loss.BetweenVersions = string(session), true
		l.out.Lose(loss)
	}
}

// Write returns the Writer of a new message. The previous message must have been sent.
func (l *Link) Write() *shapes.Writer {
	l.writer.Reset()
	l.writer.Cwd, l.topic = "", nil
	return &l.writer
}

// Scratch returns a second Writer, which is empty, to convert a value without sending it. Its
// losses are not reported. It is valid until the next call.
func (l *Link) Scratch() *shapes.Writer {
	l.scratch.Reset()
	l.scratch.Cwd = ""
	return &l.scratch
}

// Send sends the message that was written, and reports its losses.
func (l *Link) Send(to translate.Side) {
	l.out.Send(to, l.writer.Out)
	l.out.SetTopic(l.topic)
	l.Report(l.writer.Losses...)
	l.writer.Losses = l.writer.Losses[:0]
}

// SendObject closes the outermost object of the message, and sends it.
func (l *Link) SendObject(to translate.Side) {
	l.writer.EndObject()
	l.Send(to)
}

// NotifyWith begins a notification, up to its params. SendObject completes it.
func (l *Link) NotifyWith(method string) *shapes.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0"`)
	w.Texts("method", method)
	w.Name("params")
	return w
}

// NotifyAs forwards a notification of the agent with converted params. It drops the notification if
// the params cannot be converted.
func (l *Link) NotifyAs(m *jsonrpc.Message, convert func(*shapes.Writer, rawjson.Object) bool) {
	params := ParamsOf(m)
	o, ok := rawjson.ReadObject(nil, params)
	w := l.NotifyWith(string(m.Method))
	start := len(w.Out)
	switch {
	case !ok || !convert(w, o):
		l.Lose(translate.LossUnreadableNotification, "a "+string(m.Method)+" that cannot be read is dropped")
	case bytes.Equal(w.Out[start:], params):
		l.Forward()
	default:
		l.SendObject(translate.Client)
	}
}

// CancelSession sends the agent session/cancel.
func (l *Link) CancelSession(session string) {
	l.notify(translate.Agent, "session/cancel", "sessionId", rawjson.AppendQuoted(nil, session))
}

// notify sends a notification whose params have one member.
func (l *Link) notify(to translate.Side, method, name string, value []byte) {
	w := l.NotifyWith(method)
	w.Object()
	w.Member(name, value)
	w.EndObject()
	l.SendObject(to)
}

// ParamsOf returns the raw params of a message, nil if there are none.
func ParamsOf(m *jsonrpc.Message) []byte { return m.Params.Of(m.Text) }

// ResultOf returns the raw result of a response, or nil.
func ResultOf(m *jsonrpc.Message) []byte { return m.Result.Of(m.Text) }

// ErrorOf returns the raw error of a response, or nil.
func ErrorOf(m *jsonrpc.Message) []byte { return m.Error.Of(m.Text) }
