package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// Some agents repeat the prompt as a message of the user, which the client has
// already. It may come in pieces. They wait until the whole prompt has come, or something
// else does: they are dropped then if they are whole blocks of it. If not, or if the
// message goes on with other words than the prompt, they are shown.

// An echo is what an agent has repeated of a prompt so far.
type echo struct {
	begun bool   // a message of the user has come
	rest  []byte // of the prompt, that the agent may still repeat, see wordsOf
	ends  []int  // how much of it is left behind each block

	id      string   // of the message
	waiting [][]byte // the updates that brought it
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
// repeats nothing it may not.
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

// wordsOf returns what a content block says: a text, or a digest of anything else.
func wordsOf(block rawjson.Object) []byte {
	if block.String("type") == "text" {
		text, _ := block.Text("text")
		return text
	}
	d := digestOfBlock(block)
	return d[:]
}

// repeats reports whether what waits is whole blocks of the prompt.
func (e *echo) repeats() bool { return e.rest != nil && slices.Contains(e.ends, len(e.rest)) }

// drop forgets what waits.
func (e *echo) drop(in *keep.Share) {
	for _, text := range e.waiting {
		in.Free(len(text))
	}
	e.waiting = nil
}

// echoes reports whether a chunk of a message of the user is, or may be, what an agent
// repeats of the prompt.
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

// repeatedPrompt notes that the agent has repeated the prompt, or blocks of it. Before
// the prompt is inserted, the message that repeats it also gives it its id.
func (t *turn) repeatedPrompt() {
	if id := t.echo.id; id != "" && !t.session.given.has(id) {
		t.messageID = id
	}
	t.echo.drop(t.session.kept)
	t.insert()
}

// breakOffEcho drops the chunks that wait, because something else comes: all of them are
// the beginning of the prompt.
func (t *turn) breakOffEcho() {
	if len(t.echo.waiting) > 0 {
		t.repeatedPrompt()
	}
}

// spoke notes that the agent has said something of a session, which may be nil: it has
// inserted the prompt. Before that, the client is shown what waited because it might have
// repeated the prompt, and does not.
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
