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
//	          the client responds
//	         ┌────────────────────────────────> done (the response passes)
//	offered ─┤
//	         └─> answered by the proxy ───────> done
//	          -32601, or the client is not
//	          asked (see mayOffer)
//
// The proxy answers todos at once, and a plan or questions after the user has answered or cancelled, or
// the client has disconnected.
//
// The proxy offers the request to the client byte for byte, because a client that supports the
// method must receive it. After a -32601, the proxy answers all requests of that method itself.

// A vendor is a maker of agents that send requests of its own.
type vendor struct {
	name    string // in the log, and in plan ids
	prefix  string // of its methods
	methods []method
}

// A method is a vendor's method, with the function that answers a request in place of the
// client, at once or later.
type method struct {
	name      string // name after the vendor's prefix
	run       func(s *Stage, r *request)
	showsPlan bool // a notification of this method contains a plan

	// Raw results of a request that asks the user, by the user's answer. skipped is the result if
	// the client cannot ask.
	approved, rejected, abandoned string
	answered                      func(questions []asking.Question, answers [][]string) string
	cancelled, skipped            string
}

// vendors returns the vendors with known requests.
func vendors() []*vendor { return []*vendor{cursor, grok} }

// findMethod returns the vendor of a method, and the method if it is known. The name may begin with
// an underscore.
func findMethod(name string) (*vendor, *method) {
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
	_, m := findMethod(name)
	return m != nil && m.cancelled != ""
}

// A request is a vendor's request, or a notification, which has no id.
type request struct {
	asking.Request
	vendor *vendor
	method *method
	params rawjson.Object
	isOver bool // the agent cancelled the request, or its turn or session has ended
}

// acceptVendorMessage accepts a request or notification of the agent. It returns false if the
// message passes.
func (s *Stage) acceptVendorMessage(m *jsonrpc.Message) bool {
	v, method := findMethod(string(m.Method))
	switch {
	case v == nil:
		return false
	case m.ID == nil && (method == nil || !method.showsPlan || s.supported[v]):
		return s.peers.Client.BreaksOnUnknownNotification // true drops it
	case method == nil:
		return s.refuseUnknown(m)
	}
	s.recordUse(v.name)
	s.out.MarkPlan()
	r := s.sessions.newRequest(m, v, method)
	switch {
	case m.ID == nil:
		if !s.peers.Client.BreaksOnUnknownNotification {
			s.out.Forward()
		}
		if r.Session != "" {
			method.run(s, r)
		}
	case s.mayOffer(method):
		s.recordOffer(r)
		return false
	default:
		s.run(r)
	}
	return true
}

// recordOffer records a request that the client receives unchanged. If the budget is exhausted, it
// does not, and the client's response passes.
func (s *Stage) recordOffer(r *request) {
	id := jsonrpc.IDOf(r.ID)
	s.takeOffer(id) // the agent has reused the id
	if s.sessions.share.Reserve(r.Cost()) {
		s.offered.Put(string(id), r)
	}
}

// takeOffer removes an offered request and returns it, or nil if there is none.
func (s *Stage) takeOffer(id jsonrpc.ID) *request {
	r := s.offered.Get(string(id))
	if r != nil {
		s.offered.Delete(string(id))
		s.sessions.share.Release(r.Cost())
	}
	return r
}

// pending returns the number of pending requests.
func (s *Stage) pending() int { return s.offered.Len() + s.asker.Pending() }

// mayOffer reports whether the client receives requests of a method first.
func (s *Stage) mayOffer(m *method) bool {
	return s.mode == Auto && !s.peers.Client.NoVendors && !s.clientClosed && !s.refused[m]
}

// refuseUnknown answers an unknown request of a vendor if the client would never respond. It returns
// false if the request passes.
func (s *Stage) refuseUnknown(m *jsonrpc.Message) bool {
	if !s.peers.Client.IgnoresUnknownRequests {
		return false
	}
	failure := jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found: " + string(m.Method)}
	s.out.Send(translate.Agent, failure.Response(m.ID))
	return true
}

// newRequest returns a copy of a vendor's request or notification, with its session.
func (s *sessions) newRequest(m *jsonrpc.Message, v *vendor, method *method) *request {
	params := bytes.Clone(m.Params.Of(m.Text))
	o := rawjson.Members(params)
	if inner := o.Get("params"); rawjson.IsObject(inner) { // some transports wrap the request
		if _, wrapped := findMethod(o.String("method")); wrapped == method {
			o = rawjson.Members(inner)
		}
	}
	call := o.String("toolCallId")
	session := cmp.Or(o.String("sessionId"), s.sessionOf(call))
	return &request{
		Request: asking.Request{ID: bytes.Clone(m.ID), Session: session, ToolCall: call, Size: len(params)},
		vendor:  v, method: method, params: o,
	}
}

// acceptResponse accepts a response of the client. It returns false if the response passes.
func (s *Stage) acceptResponse(m *jsonrpc.Message) bool {
	if s.asker.AcceptResponse(m) {
		s.out.MarkPlan()
		return true
	}
	r := s.takeOffer(jsonrpc.IDOf(m.ID))
	if r == nil {
		return s.acceptFormResponse(m)
	}
	s.out.MarkPlan()
	switch failure := m.Error.Of(m.Text); {
	case m.Failed() && rawjson.IsNull(failure):
		s.out.Send(translate.Agent, translate.Answer(r.ID, "error", asking.FailureOf(m)))
		return true
	case jsonrpc.ErrorCode(failure) != jsonrpc.MethodNotFound:
		s.supported[r.vendor] = true
		return false
	}
	s.refused[r.method] = true
	s.run(r)
	return true
}

// run answers a request in place of the client. If the request asks the user, and is over or has no
// session, run cancels it.
func (s *Stage) run(r *request) {
	if (r.isOver || r.Session == "") && r.method.cancelled != "" {
		s.cancel(r)
		return
	}
	r.method.run(s, r)
}

// acceptCancel accepts a $/cancel_request of the agent. It returns true if the client has another
// request in place of the cancelled one.
func (s *Stage) acceptCancel(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(translate.RequestID(m))
	if r := s.offered.Get(string(id)); r != nil {
		r.isOver = true
	}
	if !s.asker.Cancel(id) {
		return false
	}
	s.out.MarkPlan()
	return true
}

// cancelSession forwards the current message, which cancels or closes a session, and cancels the
// requests of the session.
func (s *Stage) cancelSession(session string, closed bool) {
	for _, r := range s.offered.All() {
		r.isOver = r.isOver || r.Session == session
	}
	s.out.Forward()
	if s.asker.CancelSession(session, closed) {
		s.out.MarkPlan()
	}
}

// ClientClosed implements [translate.SimpleStage]. It cancels all pending requests.
func (s *Stage) ClientClosed(out *translate.Out) {
	s.out, s.asker.Out, s.clientClosed = out, out, true
	s.asker.Close()
	for id, r := range s.offered.All() {
		s.takeOffer(jsonrpc.ID(id))
		r.isOver = true
		s.run(r)
	}
	if len(out.Outputs()) > 0 {
		out.MarkPlan()
	}
}
