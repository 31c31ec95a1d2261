package vendors

import (
	"bytes"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A vendor's request goes through these states:
//
//	          the client answers it               (the answer passes)
//	         ┌───────────────────────> over
//	offered ─┤
//	         └> done here ───────────> over
//	 -32601, or the client is  todos: at once
//	 not asked (see offers)    a plan, questions: when the user has answered,
//	                           cancelled, or is gone
//
// The client is offered the request byte for byte, because clients that know it must
// get it. That it does not know a method is remembered for the connection.

// A vendor is whose words an agent uses.
type vendor struct {
	name    string // in the log, and in the ids of its plans
	prefix  string // of its methods
	methods []method
}

// A method is one of a vendor's, and what is done for a request in the client's place: it
// is answered, at once or later.
type method struct {
	name  string // behind the prefix
	do    func(t *Translator, r *request)
	tells bool // a notification of it says something that the client is shown

	// The answers of a request that asks the user: that he has approved a plan, or rejected
	// or abandoned it, answered questions, or skipped them (rejected), or given no
	// answer; and that the client cannot ask questions.
	approved, rejected, abandoned string
	answered                      func(questions []asking.Question, chosen [][]string) string
	cancelled, skipped            string
}

// vendors returns the vendors whose requests are known.
func vendors() []*vendor { return []*vendor{cursor, grok} }

// find returns whose method a name is, and the method if it is known. The name may begin
// with an underscore.
func find(name string) (*vendor, *method) {
	name = strings.TrimPrefix(name, "_")
	for _, v := range vendors() {
		if rest, ok := strings.CutPrefix(name, v.prefix); ok {
			for i := range v.methods {
				if v.methods[i].name == rest {
					return v, &v.methods[i]
				}
			}
			return v, nil
		}
	}
	return nil, nil
}

// Asks reports whether requests of that method ask the user something, in words of a
// vendor.
func Asks(name string) bool {
	_, m := find(name)
	return m != nil && m.cancelled != ""
}

// A request is a vendor's request, or a notification, which has no id.
type request struct {
	asking.Request
	vendor *vendor
	method *method
	params rawjson.Object
	over   bool // the agent has taken it back, or the turn or session has ended
}

// vendorSays handles a request or notification with one of these methods.
func (t *Translator) vendorSays(m *jsonrpc.Message) bool {
	v, method := find(string(m.Method))
	switch {
	case v == nil:
		return false
	case m.ID == nil && (method == nil || !method.tells || t.knows[v]):
		return t.peers.Client.Fragile
	case method == nil:
		return t.refuseForSilent(m)
	}
	t.use(v.name)
	t.out.OfPlan()
	r := t.read(m, v, method)
	switch {
	case m.ID == nil:
		if !t.peers.Client.Fragile {
			t.out.Forward()
		}
		if r.Session != "" {
			method.do(t, r)
		}
	case t.offers(method):
		t.offer(r)
		return false
	default:
		t.do(r)
	}
	return true
}

// offer notes that the client is given a request as it is. Without room for it, the
// request is left to the client.
func (t *Translator) offer(r *request) {
	id := jsonrpc.IDOf(r.ID)
	t.withdraw(id) // the agent has used the id twice
	if t.sessions.beside.Fix(r.Cost()) {
		t.offered.Put(r.Session, string(id), r)
	}
}

// withdraw returns a request that the client was offered, and forgets it; nil if the
// client was offered none of that id.
func (t *Translator) withdraw(id jsonrpc.ID) *request {
	r := t.offered.Get(string(id))
	if r != nil {
		t.offered.Delete(string(id))
		t.sessions.beside.Free(r.Cost())
	}
	return r
}

// waiting returns how many requests wait for the client.
func (t *Translator) waiting() int { return t.offered.Len() + t.asker.Pending() }

// offers reports whether the client is asked first.
func (t *Translator) offers(m *method) bool {
	return t.mode == Auto && !t.peers.Client.NoVendors && !t.peers.Absent && !t.gone && !t.taken[m]
}

// refuseForSilent answers a request that is not known for a client that would never
// answer.
func (t *Translator) refuseForSilent(m *jsonrpc.Message) bool {
	if !t.peers.Client.Silent {
		return false
	}
	failure := jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found: " + string(m.Method)}
	t.out.Send(translate.Agent, failure.Response(m.ID))
	return true
}

// read reads a request. Its memory is its own.
func (t *Translator) read(m *jsonrpc.Message, v *vendor, to *method) *request {
	params := bytes.Clone(m.Params.Of(m.Text))
	o, _ := rawjson.ReadObject(nil, params)
	if inner := o.Get("params"); len(inner) > 0 && inner[0] == '{' { // some transports wrap it
		if _, wrapped := find(o.String("method")); wrapped == to {
			o, _ = rawjson.ReadObject(nil, inner)
		}
	}
	call := o.String("toolCallId")
	session := or(o.String("sessionId"), t.sessions.of(call))
	return &request{
		Request: asking.Request{ID: bytes.Clone(m.ID), Session: session, Call: call, Size: len(params)},
		vendor:  v, method: to, params: o,
	}
}

// clientAnswers handles an answer of the client: to what it was asked here, or to a
// request that it was offered.
func (t *Translator) clientAnswers(m *jsonrpc.Message) bool {
	if t.asker.Respond(m) {
		t.out.OfPlan()
		return true
	}
	id := jsonrpc.IDOf(m.ID)
	r := t.withdraw(id)
	if r == nil {
		return t.formAnswered(m)
	}
	t.out.OfPlan()
	switch failure := m.Error.Of(m.Text); {
	case m.Failed() && rawjson.Null(failure):
		t.out.Send(translate.Agent, translate.Answer(r.ID, "error", asking.ErrorOf(m)))
		return true
	case jsonrpc.ErrorCode(failure) != jsonrpc.MethodNotFound:
		t.knows[r.vendor] = true
		return false
	}
	t.taken[r.method] = true
	t.do(r)
	return true
}

// do does in the client's place what a request is for. The user is not asked what nobody
// waits for any more, or what belongs to no session.
func (t *Translator) do(r *request) {
	if (r.over || r.Session == "") && r.method.cancelled != "" {
		t.cancel(r)
		return
	}
	r.method.do(t, r)
}

// agentCancels handles $/cancel_request of the agent. For a request that is done here
// the client has another one.
func (t *Translator) agentCancels(m *jsonrpc.Message) bool {
	id := asking.RequestID(m)
	if r := t.offered.Get(string(id)); r != nil {
		r.over = true
	}
	if !t.asker.Cancel(id) {
		return false
	}
	t.out.OfPlan()
	return true
}

// overWith answers what the agent has asked in a session that the client has cancelled
// or closed with the message at hand.
func (t *Translator) overWith(session string, closed bool) bool {
	for _, r := range t.offered.Group(session) {
		r.over = true
	}
	t.out.Forward()
	if t.asker.CancelSession(session, closed) {
		t.out.OfPlan()
	}
	return true
}

// ClientGone implements [translate.Words]. It answers the agent's requests that the client
// would have answered. From now on the user is asked nothing.
func (t *Translator) ClientGone(out *translate.Out) {
	t.out, t.asker.Out, t.gone = out, out, true
	t.asker.Close()
	for id, r := range t.offered.All() {
		t.withdraw(jsonrpc.ID(id))
		r.over = true
		t.do(r)
	}
	if len(out.Leaves()) > 0 {
		out.OfPlan()
	}
}

// answer answers a vendor's request.
func (t *Translator) answer(r *request, result string) {
	if r.ID == nil {
		return
	}
	t.out.Send(translate.Agent, translate.Answer(r.ID, "result", []byte(result)))
}

// cancel answers a vendor's request: the user has given no answer.
func (t *Translator) cancel(r *request) { t.answer(r, r.method.cancelled) }
