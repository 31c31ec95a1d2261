package jsonrpc

import (
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
	last    int64
	open    map[int64]*Call[T]
	adopted map[ID]*Call[T]
}

// A Call is one such request.
type Call[T any] struct {
	Number int64  // its id on the far side; 0 if it was adopted
	ID     []byte // the raw id that the sender gave it, a copy; nil if the proxy itself asks
	Asked  T
}

// FarID returns the raw id of the call on the far side.
func (c *Call[T]) FarID() []byte {
	if c.Number == 0 {
		return c.ID
	}
	return strconv.AppendInt(nil, c.Number, 10)
}

// Open notes a request with the sender's raw id, which is copied, and gives it
// an id of its own. The raw id is nil if the proxy itself asks.
func (t *Calls[T]) Open(id []byte, asked T) *Call[T] {
	if t.open == nil {
		t.open = make(map[int64]*Call[T])
	}
	t.last++
	for len(t.adopted) > 0 && t.adopted[ID(strconv.FormatInt(t.last, 10))] != nil {
		t.last++
	}
	c := &Call[T]{Number: t.last, Asked: asked}
	if id != nil {
		c.ID = append([]byte(nil), id...)
	}
	t.open[c.Number] = c
	return c
}

// Adopt notes a request that was sent on under the sender's own raw id, which is
// copied. No other call gets that id on the far side while this one is open.
func (t *Calls[T]) Adopt(id []byte, asked T) {
	if t.adopted == nil {
		t.adopted = make(map[ID]*Call[T])
	}
	t.adopted[IDOf(id)] = &Call[T]{ID: append([]byte(nil), id...), Asked: asked}
}

// Answered returns the call that the raw id of a response names, and forgets
// it; nil if no such call is open.
func (t *Calls[T]) Answered(id []byte) *Call[T] {
	c := t.Find(id)
	switch {
	case c == nil:
	case c.Number == 0:
		delete(t.adopted, IDOf(id))
	default:
		delete(t.open, c.Number)
	}
	return c
}

// Find returns the open call whose id on the far side is the raw id, or nil.
func (t *Calls[T]) Find(id []byte) *Call[T] {
	if len(t.adopted) > 0 {
		if c := t.adopted[IDOf(id)]; c != nil {
			return c
		}
	}
	n, err := numberOf(id)
	if err != nil {
		return nil
	}
	return t.open[n]
}

// numberOf returns the number that a raw id spells.
func numberOf(id []byte) (int64, error) {
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil { // as nearly all are
		return n, nil
	}
	return strconv.ParseInt(string(IDOf(id)), 10, 64)
}

// Past reports whether the raw id of a response names a call that was open once.
func (t *Calls[T]) Past(id []byte) bool {
	n, err := numberOf(id)
	return err == nil && 0 < n && n <= t.last
}

// Sent returns the open call to which its sender gave the raw id, or nil. Of
// several it returns the latest.
func (t *Calls[T]) Sent(id []byte) *Call[T] {
	want := IDOf(id)
	found := t.adopted[want]
	for _, c := range t.open {
		if c.ID != nil && IDOf(c.ID) == want && (found == nil || c.Number > found.Number) {
			found = c
		}
	}
	return found
}

// Len returns how many calls are open.
func (t *Calls[T]) Len() int { return len(t.open) + len(t.adopted) }

// Each calls f for each open call, the earliest first. f may answer any of them.
func (t *Calls[T]) Each(f func(*Call[T])) {
	for _, id := range slices.Sorted(maps.Keys(t.adopted)) {
		if c := t.adopted[id]; c != nil {
			f(c)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(t.open)) {
		if c := t.open[n]; c != nil {
			f(c)
		}
	}
}
