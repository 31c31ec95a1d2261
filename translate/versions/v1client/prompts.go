package v1client

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A prompt is forwarded to the agent, and answered at the end of its turn (turns.go). The client does
// not receive the agent's echo of the prompt (echoes.go).

// prompt forwards session/prompt.
func (b *Bridge) prompt(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	blocks, _ := rawjson.ReadArray(nil, o.Get("prompt"))
	if m.Session == nil || len(blocks) == 0 {
		b.refuse(m, calls.InvalidParams("a prompt has at least one content block"))
		return
	}
	s := b.session(m.Session)
	w := shapes.Writer{Cwd: s.cwd}
	ok := shapes.Prompt.ToV2(&w, o)
	b.link.Report(w.Losses...)
	switch {
	case !ok:
		b.refuse(m, calls.InvalidParams("a content block of the prompt cannot be read"))
		return
	case !s.share.Reserve(promptCost + len(m.ID)):
		b.refuse(m, jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many prompts wait for an answer"})
		return
	}
	p := s.turns.onPrompt(m.ID)
	p.session = s
	b.prompts[jsonrpc.IDOf(p.id)] = p
	for _, block := range blocks {
		p.beginning.add(rawjson.Members(block))
	}
	p.call = b.ask(m, "", w.Out, func(_ *calls.Call, m *jsonrpc.Message) { p.onResponse(m) })
}

// onResponse processes the agent's response: the prompt is inserted, or has failed.
func (p *prompt) onResponse(m *jsonrpc.Message) {
	s := p.session
	if raw := calls.ErrorOf(m); !rawjson.IsNull(raw) {
		s.turns.onRefusal(p)
		p.forget()
		s.showOthers()
		if s.turns.isCancelled(p) && !p.withdrawn && jsonrpc.ErrorCode(raw) == jsonrpc.RequestCancelled {
			p.answer(nil)
		} else {
			s.link.RefuseAs(translate.Client, p.id, raw)
		}
		return
	}
	id, _ := rawjson.TextOf(rawjson.Get(calls.ResultOf(m), "messageId"))
	answered := s.turns.onInsertion(p, s.nameEcho(p, id))
	s.showOthers()
	s.awaitSilence()
	if answered != nil {
		s.endTurn(answered)
	} else if p.withdrawn {
		// The agent has inserted the prompt in spite of the client's $/cancel_request.
		s.cancelTurn()
	}
}

// stateUpdate processes state_update, which version 1 lacks.
func (s *session) stateUpdate(u *calls.Update) {
	switch state, ok := u.Members.Text("state"); {
	case !ok:
		s.loseUnreadable(u)
	case string(state) != "idle":
		s.turns.onRunning()
	default:
		s.endTurn(s.turns.onIdle(u.Text()))
	}
	s.sendState(u)
}

// awaitSilence ends the turn after a while without updates, if the last idle is undecided.
func (s *session) awaitSilence() {
	const patience = 2 * time.Second
	if !s.turns.awaitsSilence() {
		s.bridge.timers.Stop(&s.silence)
		return
	}
	s.silence.Fire = func() {
		if s.turns.awaitsSilence() {
			s.endTurn(s.turns.endBySilence())
		}
	}
	s.bridge.timers.Set(&s.silence, s.link.After(patience))
}

// endTurn answers prompts with the last end of a turn, and counts the ends in the budget.
func (s *session) endTurn(prompts []*prompt) {
	s.flush(anyContent)
	s.endEntry.Drop()
	s.endEntry = s.share.Add(s.turns.size(), s.turns.forgetEnds)
	for _, p := range prompts {
		p.forget()
		p.answer(s.turns.lastEnd.text)
	}
}

// answer answers the prompt with the raw update that ends its turn, or with nil.
func (p *prompt) answer(end []byte) {
	o := rawjson.Members(end)
	reason, given := o.Text("stopReason")
	failed := string(reason) == "error"
	if failed && !p.session.turns.isCancelled(p) {
		w := p.session.link.Scratch()
		shapes.TurnError(w, o.Get("error"))
		p.session.link.RefuseAs(translate.Client, p.id, w.Out)
		return
	}
	switch string(reason) {
	case "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled":
	default:
		if given && !failed {
			p.session.link.Lose(translate.LossStopReason, "the client receives another stop reason; the agent's is in _meta")
			ownMeta := object("acp-bridge", object("stopReason", o.Get("stopReason")))
			o = o.Set("_meta", withMeta(o.Get("_meta"), ownMeta))
		}
		reason = []byte("end_turn")
		if p.session.turns.isCancelled(p) {
			reason = []byte("cancelled")
		}
	}
	shapes.TurnEnd.ToV1(p.session.link.AnswerWith(p.id), o.Set("stopReason", quoted(reason)))
	p.session.link.SendObject(translate.Client)
}

// cancelPrompts forwards session/cancel.
func (b *Bridge) cancelPrompts(m *jsonrpc.Message) {
	if s := b.sessions.Find(m.Session); s != nil {
		s.turns.onCancel()
	}
	b.link.Forward()
}

// cancelTurn sends the agent session/cancel.
func (s *session) cancelTurn() {
	s.turns.onCancel()
	s.link.CancelSession(s.id)
}

// cancelRequest forwards $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	id := translate.RequestID(m)
	if p := b.prompts[jsonrpc.IDOf(id)]; p != nil && p.agentAnswered {
		// The request is no longer pending at the agent, so only its turn can be cancelled.
		p.session.cancelTurn()
		return
	} else if p != nil {
		p.withdrawn = true
	}
	if c := b.link.Pending[translate.Agent].FindSent(id); c != nil {
		b.link.Cancel(translate.Agent, c)
	}
}

// forget removes a prompt that is being answered.
func (p *prompt) forget() {
	p.session.share.Release(p.size())
	if id, prompts := jsonrpc.IDOf(p.id), p.session.bridge.prompts; prompts[id] == p {
		delete(prompts, id)
	}
}
