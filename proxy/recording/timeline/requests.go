package timeline

import (
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
)

const (
	maxRequests  = 4096 // that have no answer and are remembered
	maxSessionID = 1024 // bytes of the session of a request: a longer one is not remembered
)

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
	asked := request{row: &m.Row, method: brief(s.Method), line: s.Line, seconds: s.Seconds, options: optionsOf(s)}
	if len(s.session) <= maxSessionID {
		asked.session = s.session
	}
	key := requestKey{component(s.From), s.toClient, jsonrpc.IDOf(s.ID)}
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
	key := requestKey{component(e.To), !toClient, jsonrpc.IDOf(e.ID)}
	answered := r.open[key]
	delete(r.open, key)
	if e.From != trace.Proxy && e.To != trace.Proxy {
		key.from = trace.Proxy
		delete(r.open, key)
	}
	return answered
}
