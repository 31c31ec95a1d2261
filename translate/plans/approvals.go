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

// In a mode for plans, an agent asks in a permission request of its own whether its plan
// is approved. Often the text is nowhere else, and most clients do not show what is in a
// request. So the text becomes a plan, which is said before the request. Such a request
// is known by its shape, whoever the agent is.

// toApprove is the id of a plan that an agent has not sent as one.
const toApprove = "plan-to-approve"

// An approval is a permission request of the agent about a plan.
type approval struct {
	session string
	text    []byte   // nil once the client has been asked
	shown   bool     // the client shows the text with the request
	plan    string   // the id of the plan with that text
	isLive  bool     // the agent has said that plan
	allows  []string // the options that approve
}

// readApproval reads a permission request. It returns nil if that is not about a plan.
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
	// codex-acp says the text in a message of its own where it cannot send it as a plan.
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

// contentText returns the text in the content of a tool call. Where a bridge has put the
// question in front, that is left out.
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

// says returns a message that says the plan in the agent's place; nil if the agent has
// said it.
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

// asked sends what the client gets before it is asked. The texts of the session are complete,
// and a text that the client shows with the request needs no message. own: the agent asks in
// its own words, and nobody else says the text.
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

// refused returns a message that removes the plan in the agent's place, if an answer to
// the request approves nothing; a nil result means that no answer comes. It returns nil if
// the plan stays: it is approved, or the agent has asked about another one of that id since.
func (s *Stage) refused(a *approval, result []byte) []byte {
	option, _ := rawjson.TextOf(rawjson.Get(result, "outcome", "optionId"))
	if slices.Contains(a.allows, string(option)) {
		return nil
	}
	in := s.live.sessions[a.session]
	if in == nil {
		return nil
	}
	if p := in.find([]byte(a.plan)); p != nil && p.asked != a || p == nil && !in.lost {
		return nil
	}
	return translate.Update(a.session, translate.PlanRemoved, func(b *rawjson.Builder) { b.StringMember("planId", []byte(a.plan)) })
}
