// Package calls is what both bridges between versions are built on: a connection
// whose requests travel under ids of the bridge's own, and the lines that leave.
//
// A bridge asks, answers, refuses and tells. What it says of a session are
// updates.
//
//	calls.go     the message at hand, what leaves, what is lost, the agent's end
//	requests.go  requests that wait for their answers: ask, answer, refuse, cancel
//	updates.go   session/update: passed, rewritten, or of the bridge's own
//
// Ids are translated because the two ends may use the same ones, and because
// bridges ask by themselves.
//
// What ends in With begins a line, up to the value that comes next; SendObject or
// another Send ends and sends it. There is one such line at a time.
package calls

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Link is one connection after initialize. The zero value is ready for Begin.
// It must not be used by two goroutines at once.
type Link struct {
	Lines

	now   time.Time
	asked [2]calls // the requests that wait, by the side that was asked
	ended bool     // the agent has
}

// Lines writes the lines that the bridge sends.
type Lines struct {
	Losses

	w      shapes.Writer // the line that has been begun
	trial  shapes.Writer // see Trial
	update Update        // see ReadUpdate
}

// Losses reports losses between two versions.
type Losses struct {
	out     *translate.Out
	session []byte // of the current message
}

// Begin is called first for each message and each timer. What leaves goes to
// out. The session is the one that the message is about, or nil: losses name it.
// It must stay valid until the next call.
func (l *Link) Begin(now time.Time, out *translate.Out, session []byte) {
	l.now, l.out, l.session = now, out, session
	l.w.Reset() // also because one large line is not kept
}

// Now is the time of the message at hand.
func (l *Link) Now() time.Time { return l.now }

// After is a time that is that long after the message at hand.
func (l *Link) After(d time.Duration) time.Time { return l.now.Add(d) }

// Earliest returns the earliest of the times that are not zero.
func Earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if first.IsZero() || !t.IsZero() && t.Before(first) {
			first = t
		}
	}
	return first
}

// End notes that the agent has ended.
func (l *Link) End() { l.ended = true }

// Ended reports whether the agent has ended.
func (l *Link) Ended() bool { return l.ended }

// AgentEnded is the error for what the client wants of an agent that has ended.
var AgentEnded = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "agent exited"}

// Forward sends the message at hand on as it came.
func (l *Lines) Forward() { l.out.Forward() }

// Lose notes a loss of the message at hand: it is lost between two versions.
func (l *Losses) Lose(kind translate.LossKind, detail string) { l.LoseOf(l.session, kind, detail) }

// LoseOf is Lose for another session than that of the message at hand.
func (l *Losses) LoseOf(session []byte, kind translate.LossKind, detail string) {
	l.LoseAllOf(session, []translate.Loss{{Kind: kind, Detail: detail}})
}

// LoseNamed is Lose for a loss that has a name, see [translate.Loss].
func (l *Losses) LoseNamed(kind translate.LossKind, name, detail string) {
	l.LoseAll([]translate.Loss{{Kind: kind, Name: name, Detail: detail}})
}

// LoseAll notes losses that a Writer has collected.
func (l *Losses) LoseAll(losses []translate.Loss) { l.LoseAllOf(l.session, losses) }

// LoseAllOf is LoseAll for another session than that of the message at hand.
func (l *Losses) LoseAllOf(session []byte, losses []translate.Loss) {
	for _, loss := range losses {
		loss.Session, loss.Version = string(session), true
		l.out.Lose(loss)
	}
}

// LoseUntold notes the capabilities of the client and of the agent that the other one is
// not told of. They are named as in [shapes.V1Client].
func (l *Losses) LoseUntold(client, agent string) {
	if client != "" {
		l.LoseNamed(translate.LossCapability, client, "the agent is not told that the client has it")
	}
	if agent != "" {
		l.LoseNamed(translate.LossCapability, agent, "the client is not told that the agent has it")
	}
}

// Write returns the Writer for the next line. A line that is begun is sent
// before another one is begun.
func (l *Lines) Write() *shapes.Writer {
	l.w.Reset()
	l.w.Cwd = ""
	return &l.w
}

// Trial returns an empty Writer beside the line, to see what becomes of a value. What
// was lost in it is not noted. It is valid until the next call.
func (l *Lines) Trial() *shapes.Writer {
	l.trial.Reset()
	l.trial.Cwd = ""
	return &l.trial
}

// Send sends what the Writer has as a line, and notes what was lost on the way.
func (l *Lines) Send(to translate.Side) {
	l.out.Send(to, l.w.Out)
	l.LoseAll(l.w.Losses)
	l.w.Losses = l.w.Losses[:0]
}

// SendObject ends the outermost object of the line, and sends it.
func (l *Lines) SendObject(to translate.Side) {
	l.w.EndObject()
	l.Send(to)
}

// TellWith begins a notification, up to its params. They come next, then SendObject.
func (l *Lines) TellWith(method string) *shapes.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0"`)
	w.Texts("method", method)
	w.Name("params")
	return w
}

// TellAs tells a side what a notification says, whose params are converted. It reports
// false if they have no form there, and what of them has none: that is not noted then.
func (l *Lines) TellAs(to translate.Side, m *jsonrpc.Message, convert shapes.Convert) (lost []translate.Loss, ok bool) {
	params := ParamsOf(m)
	o, ok := rawjson.ReadObject(nil, params)
	w := l.TellWith(string(m.Method))
	start := len(w.Out)
	switch {
	case !ok || !convert(w, o):
		return w.Losses, false
	case bytes.Equal(w.Out[start:], params):
		l.Forward()
	default:
		l.SendObject(to)
	}
	return nil, true
}

// TellCancel tells the agent that what it does in a session is cancelled.
func (l *Lines) TellCancel(session string) {
	w := l.TellWith("session/cancel")
	w.Object()
	w.Texts("sessionId", session)
	w.EndObject()
	l.SendObject(translate.Agent)
}

// ParamsOf returns the raw params of a message, nil if there are none.
func ParamsOf(m *jsonrpc.Message) []byte { return m.Params.Of(m.Text) }

// ResultOf returns the raw result of a response, or nil.
func ResultOf(m *jsonrpc.Message) []byte { return m.Result.Of(m.Text) }

// ErrorOf returns the raw error of a response, or nil.
func ErrorOf(m *jsonrpc.Message) []byte { return m.Error.Of(m.Text) }
