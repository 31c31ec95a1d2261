package oldagent

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// A client finds the place of a message that is repeated by its id. Agents of version 1
// repeat a prompt under an id of their own, or without one: they never hear which id the
// prompt was given. So the bridge keeps that, and finds it again in a replay: the
// messages of the user come in the same order, and begin with the same content block.

// maxGiven is how many ids of the user's messages are kept of a session. If there are
// more, the oldest is forgotten.
const maxGiven = 1024

// A givenID is the id that a message of the user was given.
type givenID struct {
	id     string
	begins digest // of the first content block
}

func (g givenID) size() int { return 2*entrySize + len(g.id) }

// hasGiven reports whether a message of the user has that id.
func (s *session) hasGiven(id string) bool {
	return slices.ContainsFunc(s.given, func(g givenID) bool { return g.id == id })
}

// give notes the id of a prompt with that raw content.
func (s *session) give(id string, prompt []byte) {
	for block := range rawjson.Objects(prompt, nil) {
		s.giveAt(len(s.given), givenID{id, digestOfBlock(block)})
		return
	}
}

// giveAt notes an id before others. It returns the place behind it.
func (s *session) giveAt(i int, g givenID) int {
	if len(s.given) >= maxGiven {
		s.unkeep(s.given[0].size())
		s.given = slices.Delete(s.given, 0, 1)
		i = max(i-1, 0)
	}
	if !s.keep(g.size()) {
		return i
	}
	s.given = slices.Insert(s.given, i, g)
	return i + 1
}

// idOf returns the id for a message of the user that begins with that content block:
// the one that it was given, or its own.
func (r *replay) idOf(own string, block rawjson.Object) string {
	s, begins := r.session, digestOfBlock(block)
	r.given = min(r.given, len(s.given))
	i := slices.IndexFunc(s.given[r.given:], func(g givenID) bool { return g.begins == begins })
	if i < 0 {
		r.given = s.giveAt(r.given, givenID{own, begins})
		return own
	}
	r.given += i + 1
	return s.given[r.given-1].id
}

// digestOfBlock returns the digest of what a content block says.
func digestOfBlock(o rawjson.Object) digest {
	resource, _ := rawjson.ReadObject(nil, o.Get("resource"))
	h := sha256.New()
	for _, value := range [][]byte{o.Get("type"), o.Get("text"), o.Get("data"), o.Get("uri"), resource.Get("uri")} {
		h.Write(bytes.TrimSpace(unquoted(value)))
		h.Write([]byte{0})
	}
	return digest(h.Sum(nil))
}
