package v1agent

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// prompts are the prompts of all sessions, and their turns, see turns.go.
type prompts struct {
	link     *link.Link
	sessions *sessions
	held     *held
	newID    func() string
	turns    []*turn // those that are under way
}

// prompt handles session/prompt.
func (p *prompts) prompt(m *jsonrpc.Message) {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], link.ParamsOf(m))
	key, hasKey := o.Text("idempotencyKey")
	if s := p.sessions.find(m.Session); s != nil && hasKey {
		if k := s.keys.Find(key); k != nil {
			p.repeated(s, k, m.ID)
			return
		}
	}
	if kind, ok := unsupportedBlock(o); !ok {
		e := invalid("no content that the agent can be given")
		if kind != "" {
			e = invalidOf([]byte(kind), "a content block that the agent cannot be given")
		}
		p.link.Refuse(translate.Client, m.ID, e)
		return
	}
	s := p.sessions.reopen(m.Session)
	r := heldRequest{behind: s, id: m.ID, text: link.ParamsOf(m)}
	if hasKey {
		r.key = &promptKey{key: string(key)}
		s.keys.Put(r.key.key, r.key)
	}
	switch {
	case s.turn == nil:
		p.start(s, r)
	case !p.held.hold(s.kept, r):
		p.refuse(s, r.id, r.key, errTooMany.Raw())
	}
}

// repeated answers a prompt whose key was used before, now or when the first one
// is answered.
func (p *prompts) repeated(s *session, k *promptKey, id []byte) {
	switch {
	case k.messageID != "":
		p.answerPrompt(id, k.messageID)
	case !p.held.hold(s.kept, heldRequest{behind: k, id: id}):
		p.link.Refuse(translate.Client, id, errTooMany)
	}
}

// unsupportedBlock reports whether an agent of version 1 can be given all the
// content of a prompt. If not, it returns the type of the first block that the
// agent cannot be given, "" if the content is missing.
func unsupportedBlock(params rawjson.Object) (kind string, ok bool) {
	var fields [8]rawjson.Field
	var elements [8][]byte
	blocks, isArray := rawjson.ReadArray(elements[:0], params.Get("prompt"))
	var w words.Writer
	for _, block := range blocks {
		if !w.ToV1(words.Block, block) {
			o, _ := rawjson.ReadObject(fields[:0], block)
			kind, _ := o.Text("type")
			return string(kind), false
		}
	}
	return "", isArray && len(blocks) > 0
}

// start sends a prompt on, which begins a turn.
func (p *prompts) start(s *session, r heldRequest) {
	if p.link.Full(translate.Agent) {
		s.lose(translate.LossMemory, "a prompt was refused")
		p.refuse(s, r.id, r.key, link.Error{Code: link.InternalError, Message: "too many requests are open"}.Raw())
		return
	}
	if own := s.replay; own != nil && own.child {
		own.over(false) // what comes now belongs to the turn
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], r.text)
	t := &turn{session: s, key: r.key, messageID: p.newID(), at: p.link.After(ackDelay)}
	t.call = p.link.OpenID(translate.Agent, r.id, link.Request{Session: s.id, Answered: p.promptAnswered, Of: t})
	s.turn = t
	s.turns++
	s.breakMessage()
	p.turns = append(p.turns, t)

	words.Prompt.ToV1(p.link.AskWith(t.call, "session/prompt"), o)
	p.link.SendObject(translate.Agent)
	if prompt := o.Get("prompt"); s.kept.Fix(len(prompt)) {
		t.prompt = bytes.Clone(prompt)
	} else {
		p.insertAs(t, prompt)
	}
}

// spoke notes that the agent has said something of a session: it has inserted the
// prompt. The messages that are returned have waited because they might have repeated
// the prompt. They do not, so they are shown before what was said.
func (p *prompts) spoke(s *session) (shown [][]byte) {
	t := s.turn
	if t == nil {
		return nil
	}
	s.live = true
	if !t.echo.repeats() {
		shown = t.echo.waiting
		t.echo.rest = nil
		t.echo.drop(s.kept)
	}
	p.breakOffEcho(t)
	p.insert(t)
	return shown
}

// saidMore notes that the agent has said something of the conversation itself. A turn
// that lingers waits for more.
func (p *prompts) saidMore(s *session) {
	if t := s.turn; t != nil && t.answer != nil {
		t.waitsFrom(p.link.Now())
	}
}

