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
	clientRequests = &jsonrpc.Filter{Methods: append(plans.Methods(), methodInitialize)}
)

// Filters say which lines from each side matter.
type filters struct {
	from [2]atomic.Pointer[jsonrpc.Filter]

	// What the two below are for; few messages change it.
	plans                planWant
	want                 vendors.Want
	fromClient, forPlans *jsonrpc.Filter
}

// choose chooses the filters by what matters to the plan translation and to that of
// vendors' words.
func (f *filters) choose(plans planWant, want vendors.Want) {
	if f.forPlans == nil || plans != f.plans || want != f.want {
		f.plans, f.want = plans, want
		f.fromClient, f.forPlans = clientFilter(plans, want), agentFilter(plans, want)
	}
	f.use(f.fromClient, f.forPlans)
}

// use has the lines of the two sides looked at by these filters.
func (f *filters) use(fromClient, fromAgent *jsonrpc.Filter) {
	for side, filter := range [2]*jsonrpc.Filter{translate.Client: fromClient, translate.Agent: fromAgent} {
		if f.from[side].Load() != filter { // to store is not cheap
			f.from[side].Store(filter)
		}
	}
}

// clientFilter says which of the client's lines matter without a bridge.
func clientFilter(plans planWant, want vendors.Want) *jsonrpc.Filter {
	f := *clientRequests
	f.Responses = want.Answers || plans.open
	f.Methods = slices.Clone(f.Methods)
	if want.Cancels {
		f.Methods = append(f.Methods, "session/cancel", methodCancelRequest)
	}
	if want.Prompts || plans.turns {
		f.Heads = append(f.Heads, methodPrompt)
	}
	return &f
}

// agentFilter says which messages to the client matter.
func agentFilter(plans planWant, want vendors.Want) *jsonrpc.Filter {
	if plans.all {
		return everything
	}
	f := jsonrpc.Filter{Updates: translate.PlanKinds(), Responses: plans.answers || want.Ends, Methods: want.Methods()}
	if want.Todos {
		f.Tools = vendors.Tools()
	}
	if want.Calls {
		f.Updates = append(f.Updates, "tool_call", "tool_call_update")
	}
	if want.Begins {
		f.HeadUpdates = append(f.HeadUpdates, "tool_call")
	}
	if want.Statuses {
		f.HeadUpdates = append(f.HeadUpdates, "tool_call_update")
	}
	if plans.asks {
		f.Methods = append(f.Methods, methodPermission)
	}
	if plans.turns {
		f.Methods = append(f.Methods, methodForm)
	}
	if plans.open {
		f.Methods = append(f.Methods, methodCancelRequest)
	}
	return &f
}
