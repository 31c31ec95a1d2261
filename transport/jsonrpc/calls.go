package jsonrpc

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// Calls holds the pending requests of one direction, which were forwarded under new ids. T
// is the context that the sender needs for the response. The zero value is ready for use.
//
// Ids are translated because the peers allow different ones, because a peer may reuse an
// id before the response, and because the proxy sends requests itself.
type Calls[T any] struct {
	last  int64 // the last new id
	count int   // of all calls, past ones too
	open  map[ID]*Call[T]
}

// A Call is a pending request.
type Call[T any] struct {
	FarID []byte // the raw id at the receiver
	ID    []byte // a copy of the sender's raw id; nil for a request of the proxy
	Asked T

	number int // ascending
}

// Open adds a request under a new id. It copies id, the sender's raw id, which is nil for
// a request of the proxy.
func (t *Calls[T]) Open(id []byte, asked T) *Call[T] {
	for {
		t.last++
		far := strconv.AppendInt(nil, t.last, 10)
		if _, taken := t.open[ID(far)]; !taken {
			return t.add(far, bytes.Clone(id), asked)
		}
	}
}

// Adopt adds a request that was forwarded under the sender's raw id, which it copies. No
// other call gets that id while this one is pending.
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

// Answered removes and returns the call with the raw id of a response, or nil.
func (t *Calls[T]) Answered(id []byte) *Call[T] {
	far := IDOf(id)
	c := t.open[far]
	delete(t.open, far)
	return c
}

// Find returns the pending call with a raw id at the receiver, or nil.
func (t *Calls[T]) Find(id []byte) *Call[T] { return t.open[IDOf(id)] }

// Past reports whether the raw id of a response was ever given to a call.
func (t *Calls[T]) Past(id []byte) bool {
	n, err := strconv.ParseInt(string(IDOf(id)), 10, 64)
	return err == nil && 0 < n && n <= t.last
}

// Sent returns the latest pending call with the sender's raw id, or nil.
func (t *Calls[T]) Sent(id []byte) (found *Call[T]) {
	want := IDOf(id)
	for _, c := range t.open {
		if c.ID != nil && IDOf(c.ID) == want && (found == nil || c.number > found.number) {
			found = c
		}
	}
	return found
}

// Len returns the number of pending calls.
func (t *Calls[T]) Len() int { return len(t.open) }

// Each calls f for each pending call, the earliest first. f may remove calls.
func (t *Calls[T]) Each(f func(*Call[T])) {
	for _, c := range slices.SortedFunc(maps.Values(t.open), func(a, b *Call[T]) int { return cmp.Compare(a.number, b.number) }) {
		if t.Find(c.FarID) == c {
			f(c)
		}
	}
}
