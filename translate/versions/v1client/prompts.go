package v1client

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A prompt of the client goes to the agent, and is answered when its turn is over
// (turns.go). Its echo does not reach the client (echoes.go).

// prompts are the prompts of the connection.
type prompts struct {
	link     *link.Link
	sessions *sessions
	doubtful []*session // idle, though a prompt waits, see turns.silent
}

// prompt handles session/prompt.
func (t *prompts) prompt(m *jsonrpc.Message) {
	params, blocks := t.params(m)
	if params == nil {
		return
	}
	s := t.sessions.get(m.Session)
	if !s.kept.Fix(promptCost + len(m.ID)) {
		t.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InternalError, Message: "too many prompts wait for an answer"})
		return
	}
	p := s.turns.prompted(m.ID)
	for _, block := range blocks {
		o, _ := rawjson.ReadObject(nil, block)
		p.begins.add(o)
	}
	p.call = t.link.Ask(translate.Agent, m, "", params, link.Request{
		Answered: func(_ *link.Call, m *jsonrpc.Message) { t.promptAnswered(s, p, m) },
	})
}

// params returns the params for version 2, and the raw blocks of the prompt. If there
// are none, it has answered the client.
func (t *prompts) params(m *jsonrpc.Message) (params []byte, blocks [][]byte) {
	o, ok := rawjson.ReadObject(nil, link.ParamsOf(m))
	if ok && m.Session != nil {
		blocks, ok = rawjson.ReadArray(nil, o.Get("prompt"))
	}
	if !ok || m.Session == nil || len(blocks) == 0 {
		t.link.Refuse(translate.Client, m.ID, invalid("a prompt has at least one content block"))
		return nil, nil
	}
	w := words.Writer{Cwd: t.sessions.get(m.Session).cwd}
	w.Array()
	for _, block := range blocks {
		if !w.ToV2(words.Block, block) {
			t.link.LoseAll(w.Losses)
			t.link.Refuse(translate.Client, m.ID, invalid("a content block of the prompt cannot be read"))
			return nil, nil
		}
	}
	w.EndArray()
	t.link.LoseAll(w.Losses)
	return words.Text(o.Set("prompt", w.Out)), blocks
}

// promptAnswered handles what the agent answers to a prompt: that it has inserted it,
// or an error.
func (t *prompts) promptAnswered(s *session, p *prompt, m *jsonrpc.Message) {
	if raw := link.ErrorOf(m); !rawjson.Null(raw) {
		s.turns.refused(p)
		s.kept.Free(p.size())
		t.release(s, s.echoes.others(s.turns.waiting))
		if p.isCancelled() && !p.withdrawn && link.ErrorCode(raw) == link.RequestCancelled {
			t.answer(p, turnEnd{stopReason: []byte(`"cancelled"`)})
			return
		}
		t.link.RefuseAs(translate.Client, p.id, raw, noAnswer)
		return
	}
	id, _ := rawjson.TextOf(rawjson.Get(link.ResultOf(m), "messageId"))
	s.turns.inserted(p, s.echoes.named(p, id))
	t.release(s, s.echoes.others(s.turns.waiting))
	t.awaitMore(s)
	if late := s.turns.late(p); late != nil {
		t.end(s, late)
	} else if p.withdrawn {
		// The agent had inserted the prompt before it was withdrawn.
		t.cancelTurn(s)
	}
}

// release shows user messages that were held, because they are not echoes.
func (t *prompts) release(s *session, texts [][]byte) {
	for _, text := range texts {
		s.showUserMessage(link.ReadHeld(text))
	}
}

// stateUpdate handles state_update, which version 1 lacks.
func (t *prompts) stateUpdate(s *session, u *link.Update) {
	o := u.Members
	state, ok := o.Text("state")
	if !ok {
		t.link.Lose(translate.LossUnreadableUpdate, "dropped a state_update without a state")
		return
	}
	if string(state) != "idle" {
		s.turns.running()
		return
	}
	end := s.turns.idle(turnEnd{stopReason: o.Get("stopReason"), failure: o.Get("error"), usage: o.Get("usage"), meta: o.Get("_meta")})
	if end != nil {
		t.end(s, end)
	}
	s.keepEnd()
}

// awaitMore gives the agent a while to go on if it is idle and a prompt waits.
func (t *prompts) awaitMore(s *session) {
	const patience = 2 * time.Second
	if !s.turns.doubtful() {
		return
	}
	if s.silentAt.IsZero() {
		t.doubtful = append(t.doubtful, s)
	}
	s.silentAt = t.link.After(patience)
}

