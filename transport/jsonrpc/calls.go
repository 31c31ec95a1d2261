package jsonrpc

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// Calls are requests that were sent on under ids of our own and are not
// answered yet: one table for each direction. The zero value is ready for use.
// A T is what the sender of the request wants to know when the answer comes.
//
// Ids are translated because the two ends allow different ones, because one end
// may use an id again before the other has answered, and because the proxy asks
// for itself too.
type Calls[T any] struct {
	last  int64 // id of our own
	count int   // of all calls so far
	open  map[ID]*Call[T]
}

// A Call is one such request.
type Call[T any] struct {
	FarID []byte // its raw id on the far side
	ID    []byte // the raw id that the sender gave it, a copy; nil if the proxy itself asks
	Asked T

	number int // the earlier ones have lower numbers
}

// Open notes a request with the sender's raw id, which is copied, and gives it
// an id of its own. The raw id is nil if the proxy itself asks.
func (t *Calls[T]) Open(id []byte, asked T) *Call[T] {
	for {
		t.last++
		far := strconv.AppendInt(nil, t.last, 10)
		if _, taken := t.open[ID(far)]; !taken {
			return t.add(far, bytes.Clone(id), asked)
		}
	}
}

// Adopt notes a request that was sent on under the sender's own raw id, which is
// copied. No other call gets that id on the far side while this one is open.
func (t *Calls[T]) Adopt(id []byte, asked T) {
	id = bytes.Clone(id)
	t.add(id, id, asked)
}

func (t *Calls[T]) add(far, id []byte, asked T) *Call[T] {
	if t.open == nil {
		t.open = make(map[ID]*Call[T])
	}
	t.count++
	c := &Call[T]{FarID: far, ID: id, Asked: asked, number: t.count}
	t.open[IDOf(far)] = c
	return c
}

// Answered returns the call that the raw id of a response names, and forgets
// it; nil if no such call is open.
func (t *Calls[T]) Answered(id []byte) *Call[T] {
	far := IDOf(id)
	c := t.open[far]
	delete(t.open, far)
	return c
}

// Find returns the open call whose id on the far side is the raw id, or nil.
func (t *Calls[T]) Find(id []byte) *Call[T] { return t.open[IDOf(id)] }

// Past reports whether the raw id of a response names a call that was open once.
func (t *Calls[T]) Past(id []byte) bool {
	n, err := strconv.ParseInt(string(IDOf(id)), 10, 64)
	return err == nil && 0 < n && n <= t.last
}

// Sent returns the open call to which its sender gave the raw id, or nil. Of
// several it returns the latest.
func (t *Calls[T]) Sent(id []byte) (found *Call[T]) {
	want := IDOf(id)
	for _, c := range t.open {
		if c.ID != nil && IDOf(c.ID) == want && (found == nil || c.number > found.number) {
			found = c
		}
	}
	return found
}

// Len returns how many calls are open.
func (t *Calls[T]) Len() int { return len(t.open) }

// Each calls f for each open call, the earliest first. f may answer any of them.
func (t *Calls[T]) Each(f func(*Call[T])) {
	for _, c := range slices.SortedFunc(maps.Values(t.open), func(a, b *Call[T]) int { return cmp.Compare(a.number, b.number) }) {
		if t.Find(c.FarID) == c {
			f(c)
		}
	}
}
