package oldclient

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 the answer to session/prompt is the end of the turn. In version
// 2 it only says that the agent has inserted the prompt into the conversation;
// the end of the turn is a state_update. So a prompt of the client goes through
// these states:
//
//	          agent's error                       (the client gets the error)
//	         ┌──────────────────────────────► answered
//	sent ────┤                                    ▲
//	         └► inserted ─────────────────────────┘
//	   agent's result,      the session becomes idle,
//	   or an echo that      or was ended
//	   it names later
//
// and a session is active or idle, as the agent's state_updates say. Five rules
// follow from the order in which agents report:
//
//  1. A turn that ends before the prompt was inserted does not answer it: the
//     agent held the prompt back while it did other work.
//  2. An agent may echo the prompt, work, become idle, and give its result
//     last. The prompt was inserted when the echo came.
//  3. One end of a turn answers all prompts that were inserted before.
//  4. What comes after the answer goes to the client like everything else.
//  5. Work that the client did not ask for ends without answering anything.
//
// An agent that breaks these rules must not leave the client waiting. So a
// result also counts as late if a turn has begun and ended since the prompt was
// sent, and that turn answered no prompt. If the echo came after that turn, the
// turn may also be the turn of a cancelled prompt that the agent ran all the
// same. And an idle also ends a turn that the agent never called running, if it
// says something new or if the agent has done some work.

const (
	maxPrompts     = 256     // of a session, that wait for an answer
	maxPromptTexts = 4 << 20 // bytes of the texts of prompts that may be echoed
	maxEchoes      = 256     // ids of messages that are prompts of the client
)

// A prompt is a session/prompt request that the client waits for.
type prompt struct {
	session   *session
	id        []byte     // as the client gave it
	call      *link.Call // nil once the agent has answered
	sent      uint64     // the session's count when it was sent
	inserted  uint64     // the same when the agent had inserted it; 0 before
	cancelled bool       // by session/cancel
	endings   int        // how many requests to close or delete the session came since, and did not fail
	withdrawn bool       // by $/cancel_request
	unnamed   bool       // the agent has inserted it, and not named its message

	// What its echo says, as long as that is not known: the texts of its blocks, one
	// behind the other, and how many other blocks it has.
	text    []byte
	others  int
	unknown bool // the text would be too much to keep
}

// A turnEnd is the end of a turn, with raw copies of what it said.
type turnEnd struct {
	began, ended                     uint64 // the session's count
	answered                         bool   // some prompt was answered with it
	stopReason, failure, usage, meta []byte
}

// isCancelled reports whether the prompt was cancelled. A request to close or delete
// the session cancels it too, unless it fails.
func (p *prompt) isCancelled() bool { return p.cancelled || p.endings > 0 }

// prompts returns how many prompts wait for an answer.
func (t *sessions) prompts() (n int) {
	for _, s := range t.all {
		n += len(s.prompts)
	}
	return n
}

// prompt handles session/prompt.
func (b *Bridge) prompt(m *jsonrpc.Message) {
	params, blocks := b.promptParams(m)
	if params == nil {
		return
	}
	s := b.sessions.get(b, m.Session)
	if len(s.prompts) >= maxPrompts || b.sessions.prompts() >= link.MaxOpen {
		b.w.Lose(translate.LossTooManyPrompts, "refused one, as 256 of a session or 4096 in all wait for an answer")
		b.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InternalError, Message: "too many prompts wait for an answer"})
		return
	}
	s.seq++
	p := &prompt{session: s, id: cloned(m.ID), sent: s.seq}
	s.prompts = append(s.prompts, p)
	b.keepText(p, blocks)
	p.call = b.link.Ask(translate.Agent, m, "", params, link.Request{
		Of: p, Answered: func(_ *link.Call, m *jsonrpc.Message) { b.promptAnswered(p, m) },
	})
}

