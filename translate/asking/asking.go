// Package asking asks the user of a client, in the place of a request of the agent: to
// approve something, or to choose. It knows nothing of who wants to know, and of the client
// only its [capabilities.ClientProfile].
//
//	questions ──> a form, if the client has forms and nothing is approved; else:
//	              a message, unless the client shows what there is to read anyway
//	              a tool_call, if the question is about none
//	              permission requests, one after the other
//	              the update that ends the tool call
//	          ──> a Result
//
// A valid permission request can still be a wrong button. For a client that has one
// button for several options, each choice is a request of its own, with one yes and one
// no.
//
// A Result never has a choice that the user has not made. An option that was not offered
// is a no. An answer without an option cancels, and so does an error.
package asking

import (
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An Asker asks the user of one client. It must not be used by two goroutines at once.
// The zero value is ready for use; nothing is known of the client then.
type Asker struct {
	Name    string                     // in the ids of its requests: those of two Askers must differ
	Version int                        // of the protocol that is spoken to the client; 0 is 1
	Client  capabilities.ClientProfile // a change of it leaves what is asked as it is
	Forms   bool                       // the client has forms, which do not serve for approvals
	InTurn  bool                       // what is asked in a session waits for what was asked there before
	Kept    *keep.Share                // counts what waits for the user
	Out     *translate.Out             // of the message at hand

	number int        // counts requests
	said   int        // counts messages
	open   []*inquiry // in the order in which they have begun
	gone   bool       // the client
}

// A Request is one of the agent's, in whose place the user is asked.
type Request struct {
	ID      []byte // raw
	Session string
	Call    string // the tool call that it is about, "" if it names none
	Title   string // of a form
	Size    int    // bytes that are kept for it
}

// RequestCost is how many bytes a request that waits counts besides its own.
const RequestCost = 4 << 10

// The ids of our own requests begin so: they must be those of nobody else. Agents and clients count, or take UUIDs.
const ownID = "acp-plan-proxy/"

// IsOwn reports whether an id is that of a request of the Asker.
func (a *Asker) IsOwn(id jsonrpc.ID) bool {
	number, is := strings.CutPrefix(string(id), `"`+ownID+a.Name)
	n, err := strconv.Atoi(number)
	return is && err == nil && n > 0 && n <= a.number
}

// Waiting returns how many requests wait for the user.
func (a *Asker) Waiting() int { return len(a.open) }

// HasAsked reports whether there was a request at all, which may be answered late.
func (a *Asker) HasAsked() bool { return a.number > 0 }

// Ask asks questions in place of a request. done is called once, now or later, and answers
// the request.
func (a *Asker) Ask(r Request, questions []Question, done func(Result)) {
	q := &inquiry{Request: r, asker: a, questions: questions, done: done, form: a.Forms && !questions[0].Approval}
	switch {
	case a.gone:
		done(Result{Closed: true})
	case !q.form && slices.ContainsFunc(questions, a.cannotAsk):
		for _, question := range questions {
			a.Say(r.Session, question.Text)
		}
		done(Result{Unasked: true})
	case !a.Kept.Fix(RequestCost + r.Size):
		done(Result{})
	default:
		a.open = append(a.open, q)
		if a.InTurn {
			a.next(r.Session)
		} else {
			q.begin()
		}
	}
}

// next begins what waits for its turn in a session.
func (a *Asker) next(session string) {
	i := slices.IndexFunc(a.open, func(q *inquiry) bool { return q.Session == session })
	if i >= 0 && a.open[i].id == nil {
		a.open[i].begin()
	}
}

// Answer handles an answer of the client. It reports whether the answer is to a request
// of the Asker. One that comes too late changes nothing.
func (a *Asker) Answer(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(m.ID)
	i := slices.IndexFunc(a.open, func(q *inquiry) bool { return q.id != nil && jsonrpc.IDOf(q.id) == id })
	if i < 0 {
		return a.IsOwn(id)
	}
	if q := a.open[i]; q.form {
		q.formAnswered(m)
	} else {
		q.permissionAnswered(m)
	}
	return true
}

// ends takes inquiries out of those that are open.
func (a *Asker) ends(which func(*inquiry) bool) (ended []*inquiry) {
	a.open = slices.DeleteFunc(a.open, func(q *inquiry) bool {
		if !which(q) {
			return false
		}
		a.Kept.Free(RequestCost + q.Size)
		ended = append(ended, q)
		return true
	})
	return ended
}

// Cancelled takes back what is asked in place of a request that the agent has cancelled. It
// reports whether there is such a request.
func (a *Asker) Cancelled(id jsonrpc.ID) bool {
	return a.takeBack(false, func(q *inquiry) bool { return jsonrpc.IDOf(q.ID) == id })
}

// Replaced takes back what is asked in place of a request whose id the agent has used again:
// nobody waits for its answer any more.
func (a *Asker) Replaced(id jsonrpc.ID) {
	for _, q := range a.open {
		if jsonrpc.IDOf(q.ID) == id {
			q.done = func(Result) {}
		}
	}
	a.Cancelled(id)
}

// Over takes back what is asked in a session that the client has cancelled, or closed: then
// it knows the session no more. It reports whether anything was asked.
func (a *Asker) Over(session string, closed bool) bool {
	return a.takeBack(closed, func(q *inquiry) bool { return q.Session == session })
}

// Gone ends everything that is asked: the client has gone, and is asked nothing any more.
func (a *Asker) Gone() {
	a.gone = true
	a.takeBack(true, func(*inquiry) bool { return true })
}

// takeBack has the agent answered first, and then takes back what the client has.
func (a *Asker) takeBack(closed bool, which func(*inquiry) bool) bool {
	taken := a.ends(which)
	for _, q := range taken {
		q.done(Result{Closed: closed})
	}
	for _, q := range taken {
		if q.id == nil {
			continue
		}
		a.Out.Send(translate.Client, []byte(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`), q.id, []byte("}}"))
		if !closed {
			q.endCall("failed", "")
		}
	}
	if a.InTurn {
		for _, q := range taken {
			if q.id != nil {
				a.next(q.Session)
			}
		}
	}
	return len(taken) > 0
}

// Overs are the methods that SessionOver knows.
func Overs() []string { return []string{"session/cancel", "session/close", "session/delete"} }

// SessionOver returns the session whose turn a message of the client cancels, or that it
// closes.
func SessionOver(m *jsonrpc.Message) (session string, closed, ok bool) {
	ok = m.Session != nil && slices.Contains(Overs(), string(m.Method))
	return string(m.Session), string(m.Method) != "session/cancel", ok
}

// RequestID returns the id of the request that the params of a $/cancel_request, or of a
// form, are about.
func RequestID(m *jsonrpc.Message) jsonrpc.ID {
	return jsonrpc.IDOf(rawjson.Get(m.Params.Of(m.Text), "requestId"))
}

// send sends a request to the client.
func (a *Asker) send(id []byte, session, method string, write func(*rawjson.Builder)) {
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0"`)
	b.Member("id", id)
	b.Texts("method", method)
	b.Name("params")
	b.Object()
	b.Texts("sessionId", session)
	write(&b)
	b.EndObject()
	b.EndObject()
	a.Out.Send(translate.Client, b.Out)
}

// update sends the client a session update that concerns no plan, see [translate.Update].
func (a *Asker) update(session, kind string, write func(*rawjson.Builder)) {
	a.Out.Send(translate.Client, translate.Update(session, kind, write))
	a.Out.NoPlan()
}

// Say says a text as a message of the agent, apart from those around it.
func (a *Asker) Say(session, text string) {
	a.said++
	a.update(session, "agent_message_chunk", func(b *rawjson.Builder) {
		if a.Version >= 2 {
			b.Texts("messageId", ownID+a.Name+"message-"+strconv.Itoa(a.said))
		}
		b.Name("content")
		b.JSON(`{"type":"text"`)
		b.Texts("text", "\n\n"+strings.Trim(text, "\n")+"\n\n")
		b.EndObject()
	})
}
