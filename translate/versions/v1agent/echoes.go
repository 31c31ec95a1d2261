package v1agent

import (
	"bytes"
	"crypto/sha256"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// takeEcho reports whether a chunk of a user message repeats the next content block of the prompt,
// which the client has already, and moves to the block after it. After another chunk of the user, no
// chunk counts as a repetition. t may be nil.
func (t *turn) takeEcho(u *calls.Update) bool {
	if t == nil || t.session.replay != nil {
		return false
	}
	if t.unechoed == nil {
		t.unechoed, _ = rawjson.ReadArray([][]byte{}, t.content)
	}
	if len(t.unechoed) == 0 || digestOf(rawjson.Members(t.unechoed[0])) != digestOf(u.Content) {
		t.unechoed = t.unechoed[:0]
		return false
	}
	t.unechoed = t.unechoed[1:]
	return true
}

// digestOf returns a key for a content block. Blocks with the same content have the same key.
func digestOf(block rawjson.Object) string {
	h := sha256.New()
	for _, name := range []string{"type", "text", "data", "uri"} {
		text, _ := block.Text(name)
		h.Write(bytes.TrimSpace(text))
		h.Write([]byte{0})
	}
	h.Write([]byte(block.Object("resource").String("uri")))
	return string(h.Sum(nil))
}
