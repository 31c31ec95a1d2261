package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
)

// wanted selects the messages that the Stage needs.
type wanted struct {
	active    bool // plans, vendors' requests and tool calls with todos
	heads     bool // the head of every tool_call
	calls     bool // every tool_call and tool_call_update
	prompts   bool // responses of the agent
	responses bool // responses of the client
}

// Wants implements [translate.SimpleStage].
func (s *Stage) Wants() [2]*scan.Filter {
	now := wanted{responses: s.asker.HasAsked()}
	if s.active() || s.pending() > 0 {
		now = wanted{
			active: true, heads: s.recordsCalls(), calls: s.sessions.openCallCount > 0, prompts: s.sessions.prompts.Requests.Len() > 0,
			responses: now.responses || s.offered.Len() > 0 || s.forms.Len() > 0,
		}
	}
	return s.filters.Filters(now, s.filtersOf)
}

// recordsCalls reports whether the Stage records the session of every tool call, because a
// request may not identify its session.
func (s *Stage) recordsCalls() bool {
	return s.peers.Bridged || s.sessions.prompts.SeveralSessions || s.agent.omitsSession
}

func (s *Stage) filtersOf(w wanted) [2]*scan.Filter {
	client := asking.Filter(w.active, w.responses)
	if !w.active {
		return [2]*scan.Filter{translate.Client: client}
	}
	f := &scan.Filter{
		Responses: w.prompts, Updates: translate.PlanKinds(), Methods: []string{"$/cancel_request", "elicitation/create"},
		Tools: []string{todoTool, createPlanTool, askQuestionTool, planScheme, proposeTool},
	}
	for _, v := range vendors() {
		for _, m := range v.methods {
			f.Methods = append(f.Methods, v.prefix+m.name, "_"+v.prefix+m.name)
		}
		if s.peers.Client.IgnoresUnknownRequests || s.peers.Client.BreaksOnUnknownNotification {
			f.Methods = append(f.Methods, v.prefix, "_"+v.prefix)
		}
	}
	if w.calls {
		f.Updates = append(f.Updates, "tool_call", "tool_call_update")
	}
	if w.heads {
		f.HeadUpdates = append(f.HeadUpdates, "tool_call")
	}
	return [2]*scan.Filter{translate.Client: client, translate.Agent: f}
}

// Awaits implements [translate.SimpleStage].
func (s *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	if side == translate.Client {
		return s.offered.Has(string(id)) || s.forms.Has(string(id)) || s.asker.IsOwn(id)
	}
	return s.sessions.prompts.Requests.Has(string(id))
}
