package jsonrpc

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// Calls holds the pending requests of one direction, which were forwarded under new ids. The zero
// value is ready for use.
//
// Ids are translated because the peers allow different ids, because a peer may reuse an id before
// the response, and because the proxy sends requests itself.
type Calls[T any] struct {
	last  int64 // the last new id
	count int   // number of all calls, pending or not
	open  map[ID]*Call[T]
}

// A Call is a pending request.
type Call[T any] struct {
	FarID   []byte // the raw id at the receiver
	ID      []byte // a copy of the sender's raw id; nil for a request of the proxy
	Request T      // the context that is needed for the response

	number int // ascending
}

// Open adds a request under a new id. It copies id, the sender's raw id, which is nil for
// a request of the proxy.
func (c *Calls[T]) Open(id []byte, request T) *Call[T] {
	for {
		c.last++
		far := strconv.AppendInt(nil, c.last, 10)
		if _, taken := c.open[ID(far)]; !taken {
			return c.add(far, bytes.Clone(id), request)
		}
	}
}

// Adopt adds a request that was forwarded under the sender's raw id, which it copies. No
// other call gets that id while this one is pending.
func (c *Calls[T]) Adopt(id []byte, request T) {
	id = bytes.Clone(id)
	c.add(id, id, request)
}

func (c *Calls[T]) add(far, id []byte, request T) *Call[T] {
	if c.open == nil {
		c.open = make(map[ID]*Call[T])
	}
	c.count++
	call := &Call[T]{FarID: far, ID: id, Request: request, number: c.count}
	c.open[IDOf(far)] = call
	return call
}

// Take removes and returns the call with the raw id of a response, or nil.
func (c *Calls[T]) Take(id []byte) *Call[T] {
	far := IDOf(id)
	call := c.open[far]
	delete(c.open, far)
	return call
}

// Find returns the pending call with a raw id at the receiver, or nil.
func (c *Calls[T]) Find(id []byte) *Call[T] { return c.open[IDOf(id)] }

// HasAssigned reports whether a raw id may be one of the new ids that Open has ever assigned.
func (c *Calls[T]) HasAssigned(id []byte) bool {
	n, err := strconv.ParseInt(string(IDOf(id)), 10, 64)
	return err == nil && 0 < n && n <= c.last
}

// FindSent returns the latest pending call with the sender's raw id, or nil.
func (c *Calls[T]) FindSent(id []byte) (found *Call[T]) {
	want := IDOf(id)
	for _, call := range c.open {
		if call.ID != nil && IDOf(call.ID) == want && (found == nil || call.number > found.number) {
			found = call
		}
	}
	return found
}

// Len returns the number of pending calls.
func (c *Calls[T]) Len() int { return len(c.open) }

// Each calls f for each pending call, the earliest first. f may remove calls.
func (c *Calls[T]) Each(f func(*Call[T])) {
	for _, call := range slices.SortedFunc(maps.Values(c.open), func(a, b *Call[T]) int { return cmp.Compare(a.number, b.number) }) {
		if c.Find(call.FarID) == call {
			f(call)
		}
	}
}
