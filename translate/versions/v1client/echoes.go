package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// Clients of version 1 show a prompt by themselves, so the agent's echo of it must not
// reach them; what the agent says in the user's place must. The agent names the message
// of a prompt when it has inserted it, and may echo it before. So a user message that
// begins like a prompt is held until the agent has answered that prompt:
//
//	                        ┌► the agent names it                dropped
//	a user message ─► held ─┤
//	                        └► it goes on otherwise, or no       sent
//	                           prompt waits that it begins like
//
// If the agent names no message, it is the first that was held for the prompt.

// A heldUpdate is an update of a user message that may be an echo.
type heldUpdate struct {
	message *userMessage
	text    []byte
}

func (h heldUpdate) size() int { return keep.EntryCost + len(h.text) }

// A userMessage is a user message that begins like a prompt.
type userMessage struct {
	beginning
	id    string // see shortID
	first uint64 // when it began, see turns
}

// A beginning is how a prompt or a user message begins.
type beginning struct {
	text  []byte // of its text blocks
	mixed bool   // it has other blocks
}

// add adds a block.
func (b *beginning) add(block rawjson.Object) {
	const compared = 1 << 10 // bytes, which promptCost has room for
	text, ok := textOf(nil, block)
	b.text = append(b.text, text[:min(len(text), compared-len(b.text))]...)
	b.mixed = b.mixed || !ok
}

// add adds what an update of the message says.
func (m *userMessage) add(u *calls.Update) {
	content := u.Members.Get("content")
	switch {
	case content == nil:
	case string(u.Kind) == "user_message":
		m.beginning = beginning{}
		for block := range rawjson.Objects(content, nil) {
			m.beginning.add(block)
		}
	default:
		m.beginning.add(u.Content)
	}
}

// mayRepeat reports whether the message may be the echo of a prompt.
func (m *userMessage) mayRepeat(p *prompt) bool {
	return !p.answered && p.sent < m.first && bytes.HasPrefix(p.begins.text, m.text) && (p.begins.mixed || !m.mixed)
}

// isEcho reports whether an update of a user message must not reach the client now: it
// is an echo of a prompt, or looks like one and is held. If it is neither, all that is held
// of its message is sent before it.
func (s *session) isEcho(u *calls.Update) bool {
	m := &userMessage{first: s.turns.tick()}
	id, ok := u.Members.Text("messageId")
	switch m.id = string(shortID(id)); {
	case !ok || s.loads > 0:
		return false
	case s.repeated.Has(m.id):
		return true
	case s.findMessage("user_message_chunk", id) != nil:
		return false
	}
	if i := slices.IndexFunc(s.echoes, func(h heldUpdate) bool { return h.message.id == m.id }); i >= 0 {
		m = s.echoes[i].message
	}
	m.add(u)
	h := heldUpdate{m, u.Message.Span.Of(u.Message.Text)}
	if slices.ContainsFunc(s.turns.waiting, m.mayRepeat) && s.kept.Fix(h.size()) {
		h.text = bytes.Clone(h.text)
		s.echoes = append(s.echoes, h)
		return true
	}
	s.showHeld(func(held *userMessage) bool { return held == m })
	return false
}

// nameEcho notes which message is the echo of a prompt, and drops what is held of it; the
// id is nil if the agent does not say. It returns when the message began, 0 if nothing is
// held.
func (s *session) nameEcho(p *prompt, id []byte) (first uint64) {
	key := string(shortID(id))
	i := slices.IndexFunc(s.echoes, func(h heldUpdate) bool {
		return h.message.id == key || id == nil && h.message.mayRepeat(p)
	})
	if i >= 0 {
		key, first = s.echoes[i].message.id, s.echoes[i].message.first
		s.releaseHeld(func(m *userMessage) bool { return m.id == key })
	}
	if i >= 0 || id != nil {
		s.repeated.Keep(s.kept, key, struct{}{}, nil)
	}
	return first
}

// showOthers shows the messages that no waiting prompt can have caused: they are not echoes.
func (s *session) showOthers() {
	s.showHeld(func(m *userMessage) bool { return !slices.ContainsFunc(s.turns.waiting, m.mayRepeat) })
}

// showHeld shows messages that were held.
func (s *session) showHeld(which func(*userMessage) bool) {
	for _, text := range s.releaseHeld(which) {
		s.showMessage(calls.ReadHeld(text))
	}
}

// releaseHeld takes messages out of those that are held, and returns their updates.
func (s *session) releaseHeld(which func(*userMessage) bool) (texts [][]byte) {
	s.echoes = slices.DeleteFunc(s.echoes, func(h heldUpdate) bool {
		if !which(h.message) {
			return false
		}
		texts = append(texts, h.text)
		s.kept.Free(h.size())
		return true
	})
	return texts
}