// promptParams returns the params for version 2, and the raw blocks of the prompt. If
// there are none, it has answered the client.
func (b *Bridge) promptParams(m *jsonrpc.Message) (params []byte, blocks [][]byte) {
	o, ok := rawjson.ReadObject(nil, link.ParamsOf(m))
	if ok && m.Session != nil {
		blocks, ok = rawjson.ReadArray(nil, o.Get("prompt"))
	}
	if !ok || m.Session == nil || len(blocks) == 0 {
		b.invalid(m.ID, "a prompt has at least one content block")
		return nil, nil
	}
	b.w.Cwd = b.sessions.get(b, m.Session).cwd
	b.w.Text("[")
	for i, block := range blocks {
		if i > 0 {
			b.w.Text(",")
		}
		if !words.BlockToV2(&b.w, block) {
			b.invalid(m.ID, "a content block of the prompt cannot be read")
			return nil, nil
		}
	}
	b.w.Text("]")
	o = o.Set("prompt", b.w.Out)
	return appendObject(nil, o), blocks
}

// keepText keeps what the prompt says, to know its echo by.
func (b *Bridge) keepText(p *prompt, blocks [][]byte) {
	t := &b.sessions
	for _, block := range blocks {
		text, ok := blockText(block)
		if !ok {
			p.others++
		}
		if t.promptTexts+len(p.text)+len(text) > maxPromptTexts {
			p.text, p.unknown = nil, true
			return
		}
		p.text = append(p.text, text...)
	}
	t.promptTexts += len(p.text)
}

// forgetText forgets what the prompt says, because its echo is known.
func (b *Bridge) forgetText(p *prompt) {
	b.sessions.promptTexts -= len(p.text)
	p.text = nil
}

// promptAnswered takes in what the agent answers to a prompt: that it has
// inserted it, or an error. Agents of August 2026 do not name the message. Then
// a user message that has come and begins like the prompt is its echo, see firstEcho,
// and else the first one that comes and says all of it.
func (b *Bridge) promptAnswered(p *prompt, m *jsonrpc.Message) {
	p.call = nil
	s := p.session
	if raw := m.Error.Of(m.Text); !rawjson.Null(raw) {
		s.forget(p)
		b.echoKnown(s, p)
		if p.isCancelled() && !p.withdrawn && link.ErrorCode(raw) == link.RequestCancelled {
			b.answerPrompt(p, turnEnd{stopReason: []byte(`"cancelled"`)})
			return
		}
		b.link.RefuseAs(translate.Client, p.id, raw, "Internal error")
		return
	}
	s.seq++
	p.inserted = s.seq
	id, named := rawjson.TextOf(member(m.Result.Of(m.Text), "messageId"))
	if !named {
		id, named = s.firstEcho(p)
	}
	if p.unnamed = !named; named {
		if first := b.echoed(s, id); first > 0 {
			p.inserted = first
		}
		b.echoKnown(s, p)
	}
	if s.missed(p) {
		s.forget(p)
		b.echoKnown(s, p)
		b.flush(s)
		b.answerPrompt(p, s.ended)
		s.ended.answered = true
	} else if p.withdrawn {
		// The agent had inserted the prompt before it was withdrawn.
		b.cancelTurn(s)
	}
}

// missed reports whether the turn of a prompt had ended when the agent told that
// it was inserted, or will not come.
func (s *session) missed(p *prompt) bool {
	e := &s.ended
	switch {
	case s.closed, p.inserted > p.sent && e.ended > p.inserted:
		return true
	case s.active:
		return false
	}
	if e.began > p.sent && !e.answered {
		echoedLater := p.inserted < s.seq && p.inserted > e.ended
		if !echoedLater || s.givenUp == 0 {
			return true
		}
		s.givenUp-- // that was the turn of such a prompt
	}
	if p.isCancelled() && s.cancelledAt > p.sent {
		s.givenUp++
		return true
	}
	return false
}

