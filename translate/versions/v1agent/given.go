package v1agent

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
)

// A client locates a repeated message by its id. Agents of version 1 repeat a prompt under an
// id of their own, or without one, because they never receive the prompt's id. The bridge
// keeps these ids and finds them in a replay: user messages have the same order, and begin
// with the same content block (bridge.md §4.2).

// A digest identifies a content block.
type digest [sha256.Size]byte

// A givenID is the id of a user message at the client.
type givenID struct {
	id     string
	begins digest // of the first content block
}

// givenIDs are the ids of a session, in the order of the conversation. They are evicted
// together.
type givenIDs struct {
	ids  []givenID
	kept *keep.Entry
	size int // bytes
}

// has reports whether a user message has the id.
func (g *givenIDs) has(id string) bool {
	return slices.ContainsFunc(g.ids, func(o givenID) bool { return o.id == id })
}

// add adds the id of a prompt with that raw content.
func (g *givenIDs) add(in *keep.Share, id string, prompt []byte) {
	for block := range rawjson.Objects(prompt, nil) {
		g.insert(in, len(g.ids), givenID{id, digestOfBlock(block)})
		return
	}
}

// insert inserts an id at i, and returns the next position.
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

// find returns the client's id of a user message that begins with a content block, from
// position *at on; if there is none, it is the message's own id.
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

// digestOfBlock returns the digest of a content block.
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
