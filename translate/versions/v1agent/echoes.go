package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// Some agents repeat the prompt as a user message, possibly in chunks, although the client has
// it already (bridge.md §4.2). The chunks are buffered until the prompt is complete or another
// update arrives. They are dropped if they are whole blocks of the prompt. Otherwise, or if
// the message continues differently, they are shown.

// An echo is the repeated part of a prompt.
type echo struct {
	begun bool   // a user message has begun
	rest  []byte // rest of the prompt that may still be repeated, see wordsOf
	ends  []int  // length of the rest after each block

	id      string   // of the message
	waiting [][]byte // the updates of the echo
}

// A verdict classifies a chunk of a user message.
type verdict int

const (
	isNoEcho  verdict = iota // it repeats nothing
	mayBeEcho                // it is buffered
	isEcho                   // the whole prompt was repeated
)

// chunk classifies a chunk of a user message during the turn of that prompt. The prompt may be
// repeated after other updates, because these may belong to the turn before, see turns.go, but
// not after a chunk that repeats nothing.
func (e *echo) chunk(u *calls.Update, prompt []byte, in *keep.Share) verdict {
	if !e.begun {
		e.begun = true
		for block := range rawjson.Objects(prompt, nil) {
			e.rest = append(e.rest, wordsOf(block)...)
			e.ends = append(e.ends, len(e.rest))
		}
		for i := range e.ends {
			e.ends[i] = len(e.rest) - e.ends[i]
		}
	}
	said := wordsOf(u.Content)
	if len(said) == 0 || !bytes.HasPrefix(e.rest, said) {
		e.rest = nil
		return isNoEcho
	}
	if id, _ := u.Members.Text("messageId"); len(e.waiting) == 0 && len(id) <= maxID {
		e.id = string(id)
	}
	if e.rest = e.rest[len(said):]; len(e.rest) == 0 {
		return isEcho
	}
	text := u.Message.Span.Of(u.Message.Text)
	if !in.Fix(len(text)) {
		e.rest = nil
		return isNoEcho
	}
	e.waiting = append(e.waiting, bytes.Clone(text))
	return mayBeEcho
}

// wordsOf returns the text of a content block, or the digest of another one.
func wordsOf(block rawjson.Object) []byte {
	if block.String("type") == "text" {
		text, _ := block.Text("text")
		return text
	}
	d := digestOfBlock(block)
	return d[:]
}

// repeats reports whether the buffered chunks are whole blocks of the prompt.
func (e *echo) repeats() bool { return e.rest != nil && slices.Contains(e.ends, len(e.rest)) }

// drop empties the buffer.
func (e *echo) drop(in *keep.Share) {
	for _, text := range e.waiting {
		in.Free(len(text))
	}
	e.waiting = nil
}

// repeats reports whether a chunk of a user message repeats the prompt, or may do so.
func (t *turn) repeats(u *calls.Update) bool {
	if t == nil || t.session.replay != nil {
		return false
	}
	v := t.echo.chunk(u, t.prompt, t.session.kept)
	if v == isEcho {
		t.repeatedPrompt()
	}
	return v != isNoEcho
}

// repeatedPrompt ends the echo of the prompt, or of some of its blocks. The echo's id becomes
// that of a prompt that was not inserted before.
func (t *turn) repeatedPrompt() {
	if id := t.echo.id; id != "" && !t.session.given.has(id) {
		t.messageID = id
	}
	t.echo.drop(t.session.kept)
	t.insert()
}

// breakOffEcho drops the buffered chunks, because another update follows them: all of them are
// the beginning of the prompt.
func (t *turn) breakOffEcho() {
	if len(t.echo.waiting) > 0 {
		t.repeatedPrompt()
	}
}

// spoke records an update or request of the agent about a session, which may be nil: the agent
// has inserted the prompt. Before that, the buffered chunks are shown if they do not repeat
// the prompt.
func (s *session) spoke() {
	if s == nil || s.turn == nil {
		return
	}
	s.live = true
	t, shown := s.turn, [][]byte(nil)
	if e := &t.echo; !e.repeats() {
		shown, e.rest = e.waiting, nil
		e.drop(s.kept)
	}
	t.breakOffEcho()
	t.insert()
	for _, text := range shown {
		if u := calls.ReadHeld(text); u != nil {
			s.chunk(u)
		}
	}
}
