package v1client

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A prompt of the client goes to the agent, and is answered when its turn is over
// (turns.go). Its echo does not reach the client (echoes.go).

// prompt handles session/prompt.
func (b *Bridge) prompt(m *jsonrpc.Message) {
	var cwd string
	if s := b.sessions.Find(m.Session); s != nil {
		cwd = s.cwd
	}
	params, blocks, why := b.promptToV2(m, cwd)
	if why != "" {
		b.refuse(m, invalid(why))
		return
	}
	s := b.session(m.Session)
	if !s.kept.Fix(promptCost + len(m.ID)) {
		b.refuse(m, jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many prompts wait for an answer"})
		return
	}
	p := s.turns.prompted(m.ID)
	p.session = s
	b.prompts[jsonrpc.IDOf(p.id)] = p
	for _, block := range blocks {
		o := read(block)
		p.begins.add(o)
	}
	p.call = b.ask(m, "", params, func(_ *calls.Call, m *jsonrpc.Message) { p.wasAnswered(m) })
}

// promptToV2 returns the params for version 2, and the raw blocks of the prompt; or why
// there are none.
func (p *peers) promptToV2(m *jsonrpc.Message, cwd string) (params []byte, blocks [][]byte, why string) {
	o := read(calls.ParamsOf(m))
	if blocks, _ = rawjson.ReadArray(nil, o.Get("prompt")); m.Session == nil || len(blocks) == 0 {
		return nil, nil, "a prompt has at least one content block"
	}
	w := shapes.Writer{Cwd: cwd}
	w.Array()
	for _, block := range blocks {
		if !w.ToV2(shapes.Block, block) {
			why = "a content block of the prompt cannot be read"
			break
		}
	}
	w.EndArray()
	p.link.LoseAll(w.Losses)
	return shapes.Text(o.Set("prompt", w.Out)), blocks, why
}

// promptAnswered handles what the agent answers to a prompt: that it has inserted it,
// or an error.
func (p *prompt) wasAnswered(m *jsonrpc.Message) {
	s := p.session
	if raw := calls.ErrorOf(m); !rawjson.Null(raw) {
		s.turns.refused(p)
		p.forget()
		s.showOthers()
		if p.isCancelled() && !p.withdrawn && jsonrpc.ErrorCode(raw) == jsonrpc.RequestCancelled {
			p.answer(nil)
		} else {
			s.link.RefuseAs(translate.Client, p.id, raw, noAnswer)
		}
		return
	}
	id, _ := rawjson.TextOf(rawjson.Get(calls.ResultOf(m), "messageId"))
	s.turns.inserted(p, s.nameEcho(p, id))
	s.showOthers()
	s.awaitMore()
	if late := s.turns.late(p); late != nil {
		s.endTurn(late)
	} else if p.withdrawn {
		// The agent had inserted the prompt before it was withdrawn.
		s.cancelTurn()
	}
}

// stateUpdate handles state_update, which version 1 lacks.
func (s *session) stateUpdate(u *calls.Update) {
	switch state, ok := u.Members.Text("state"); {
	case !ok:
		s.loseUnreadable(u)
	case string(state) != "idle":
		s.turns.running()
	default:
		s.endTurn(s.turns.idle(u.Text()))
		s.keepEnd()
	}
	s.tellState(u)
}

// keepEnd counts what the last end of a turn said.
func (s *session) keepEnd() {
	s.end.Drop()
	s.end = s.kept.Add(s.turns.size(), s.turns.forgetEnd)
}

// awaitMore gives the agent a while to go on if it is idle and a prompt waits.
func (s *session) awaitMore() {
	const patience = 2 * time.Second
	if !s.turns.doubtful() {
		s.bridge.timers.Stop(&s.silence)
		return
	}
	s.silence.Fire = s.endSilent
	s.bridge.timers.Set(&s.silence, s.link.After(patience))
}

// endSilent ends the turn of an agent that has sent nothing more for a while.
func (s *session) endSilent() {
	if s.turns.doubtful() {
		s.endTurn(s.turns.silent())
		s.keepEnd()
	}
}

// endTurn answers prompts with the last end of a turn.
func (s *session) endTurn(prompts []*prompt) {
	s.flush()
	for _, p := range prompts {
		p.forget()
		p.answer(s.turns.last.text)
	}
}

// answer answers a prompt of the client with the raw update that ends its turn.
func (p *prompt) answer(end []byte) {
	o := read(end)
	reason, given := o.Text("stopReason")
	switch string(reason) {
	case "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled":
		given = false
	case "error":
		if !p.isCancelled() {
			p.session.link.RefuseAs(translate.Client, p.id, o.Get("error"), "The turn failed")
			return
		}
		reason, given = []byte("cancelled"), false
	default:
		reason = []byte("end_turn")
		if p.isCancelled() {
			reason = []byte("cancelled")
		}
	}
	if given {
		p.session.link.Lose(translate.LossStopReason, "answered a prompt with end_turn, the agent's stop reason in its _meta")
		own := object("acp-bridge", object("stopReason", o.Get("stopReason")))
		o = o.Set("_meta", withMeta(orNull(o.Get("_meta")), own))
	}
	shapes.TurnEnd.ToV1(p.session.link.AnswerWith(p.id), o.Set("stopReason", quoted(reason)))
	p.session.link.SendObject(translate.Client)
}

// cancelPrompts handles session/cancel.
func (b *Bridge) cancelPrompts(m *jsonrpc.Message) {
	if s := b.sessions.Find(m.Session); s != nil {
		s.turns.cancel()
	}
	b.link.Forward()
}

// cancelTurn has the agent cancel what it does in a session.
func (s *session) cancelTurn() {
	s.turns.cancel()
	s.link.TellCancel(s.id)
}

// cancelRequest handles $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	id := calls.RequestID(m)
	if id == nil {
		return
	}
	if p := b.prompts[jsonrpc.IDOf(id)]; p != nil && p.answered {
		// The agent has answered that request, so the turn is what can be
		// cancelled.
		p.session.cancelTurn()
		return
	} else if p != nil {
		p.withdrawn = true
	}
	if c := b.link.Sent(translate.Agent, id); c != nil {
		b.link.Cancel(translate.Agent, c)
	}
}

// forget forgets a prompt that is being answered.
func (p *prompt) forget() {
	p.session.kept.Free(p.size())
	if id, prompts := jsonrpc.IDOf(p.id), p.session.bridge.prompts; prompts[id] == p {
		delete(prompts, id)
	}
}

// closePrompts answers the prompts that the agent has forgotten because their session has
// ended. It may still answer their requests.
func (s *session) closePrompts() {
	prompts := s.turns.close()
	for _, p := range prompts {
		if !p.answered {
			s.link.Forget(translate.Agent, p.call)
		}
	}
	s.endTurn(prompts)
}

// gone refuses the prompts that the agent will not end. Those that it has not answered are
// refused with all other requests.
func (s *session) gone() {
	for _, p := range s.turns.waiting {
		if p.answered {
			s.link.Refuse(translate.Client, p.id, calls.AgentEnded)
		}
	}
	s.turns.waiting = nil
}
