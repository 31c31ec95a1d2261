package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
)

// A want is the state that Wants depends on.
type want struct {
	active    bool // plans, vendors' requests and tool calls with todos
	unknown   bool // unknown requests of vendors
	heads     bool // the head of every tool_call
	calls     bool // every tool_call and tool_call_update
	prompts   bool // responses of the agent
	responses bool // responses of the client
	forms     bool // forms of the agent
}

// Wants implements [translate.SimpleStage].
func (t *Translator) Wants() [2]*scan.Filter {
	now := want{responses: t.asker.HasAsked()}
	if t.active() || t.pending() > 0 {
		now = want{
			active: true, unknown: t.peers.Client.Silent || t.peers.Client.Fragile,
			heads: t.recordsCalls(), calls: t.sessions.openCalls > 0,
			prompts: t.sessions.running.Len() > 0, responses: now.responses || t.offered.requests.Len() > 0 || t.proposals.forms.Len() > 0,
			forms: t.proposals.unasked.Len() > 0,
		}
	}
	if now != t.want {
		t.want, t.filters = now, [2]*scan.Filter{translate.Client: now.ofClient(), translate.Agent: now.ofAgent()}
	}
	return t.filters
}

// recordsCalls reports whether the Translator records the session of every tool call, because a
// request may not identify its session.
func (t *Translator) recordsCalls() bool {
	return t.peers.Bridged || t.sessions.several || t.agent.omits
}

func (w want) ofClient() *scan.Filter {
	f := &scan.Filter{Responses: w.responses}
	if w.active {
		f.Heads, f.Methods = []string{"session/prompt"}, append(asking.CancelMethods(), "$/cancel_request")
	}
	return f
}

func (w want) ofAgent() *scan.Filter {
	if !w.active {
		return nil
	}
	f := &scan.Filter{Responses: w.prompts}
	f.Updates, f.Tools = translate.PlanKinds(), []string{writesTodos, createPlanTool, askQuestionTool, draftScheme, proposeTool}
	f.Methods = []string{"$/cancel_request"}
	for _, v := range vendors() {
		for _, m := range v.methods {
			f.Methods = append(f.Methods, v.prefix+m.name, "_"+v.prefix+m.name)
		}
		if w.unknown {
			f.Methods = append(f.Methods, v.prefix, "_"+v.prefix)
		}
	}
	if w.forms {
		f.Methods = append(f.Methods, "elicitation/create")
	}
	if w.calls {
		f.Updates = append(f.Updates, "tool_call", "tool_call_update")
	}
	if w.heads {
		f.HeadUpdates = append(f.HeadUpdates, "tool_call")
	}
	return f
}

// Awaits implements [translate.SimpleStage].
func (t *Translator) Awaits(side translate.Side, id jsonrpc.ID) bool {
	if side == translate.Client {
		return t.offered.requests.Has(string(id)) || t.proposals.forms.Has(string(id)) || t.asker.IsOwn(id)
	}
	return t.sessions.running.Has(string(id))
}