// echoes reports whether a chunk of a message of the user is, or may be, what an agent
// repeats of the prompt.
func (p *prompts) echoes(s *session, u *link.Update) bool {
	t := s.turn
	if t == nil || s.replay != nil {
		return false
	}
	v := t.echo.chunk(u, t.prompt, s.kept)
	if v == isEcho {
		p.repeatedPrompt(t)
	}
	return v != isNoEcho
}

// repeatedPrompt notes that the agent has repeated the prompt, or blocks of it. Before
// the prompt is inserted, the message that repeats it also gives it its id.
func (p *prompts) repeatedPrompt(t *turn) {
	if id := t.echo.id; !t.inserted && id != "" && !t.session.hasGiven(id) {
		t.messageID = id
	}
	t.echo.drop(t.session.kept)
	p.insert(t)
}

// breakOffEcho drops the chunks that wait, because something else comes: all of them are
// the beginning of the prompt.
func (p *prompts) breakOffEcho(t *turn) {
	if len(t.echo.waiting) > 0 {
		p.repeatedPrompt(t)
	}
}

// insert tells the client that a prompt was inserted, if it was not told before.
func (p *prompts) insert(t *turn) {
	if !t.inserted {
		p.insertAs(t, t.prompt)
	}
}

// insertAs tells the client that a prompt with that content was inserted.
func (p *prompts) insertAs(t *turn, prompt []byte) {
	s := t.session
	t.inserted, t.at = true, time.Time{}
	p.sessions.confirm(s)
	s.give(t.messageID, prompt)
	w := p.link.UpdateWith([]byte(s.id), "user_message")
	w.StringMember("messageId", []byte(t.messageID))
	w.Name("content")
	w.Raw(prompt)
	p.link.SendUpdate()

	p.answerPrompt(t.call.ID, t.messageID)
	if k := t.key; k != nil {
		k.messageID = t.messageID
		for r := range p.held.behind(k) {
			p.answerPrompt(r.id, t.messageID)
		}
		s.keys.Keep(s.kept, k.key, k, nil).Count(len(k.messageID)) // from now on it may go
	}
	s.tellState(running)
}

// answerPrompt answers a prompt that was inserted.
func (p *prompts) answerPrompt(id []byte, messageID string) {
	w := p.link.AnswerWith(id)
	w.Object()
	w.StringMember("messageId", []byte(messageID))
	w.EndObject()
	p.link.SendObject(translate.Client)
}

// refuse refuses a prompt that was not inserted, and those that repeat it, with a raw
// error. Its key, if it has one, can be used again.
func (p *prompts) refuse(s *session, id []byte, k *promptKey, e []byte) {
	p.link.RefuseAs(translate.Client, id, e, noAnswer)
	if k == nil {
		return
	}
	s.keys.Delete(k.key)
	for r := range p.held.behind(k) {
		p.link.RefuseAs(translate.Client, r.id, e, noAnswer)
	}
}

// promptAnswered handles the agent's answer to a prompt.
func (p *prompts) promptAnswered(c *link.Call, m *jsonrpc.Message) {
	t := c.Asked.Of.(*turn)
	result, isError := link.ResultOf(m), failed(m)
	p.breakOffEcho(t)
	switch t.outcome(result, isError, link.ErrorCode(link.ErrorOf(m))) {
	case turnWithdrawn:
		p.refuse(t.session, c.ID, t.key, errCancelled.Raw())
		p.next(t)
	case turnRefused:
		p.refuse(t.session, c.ID, t.key, errorOf(m, t.session.id))
		p.next(t)
	case turnCancelled:
		p.end(t, turnEnd{stopReason: "cancelled"})
	case turnBroken:
		p.end(t, turnEnd{stopReason: "error", failure: link.ErrorOf(m)})
	case turnAnswered:
		t.session.live = true
		p.insert(t)
		p.endOrLinger(t, result)
	}
}

// endOrLinger ends a turn that the agent has answered, now or a moment later.
func (p *prompts) endOrLinger(t *turn, result []byte) {
	if !t.mayGoOn(p.held.isBehind(t.session)) || len(result) > maxAnswer {
		p.end(t, endedBy(result))
		return
	}
	t.answer = bytes.Clone(result)
	t.lateUntil = p.link.After(maxLate)
	t.waitsFrom(p.link.Now())
}

