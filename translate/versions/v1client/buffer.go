package v1client

import (
	"bytes"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// A buffer keeps messages of the agent that are converted later, each with a key.
type buffer[K any] struct {
	share    *keep.Share
	messages []bufferedMessage[K]
}

// A bufferedMessage is a message in a buffer.
type bufferedMessage[K any] struct {
	key  K
	text []byte
}

func (b bufferedMessage[K]) size() int { return keep.EntryCost + len(b.text) }

// add appends a copy of a message. It reports false if the budget has no room.
func (b *buffer[K]) add(key K, m *jsonrpc.Message) bool {
	message := bufferedMessage[K]{key, m.Span.Of(m.Text)}
	fits := b.share.Reserve(message.size())
	if fits {
		message.text = bytes.Clone(message.text)
		b.messages = append(b.messages, message)
	}
	return fits
}

// take removes and returns the messages for whose keys selects returns true, in order.
func (b *buffer[K]) take(selects func(K) bool) []bufferedMessage[K] {
	taken := takeIf(&b.messages, func(o bufferedMessage[K]) bool { return selects(o.key) })
	for _, o := range taken {
		b.share.Release(o.size())
	}
	return taken
}
