package vendors

import (
	"bytes"
	"cmp"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A vendor's request has these states:
//
//	          the client responds           (the response passes)
//	         ┌───────────────────────> done
//	offered ─┤
//	         └> answered here ───────> done
//	 -32601, or the client is  todos: at once
//	 not asked (see offers)    a plan, questions: after the user has answered or
//	                           cancelled, or the client has disconnected
//
// The proxy offers the request to the client byte for byte, because clients that support it
// must receive it. After a -32601, it answers the method itself for the whole connection.

// A vendor is a maker of agents with requests of its own.
type vendor struct {
	name    string // in the log, and in plan ids
	prefix  string // of its methods
	methods []method
}

// A method is a vendor's method, with the function that answers a request in place of the
// client, at once or later.
type method struct {
	name  string // after the prefix
	run   func(s *Stage, r *request)
	shows bool // a notification of this method contains a plan

	// Results of a request that asks the user. skipped means that the client cannot ask.
	approved, rejected, abandoned string
	answered                      func(questions []asking.Question, chosen [][]string) string
	cancelled, skipped            string
}

// vendors returns the vendors with known requests.
func vendors() []*vendor { return []*vendor{cursor, grok} }

// find returns the vendor of a method, and the method if it is known. The name may begin with
// an underscore.
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

// Asks reports whether a vendor's method asks the user.
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
	over   bool // the agent cancelled it, or its turn or session has ended
}

// vendorMessage accepts a request or notification with a vendor's method.
func (s *Stage) vendorMessage(m *jsonrpc.Message) bool {
	v, method := find(string(m.Method))
	switch {
	case v == nil:
		return false
	case m.ID == nil && (method == nil || !method.shows || s.supported[v]):
		return s.peers.Client.BreaksOnUnknownNotification
	case method == nil:
		return s.refuseUnknown(m)
	}
	s.use(v.name)
	s.out.MarkPlan()
	r := s.sessions.request(m, v, method)
	switch {
	case m.ID == nil:
		if !s.peers.Client.BreaksOnUnknownNotification {
			s.out.Forward()
		}
		if r.Session != "" {
			method.run(s, r)
		}
	case s.offers(method):
		s.offer(r)
		return false
	default:
		s.run(r)
	}
	return true
}

// offer records a request that the client receives unchanged. If the budget is exhausted, the
// client's response will pass.
func (s *Stage) offer(r *request) {
	id := jsonrpc.IDOf(r.ID)
	s.takeOffer(id) // the agent has reused the id
	if s.sessions.kept.Reserve(r.Cost()) {
		s.offered.Put(string(id), r)
	}
}

// takeOffer removes an offered request and returns it, or nil if there is none.
func (s *Stage) takeOffer(id jsonrpc.ID) *request {
	r := s.offered.Get(string(id))
	if r != nil {
		s.offered.Delete(string(id))
		s.sessions.kept.Release(r.Cost())
	}
	return r
}

// pending returns the number of pending requests.
func (s *Stage) pending() int { return s.offered.Len() + s.asker.Pending() }

// offers reports whether the client receives requests of a method first.
func (s *Stage) offers(m *method) bool {
	return s.mode == Auto && !s.peers.Client.NoVendors && !s.gone && !s.refused[m]
}

// refuseUnknown answers an unknown request for a client that would never respond.
func (s *Stage) refuseUnknown(m *jsonrpc.Message) bool {
	if !s.peers.Client.IgnoresUnknownRequests {
		return false
	}
	failure := jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found: " + string(m.Method)}
	s.out.Send(translate.Agent, failure.Response(m.ID))
	return true
}

// request returns a copy of a vendor's request or notification, with its session.
func (ss *sessions) request(m *jsonrpc.Message, v *vendor, to *method) *request {
	params := bytes.Clone(m.Params.Of(m.Text))
	o := rawjson.Members(params)
	if inner := o.Get("params"); rawjson.IsObject(inner) { // some transports wrap it
		if _, wrapped := find(o.String("method")); wrapped == to {
			o = rawjson.Members(inner)
		}
	}
	call := o.String("toolCallId")
	session := cmp.Or(o.String("sessionId"), ss.sessionOf(call))
	return &request{
		Request: asking.Request{ID: bytes.Clone(m.ID), Session: session, Call: call, Size: len(params)},
		vendor:  v, method: to, params: o,
	}
}

// respond accepts a response of the client.
func (s *Stage) respond(m *jsonrpc.Message) bool {
	if s.asker.Respond(m) {
		s.out.MarkPlan()
		return true
	}
	r := s.takeOffer(jsonrpc.IDOf(m.ID))
	if r == nil {
		return s.formAnswered(m)
	}
	s.out.MarkPlan()
	switch failure := m.Error.Of(m.Text); {
	case m.Failed() && rawjson.Null(failure):
		s.out.Send(translate.Agent, translate.Answer(r.ID, "error", asking.ErrorOf(m)))
		return true
	case jsonrpc.ErrorCode(failure) != jsonrpc.MethodNotFound:
		s.supported[r.vendor] = true
		return false
	}
	s.refused[r.method] = true
	s.run(r)
	return true
}

// run answers a request in place of the client. It cancels a request that asks the user if the
// request is over or has no session.
func (s *Stage) run(r *request) {
	if (r.over || r.Session == "") && r.method.cancelled != "" {
		s.cancel(r)
		return
	}
	r.method.run(s, r)
}

// agentCancels accepts a $/cancel_request of the agent. It reports whether the request is
// pending here; the client has another request in its place.
func (s *Stage) agentCancels(m *jsonrpc.Message) bool {
	id := asking.RequestID(m)
	if r := s.offered.Get(string(id)); r != nil {
		r.over = true
	}
	if !s.asker.Cancel(id) {
		return false
	}
	s.out.MarkPlan()
	return true
}

// cancelSession cancels the requests of a session that the current message cancels or closes.
func (s *Stage) cancelSession(session string, closed bool) {
	for _, r := range s.offered.All() {
		r.over = r.over || r.Session == session
	}
	s.out.Forward()
	if s.asker.CancelSession(session, closed) {
		s.out.MarkPlan()
	}
}

// ClientClosed implements [translate.SimpleStage]. It cancels all pending requests.
func (s *Stage) ClientClosed(out *translate.Out) {
	s.out, s.asker.Out, s.gone = out, out, true
	s.asker.Close()
	for id, r := range s.offered.All() {
		s.takeOffer(jsonrpc.ID(id))
		r.over = true
		s.run(r)
	}
	if len(out.Outputs()) > 0 {
		out.MarkPlan()
	}
}
