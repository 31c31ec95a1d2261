// Package asking asks the user of a client to approve something, or to choose, in place of a
// request of the agent. A [capabilities.ClientProfile] describes the client.
//
//	questions ──> one form, if the client has forms and the questions approve no plan; otherwise:
//	              a chat message, unless the client has received the text as a plan, or displays
//	              the request's content in full
//	              a tool_call, unless the request is about one of the agent
//	              permission requests, one after another
//	              the update that ends the tool call
//	          ──> a Result
//
// Many clients misread a valid permission request. A client with one button for several
// options is asked about each choice separately, with one allow and one reject option.
//
// A Result contains only choices that the user made. An unknown option id in a response counts as a
// refusal. A response without an option cancels. An error remains an error,
// except that it cancels a form.
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

// An Asker asks the user of one client. The zero value is ready for use with an unknown
// client. An Asker is not safe for concurrent use.
type Asker struct {
	Name          string                     // prefix in the ids of requests; unique among the Askers of a client
	Version       int                        // protocol version of the client; 0 means 1
	Client        capabilities.ClientProfile // changes apply to the next request
	Forms         bool                       // the client supports forms; never used for approvals
	OnePerSession bool                       // the client has one request per session at a time
	Share         *keep.Share                // budget of the pending inquiries; nil counts nothing
	Out           *translate.Out             // output for the current message

	requests     int                // number of requests sent
	messages     int                // number of ids given to chat messages, for version 2
	pending      keep.Map[*inquiry] // by the id of the agent's request
	clientClosed bool               // the client disconnected
}

// A Request is the agent's request that the Asker replaces.
type Request struct {
	ID       []byte // raw JSON
	Session  string
	ToolCall string // id of the tool call, "" if the request names none
	Title    string // of the form that asks all questions
	Size     int    // bytes of the params
}

// RequestCost is the overhead of a pending request in bytes.
const RequestCost = 4 << 10

// Cost returns the number of bytes that a pending request counts.
func (r *Request) Cost() int {
	return RequestCost + len(r.ID) + len(r.Session) + len(r.ToolCall) + r.Size
}

// ownID begins the ids of the proxy's requests. Agents and clients use numbers or UUIDs.
const ownID = "acp-plan-proxy/"

// IsOwn reports whether an id is the id of a request that the Asker sent.
func (a *Asker) IsOwn(id jsonrpc.ID) bool {
	number, ok := strings.CutPrefix(string(id), `"`+ownID+a.Name)
	n, err := strconv.Atoi(number)
	return ok && err == nil && n > 0 && n <= a.requests
}

// Pending returns the number of pending inquiries.
func (a *Asker) Pending() int { return a.pending.Len() }

// HasAsked reports whether the Asker has sent a request. A late response to a request may arrive at
// any time.
func (a *Asker) HasAsked() bool { return a.requests > 0 }

// Ask asks questions, at least one, in place of a request. It calls done exactly once, now or
// later, unless the agent reuses the id of the request.
func (a *Asker) Ask(r Request, questions []Question, done func(Result)) {
	id := jsonrpc.IDOf(r.ID)
	a.Discard(id)
	q := &inquiry{Request: r, asker: a, questions: questions, done: done, isForm: a.Forms && !questions[0].Approval}
	q.Size *= 4 // the questions repeat the texts of the request, with notes
	switch {
	case a.clientClosed:
		done(Result{Closed: true})
	case !q.isForm && slices.ContainsFunc(questions, a.cannotAsk):
		for _, question := range questions {
			a.SendText(r.Session, question.Text)
		}
		done(Result{NotAsked: true})
	case !a.Share.Reserve(q.Cost()):
		done(Result{})
	default:
		a.pending.Put(string(id), q)
		if a.OnePerSession {
			a.beginNext(r.Session)
		} else {
			q.begin()
		}
	}
}

// beginNext begins the oldest inquiry of a session, if it has not begun.
func (a *Asker) beginNext(session string) {
	for _, q := range a.pending.All() {
		if q.Session == session {
			if q.id == nil {
				q.begin()
			}
			return
		}
	}
}

// AcceptResponse accepts a response of the client. It reports whether the response is to a request
// of the Asker. A late response has no effect.
func (a *Asker) AcceptResponse(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(m.ID)
	if !a.IsOwn(id) {
		return false
	}
	for _, q := range a.pending.All() {
		if jsonrpc.IDOf(q.id) == id {
			q.accept(m)
			break
		}
	}
	return true
}

// remove removes a pending inquiry.
func (a *Asker) remove(q *inquiry) {
	a.pending.Delete(string(jsonrpc.IDOf(q.ID)))
	a.Share.Release(q.Cost())
}

// Cancel cancels the inquiry that replaces the agent's request with that id. It returns false if
// there is no such inquiry.
func (a *Asker) Cancel(id jsonrpc.ID) bool {
	target := a.pending.Get(string(id))
	return a.cancel(false, func(q *inquiry) bool { return q == target })
}

// Replaces reports whether a pending inquiry replaces the agent's request with that id.
func (a *Asker) Replaces(id jsonrpc.ID) bool { return a.pending.Has(string(id)) }

// Discard cancels the inquiry that replaces the agent's request with that id, without
// answering the request: the agent has reused the id.
func (a *Asker) Discard(id jsonrpc.ID) {
	if q := a.pending.Get(string(id)); q != nil {
		q.done = func(Result) {}
		a.Cancel(id)
	}
}

// CancelSession cancels the inquiries of a session that the client has cancelled or closed. It
// returns false if there are none.
func (a *Asker) CancelSession(session string, closed bool) bool {
	return a.cancel(closed, func(q *inquiry) bool { return q.Session == session })
}

// Close cancels all inquiries. The client has disconnected; later inquiries end at once.
func (a *Asker) Close() {
	a.clientClosed = true
	a.cancel(true, func(*inquiry) bool { return true })
}

// cancel removes the inquiries that match, reports them as cancelled, and cancels the requests that
// the client has. It returns false if no inquiry matches.
func (a *Asker) cancel(closed bool, matches func(q *inquiry) bool) bool {
	var removed []*inquiry // all are removed first, so that beginNext begins none of them
	for _, q := range a.pending.All() {
		if matches(q) {
			removed = append(removed, q)
			a.remove(q)
		}
	}
	for _, q := range removed {
		q.done(Result{Closed: closed})
		if q.id == nil {
			continue
		}
		a.Out.Send(translate.Client, []byte(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`), q.id, []byte("}}"))
		if !closed {
			q.endToolCall("failed", "")
		}
		if a.OnePerSession {
			a.beginNext(q.Session)
		}
	}
	return len(removed) > 0
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

// SendText sends a text as a chat message of its own.
func (a *Asker) SendText(session, text string) {
	id := ""
	if a.Version >= 2 {
		a.messages++
		id = ownID + a.Name + "message-" + strconv.Itoa(a.messages)
	}
	a.Out.Send(translate.Client, translate.TextMessage(session, id, text))
}
