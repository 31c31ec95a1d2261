package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

const heldCost = 4 << 10 // bytes of a queued request without its texts

// A heldRequest is a queued request of the client: a prompt, or a request that waits until its
// session is closed.
type heldRequest struct {
	session *session
	id      []byte     // raw id of the client's request
	text    []byte     // the request
	key     *promptKey // of a prompt; nil for another request
}

// isReady reports whether the request can be sent to the agent.
func (h *heldRequest) isReady() bool {
	if h.key == nil {
		return h.session.closing == nil
	}
	return h.session.turn == nil
}

func (h *heldRequest) size() int { return heldCost + len(h.id) + len(h.text) }

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

// hold queues a copy of a request if the budget has room. The key is that of a prompt, or nil.
func (b *Bridge) hold(s *session, m *jsonrpc.Message, k *promptKey) bool {
	r := &heldRequest{s, m.ID, m.Span.Of(m.Text), k}
	fits := b.share.Reserve(r.size())
	if fits {
		r.id, r.text = bytes.Clone(r.id), bytes.Clone(r.text)
		b.held = append(b.held, r)
	}
	return fits
}

// takeHeld removes and returns the first queued request that selects returns true for, or nil.
func (b *Bridge) takeHeld(selects func(*heldRequest) bool) *heldRequest {
	i := slices.IndexFunc(b.held, selects)
	if i < 0 {
		return nil
	}
	r := b.held[i]
	b.held = slices.Delete(b.held, i, i+1)
	b.share.Release(r.size())
	return r
}

// nextHeld removes and returns the first ready request, or nil.
func (b *Bridge) nextHeld() *heldRequest {
	if !b.mayBeReady {
		return nil
	}
	r := b.takeHeld((*heldRequest).isReady)
	b.mayBeReady = r != nil
	return r
}

// isPromptOf returns a function that reports whether a queued request is a prompt of a session.
func isPromptOf(s *session) func(*heldRequest) bool {
	return func(r *heldRequest) bool { return r.key != nil && r.session == s }
}

// takeRepeats calls answer for the ids in repeats, and removes them.
func (p *promptKey) takeRepeats(answer func(id []byte)) {
	for _, id := range p.repeats {
		p.session.bridge.share.Release(heldCost + len(id))
		answer(id)
	}
	p.repeats = nil
}

// refuseHeld refuses a request with a raw error. If it is a prompt, its repetitions are refused
// too, and the key can be used again.
func (b *Bridge) refuseHeld(id []byte, k *promptKey, failure []byte) {
	refuse := func(id []byte) { b.link.RefuseAs(translate.Client, id, failure) }
	refuse(id)
	if k != nil {
		k.session.keys.Delete(k.key)
		k.takeRepeats(refuse)
	}
}

// refuseAllHeld refuses the queued requests that selects returns true for.
func (b *Bridge) refuseAllHeld(selects func(*heldRequest) bool, failure []byte) {
	for r := b.takeHeld(selects); r != nil; r = b.takeHeld(selects) {
		b.refuseHeld(r.id, r.key, failure)
	}
}