// stateUpdate handles state_update, which version 1 lacks.
func (b *Bridge) stateUpdate(s *session) {
	state, ok := b.update.members.Text("state")
	if !ok {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a state_update without a state")
		return
	}
	s.seq++
	if string(state) != "idle" {
		if !s.active {
			s.active, s.began = true, s.seq
		}
		return
	}
	b.idle(s)
}

// idle takes in that a session is idle.
func (b *Bridge) idle(s *session) {
	o := b.update.members
	end := turnEnd{began: s.began, ended: s.seq, stopReason: cloned(o.Get("stopReason"))}
	if string(end.stopReason) == `"cancelled"` {
		s.cancelledAt = s.seq
	}
	if !s.active && !s.endsWithoutBeginning(&end) {
		return // said again
	}
	if !s.active {
		end.began = s.seq
	}
	s.active = false
	end.failure, end.usage, end.meta = cloned(o.Get("error")), cloned(o.Get("usage")), cloned(o.Get("_meta"))
	s.ended = end.small()
	b.flush(s)
	for _, p := range s.prompts {
		if p.unnamed {
			b.nameEcho(s, p)
		}
	}
	waiting := s.prompts[:0]
	for _, p := range s.prompts {
		if p.inserted > 0 {
			b.answerPrompt(p, end)
			s.ended.answered = true
		} else {
			waiting = append(waiting, p)
		}
	}
	clear(s.prompts[len(waiting):])
	s.prompts = waiting
}

// small returns the end of a turn without what is too much to be kept. It is kept
// for prompts whose turn was over before the agent named them.
func (e turnEnd) small() turnEnd {
	const enough = 64 << 10
	if len(e.usage)+len(e.meta) > enough {
		e.usage, e.meta = nil, nil
	}
	if len(e.failure)+len(e.stopReason) > enough {
		e.failure, e.stopReason = nil, nil
	}
	return e
}

// endsWithoutBeginning tells an idle that ends a turn from one that is only said
// again. The agent has not said that the turn began.
func (s *session) endsWithoutBeginning(end *turnEnd) bool {
	neverRuns := s.began == 0 // the agent never says running
	says := !rawjson.Null(end.stopReason)
	news := says && (s.ended.ended == 0 || !bytes.Equal(end.stopReason, s.ended.stopReason))
	for _, p := range s.prompts {
		worked := p.inserted > 0 && s.output > p.inserted
		if says && (neverRuns || worked) || news && p.inserted > 0 || neverRuns && worked {
			return true
		}
	}
	return false
}

