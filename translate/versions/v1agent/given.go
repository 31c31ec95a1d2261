package v1agent

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
)

// A client finds the place of a message that is repeated by its id. Agents of version 1
// repeat a prompt under an id of their own, or without one: they never hear which id the
// prompt was given. So the bridge keeps that, and finds it again in a replay: the
// messages of the user come in the same order, and begin with the same content block.

// A digest is that of a content block.
type digest [sha256.Size]byte

// A givenID is the id that a message of the user was given.
type givenID struct {
	id     string
	begins digest // the first content block
}

// givenIDs are those of a session, in the order of the conversation. They go together.
type givenIDs struct {
	ids  []givenID
	kept *keep.Entry
	size int // bytes
}

// hasGiven reports whether a message of the user has that id.
func (s *session) hasGiven(id string) bool {
	return slices.ContainsFunc(s.given.ids, func(g givenID) bool { return g.id == id })
}

// give notes the id of a prompt with that raw content.
func (s *session) give(id string, prompt []byte) {
	for block := range rawjson.Objects(prompt, nil) {
		s.giveAt(len(s.given.ids), givenID{id, digestOfBlock(block)})
		return
	}
}

// giveAt notes an id before others. It returns the place behind it.
func (s *session) giveAt(i int, g givenID) int {
	const cost = 64
	given := &s.given
	if given.ids == nil {
		*given = givenIDs{kept: s.kept.Add(0, func() { s.given = givenIDs{} })}
	}
	given.ids = slices.Insert(given.ids, i, g)
	given.size += cost + len(g.id)
	given.kept.Count(given.size)
	return i + 1
}

// idOf returns the id for a message of the user that begins with that content block:
// the one that it was given, or its own.
func (s *session) idOf(own string, block rawjson.Object) string {
	at, begins := &s.history.given, digestOfBlock(block)
	*at = min(*at, len(s.given.ids))
	i := slices.IndexFunc(s.given.ids[*at:], func(g givenID) bool { return g.begins == begins })
	if i < 0 {
		*at = s.giveAt(*at, givenID{own, begins})
		return own
	}
	*at += i + 1
	return s.given.ids[*at-1].id
}

// digestOfBlock returns the digest of what a content block says.
func digestOfBlock(o rawjson.Object) digest {
	resource := o.Object("resource")
	h := sha256.New()
	for _, value := range [][]byte{o.Get("type"), o.Get("text"), o.Get("data"), o.Get("uri"), resource.Get("uri")} {
		if text, ok := rawjson.TextOf(value); ok {
			value = text
		}
		h.Write(bytes.TrimSpace(value))
		h.Write([]byte{0})
	}
	return digest(h.Sum(nil))
}
