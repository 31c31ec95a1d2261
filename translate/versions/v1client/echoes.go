package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// Clients of version 1 display a prompt themselves, so the agent's echo of the prompt must not reach
// them; other user messages must. The agent's response to the prompt names the echo, which may
// precede the response. A user message that begins like a pending prompt is therefore buffered until
// the agent has answered that prompt:
//
//	                            ┌► the agent names it                dropped
//	a user message ─► buffered ─┤
//	                            └► it continues differently, or no   sent
//	                               pending prompt begins like it
//
// If the response names no message, the echo is the first message that was buffered for the
// prompt.

// A userMessage is a user message that begins like a prompt.
type userMessage struct {
	beginning beginning
	id        string
	firstAt   uint64 // logical time of its first update, see turns
}

// A beginning is the compared part of a prompt or a user message: its text, up to a limit, without
// the characters that a chunk can cut, see [digest].
type beginning []byte

// add appends the text of a block.
func (b *beginning) add(block rawjson.Object) {
	const compared = 1 << 10 // bytes; promptCost includes them
	text, _ := textOf(nil, block)
	whole := bytes.Map(func(r rune) rune {
		if canBeCut(r) {
			return -1
		}
		return r
	}, text)
	*b = append(*b, whole[:min(len(whole), compared-len(*b))]...)
}

// add appends the content of an update of the message.
func (m *userMessage) add(u *calls.Update) {
	content := u.Members.Get("content")
	if string(u.Kind) != "user_message" {
		m.beginning.add(u.Content)
	} else if content != nil {
		m.beginning = nil
		for block := range rawjson.Objects(content, nil) {
			m.beginning.add(block)
		}
	}
}

// mayRepeat reports whether the message may be the echo of a prompt.
func (m *userMessage) mayRepeat(p *prompt) bool {
	return !p.agentAnswered && p.sentAt < m.firstAt && bytes.HasPrefix(p.beginning, m.beginning)
}

// holdEcho reports whether an update of a user message must not be sent: it belongs to an echo, or
// may belong to an echo and is now buffered. If the update must be sent, holdEcho first sends the
// buffered updates of the message.
func (s *session) holdEcho(u *calls.Update) bool {
	m := &userMessage{firstAt: s.turns.tick()}
	id, ok := u.Members.Text("messageId")
	switch m.id = string(id); {
	case !ok || s.loads > 0:
		return false
	case s.echoIDs.Has(m.id):
		return true
	case s.findMessage("user_message_chunk", id) != nil:
		return false
	}
	if i := slices.IndexFunc(s.echoes.messages, func(o bufferedMessage[*userMessage]) bool { return o.key.id == m.id }); i >= 0 {
		m = s.echoes.messages[i].key
	}
	m.add(u)
	if slices.ContainsFunc(s.turns.pending, m.mayRepeat) && s.echoes.add(m, u.Message) {
		return true
	}
	s.showBuffered(func(o *userMessage) bool { return o == m })
	return false
}

// nameEcho records the echo of a prompt, and drops its buffered updates. id is the id in the agent's
// response, or nil. It returns the time of the echo's first update, 0 if none was buffered.
func (s *session) nameEcho(p *prompt, id []byte) (firstAt uint64) {
	key := string(id)
	i := slices.IndexFunc(s.echoes.messages, func(o bufferedMessage[*userMessage]) bool {
		return o.key.id == key || id == nil && o.key.mayRepeat(p)
	})
	if i >= 0 {
		m := s.echoes.messages[i].key
		key, firstAt = m.id, m.firstAt
		s.echoes.take(func(o *userMessage) bool { return o == m })
	}
	if i >= 0 || id != nil {
		s.echoIDs.Keep(s.share, key, struct{}{}, nil)
	}
	return firstAt
}

// showOthers sends the buffered messages that repeat no pending prompt.
func (s *session) showOthers() {
	s.showBuffered(func(m *userMessage) bool { return !slices.ContainsFunc(s.turns.pending, m.mayRepeat) })
}

// showBuffered sends the buffered messages for which selects returns true.
func (s *session) showBuffered(selects func(*userMessage) bool) {
	for _, o := range s.echoes.take(selects) {
		s.showMessage(calls.ReadBuffered(o.text))
	}
}
