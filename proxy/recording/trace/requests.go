package trace

import "acp-plan-proxy/transport/jsonrpc"

// Limits of pendingRequests.
const (
	maxPending = 4096
	maxID      = 256 // bytes
)

// pendingRequests maps pending requests to their event numbers, by the client or agent that sent or
// received them.
type pendingRequests map[requestKey]int

type requestKey struct {
	side Component
	sent bool // side sent the request; otherwise side received it
	id   jsonrpc.ID
}

// track adds a request. For a response, it removes the request and returns the number of the request's
// event, or 0 if it is unknown.
func (p *pendingRequests) track(from, to Component, eventType string, id []byte, number int) (of int) {
	if eventType == Notification || len(id) > maxID {
		return 0
	}
	if *p == nil || len(*p) >= maxPending {
		*p = make(pendingRequests)
	}
	requestID := jsonrpc.IDOf(id)
	for _, key := range [...]requestKey{{from, eventType == Request, requestID}, {to, eventType == Response, requestID}} {
		switch {
		case key.side == Proxy: // the key of the client or agent suffices
		case eventType == Request:
			(*p)[key] = number
		default:
			of = max(of, (*p)[key])
			delete(*p, key)
		}
	}
	return of
}
