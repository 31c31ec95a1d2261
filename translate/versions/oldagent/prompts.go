package oldagent

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
	clocks   clocks
}

// prompt handles session/prompt.
func (p *prompts) prompt(m *jsonrpc.Message) {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], link.ParamsOf(m))
	if s := p.sessions.find(m.Session); s != nil {
		if k := s.keys.used(o); k != nil {
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
	r := heldRequest{session: s, id: m.ID, text: link.ParamsOf(m), key: s.keys.use(o)}
	switch {
	case s.turn == nil:
		p.start(s, r)
	case !p.held.hold(s.kept, &s.held, r):
		p.refuseWith(s, r.id, r.key, p.refuseTooMany)
	}
}

// repeated answers a prompt whose key was used before, now or when the first one
// is answered.
func (p *prompts) repeated(s *session, k *promptKey, id []byte) {
	switch {
	case k.messageID != "":
		p.answerPrompt(id, k.messageID)
	case !p.held.hold(s.kept, &k.repeats, heldRequest{id: id}):
		p.refuseTooMany(id)
	}
}

// refuseTooMany refuses a prompt because too many wait.
func (p *prompts) refuseTooMany(id []byte) {
	p.link.Refuse(translate.Client, id, link.Error{Code: link.InternalError, Message: "too many prompts wait for their turn"})
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
		w.Reset()
		o, _ := rawjson.ReadObject(fields[:0], block)
		kind, _ := o.Text("type")
		if !words.BlockToV1(&w, block) || slices.ContainsFunc(w.Losses, isBlockLoss) {
			return string(kind), false
		}
	}
	return "", isArray && len(blocks) > 0
}

// isBlockLoss reports whether a block has become text.
func isBlockLoss(l translate.Loss) bool { return l.Kind == translate.LossContentBlock }

