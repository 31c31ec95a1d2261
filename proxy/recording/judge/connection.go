package judge

import (
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
)

// What is remembered is bounded: so many unanswered requests, whose methods have so
// many bytes, and so many legs.
const (
	maxRemembered = 4096
	maxMethod     = 256
)

// A connection is what was said of a connection so far.
type connection struct {
	speaks   map[leg]int // the version on each leg
	requests map[requestKey]request
}

// A leg is a part of a connection: between two components that are next to each
// other, the one that is nearer to the client first.
type leg struct{ near, far int }

type requestKey struct {
	leg      leg
	toClient bool
	id       jsonrpc.ID
}

// A request is what is known of one that has no answer yet.
type request struct {
	method  string // empty if its result is not judged
	version int    // that is spoken, or asked for
}

func toClient(e *trace.Event) bool { return e.From.Rank() > e.To.Rank() }

// legs returns the legs that a message takes, the sender's own first. What is forwarded
// takes both: it is one event.
func legs(e *trace.Event) []leg {
	from, to := e.From.Rank(), e.To.Rank()
	passed := []leg{{trace.ClientRank, trace.Proxy.Rank()}, {trace.Proxy.Rank(), trace.AgentRank}}
	switch {
	case from == trace.ClientRank && to == trace.AgentRank:
		return passed
	case from == trace.AgentRank && to == trace.ClientRank:
		return []leg{passed[1], passed[0]}
	}
	return []leg{{min(from, to), max(from, to)}}
}

// spoken returns the version in which a message is said, 0 if it is not known.
func (c *connection) spoken(e *trace.Event) int { return c.speaks[legs(e)[0]] }

// speak notes the version that an answer to initialize says.
func (c *connection) speak(e *trace.Event, version int) {
	if len(c.speaks) >= maxRemembered {
		clear(c.speaks)
	}
	for _, l := range legs(e) {
		c.speaks[l] = version
	}
}

// ask remembers a request until it is answered. One that is forwarded can be answered on
// either leg.
func (c *connection) ask(e *trace.Event, r request) {
	if len(r.method) > maxMethod {
		return
	}
	if len(c.requests) >= maxRemembered {
		clear(c.requests)
	}
	for _, l := range legs(e) {
		c.requests[requestKey{l, toClient(e), jsonrpc.IDOf(e.ID)}] = r
	}
}

// answered returns the request that a response answers. It went the other way.
func (c *connection) answered(e *trace.Event) (r request) {
	for _, l := range legs(e) {
		key := requestKey{l, !toClient(e), jsonrpc.IDOf(e.ID)}
		if found, ok := c.requests[key]; ok && r.method == "" {
			r = found
		}
		delete(c.requests, key)
	}
	return r
}
