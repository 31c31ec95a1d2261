package oldclient

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
// says what a prompt says is held until it is known whether it is the echo:
//
//	                        ┌► the agent names it           dropped
//	a user message ─► held ─┤
//	   it begins like       └► it says something else, or   sent
//	   a prompt                the message has another name
//
// Agents of August 2026 do not name the message. Then the first one that begins like
// the prompt is its echo, if it has come before the result; and else the first one that
// comes and says all of it.

// echoes are the messages of a session in which the agent repeats prompts.
type echoes struct {
	kept     *keep.Share
	known    keep.Map[struct{}] // ids of messages that are prompts, by what shortID returns
	awaited  []*awaitedEcho     // in the order of their prompts
	held     []heldUpdate
	messages map[string]*userMessage // those of held, by id
}

// An awaitedEcho is what a prompt says, until it is known which message repeats it.
type awaitedEcho struct {
	text    []byte // the texts of its blocks, one behind the other
	others  int    // how many other blocks it has
	unknown bool   // the text would be too much to keep
	unnamed bool   // the agent has inserted the prompt, and not named its message
}

// await notes what a prompt says, to know its echo by.
func (t *echoes) await(blocks [][]byte) *awaitedEcho {
	e := &awaitedEcho{}
	t.awaited = append(t.awaited, e)
	for _, block := range blocks {
		text, ok := blockText(block)
		if !ok {
			e.others++
		}
		if !t.kept.Fix(len(text)) {
			t.forget(e)
			e.unknown = true
			return e
		}
		e.text = append(e.text, text...)
	}
	return e
}

// forget forgets what a prompt says.
func (t *echoes) forget(e *awaitedEcho) {
	t.kept.Free(len(e.text))
	e.text = nil
}

// isKnown reports whether a message is the echo of a prompt.
func (t *echoes) isKnown(id []byte) bool { return t.known.Has(string(shortID(id))) }

// named notes that a message is the echo of a prompt, and drops what is held of it. It
// returns when that came, 0 if nothing is held.
func (t *echoes) named(id []byte) (first uint64) {
	key := string(shortID(id))
	t.known.Keep(t.kept, key, struct{}{}, nil)
	if m := t.messages[key]; m != nil {
		first = m.first
		t.release(func(held *userMessage) bool { return held == m })
	}
	return first
}

// found notes that no message can be the echo of a prompt any more. It returns the
// texts of the updates that waited for that alone.
func (t *echoes) found(e *awaitedEcho) (released [][]byte) {
	e.unnamed = false
	t.forget(e)
	is := func(other *awaitedEcho) bool { return other == e }
	t.awaited = slices.DeleteFunc(t.awaited, is)
	for _, m := range t.messages {
		m.of = slices.DeleteFunc(m.of, is)
	}
	return t.release(func(m *userMessage) bool { return len(m.of) == 0 })
}

// foundAny is found for an echo that the agent does not name: at the end of the turn, a
// message that may be it waits no longer.
func (t *echoes) foundAny(e *awaitedEcho) (released [][]byte) {
	if id, ok := t.first(e); ok {
		t.named(id)
	}
	return t.found(e)
}

// first returns the id of the held message that may be the echo, for agents that do not
// name it: the first that says all of it, or the first that begins like it.
func (t *echoes) first(e *awaitedEcho) (id []byte, ok bool) {
	for _, h := range t.held {
		switch m := h.message; {
		case !slices.Contains(m.of, e):
		case m.saysAllOf(e):
			return []byte(m.id), true
		case !ok:
			id, ok = []byte(m.id), true
		}
	}
	return id, ok
}

// close forgets everything: the session has ended.
func (t *echoes) close() {
	t.release(func(*userMessage) bool { return true })
	for _, e := range t.awaited {
		t.forget(e)
	}
	t.awaited = nil
	t.known.Clear()
}

// A userMessage is a user message that may be the echo of a prompt: so far it says
// what the prompt says. It waits for the agent to say whether it is.
type userMessage struct {
	id     string // see shortID
	first  uint64 // when it began, see turns
	said   int    // bytes of its texts
	others int    // its blocks that are not texts
	of     []*awaitedEcho
}

// A heldUpdate is an update of such a message.
type heldUpdate struct {
	message *userMessage
	text    []byte
	size    int
}

// A heardUpdate says what becomes of an update of a user message.
type heardUpdate struct {
	kept     bool     // the update itself is held or dropped
	released [][]byte // the texts of updates that are sent now, before it
}

// hear handles an update of a user message, which came at that time.
func (t *echoes) hear(u *link.Update, id []byte, at uint64) heardUpdate {
	text := u.Message.Span.Of(u.Message.Text)
	size := len(text)
	key := string(shortID(id))
	m := t.messages[key]
	if m == nil {
		m = &userMessage{id: key, first: at, of: slices.Clone(t.awaited)}
		size += 8 * len(m.of)
	}
	m.add(u)
	if e := m.echo(); e != nil {
		t.named(id)
		return heardUpdate{kept: true, released: t.found(e)}
	}
	if len(m.of) > 0 && t.kept.Fix(size) {
		if t.messages == nil {
			t.messages = make(map[string]*userMessage)
		}
		t.messages[key] = m
		t.held = append(t.held, heldUpdate{m, bytes.Clone(text), size})
		return heardUpdate{kept: true}
	}
	return heardUpdate{released: t.release(func(held *userMessage) bool { return held == m })}
}

// release takes messages out of those that are held, and returns their updates.
func (t *echoes) release(which func(*userMessage) bool) (texts [][]byte) {
	t.held = slices.DeleteFunc(t.held, func(h heldUpdate) bool {
		if !which(h.message) {
			return false
		}
		texts = append(texts, h.text)
		t.kept.Free(h.size)
		delete(t.messages, h.message.id)
		return true
	})
	return texts
}

// add notes what an update of the message says. From then on it is not the
// echo of a prompt with another text.
func (m *userMessage) add(u *link.Update) {
	content := u.Members.Get("content")
	switch {
	case content == nil:
	case string(u.Kind) == "user_message":
		m.said, m.others = 0, 0
		for block := range rawjson.Objects(content, nil) {
			m.addBlock(block)
		}
	default:
		m.addBlock(u.Content)
	}
}

func (m *userMessage) addBlock(block rawjson.Object) {
	text, ok := textOfBlock(nil, block)
	if !ok {
		m.others++
	}
	m.of = slices.DeleteFunc(m.of, func(e *awaitedEcho) bool {
		return !e.unknown && (m.others > e.others || m.said > len(e.text) || !bytes.HasPrefix(e.text[m.said:], text))
	})
	m.said += len(text)
}

// echo returns what the message is the echo of, of the prompts that the agent does not
// name: one that it says all of, or one that is too long to be compared.
func (m *userMessage) echo() (found *awaitedEcho) {
	for _, e := range m.of {
		switch {
		case !e.unnamed || !m.saysAllOf(e):
		case !e.unknown:
			return e
		case found == nil:
			found = e
		}
	}
	return found
}

// saysAllOf reports whether a message that may be the echo is complete.
func (m *userMessage) saysAllOf(e *awaitedEcho) bool {
	return e.unknown || m.said == len(e.text) && m.others == e.others
}
