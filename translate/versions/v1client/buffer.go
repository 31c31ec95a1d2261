package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// A buffer has messages of the agent that are converted later, each with a key.
type buffer[K any] struct {
	share    *keep.Share
	messages []buffered[K]
}

type buffered[K any] struct {
	key  K
	text []byte
}

func (o buffered[K]) size() int { return keep.EntryCost + len(o.text) }

// add appends a copy of a message if the budget has room.
func (b *buffer[K]) add(key K, m *jsonrpc.Message) bool {
	o := buffered[K]{key, m.Span.Of(m.Text)}
	fits := b.share.Reserve(o.size())
	if fits {
		o.text = bytes.Clone(o.text)
		b.messages = append(b.messages, o)
	}
	return fits
}

// take removes the messages whose keys f selects, and returns them in order.
func (b *buffer[K]) take(f func(K) bool) (taken []buffered[K]) {
	b.messages = slices.DeleteFunc(b.messages, func(o buffered[K]) bool {
		selected := f(o.key)
		if selected {
			b.share.Release(o.size())
			taken = append(taken, o)
		}
		return selected
	})
	return taken
}
