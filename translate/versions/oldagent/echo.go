package oldagent

import (
	"bytes"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Some agents repeat the prompt as a message of the user, which the client has
// already. It may come in pieces. They wait until it is clear what they are: all
// of the prompt, or some of its blocks, are dropped; anything else is shown. If the
// turn is over before, they are dropped too: it was cut off while the agent
// repeated the prompt.

// maxEcho is the size of the largest prompt whose repetition is recognized, and
// of the pieces that wait. A larger prompt is not kept after it was taken in.
const maxEcho = 1 << 20

// An echo is what an agent has repeated of a prompt so far.
type echo struct {
	begun  bool     // a message of the user has come
	blocks [][]byte // of the prompt, that the agent may still repeat
	inside bool     // some of the first of them came
	text   []byte   // and this is left of it

	id      string   // of the message
	waiting [][]byte // the updates that brought it
	size    int      // of these
}

// isEcho reports whether a chunk repeats the prompt of the turn, or may do so.
// Before the prompt is taken in, the message also gives it its id. If the agent
// has said something before, it may still repeat the prompt: what it said may
// belong to the turn before, see late.go. Behind a chunk that repeats nothing it
// may not, because to compare each would take long with a long prompt.
func (b *Bridge) isEcho(u *update) bool {
	t := u.session.turn
	if t == nil || u.session.replay != nil {
		return false
	}
	e := &t.echo
	if !e.begun {
		e.begun = true
		e.blocks, _ = rawjson.ReadArray(nil, t.prompt)
	}
	if !e.goesOn(u.fields.Get("content")) {
		e.blocks = nil
		return false
	}
	if id, _ := u.fields.Text("messageId"); len(e.waiting) == 0 && len(id) <= MaxID {
		e.id = string(id)
	}
	if len(e.blocks) == 0 {
		b.echoed(t)
		return true
	}
	return b.mayBeEcho(t, u.m)
}

// goesOn reports whether a content block is what comes next in the prompt. A text
// can be a part of a text there, or of several.
func (e *echo) goesOn(block []byte) bool {
	if len(e.blocks) == 0 {
		return false
	}
	o, _ := rawjson.ReadObject(nil, block)
	text, isText := textOf(o)
	if !isText {
		if e.inside || !sameBlock(e.blocks[0], block) {
			return false
		}
		e.blocks = e.blocks[1:]
		return true
	}
	for len(e.blocks) > 0 {
		if !e.inside {
			next, _ := rawjson.ReadObject(nil, e.blocks[0])
			if e.text, e.inside = textOf(next); !e.inside {
				return false
			}
		}
		switch {
		case len(text) < len(e.text) && bytes.HasPrefix(e.text, text):
			e.text = e.text[len(text):]
			return true
		case !bytes.HasPrefix(text, e.text):
			return false
		}
		text = text[len(e.text):]
		e.blocks, e.inside, e.text = e.blocks[1:], false, nil
		if len(text) == 0 {
			return true
		}
	}
	return false
}

// mayBeEcho keeps an update that may turn out to repeat nothing. It reports false
// if too much waits.
func (b *Bridge) mayBeEcho(t *turn, m *jsonrpc.Message) bool {
	e, text := &t.echo, m.Span.Of(m.Text)
	if e.size+len(text) > maxEcho || !b.keep(t.session, len(text)) {
		e.blocks = nil
		return false
	}
	e.waiting = append(e.waiting, bytes.Clone(text))
	e.size += len(text)
	return true
}

// forgetEcho forgets what waits.
func (b *Bridge) forgetEcho(t *turn) {
	b.unkeep(t.session, t.echo.size)
	t.echo.waiting, t.echo.size = nil, 0
}

// echoed takes in that the agent has repeated the prompt, or blocks of it.
func (b *Bridge) echoed(t *turn) {
	if e := &t.echo; !t.acked && b.newPromptID(t.session, e.id) {
		t.messageID = e.id
	}
	b.forgetEcho(t)
	b.acknowledge(t)
}

// endEcho decides what the chunks were that wait, because something else comes.
func (b *Bridge) endEcho(t *turn) {
	e := &t.echo
	if len(e.waiting) == 0 {
		return
	}
	if len(e.blocks) > 0 && !e.inside {
		b.echoed(t)
		return
	}
	waiting := e.waiting
	e.blocks = nil
	b.forgetEcho(t)
	b.acknowledge(t)
	for _, text := range waiting {
		var c rawjson.Cursor
		var m jsonrpc.Message
		c.Reset(text)
		m.Read(&c, text, nil)
		u := update{session: t.session, waited: true}
		u.read(&m)
		b.chunk(&u)
	}
}

// breakOffEcho drops the chunks that wait, because the turn is over: all of them are
// the beginning of the prompt.
func (b *Bridge) breakOffEcho(t *turn) {
	if len(t.echo.waiting) > 0 {
		b.echoed(t)
	}
}

// newPromptID reports whether the client can be told an agent's id for a
// prompt: no two prompts of a session may have the same id.
func (b *Bridge) newPromptID(s *session, id string) bool {
	const most = 1024
	if id == "" || s.promptIDs[id] || len(s.promptIDs) >= most || !b.keep(s, entrySize+len(id)) {
		return false
	}
	if s.promptIDs == nil {
		s.promptIDs = make(map[string]bool)
	}
	s.promptIDs[id] = true
	return true
}

// textOf returns the text of a content block that is one.
func textOf(block rawjson.Object) ([]byte, bool) {
	if kind, _ := block.Text("type"); string(kind) != "text" {
		return nil, false
	}
	return block.Text("text")
}

// sameBlock reports whether two content blocks that are no texts say the same.
func sameBlock(x, y []byte) bool {
	var fx, fy [8]rawjson.Field
	ox, _ := rawjson.ReadObject(fx[:0], x)
	oy, _ := rawjson.ReadObject(fy[:0], y)
	kx, _ := ox.Text("type")
	ky, _ := oy.Text("type")
	if !bytes.Equal(kx, ky) {
		return false
	}
	for _, name := range []string{"data", "uri", "resource"} {
		if !bytes.Equal(unquoted(ox.Get(name)), unquoted(oy.Get(name))) {
			return false
		}
	}
	return true
}

func unquoted(value []byte) []byte {
	if text, ok := rawjson.TextOf(value); ok {
		return text
	}
	return value
}
