package plans

import (
	"bytes"
	"slices"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In plan mode, an agent asks the user in a permission request to approve its plan. Often only
// the request contains the text, and most clients do not show that. The proxy therefore sends
// the text as a plan, and as a message, before the request. It recognizes such a request by its
// form, for every agent.

// toApprove is the id of a plan whose text the agent has sent only in a request.
const toApprove = "plan-to-approve"

// An approval is a permission request of the agent about a plan.
type approval struct {
	session string
	text    []byte   // nil once the client has received the request
	shown   bool     // the client displays the text with the request
	plan    string   // the id of the plan with that text
	isLive  bool     // the agent has sent that plan
	allows  []string // ids of the options that approve
}

// readApproval reads a permission request. It returns nil if the request does not ask about a
// plan.
func (s *Stage) readApproval(m *jsonrpc.Message) *approval {
	params := m.Params.Of(m.Text)
	call := rawjson.Get(params, "toolCall")
	if call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	if kind, _ := rawjson.TextOf(rawjson.Get(call, "kind")); !s.renderer.client.Known() || string(kind) != "switch_mode" {
		return nil
	}
	hasQuestion := rawjson.Get(params, "_meta", "acp-bridge", "permission") != nil
	content := contentText(rawjson.Get(call, "content"), hasQuestion)
	text, ok := rawjson.TextOf(rawjson.Get(call, "rawInput", "plan"))
	if !ok {
		text = content
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	a := &approval{
		session: string(m.Session), text: text,
		shown: s.renderer.client.ShowsContent && sameWords(text, content), plan: toApprove,
	}
	if in := s.live.sessions[a.session]; in != nil {
		for _, p := range in.plans {
			if raw := p.text.raw; len(raw) > 0 && sameWords(rawjson.Unquote(raw), text) {
				a.isLive, a.plan = true, p.id
			}
		}
	}
	// codex-acp sends the text in a message of its own if it cannot send a plan.
	if id, _ := rawjson.TextOf(rawjson.Get(call, "toolCallId")); !a.isLive && bytes.HasPrefix(id, []byte("plan-review:")) {
		a.shown = true
	}
	for o := range rawjson.Objects(rawjson.Get(params, "options"), nil) {
		id, _ := o.Text("optionId")
		if kind, _ := o.Text("kind"); strings.HasPrefix(string(kind), "allow") {
			a.allows = append(a.allows, string(id))
		}
	}
	return a
}

// contentText returns the text in the content of a tool call, without the question that a
// bridge may have inserted before it.
func contentText(content []byte, hasQuestion bool) (text []byte) {
	for o := range rawjson.Objects(content, nil) {
		part, ok := rawjson.TextOf(rawjson.Get(o.Get("content"), "text"))
		switch {
		case hasQuestion:
			hasQuestion = false
		case ok && len(text) > 0:
			text = slices.Concat(text, blankLine, part)
		case ok:
			text = part
		}
	}
	return text
}

// message returns the plan_update that sends the plan in the agent's place; nil if the agent
// has sent the plan.
func (a *approval) message() []byte {
	if a.isLive {
		return nil
	}
	return translate.Update(a.session, translate.PlanUpdate, func(b *rawjson.Builder) {
		b.Name("plan")
		b.JSON(`{"type":"markdown"`)
		b.StringMember("planId", []byte(a.plan))
		b.StringMember("content", a.text)
		b.EndObject()
	})
}

// size returns the memory of a, without the text.
func (a *approval) size() int {
	n := len(a.session) + len(a.plan)
	for _, id := range a.allows {
		n += len(id)
	}
	return n
}

// asked completes the texts of the session before the request. own reports that no other stage
// sends the text of the plan.
func (s *Stage) asked(a *approval, own bool) {
	in := s.live.open([]byte(a.session))
	if a.shown {
		in.received(a.text)
	}
	s.completeTexts(a.session)
	if own && !s.renderer.shows(capabilities.Markdown) {
		s.writer.sendText(in, a.text, "")
	}
	if p := in.find([]byte(a.plan)); p != nil {
		p.asked = a
	}
	a.text = nil
}

// refused returns the plan_removed for the plan if the result of the request does not approve
// it; a nil result is that of a cancelled request. It returns nil if the plan stays: it is
// approved, or a later request asks about it.
func (s *Stage) refused(a *approval, result []byte) []byte {
	option, _ := rawjson.TextOf(rawjson.Get(result, "outcome", "optionId"))
	in := s.live.sessions[a.session]
	if in == nil || slices.Contains(a.allows, string(option)) {
		return nil
	}
	at := slices.IndexFunc(in.plans, func(p *plan) bool { return p.asked == a })
	if at < 0 {
		return nil
	}
	return translate.Update(a.session, translate.PlanRemoved, func(b *rawjson.Builder) { b.Texts("planId", in.plans[at].id) })
}
