package oldagent

import (
	"bytes"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/rawjson"
)

// Some agents repeat the prompt as a message of the user, which the client has
// already. It may come in pieces. They wait until it is clear what they are: all
// of the prompt, or some of its blocks, are dropped; anything else is shown. If the
// turn is over before, they are dropped too: it was cut off while the agent
// repeated the prompt.

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

// A verdict is what a chunk of a message of the user is.
type verdict int

const (
	isNoEcho  verdict = iota // it repeats nothing
	mayBeEcho                // it waits
	isEcho                   // the whole prompt was repeated
)

// chunk judges a chunk of a message of the user, which comes while the agent works on
// that prompt. If the agent has said something before, it may still repeat the prompt:
// what it said may belong to the turn before, see turns.go. Behind a chunk that
// repeats nothing it may not, because to compare each would take long with a long
// prompt.
func (e *echo) chunk(u *link.Update, prompt []byte, in *keep.Share) verdict {
	if !e.begun {
		e.begun = true
		e.blocks, _ = rawjson.ReadArray(nil, prompt)
	}
	if !e.goesOn(u.Members.Get("content")) {
		e.blocks = nil
		return isNoEcho
	}
	if id, _ := u.Members.Text("messageId"); len(e.waiting) == 0 && len(id) <= maxID {
		e.id = string(id)
	}
	if len(e.blocks) == 0 {
		return isEcho
	}
	return e.hold(u.Message.Span.Of(u.Message.Text), in)
}

// hold keeps an update that may turn out to repeat nothing, unless too much waits.
func (e *echo) hold(text []byte, in *keep.Share) verdict {
	if !in.Fix(len(text)) {
		e.blocks = nil
		return isNoEcho
	}
	e.waiting = append(e.waiting, bytes.Clone(text))
	e.size += len(text)
	return mayBeEcho
}

// interrupted decides what the chunks were that wait, because something else comes.
// They repeat blocks of the prompt, or they are returned to be shown.
func (e *echo) interrupted(in *keep.Share) (repeats bool, shown [][]byte) {
	if len(e.waiting) == 0 || len(e.blocks) > 0 && !e.inside {
		return len(e.waiting) > 0, nil
	}
	shown, e.blocks = e.waiting, nil
	e.drop(in)
	return false, shown
}

// drop forgets what waits.
func (e *echo) drop(in *keep.Share) {
	in.Free(e.size)
	e.waiting, e.size = nil, 0
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