// answerPrompt answers a prompt of the client with the end of its turn.
func (b *Bridge) answerPrompt(p *prompt, end turnEnd) {
	reason, ok := rawjson.TextOf(end.stopReason)
	custom := false
	switch string(reason) {
	case "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled":
	case "error":
		if !p.isCancelled() {
			b.link.RefuseAs(translate.Client, p.id, end.failure, "The turn failed")
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
	result := appendMember([]byte("{"), "stopReason", reason)
	b.w.Out = b.w.Out[:0]
	if words.Usage.Convert(&b.w, orNull(end.usage)) {
		result = appendRaw(result, "usage", b.w.Out)
	}
	meta, isObject := rawjson.ReadObject(nil, orNull(end.meta))
	if custom {
		b.w.Lose(translate.LossStopReason, "answered a prompt with end_turn, the agent's stop reason in its _meta")
		meta = meta.Set("acp-bridge", append(appendRaw([]byte("{"), "stopReason", end.stopReason), '}'))
	}
	if custom || isObject {
		result = appendRaw(result, "_meta", appendObject(nil, meta))
	}
	b.link.Answer(translate.Client, p.id, append(result, '}'))
}

// cancelPrompts handles session/cancel.
func (b *Bridge) cancelPrompts(m *jsonrpc.Message) {
	if s := b.sessions.find(string(m.Session)); s != nil {
		s.cancelPrompts()
	}
	b.out.Forward()
}

// cancelTurn has the agent cancel what it does in a session.
func (b *Bridge) cancelTurn(s *session) {
	s.cancelPrompts()
	b.link.TellCancel(s.id)
}

func (s *session) cancelPrompts() {
	for _, p := range s.prompts {
		p.cancelled = true
	}
}

// forget takes a prompt out of those that wait.
func (s *session) forget(p *prompt) {
	for i, q := range s.prompts {
		if q == p {
			s.prompts = append(s.prompts[:i], s.prompts[i+1:]...)
			return
		}
	}
}

// awaiting returns the prompts whose messages are not known.
func (s *session) awaiting() (prompts []*prompt) {
	for _, p := range s.prompts {
		if p.inserted == 0 || p.unnamed {
			prompts = append(prompts, p)
		}
	}
	return prompts
}

// echoed notes that a message is an echo of a prompt. If the agent has sent a
// part of it already, echoed returns when, and drops it.
func (b *Bridge) echoed(s *session, id []byte) (first uint64) {
	s.echoes = append(s.echoes, string(shortID(id)))
	if len(s.echoes) > maxEchoes {
		s.echoes = s.echoes[1:]
	}
	if m := s.maybeEcho[string(shortID(id))]; m != nil {
		first = m.first
		b.takeHeld(s, func(held *userMessage) bool { return held == m })
	}
	return first
}

// isEcho reports whether the message is an echo of a prompt.
func (s *session) isEcho(id []byte) bool {
	return slices.Contains(s.echoes, string(shortID(id)))
}

// A userMessage is a user message that may be the echo of a prompt: so far it says
// what the prompt says. It waits for the agent to say whether it is.
type userMessage struct {
	id      string // see shortID
	first   uint64 // the session's count when it began
	said    int    // bytes of its texts
	others  int    // its blocks that are not texts
	prompts []*prompt
}

// A heldUpdate is an update of such a message.
type heldUpdate struct {
	message *userMessage
	text    []byte
	size    int
}

// holdUser keeps an update of a user message that may be the echo of a prompt. It
// reports false if it cannot be, or not any more. Then it has sent what was kept of
// the message.
func (b *Bridge) holdUser(s *session, id []byte) bool {
	text := b.update.m.Span.Of(b.update.m.Text)
	size := len(text)
	m := s.maybeEcho[string(shortID(id))]
	if m == nil {
		m = &userMessage{id: string(shortID(id)), first: s.seq, prompts: s.awaiting()}
		size += 8 * len(m.prompts)
	}
	m.take(&b.update)
	if p := m.echoOf(); p != nil {
		b.echoed(s, id)
		b.echoKnown(s, p)
		return true
	}
	fits := b.sessions.heldBytes+size <= maxHeld
	if len(m.prompts) > 0 && fits {
		if s.maybeEcho == nil {
			s.maybeEcho = make(map[string]*userMessage)
		}
		s.maybeEcho[m.id] = m
		s.user = append(s.user, heldUpdate{m, cloned(text), size})
		b.sessions.heldBytes += size
		return true
	}
	if len(m.prompts) > 0 {
		b.w.Lose(translate.LossTooManyUserMessages, "sent one that may be the prompt")
	}
	if s.maybeEcho[m.id] != nil {
		b.releaseUser(s, func(held *userMessage) bool { return held == m })
	}
	return false
}

// take takes in an update of the message. The prompts that say something else are
// no longer among those that it may be the echo of.
func (m *userMessage) take(u *sessionUpdateMessage) {
	content := u.members.Get("content")
	switch {
	case content == nil:
	case string(u.kind) == "user_message":
		m.said, m.others = 0, 0
		for block := range rawjson.Objects(content, nil) {
			m.takeBlock(block)
		}
	default:
		m.takeBlock(u.content)
	}
}

func (m *userMessage) takeBlock(block rawjson.Object) {
	text, ok := textOfBlock(nil, block)
	if !ok {
		m.others++
	}
	m.prompts = slices.DeleteFunc(m.prompts, func(p *prompt) bool {
		return !p.unknown && (m.others > p.others || m.said > len(p.text) || !bytes.HasPrefix(p.text[m.said:], text))
	})
	m.said += len(text)
}

// echoOf returns the prompt that the message is the echo of, of those that the agent
// does not name: one that it says all of, or one that is too long to be compared.
func (m *userMessage) echoOf() (found *prompt) {
	for _, p := range m.prompts {
		switch {
		case !p.unnamed || !m.saysAllOf(p):
		case !p.unknown:
			return p
		case found == nil:
			found = p
		}
	}
	return found
}

// saysAllOf reports whether a message that may be the echo of the prompt is complete.
func (m *userMessage) saysAllOf(p *prompt) bool {
	return p.unknown || m.said == len(p.text) && m.others == p.others
}

// nameEcho finds the echo of a prompt that the agent does not name, at the end of its
// turn: then a message that may be it waits no longer.
func (b *Bridge) nameEcho(s *session, p *prompt) {
	if id, ok := s.firstEcho(p); ok {
		b.echoed(s, id)
	}
	b.echoKnown(s, p)
}

// firstEcho returns the id of the user message that may be the echo of the prompt, for
// agents that do not name it: the first that says all of it, or the first that begins
// like it.
func (s *session) firstEcho(p *prompt) (id []byte, ok bool) {
	for _, h := range s.user {
		switch m := h.message; {
		case !slices.Contains(m.prompts, p):
		case m.saysAllOf(p):
			return []byte(m.id), true
		case !ok:
			id, ok = []byte(m.id), true
		}
	}
	return id, ok
}

// echoKnown notes that no message can be the echo of the prompt any more, and sends
// the messages that waited for that alone.
func (b *Bridge) echoKnown(s *session, p *prompt) {
	p.unnamed = false
	b.forgetText(p)
	for _, m := range s.maybeEcho {
		m.prompts = slices.DeleteFunc(m.prompts, func(q *prompt) bool { return q == p })
	}
	b.releaseUser(s, func(m *userMessage) bool { return len(m.prompts) == 0 })
}

// releaseUser sends user messages that were held, because they are not echoes.
func (b *Bridge) releaseUser(s *session, which func(*userMessage) bool) {
	for _, h := range b.takeHeld(s, which) {
		b.replay(h.text)
	}
}

// takeHeld takes messages out of those that are held, and returns their updates.
func (b *Bridge) takeHeld(s *session, which func(*userMessage) bool) (taken []heldUpdate) {
	kept := s.user[:0]
	for _, h := range s.user {
		if !which(h.message) {
			kept = append(kept, h)
			continue
		}
		taken = append(taken, h)
		b.sessions.heldBytes -= h.size
		delete(s.maybeEcho, h.message.id)
	}
	clear(s.user[len(kept):])
	s.user = kept
	return taken
}

// replay converts a message that was held.
func (b *Bridge) replay(text []byte) {
	m := messageOf(text)
	update, releasing := b.update, b.releasing
	b.update, b.releasing = sessionUpdateMessage{}, true
	b.take(&m)
	b.update, b.releasing = update, releasing
}

// messageOf reads a message that was held.
func messageOf(text []byte) (m jsonrpc.Message) {
	var c rawjson.Cursor
	c.Reset(text)
	m.Read(&c, text, nil)
	return m
}

// promptOf returns the prompt to which the client gave the id.
func (t *sessions) promptOf(id []byte) (*session, *prompt) {
	if id == nil {
		return nil, nil
	}
	want := jsonrpc.IDOf(id)
	for _, s := range t.all {
		for _, p := range s.prompts {
			if jsonrpc.IDOf(p.id) == want {
				return s, p
			}
		}
	}
	return nil, nil
}
