package proxy

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
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

// keep keeps a message until the handshake is decided. The client has not got it.
func (b *backlog) keep(m *jsonrpc.Message) []effect {
	line := bytes.Clone(m.Span.Of(m.Text))
	if b.size += len(line); b.size > maxKept {
		return []effect{
			showDropped{translate.Agent, line},
			lose{translate.Loss{Kind: translate.LossEarlyMessage, Detail: "dropped", Version: true}},
		}
	}
	b.lines = append(b.lines, line)
	return nil
}

// asked notes a message that the client gets although the agent has not answered
// initialize. If it is a request and the two are joined before the client answers it,
// the bridge has to know of it.
func (b *backlog) asked(m *jsonrpc.Message) []effect {
	if !m.IsRequest() {
		return []effect{pass{}}
	}
	r := earlyRequest{bytes.Clone(m.ID), string(m.Method), string(m.Session)}
	if b.size += len(r.id) + len(r.method) + len(r.session); b.size > maxKept {
		return []effect{
			lose{translate.Loss{Kind: translate.LossEarlyRequest, Detail: "its answer is dropped if the two are joined", Version: true}},
			pass{},
		}
	}
	b.early = append(b.early, r)
	return []effect{pass{}}
}

// answered notes an answer of the client.
func (b *backlog) answered(m *jsonrpc.Message) {
	id := jsonrpc.IDOf(m.ID)
	if i := slices.IndexFunc(b.early, func(r earlyRequest) bool { return jsonrpc.IDOf(r.id) == id }); i >= 0 {
		b.early = slices.Delete(b.early, i, i+1)
	}
}
