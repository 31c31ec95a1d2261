package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
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

// echoes are the messages of a session in which the agent repeats prompts.
type echoes struct {
	kept  *keep.Share
	known keep.Map[struct{}] // ids of messages that are prompts, by what shortID returns
	held  []heldUpdate
}

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
	text, ok := textOfBlock(nil, block)
	b.text = append(b.text, text[:min(len(text), compared-len(b.text))]...)
	b.mixed = b.mixed || !ok
}

// add adds what an update of the message says.
func (m *userMessage) add(u *link.Update) {
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

// isKnown reports whether a message is the echo of a prompt.
func (t *echoes) isKnown(id []byte) bool { return t.known.Has(string(shortID(id))) }

// named notes which message is the echo of a prompt, and drops what is held of it; the
// id is nil if the agent does not say. It returns when the message began, 0 if nothing is
// held.
func (t *echoes) named(p *prompt, id []byte) (first uint64) {
	key := string(shortID(id))
	i := slices.IndexFunc(t.held, func(h heldUpdate) bool {
		return h.message.id == key || id == nil && h.message.mayRepeat(p)
	})
	if i >= 0 {
		key, first = t.held[i].message.id, t.held[i].message.first
		t.release(func(m *userMessage) bool { return m.id == key })
	}
	if i >= 0 || id != nil {
		t.known.Keep(t.kept, key, struct{}{}, nil)
	}
	return first
}

// hear handles an update of a user message that came at that time, when these prompts
// wait. It reports whether the update is held. If it is not, all that is held of its
// message is sent before it.
func (t *echoes) hear(u *link.Update, id []byte, at uint64, prompts []*prompt) (held bool, released [][]byte) {
	m := &userMessage{id: string(shortID(id)), first: at}
	if i := slices.IndexFunc(t.held, func(h heldUpdate) bool { return h.message.id == m.id }); i >= 0 {
		m = t.held[i].message
	}
	m.add(u)
	h := heldUpdate{m, u.Message.Span.Of(u.Message.Text)}
	if slices.ContainsFunc(prompts, m.mayRepeat) && t.kept.Fix(h.size()) {
		h.text = bytes.Clone(h.text)
		t.held = append(t.held, h)
		return true, nil
	}
	return false, t.release(func(held *userMessage) bool { return held == m })
}

// others returns the updates that are held for none of these prompts. They are held no
// longer.
func (t *echoes) others(prompts []*prompt) [][]byte {
	return t.release(func(m *userMessage) bool { return !slices.ContainsFunc(prompts, m.mayRepeat) })
}

// release takes messages out of those that are held, and returns their updates.
func (t *echoes) release(which func(*userMessage) bool) (texts [][]byte) {
	t.held = slices.DeleteFunc(t.held, func(h heldUpdate) bool {
		if !which(h.message) {
			return false
		}
		texts = append(texts, h.text)
		t.kept.Free(h.size())
		return true
	})
	return texts
}

// close forgets everything: the session has ended.
func (t *echoes) close() {
	t.others(nil)
	t.known.Clear()
}
