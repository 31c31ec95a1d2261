package proxy

import (
	"slices"
	"sync/atomic"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
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

	// What the two below are for; few messages change it.
	awaits               bool
	want                 vendors.Want
	fromClient, forPlans *jsonrpc.Filter
}

// choose chooses the filters. Awaits tells that answers of the agent matter to the plan
// translation, want what matters to the translation of makers' words.
func (f *filters) choose(discovering, joined, awaits bool, want vendors.Want) {
	if f.forPlans == nil || awaits != f.awaits || want != f.want {
		f.awaits, f.want = awaits, want
		f.fromClient, f.forPlans = clientFilter(want), agentFilter(awaits, want)
	}
	fromClient, fromAgent := f.fromClient, f.forPlans
	if f.all || discovering || joined {
		fromClient, fromAgent = everything, everything
	}
	if joined {
		fromAgent = forBridge
	}
	for side, filter := range [2]*jsonrpc.Filter{translate.Client: fromClient, translate.Agent: fromAgent} {
		if f.from[side].Load() != filter { // to store is not cheap
			f.from[side].Store(filter)
		}
	}
}

// clientFilter says which of the client's lines matter without a bridge.
func clientFilter(want vendors.Want) *jsonrpc.Filter {
	f := *clientRequests
	f.Responses = want.Answers
	f.Methods = slices.Clone(f.Methods)
	if want.Cancels {
		f.Methods = append(f.Methods, "session/cancel")
	}
	if want.Prompts {
		f.Methods = append(f.Methods, "session/prompt")
	}
	return &f
}

// agentFilter says which of the agent's lines matter without a bridge.
func agentFilter(awaits bool, want vendors.Want) *jsonrpc.Filter {
	f := *planUpdates
	f.Responses = awaits || want.Ends
	f.Methods = want.Methods()
	if want.Todos {
		f.Titles = vendors.Titles()
	}
	if want.Calls {
		f.Updates = append(slices.Clone(f.Updates), "tool_call", "tool_call_update")
	}
	return &f
}
