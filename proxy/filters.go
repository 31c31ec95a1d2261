package proxy

import (
	"sync/atomic"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/jsonrpc"
)

// The filters. A bridge gets the agent's messages first, and what becomes of them may
// be another plan, so no plans are read of them.
var (
	everything     = &jsonrpc.Filter{All: true}
	forBridge      = &jsonrpc.Filter{All: true, NoParamsReader: true}
	planUpdates    = &jsonrpc.Filter{Updates: translate.PlanKinds()}
	andResponses   = &jsonrpc.Filter{Updates: translate.PlanKinds(), Responses: true}
	clientRequests = &jsonrpc.Filter{Methods: append(plans.Methods(), methodInitialize)}
)

// Filters say which lines from each side matter.
type filters struct {
	all  bool // the observer wants to see every line
	from [2]atomic.Pointer[jsonrpc.Filter]
}

// choose chooses the filters. Without a handshake and a bridge toClient says which of
// the agent's messages matter.
func (f *filters) choose(discovering, joined bool, toClient *jsonrpc.Filter) {
	fromClient, fromAgent := clientRequests, toClient
	if f.all || discovering || joined {
		fromClient, fromAgent = everything, everything
	}
	if joined {
		fromAgent = forBridge
	}
	for side, filter := range [2]*jsonrpc.Filter{translate.Client: fromClient, translate.Agent: fromAgent} {
		if f.from[side].Load() != filter { // few messages change it, and to store is not cheap
			f.from[side].Store(filter)
		}
	}
}
