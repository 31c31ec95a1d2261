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
// form, for every agent. A stage can also send the plan and the request in the agent's place.

// toApprove is the id of a plan whose text the agent has sent only in a request.
const toApprove = "plan-to-approve"

// An approval is a permission request of the agent about a plan.
type approval struct {
	session string
	text    []byte // nil once the client has received the request
	shown   bool   // the client displays the text with the request
	plan    string // the id of the plan with that text
	isLive  bool   // the agent has sent that plan
	options []byte // of the request
}

// readApproval reads a permission request. It returns nil if the request does not ask about a
// plan.
func (s *Stage) readApproval(m *jsonrpc.Message) *approval {
	params := m.Params.Of(m.Text)
	call := rawjson.Get(params, "toolCall")
	if call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	if kind, _ := rawjson.TextOf(rawjson.Get(call, "kind")); !s.client.Known() || string(kind) != "switch_mode" {
		return nil
	}
	texts := translate.ContentTexts(rawjson.Get(call, "content"))
	if hasQuestion := rawjson.Get(params, "_meta", "acp-bridge", "permission") != nil; hasQuestion && len(texts) > 0 {
		texts = texts[1:] // a bridge has inserted the question
	}
	content := []byte(strings.Join(texts, "\n\n"))
	text, ok := rawjson.TextOf(rawjson.Get(call, "rawInput", "plan"))
	if !ok {
		text = content
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	a := &approval{
		session: string(m.Session), text: text, options: bytes.Clone(rawjson.Get(params, "options")),
		shown: s.client.ShowsContent && sameWords(text, content), plan: toApprove,
	}
	if in := s.live.sessions.Get(a.session); in != nil {
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
	return a
}

// asked sends the plan of a request before the request, unless another stage has sent it, and
// its text as a message. If the request is not approved, the plan is removed.
func (s *Stage) asked(a *approval, m *jsonrpc.Message) {
	s.current.out.OfPlan()
	own := s.current.out.IsOwn()
	if !own && !a.isLive {
		s.add(translate.MarkdownPlan(a.session, a.plan, string(a.text)))
	}
	in := s.live.open([]byte(a.session))
	if a.shown {
		in.received(a.text)
	}
	s.completeTexts(a.session)
	if !s.shows(capabilities.Markdown) || own && !a.isLive {
		s.sendText(in, a.text, "")
	}
	s.await(translate.Client, m, len(a.session)+len(a.plan)+len(a.options), func(response *jsonrpc.Message) {
		s.current.out.OfPlan()
		s.answeredApproval(a, response.Result.Of(response.Text))
	})
	if p := in.find([]byte(a.plan)); p != nil {
		p.asked = a
	}
	a.text = nil
}

// answeredApproval removes the plan if the result of the request does not approve it; a nil
// result is that of a cancelled request. An approved plan stays until the agent's own list
// arrives, see duplicate. A plan that a later request asks about stays, too.
func (s *Stage) answeredApproval(a *approval, result []byte) {
	in := s.live.sessions.Get(a.session)
	if in == nil {
		return
	}
	at := slices.IndexFunc(in.plans, func(p *plan) bool { return p.asked == a })
	if at < 0 {
		return
	}
	chosen, _ := rawjson.TextOf(rawjson.Get(result, "outcome", "optionId"))
	for o := range rawjson.Objects(a.options, nil) {
		if o.String("optionId") == string(chosen) && strings.HasPrefix(o.String("kind"), "allow") {
			in.plans[at].asked = nil
			return
		}
	}
	s.add(translate.RemovedPlan(a.session, in.plans[at].id))
}
