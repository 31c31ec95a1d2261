package conversation

import (
	"bytes"
	"slices"

	"acp-plan-proxy/transport/jsonrpc"
)

// maxKept bounds a backlog, in bytes.
const maxKept = 1 << 20

// A backlog is what must be known of an agent's early messages, when client and agent
// are joined.
type backlog struct {
	lines [][]byte       // that are kept until it is known whether they are joined
	early []earlyRequest // that the client has got as they are and not answered
	size  int            // of both, in bytes
}

// An earlyRequest is a request that the agent makes before it answers initialize.
type earlyRequest struct {
	id              []byte // raw
	method, session string
}

// keep keeps a message until the handshake is decided, which the client has not got. It
// reports false if there is no room.
func (b *backlog) keep(line []byte) bool {
	if b.size += len(line); b.size > maxKept {
		return false
	}
	b.lines = append(b.lines, bytes.Clone(line))
	return true
}

// asked notes a message that the client gets although the agent has not answered
// initialize. If it is a request and the two are joined before the client answers it,
// the bridge has to know of it. It reports false if there is no room.
func (b *backlog) asked(m *jsonrpc.Message) bool {
	if !m.IsRequest() {
		return true
	}
	if b.size += len(m.ID) + len(m.Method) + len(m.Session); b.size > maxKept {
		return false
	}
	b.early = append(b.early, earlyRequest{bytes.Clone(m.ID), string(m.Method), string(m.Session)})
	return true
}

// answered notes an answer of the client.
func (b *backlog) answered(m *jsonrpc.Message) {
	id := jsonrpc.IDOf(m.ID)
	if i := slices.IndexFunc(b.early, func(r earlyRequest) bool { return jsonrpc.IDOf(r.id) == id }); i >= 0 {
		b.early = slices.Delete(b.early, i, i+1)
	}
}
