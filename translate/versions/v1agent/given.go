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
func (g *givenIDs) has(id string) bool {
	return slices.ContainsFunc(g.ids, func(o givenID) bool { return o.id == id })
}

// give notes the id of a prompt with that raw content.
func (g *givenIDs) add(in *keep.Share, id string, prompt []byte) {
	for block := range rawjson.Objects(prompt, nil) {
		g.insert(in, len(g.ids), givenID{id, digestOfBlock(block)})
		return
	}
}

// giveAt notes an id before others. It returns the place behind it.
func (g *givenIDs) insert(in *keep.Share, i int, o givenID) int {
	const cost = 64
	if g.ids == nil {
		*g = givenIDs{kept: in.Add(0, func() { *g = givenIDs{} })}
	}
	g.ids = slices.Insert(g.ids, i, o)
	g.size += cost + len(o.id)
	g.kept.Count(g.size)
	return i + 1
}

// idOf returns the id for a message of the user that begins with that content block:
// the one that it was given, or its own.
func (g *givenIDs) find(in *keep.Share, at *int, own string, block rawjson.Object) string {
	begins := digestOfBlock(block)
	*at = min(*at, len(g.ids))
	i := slices.IndexFunc(g.ids[*at:], func(o givenID) bool { return o.begins == begins })
	if i < 0 {
		*at = g.insert(in, *at, givenID{own, begins})
		return own
	}
	*at += i + 1
	return g.ids[*at-1].id
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
