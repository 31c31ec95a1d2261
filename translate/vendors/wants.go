package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/jsonrpc"
)

// A want is what the messages that matter depend on.
type want struct {
	active  bool // plans, vendors' requests and tool calls with todos matter
	all     bool // of the vendors' requests those that are not known, too
	begins  bool // of each tool_call the head
	calls   bool // each tool_call and tool_call_update whole
	ends    bool // responses of the agent
	answers bool // responses of the client
	forms   bool // forms of the agent
}

// Wants implements [translate.Words].
func (t *Translator) Wants() [2]*jsonrpc.Filter {
	now := want{answers: t.asker.HasAsked()}
	if t.active() || t.waiting() > 0 {
		now = want{
			active: true, all: t.peers.Client.Silent || t.peers.Client.Fragile,
			begins: t.notesCalls(), calls: t.sessions.openCalls > 0,
			ends: t.sessions.running.Len() > 0, answers: now.answers || t.offered.Len() > 0 || t.proposalForms.Len() > 0,
			forms: t.proposals.Len() > 0,
		}
	}
	if now != t.want {
		t.want, t.filters = now, [2]*jsonrpc.Filter{translate.Client: now.ofClient(), translate.Agent: now.ofAgent()}
	}
	return t.filters
}

// notesCalls reports whether all tool calls matter that begin: their sessions are not
// clear otherwise.
func (t *Translator) notesCalls() bool { return t.peers.Joined || t.sessions.several || t.agent.omits }

func (w want) ofClient() *jsonrpc.Filter {
	f := &jsonrpc.Filter{Responses: w.answers}
	if w.active {
		f.Heads, f.Methods = []string{"session/prompt"}, append(asking.CancelMethods(), "$/cancel_request")
	}
	return f
}

func (w want) ofAgent() *jsonrpc.Filter {
	if !w.active {
		return nil
	}
	f := &jsonrpc.Filter{Responses: w.ends}
	f.Updates, f.Tools = translate.PlanKinds(), []string{writesTodos, createPlanTool, askQuestionTool, draftScheme, proposeTool}
	f.Methods = []string{"$/cancel_request"}
	for _, v := range vendors() {
		for _, m := range v.methods {
			f.Methods = append(f.Methods, v.prefix+m.name, "_"+v.prefix+m.name)
		}
		if w.all {
			f.Methods = append(f.Methods, v.prefix, "_"+v.prefix)
		}
	}
	if w.forms {
		f.Methods = append(f.Methods, "elicitation/create")
	}
	if w.calls {
		f.Updates = append(f.Updates, "tool_call", "tool_call_update")
	}
	if w.begins {
		f.HeadUpdates = append(f.HeadUpdates, "tool_call")
	}
	return f
}

// Awaits implements [translate.Words].
func (t *Translator) Awaits(side translate.Side, id jsonrpc.ID) bool {
	if side == translate.Client {
		return t.offered.Has(string(id)) || t.proposalForms.Has(string(id)) || t.asker.IsOwn(id)
	}
	return t.sessions.running.Has(string(id))
}