// endLingering ends the turn of a session at once if the agent has answered it.
func (p *prompts) endLingering(s *session) {
	if t := s.turn; t != nil && t.answer != nil {
		p.end(t, endedBy(t.answer))
	}
}

// end tells the client that a turn is over, and begins the next.
func (p *prompts) end(t *turn, end turnEnd) {
	s := t.session
	p.breakOffEcho(t)
	switch {
	case end.stopReason == "cancelled":
		s.dropQuestions(nil)
		s.cancelToolCalls()
	case t.isCancelled() && s.state == requiresAction:
		s.tellState(running) // it went on after the questions were dropped
	default:
		s.dropQuestions(t)
	}
	s.state = idle
	s.tellEnd(end)
	p.next(t)
}

// next begins the turn of the prompt that has waited longest.
func (p *prompts) next(t *turn) {
	s := t.session
	s.turn = nil
	p.turns = slices.DeleteFunc(p.turns, func(o *turn) bool { return o == t })
	t.forgetPrompt()
	if s.reopened && !t.inserted && !p.held.isBehind(s) && s.replay == nil {
		p.sessions.end(s) // the agent does not have it
		return
	}
	for r := range p.held.behind(s) {
		if p.start(s, r); s.turn != nil {
			return
		}
	}
}

// abandon ends a turn without the agent's answer.
func (p *prompts) abandon(t *turn) {
	p.link.Forget(translate.Agent, t.call)
	p.breakOffEcho(t)
	if t.inserted {
		p.end(t, turnEnd{stopReason: "cancelled"})
		return
	}
	p.refuse(t.session, t.call.ID, t.key, errCancelled.Raw())
	p.next(t)
}

// gone ends the turn of an agent that has ended itself.
func (p *prompts) gone(t *turn) {
	e := link.AgentEnded.Raw()
	p.breakOffEcho(t)
	p.refuseHeld(t.session, e)
	if !t.inserted {
		p.refuse(t.session, t.call.ID, t.key, e)
		p.next(t)
		return
	}
	p.end(t, turnEnd{stopReason: "error", failure: e})
}

// goneLingering ends the turns that linger, because the agent has ended.
func (p *prompts) goneLingering() {
	for _, t := range slices.Clone(p.turns) {
		if t.answer != nil {
			p.refuseHeld(t.session, link.AgentEnded.Raw())
			p.endLingering(t.session)
		}
	}
}

// cancelPrompts handles session/cancel.
func (p *prompts) cancelPrompts(m *jsonrpc.Message) {
	p.link.Forward()
	s := p.sessions.find(m.Session)
	if s == nil {
		return
	}
	p.refuseHeld(s, errCancelled.Raw())
	p.endLingering(s)
	if s.turn != nil {
		s.turn.cancelled = true
	}
	s.dropQuestions(nil)
}

// refuseHeld refuses the prompts that wait for their turn.
func (p *prompts) refuseHeld(s *session, e []byte) {
	for r := range p.held.behind(s) {
		p.refuse(s, r.id, r.key, e)
	}
}

// withdraw has the agent cancel a prompt whose request the client has cancelled. Agents
// of version 1 need not know $/cancel_request; all know session/cancel.
func (p *prompts) withdraw(t *turn) {
	if t.inserted || t.withdrawn {
		return
	}
	t.withdrawn, t.cancelled, t.at = true, true, time.Time{} // the agent may still refuse it
	p.link.TellCancel(t.session.id)
}

// due returns the turn in which something happens first because time passes, nil if there
// is none.
func (p *prompts) due() (first *turn) {
	for _, t := range p.turns {
		if !t.at.IsZero() && (first == nil || t.at.Before(first.at)) {
			first = t
		}
	}
	return first
}

// wakeAt returns when wake is wanted, the zero time if it is not.
func (p *prompts) wakeAt() time.Time {
	if t := p.due(); t != nil {
		return t.at
	}
	return time.Time{}
}

// wake inserts the prompt, or ends the turn, that is due first. It reports false if
// nothing is due by then.
func (p *prompts) wake(by time.Time) bool {
	t := p.due()
	if t == nil || t.at.After(by) {
		return false
	}
	p.insert(t)
	p.endLingering(t.session)
	return true
}
