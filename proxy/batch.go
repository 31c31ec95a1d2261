package proxy

import (
	"bytes"
	"slices"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An openingBatch is a batch of the client with its first initialize in it. It goes
// to the agent as it is, as every batch does. If the two are joined, that is with
// another process, and the rest of the batch goes to the bridge.
type openingBatch struct {
	initialize jsonrpc.Message
	rest       []batchMessage
}

// readOpeningBatch reads a batch, which is valid JSON. It returns nil if no message of
// it is initialize.
func readOpeningBatch(batch []byte) *openingBatch {
	var b openingBatch
	var cursor rawjson.Cursor
	cursor.Reset(batch)
	for more := cursor.Array(); more; more = cursor.NextElement() {
		var m jsonrpc.Message
		m.Read(&cursor, batch, nil)
		if b.initialize.Method == nil && m.IsRequest() && string(m.Method) == methodInitialize {
			b.initialize = m
		} else {
			b.rest = append(b.rest, batchMessage{jsonrpc.IDOf(m.ID), bytes.Clone(m.Span.Of(batch))})
		}
	}
	if b.initialize.Method == nil {
		return nil
	}
	return &b
}

// A batchRest is what came in one batch with the client's initialize.
type batchRest struct {
	messages []batchMessage
	sent     bool // the agent's process has got them
}

// A batchMessage is a message of a batch.
type batchMessage struct {
	id   jsonrpc.ID
	text []byte // a copy
}

// answeredBy reports whether the agent answers one of them. That waits until it is
// known whether it counts.
func (r *batchRest) answeredBy(m *jsonrpc.Message) bool {
	if !r.sent || !m.IsResponse() {
		return false
	}
	id := jsonrpc.IDOf(m.ID)
	return slices.ContainsFunc(r.messages, func(b batchMessage) bool { return b.id == id })
}
