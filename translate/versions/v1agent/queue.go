package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

const queuedCost = 4 << 10 // bytes of a queued request without its texts

// A queuedRequest is a queued request of the client: a prompt, or a request that waits until its
// session is closed.
type queuedRequest struct {
	session *session
	id      []byte     // raw id of the client's request
	text    []byte     // the request
	key     *promptKey // of a prompt; nil for another request
}

// isReady reports whether the request can be sent to the agent.
func (h *queuedRequest) isReady() bool {
	if h.key == nil {
		return h.session.closing == nil
	}
	return h.session.turn == nil
}

func (h *queuedRequest) size() int { return queuedCost + len(h.id) + len(h.text) }

// A promptKey identifies a prompt by its idempotencyKey. A client of version 2 may repeat a
// prompt with the same key if it does not know whether the first one has arrived. Version 1
// has no such keys, so the bridge forwards the first prompt with a key, and answers the other
// prompts with the key like the first one. If the prompt fails, the key can be used again.
type promptKey struct {
	session   *session
	key       string   // "" if the prompt has none
	messageID string   // "" until the prompt is inserted
	repeats   [][]byte // raw ids of the prompts with the same key, until the insertion
}

// enqueue adds to the queue a copy of a request if the budget has room. The key is that of a prompt, or nil.
func (b *Bridge) enqueue(s *session, m *jsonrpc.Message, k *promptKey) bool {
	r := &queuedRequest{s, m.ID, m.Span.Of(m.Text), k}
	fits := b.share.Reserve(r.size())
	if fits {
		r.id, r.text = bytes.Clone(r.id), bytes.Clone(r.text)
		b.queue = append(b.queue, r)
	}
	return fits
}

// takeQueued removes and returns the first queued request that selects returns true for, or nil.
func (b *Bridge) takeQueued(selects func(*queuedRequest) bool) *queuedRequest {
	i := slices.IndexFunc(b.queue, selects)
	if i < 0 {
		return nil
	}
	r := b.queue[i]
	b.queue = slices.Delete(b.queue, i, i+1)
	b.share.Release(r.size())
	return r
}

// nextQueued removes and returns the first ready request, or nil.
func (b *Bridge) nextQueued() *queuedRequest {
	if !b.mayBeReady {
		return nil
	}
	r := b.takeQueued((*queuedRequest).isReady)
	b.mayBeReady = r != nil
	return r
}

// isPromptOf returns a function that reports whether a queued request is a prompt of a session.
func isPromptOf(s *session) func(*queuedRequest) bool {
	return func(r *queuedRequest) bool { return r.key != nil && r.session == s }
}

// answerRepeats calls answer for the ids in repeats, and removes them.
func (p *promptKey) answerRepeats(answer func(id []byte)) {
	for _, id := range p.repeats {
		p.session.bridge.share.Release(queuedCost + len(id))
		answer(id)
	}
	p.repeats = nil
}

// refuseWithRepeats refuses a request with a raw error. If it is a prompt, its repetitions are refused
// too, and the key can be used again.
func (b *Bridge) refuseWithRepeats(id []byte, k *promptKey, failure []byte) {
	refuse := func(id []byte) { b.link.RefuseAs(translate.Client, id, failure) }
	refuse(id)
	if k != nil {
		k.session.keys.Delete(k.key)
		k.answerRepeats(refuse)
	}
}

// refuseEachQueued refuses the queued requests that selects returns true for.
func (b *Bridge) refuseEachQueued(selects func(*queuedRequest) bool, failure []byte) {
	for r := b.takeQueued(selects); r != nil; r = b.takeQueued(selects) {
		b.refuseWithRepeats(r.id, r.key, failure)
	}
}