// next returns when wake is wanted, the zero time if it is not.
func (t *prompts) next() (next time.Time) {
	if len(t.doubtful) == 0 { // as almost always
		return next
	}
	t.doubtful = slices.DeleteFunc(t.doubtful, func(s *session) bool {
		if s.turns.doubtful() {
			next = link.Earliest(next, s.silentAt)
			return false
		}
		s.silentAt = time.Time{}
		return true
	})
	return next
}

// wake ends the turns of agents that have said nothing more for a while.
func (t *prompts) wake() {
	for _, s := range slices.Clone(t.doubtful) {
		if s.turns.doubtful() && !s.silentAt.After(t.link.Now()) {
			t.end(s, s.turns.silent())
			s.keepEnd()
		}
	}
}

// end answers the prompts of a turn that is over.
func (t *prompts) end(s *session, e *ending) {
	s.toolCalls.flush()
	for _, p := range e.prompts {
		s.kept.Free(p.size())
		t.answer(p, e.turnEnd)
	}
}

// answer answers a prompt of the client with the end of its turn.
func (t *prompts) answer(p *prompt, end turnEnd) {
	reason, ok := rawjson.TextOf(end.stopReason)
	custom := false
	switch string(reason) {
	case "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled":
	case "error":
		if !p.isCancelled() {
			t.link.RefuseAs(translate.Client, p.id, end.failure, "The turn failed")
			return
		}
		reason = []byte("cancelled")
	default:
		custom = ok
		reason = []byte("end_turn")
		if p.isCancelled() {
			reason = []byte("cancelled")
		}
	}
	meta, isObject := rawjson.ReadObject(nil, orNull(end.meta))
	if custom {
		t.link.Lose(translate.LossStopReason, "answered a prompt with end_turn, the agent's stop reason in its _meta")
		var own rawjson.Builder
		own.Object()
		own.Member("stopReason", end.stopReason)
		own.EndObject()
		meta = meta.Set("acp-bridge", own.Out)
	}
	w := t.link.AnswerWith(p.id)
	w.Object()
	w.StringMember("stopReason", reason)
	before := len(w.Out)
	if w.Name("usage"); !words.Usage.Write(w, orNull(end.usage)) {
		w.Out = w.Out[:before]
	}
	if custom || isObject {
		w.Member("_meta", words.Text(meta))
	}
	w.EndObject()
	t.link.SendObject(translate.Client)
}

// isEcho reports whether an update of a user message must not reach the client now: it
// is an echo of a prompt, or looks like one and is held.
func (t *prompts) isEcho(s *session, u *link.Update) bool {
	at := s.turns.heard()
	id, ok := u.Members.Text("messageId")
	switch {
	case !ok || s.loads > 0:
		return false
	case s.echoes.isKnown(id):
		return true
	case s.messages.find("user", id) != nil:
		return false
	}
	held, released := s.echoes.hear(u, id, at, s.turns.waiting)
	t.release(s, released)
	return held
}

// cancelPrompts handles session/cancel.
func (t *prompts) cancelPrompts(m *jsonrpc.Message) {
	if s := t.sessions.find(string(m.Session)); s != nil {
		s.turns.cancel()
	}
	t.link.Forward()
}

// cancelTurn has the agent cancel what it does in a session.
func (t *prompts) cancelTurn(s *session) {
	s.turns.cancel()
	t.link.TellCancel(s.id)
}

// cancelRequest handles $/cancel_request of the client.
func (t *prompts) cancelRequest(m *jsonrpc.Message) {
	id := link.RequestID(m)
	if id == nil {
		return
	}
	if s, p := t.find(id); p != nil && p.answered {
		// The agent has answered that request, so the turn is what can be
		// cancelled.
		t.cancelTurn(s)
		return
	} else if p != nil {
		p.withdrawn = true
	}
	if c := t.link.Sent(translate.Agent, id); c != nil {
		t.link.Cancel(translate.Agent, c)
	}
}

// find returns the prompt to which the client gave the id.
func (t *prompts) find(id []byte) (*session, *prompt) {
	want := jsonrpc.IDOf(id)
	for _, s := range t.sessions.all.All() {
		for _, p := range s.turns.waiting {
			if jsonrpc.IDOf(p.id) == want {
				return s, p
			}
		}
	}
	return nil, nil
}

// closed answers the prompts that the agent has forgotten because their session has
// ended. It may still answer their requests.
func (t *prompts) closed(s *session) {
	for _, p := range s.turns.close().prompts {
		if !p.answered {
			t.link.Forget(translate.Agent, p.call)
		}
		t.answer(p, turnEnd{})
	}
}

// gone refuses the prompts that the agent will not end, for the reason that is given.
// Those that it has not answered are refused with all other requests.
func (t *prompts) gone(s *session, why link.Error) {
	for _, p := range s.turns.waiting {
		if p.answered {
			t.link.Refuse(translate.Client, p.id, why)
		}
	}
	s.turns.waiting = nil
}
