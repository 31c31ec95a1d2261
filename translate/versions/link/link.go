// Package link is what both bridges between versions are built on: a connection
// whose requests travel under ids of the bridge's own, and the lines that leave.
//
// A bridge asks, answers, refuses and tells. What it says of a session are
// updates.
//
//	link.go      the message at hand, what leaves, what is lost
//	requests.go  requests that wait for their answers: ask, answer, refuse, cancel
//	errors.go    errors that every version can read
//	updates.go   session/update: passed, rewritten, or of the bridge's own
//
// Ids are translated because the two ends may use the same ones, and because
// bridges ask by themselves.
package link

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// A Link is one connection after initialize. The zero value is ready for Begin.
// It must not be used by two goroutines at once.
type Link struct {
	now     time.Time
	out     *translate.Out
	session []byte // that the message at hand is about

	w     words.Writer // what is being written
	asked [2]calls     // the requests that wait, by the side that was asked
}

// Begin is called first for each message and each timer. What leaves goes to
// out. The session is the one that the message is about, nil if there is none:
// losses name it. It must stay valid until the next call.
func (l *Link) Begin(now time.Time, out *translate.Out, session []byte) {
	l.now, l.out, l.session = now, out, session
	l.w.Reset() // also because one large line is not kept
}

// Now is the time of the message at hand.
func (l *Link) Now() time.Time { return l.now }

// Forward sends the message at hand on as it came.
func (l *Link) Forward() { l.out.Forward() }

// Lose notes a loss of the message at hand.
func (l *Link) Lose(kind translate.LossKind, detail string) { l.LoseOf(l.session, kind, detail) }

// LoseOf is Lose for another session than that of the message at hand.
func (l *Link) LoseOf(session []byte, kind translate.LossKind, detail string) {
	l.out.Lose(translate.Loss{Kind: kind, Session: string(session), Detail: detail})
}

// LoseAll notes losses that a Writer has collected.
func (l *Link) LoseAll(losses []translate.Loss) {
	for _, loss := range losses {
		loss.Session = string(l.session)
		l.out.Lose(loss)
	}
}

// Write returns the Writer for the next line. A line that is begun is sent
// before another one is begun.
func (l *Link) Write() *words.Writer {
	l.w.Reset()
	l.w.Cwd = ""
	return &l.w
}

// Send sends what the Writer has as a line, and notes what was lost on the way.
func (l *Link) Send(to translate.Side) {
	l.out.Send(to, l.w.Out)
	l.LoseAll(l.w.Losses)
	l.w.Losses = l.w.Losses[:0]
}

// Tell begins a notification, up to its params. They come next, then SendObject.
func (l *Link) Tell(method string) *words.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0"`)
	w.StringMember("method", []byte(method))
	w.Name("params")
	return w
}

// SendObject ends the outermost object of the line, and sends it.
func (l *Link) SendObject(to translate.Side) {
	l.w.EndObject()
	l.Send(to)
}

// TellCancel tells the agent that what it does in a session is cancelled.
func (l *Link) TellCancel(session string) {
	w := l.Tell("session/cancel")
	w.Object()
	w.StringMember("sessionId", []byte(session))
	w.EndObject()
	l.SendObject(translate.Agent)
}

// ParamsOf returns the raw params of a message, nil if there are none.
func ParamsOf(m *jsonrpc.Message) []byte { return m.Params.Of(m.Text) }

// ResultOf returns the raw result of a response, nil if there is none.
func ResultOf(m *jsonrpc.Message) []byte { return m.Result.Of(m.Text) }

// ErrorOf returns the raw error of a response, nil if there is none.
func ErrorOf(m *jsonrpc.Message) []byte { return m.Error.Of(m.Text) }