// start sends a prompt on, which begins a turn.
func (p *prompts) start(s *session, r heldRequest) {
	if p.link.Full(translate.Agent) {
		s.lose(translate.LossMemory, "a prompt was refused")
		p.refuse(s, r.id, r.key, link.Error{Code: link.InternalError, Message: "too many requests are open"})
		return
	}
	if own := s.replay; own != nil && own.child {
		own.over(false) // what comes now belongs to the turn
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], r.text)
	t := &turn{session: s, key: r.key, messageID: p.newID(), ackAt: p.link.After(ackDelay)}
	t.call = p.link.OpenID(translate.Agent, r.id, link.Request{Session: s.id, Answered: p.promptAnswered, Of: t})
	s.turn = t
	s.turns++
	s.breakMessage()
	p.clocks.begins(t)

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
	if t.echo.rest == nil {
		shown = t.echo.waiting
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
	t.inserted = true
	s.give(t.messageID, prompt)
	w := p.link.UpdateWith([]byte(s.id), "user_message")
	w.StringMember("messageId", []byte(t.messageID))
	w.Name("content")
	w.Raw(prompt)
	p.link.SendUpdate()

	p.answerPrompt(t.call.ID, t.messageID)
	if k := t.key; k != nil {
		k.messageID = t.messageID
		for len(k.repeats) > 0 {
			p.answerPrompt(p.held.release(&k.repeats, 0).id, t.messageID)
		}
		s.keys.inserted(k, s.kept)
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

// refuseWith refuses a prompt that was not inserted, and those that repeat
// it. Its key, if it has one, can be used again.
func (p *prompts) refuseWith(s *session, id []byte, k *promptKey, refuse func(id []byte)) {
	refuse(id)
	if k == nil {
		return
	}
	s.keys.forget(k)
	for len(k.repeats) > 0 {
		refuse(p.held.release(&k.repeats, 0).id)
	}
}

// refuse is refuseWith with an error of the bridge.
func (p *prompts) refuse(s *session, id []byte, k *promptKey, e link.Error) {
	p.refuseWith(s, id, k, func(id []byte) { p.link.Refuse(translate.Client, id, e) })
}

// promptAnswered handles the agent's answer to a prompt.
func (p *prompts) promptAnswered(c *link.Call, m *jsonrpc.Message) {
	t := c.Asked.Of.(*turn)
	result, isError := link.ResultOf(m), failed(m)
	p.breakOffEcho(t)
	switch t.outcome(result, isError, link.ErrorCode(link.ErrorOf(m))) {
	case turnWithdrawn:
		p.refuse(t.session, c.ID, t.key, errCancelled)
		p.next(t)
	case turnRefused:
		p.refuseWith(t.session, c.ID, t.key, func(id []byte) { passError(p.link, id, t.session.id, m) })
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
	if !t.mayGoOn() || len(result) > maxAnswer || !p.clocks.lingers(t) {
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
	t.ended = true
	s.turn = nil
	t.forgetPrompt()
	for s.turn == nil && len(s.held) > 0 {
		p.start(s, p.held.release(&s.held, 0))
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
	p.refuse(t.session, t.call.ID, t.key, errCancelled)
	p.next(t)
}

// gone ends the turn of an agent that has ended itself.
func (p *prompts) gone(t *turn) {
	e := p.link.AgentEnded()
	p.breakOffEcho(t)
	p.refuseHeld(t.session, e)
	if !t.inserted {
		p.refuse(t.session, t.call.ID, t.key, e)
		p.next(t)
		return
	}
	var failure rawjson.Builder
	e.Write(&failure)
	p.end(t, turnEnd{stopReason: "error", failure: failure.Out})
}

// goneLingering ends the turns that linger, because the agent has ended.
func (p *prompts) goneLingering() {
	for _, t := range p.clocks.lingering {
		if !t.ended {
			p.refuseHeld(t.session, p.link.AgentEnded())
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
	p.refuseHeld(s, errCancelled)
	p.endLingering(s)
	if s.turn != nil {
		s.turn.cancelled = true
	}
	s.dropQuestions(nil)
}

// refuseHeld refuses the prompts that wait for their turn.
func (p *prompts) refuseHeld(s *session, e link.Error) {
	for len(s.held) > 0 {
		r := p.held.release(&s.held, 0)
		p.refuse(s, r.id, r.key, e)
	}
}

// cancelHeld refuses the prompt with that id if it waits. It reports whether it does.
func (p *prompts) cancelHeld(id jsonrpc.ID) bool {
	for _, s := range p.sessions.all.All() {
		for _, waiting := range s.waiting() {
			if r, ok := p.held.releaseID(waiting, id); ok {
				p.refuse(s, r.id, r.key, errCancelled)
				return true
			}
		}
	}
	return false
}

// waiting returns the lists of prompts that wait: for their turn, or for the answer to
// another one with the same key.
func (s *session) waiting() (lists []*[]heldRequest) {
	lists = append(lists, &s.held)
	if s.turn != nil && s.turn.key != nil {
		lists = append(lists, &s.turn.key.repeats)
	}
	for _, r := range s.held {
		if r.key != nil {
			lists = append(lists, &r.key.repeats)
		}
	}
	return lists
}

// withdraw has the agent cancel a prompt whose request the client has cancelled. Agents
// of version 1 need not know $/cancel_request; all know session/cancel.
func (p *prompts) withdraw(t *turn) {
	if t.inserted || t.withdrawn {
		return
	}
	t.withdrawn, t.cancelled = true, true
	p.link.TellCancel(t.session.id)
}

// holds reports whether prompts wait for their turn.
func (p *prompts) holds() bool {
	for _, s := range p.sessions.all.All() {
		if len(s.held) > 0 {
			return true
		}
	}
	return false
}

// wake inserts the prompt, or ends the turn, that is due first. It reports false if
// nothing is due by then.
func (p *prompts) wake(by time.Time) bool {
	if t := p.clocks.nextInserted(); t != nil && !t.ackAt.After(by) {
		p.insert(t)
		return true
	}
	if t := p.clocks.nextEnded(); t != nil && !t.endAt.After(by) {
		p.endLingering(t.session)
		return true
	}
	return false
}
