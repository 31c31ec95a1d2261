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

// In plan mode, an agent asks the user in a permission request to approve its plan. Often only the
// request contains the text of the plan, and most clients do not show the content of requests. The
// proxy therefore sends the text before the request: as a plan, and to a client that shows no
// markdown plans also as a message. It recognizes such a request by its form, for every agent. A
// stage can also send the plan and the request in the agent's place.

// An approval is a permission request about a plan.
type approval struct{ options []byte }

// preparePermission sends the unsent list and texts of the session before a permission request.
// If the request asks about a plan, the client also receives the plan, unless the agent or another
// stage has sent it. A client without markdown plans receives its text as a message, too. If the user
// does not approve the plan, it is removed.
func (s *Stage) preparePermission(m *jsonrpc.Message) {
	params := m.Params.Of(m.Text)
	call := rawjson.Get(params, "toolCall")
	if call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	text, content := planTexts(params, call)
	session := string(m.Session)
	if !s.client.Known() || rawjson.StringAt(call, "kind") != "switch_mode" || len(bytes.TrimSpace(text)) == 0 {
		s.flushTexts(session)
		return
	}
	s.current.out.MarkPlan()
	sess, isOwn, isLive := s.live.open(m.Session), s.current.out.IsOwn(), false
	a, plan := &approval{bytes.Clone(rawjson.Get(params, "options"))}, translate.ProposedPlan
	for _, p := range sess.plans {
		if raw := p.text.raw; len(raw) > 0 && sameWords(rawjson.Unquote(raw), text) {
			isLive, plan = true, p.id
		}
	}
	if !isOwn && !isLive {
		s.add(translate.MarkdownPlan(session, plan, string(text)))
	}
	// codex-acp sends the text in a message of its own if it cannot send a plan.
	isSent := !isLive && strings.HasPrefix(rawjson.StringAt(call, "toolCallId"), "plan-review:")
	if isSent || s.client.ShowsContent && sameWords(text, content) {
		sess.recordText(text)
	}
	s.flushTexts(session)
	if !s.shows(capabilities.Markdown) || isOwn && !isLive {
		s.sendText(sess, text, "")
	}
	s.await(translate.Client, m, len(session)+len(a.options), func(response *jsonrpc.Message) {
		s.current.out.MarkPlan()
		s.endApproval(session, a, response.Result.Of(response.Text))
	})
	if p := sess.find([]byte(plan)); p != nil {
		p.approval = a
	}
}

// planTexts returns the text of the plan in the tool call of a permission request, and the text that
// the request displays, which may be another one.
func planTexts(params, call []byte) (text, content []byte) {
	texts := translate.ContentTexts(rawjson.Get(call, "content"))
	if hasQuestion := rawjson.Get(params, "_meta", "acp-bridge", "permission") != nil; hasQuestion && len(texts) > 0 {
		texts = texts[1:] // a bridge has inserted the question
	}
	content = []byte(strings.Join(texts, "\n\n"))
	text, ok := rawjson.TextOf(rawjson.Get(call, "rawInput", "plan"))
	if !ok {
		text = content
	}
	return text, content
}

// endApproval removes the plan if the result of the request does not approve it. The result
// of a cancelled request is nil. An approved plan stays until the agent's own list arrives, see
// mergeDuplicate. A plan that a later request asks about stays, too.
func (s *Stage) endApproval(session string, a *approval, result []byte) {
	sess := s.live.sessions.Get(session)
	if sess == nil {
		return
	}
	i := slices.IndexFunc(sess.plans, func(p *plan) bool { return p.approval == a })
	if i < 0 {
		return
	}
	chosen := rawjson.StringAt(result, "outcome", "optionId")
	for o := range rawjson.Objects(a.options, nil) {
		if chosen != "" && o.String("optionId") == chosen && strings.HasPrefix(o.String("kind"), "allow") {
			sess.plans[i].approval = nil
			return
		}
	}
	s.add(translate.RemovedPlan(session, sess.plans[i].id))
}
