package timeline

import (
	"acp-plan-proxy/proxy/trace"
	"acp-plan-proxy/transport/jsonrpc"
)

// maxRequests bounds how many unanswered requests are remembered.
const maxRequests = 4096

// requests are those that have no answer yet, on each part of their way.
type requests struct{ open map[requestKey]request }

func newRequests() requests { return requests{make(map[requestKey]request)} }

type requestKey struct {
	from     trace.Component
	toClient bool
	id       jsonrpc.ID
}

// A request is what is remembered of one.
type request struct {
	row     *Row // nil for no request
	method  string
	session string
	line    int
	seconds float64
	options []option // of a permission request
}

// An option is one that a permission request offers.
type option struct{ id, name string }

// note remembers an event that is a request. One that is forwarded can be answered on
// either side of the proxy.
func (r *requests) note(s *step, m *message) {
	if s.Type != trace.Request {
		return
	}
	if len(r.open) >= maxRequests {
		clear(r.open)
	}
	asked := request{row: &m.Row, method: s.Method, session: s.session, line: s.Line, seconds: s.Seconds, options: optionsOf(s)}
	key := requestKey{s.From, s.toClient, jsonrpc.IDOf(s.ID)}
	r.open[key] = asked
	if s.To != trace.Proxy {
		key.from = trace.Proxy
		r.open[key] = asked
	}
}

// answeredBy returns the request that an event answers, and forgets it. It went the
// other way, between the same two components.
func (r *requests) answeredBy(e *trace.Event, toClient bool) request {
	if e.Type != trace.Response {
		return request{}
	}
	key := requestKey{e.To, !toClient, jsonrpc.IDOf(e.ID)}
	answered := r.open[key]
	delete(r.open, key)
	if e.From != trace.Proxy && e.To != trace.Proxy {
		key.from = trace.Proxy
		delete(r.open, key)
	}
	return answered
}
