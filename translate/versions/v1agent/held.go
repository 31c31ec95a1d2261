package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
)

const heldCost = 4 << 10 // bytes of a queued request without its texts

// A heldRequest is a queued request of the client: a prompt, a request that waits until its session
// is closed, or a prompt that repeats one that the agent has received.
type heldRequest struct {
	session *session
	id      []byte     // of the client
	text    []byte     // the message; nil if it repeats a prompt
	key     *promptKey // of a prompt
	repeats *promptKey // of the prompt that it repeats
}

// isNew reports whether the agent has not received the request: it does not repeat a prompt.
func (r *heldRequest) isNew() bool { return r.repeats == nil }

// isReady reports whether the request can be sent to the agent.
func (r *heldRequest) isReady() bool {
	if r.key == nil {
		return r.isNew() && r.session.closing == nil
	}
	return r.session.turn == nil
}

func (r *heldRequest) size() int { return heldCost + len(r.id) + len(r.text) }

// A promptKey identifies a prompt by its idempotencyKey. A client of version 2 may repeat a
// prompt with the same key if it does not know whether the first one has arrived. Version 1
// has no such keys, so the bridge forwards one prompt for each key of a session, and answers
// the others like that one. If it fails, the key can be used again.
type promptKey struct {
	session   *session
	key       string // "" if the prompt has none
	messageID string // "" until the prompt is inserted
}

// heldRequests are the queued requests.
type heldRequests struct {
	link       *calls.Link
	kept       *keep.Share
	all        []*heldRequest // in order
	mayBeReady bool           // a turn or a closing has ended
}

// add queues a copy of a request if the budget has room.
func (h *heldRequests) add(r heldRequest) bool {
	fits := h.kept.Fix(r.size())
	if fits {
		r.id, r.text = bytes.Clone(r.id), bytes.Clone(r.text)
		h.all = append(h.all, &r)
	}
	return fits
}

// take removes and returns the first request that f selects, or nil.
func (h *heldRequests) take(f func(*heldRequest) bool) *heldRequest {
	i := slices.IndexFunc(h.all, f)
	if i < 0 {
		return nil
	}
	r := h.all[i]
	h.all = slices.Delete(h.all, i, i+1)
	h.kept.Free(r.size())
	return r
}

// takeAll removes the requests that f selects, in order, and passes each to do.
func (h *heldRequests) takeAll(f func(*heldRequest) bool, do func(*heldRequest)) {
	for r := h.take(f); r != nil; r = h.take(f) {
		do(r)
	}
}

// next removes and returns the first ready request, or nil.
func (h *heldRequests) next() *heldRequest {
	if !h.mayBeReady {
		return nil
	}
	r := h.take((*heldRequest).isReady)
	h.mayBeReady = r != nil
	return r
}

// isPromptOf selects the queued prompts of a session.
func isPromptOf(s *session) func(*heldRequest) bool {
	return func(r *heldRequest) bool { return r.key != nil && r.session == s }
}

// takeRepeats removes the repetitions of a prompt, in order, and passes each to do.
func (h *heldRequests) takeRepeats(k *promptKey, do func(*heldRequest)) {
	h.takeAll(func(r *heldRequest) bool { return r.repeats == k }, do)
}

// refuse refuses a request with a raw error. If it is a prompt, its repetitions are refused
// too, and the key can be used again.
func (h *heldRequests) refuse(id []byte, k *promptKey, e []byte) {
	h.link.RefuseAs(translate.Client, id, e, noAnswer)
	if k != nil {
		k.session.keys.Delete(k.key)
		h.takeRepeats(k, func(r *heldRequest) { h.refuse(r.id, nil, e) })
	}
}

// refuseAll refuses the requests that f selects.
func (h *heldRequests) refuseAll(f func(*heldRequest) bool, e []byte) {
	h.takeAll(f, func(r *heldRequest) { h.refuse(r.id, r.key, e) })
}
