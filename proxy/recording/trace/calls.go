package trace

import "acp-plan-proxy/transport/jsonrpc"

// The limits of the pending requests that a Writer remembers.
const (
	maxCalls = 4096
	maxID    = 256 // bytes
)

// calls maps pending requests to their event numbers, by the client or agent that sent or
// received them.
type calls map[call]int

type call struct {
	side Component
	sent bool
	id   jsonrpc.ID
}

// match adds a request to the calls. For a response, it removes the request and returns the number of
// the request's event, or 0 if it is unknown.
func (c *calls) match(from, to Component, kind string, id []byte, number int) (of int) {
	if kind == Notification || len(id) > maxID {
		return 0
	}
	if *c == nil || len(*c) >= maxCalls {
		*c = make(calls)
	}
	name := jsonrpc.IDOf(id)
	for _, key := range [...]call{{from, kind == Request, name}, {to, kind == Response, name}} {
		switch {
		case key.side == Proxy: // the proxy uses the ids of the other side
		case kind == Request:
			(*c)[key] = number
		default:
			of = max(of, (*c)[key])
			delete(*c, key)
		}
	}
	return of
}
