package conversation

import (
	"bytes"
	"slices"

	"acp-plan-proxy/transport/jsonrpc"
)

// maxBacklog limits the size of a backlog, in bytes.
const maxBacklog = 1 << 20

// A backlog holds messages that the agent sends before its initialize response.
type backlog struct {
	lines [][]byte       // buffered messages
	early []earlyRequest // forwarded to the client and pending
	size  int            // bytes of all messages so far; a message that is too long ends the buffering
}

// An earlyRequest is a request before the initialize response.
type earlyRequest struct {
	id              []byte // raw
	method, session string
}

// keep buffers a message. It returns false if the backlog is full.
func (b *backlog) keep(line []byte) bool {
	if b.size += len(line); b.size > maxBacklog {
		return false
	}
	b.lines = append(b.lines, bytes.Clone(line))
	return true
}

// noteRequest records a forwarded message if it is a request, because a bridge that is inserted
// later must translate the response. It returns false if the backlog is full.
func (b *backlog) noteRequest(m *jsonrpc.Message) bool {
	if !m.IsRequest() {
		return true
	}
	if b.size += len(m.ID) + len(m.Method) + len(m.Session); b.size > maxBacklog {
		return false
	}
	b.early = append(b.early, earlyRequest{bytes.Clone(m.ID), string(m.Method), string(m.Session)})
	return true
}

// noteResponse removes the request that a message of the client responds to.
func (b *backlog) noteResponse(m *jsonrpc.Message) {
	id := jsonrpc.IDOf(m.ID)
	if i := slices.IndexFunc(b.early, func(r earlyRequest) bool { return jsonrpc.IDOf(r.id) == id }); i >= 0 {
		b.early = slices.Delete(b.early, i, i+1)
	}
}
