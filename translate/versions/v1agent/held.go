package v1agent

import (
	"bytes"
	"iter"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
)

const heldCost = 4 << 10 // bytes of a queued request without its texts

// A heldRequest is a queued request of the client.
type heldRequest struct {
	behind any        // *session: its turn; *promptKey: the answer to the prompt that it repeats; *closing: its answer
	id     []byte     // of the client
	text   []byte     // the message; nil if it repeats a prompt
	key    *promptKey // of a prompt
	number int        // the earlier ones have lower numbers
}

// isNew reports whether the agent has not received the request: it does not repeat a prompt.
func (r heldRequest) isNew() bool { return r.text != nil }

// isReady reports whether the request can be sent to the agent.
func (r heldRequest) isReady() bool {
	switch behind := r.behind.(type) {
	case *session:
		return behind.turn == nil
	case *closing:
		return behind.done
	}
	return false
}

func (r heldRequest) size() int { return heldCost + len(r.id) + len(r.text) }

// A promptKey identifies a prompt by its idempotencyKey. A client of version 2 may repeat a
// prompt with the same key if it does not know whether the first one has arrived. Version 1
// has no such keys, so the bridge forwards one prompt for each key of a session, and answers
// the others like that one. If it fails, the key can be used again.
type promptKey struct {
	session   *session
	key       string // "" if the prompt has none
	messageID string // "" until the prompt is inserted
}

// heldRequests are the queued requests, by the object that they wait for.
type heldRequests struct {
	link   *calls.Link
	kept   *keep.Share
	behind map[any][]heldRequest
	ready  []any // objects whose requests may be ready
	came   int   // requests so far
}

// add queues a copy of a request if the budget has room.
func (h *heldRequests) add(r heldRequest) bool {
	fits := h.kept.Fix(r.size())
	if fits {
		h.came++
		r.number, r.id, r.text = h.came, bytes.Clone(r.id), bytes.Clone(r.text)
		h.behind[r.behind] = append(h.behind[r.behind], r)
	}
	return fits
}

// remove removes a request.
func (h *heldRequests) remove(r heldRequest) {
	h.kept.Free(r.size())
	left := slices.DeleteFunc(h.behind[r.behind], func(o heldRequest) bool { return o.number == r.number })
	if h.behind[r.behind] = left; len(left) == 0 {
		delete(h.behind, r.behind)
	}
}

// next removes and returns the earliest ready request, if any.
func (h *heldRequests) next() (r heldRequest, ok bool) {
	for ; len(h.ready) > 0; h.ready = h.ready[1:] {
		if waiting := h.behind[h.ready[0]]; len(waiting) > 0 && waiting[0].isReady() {
			r = waiting[0]
			h.remove(r)
			return r, true
		}
	}
	return heldRequest{}, false
}

// of removes the requests that wait for an object, one by one.
func (h *heldRequests) of(that any) iter.Seq[heldRequest] {
	return func(yield func(heldRequest) bool) {
		for len(h.behind[that]) > 0 {
			r := h.behind[that][0]
			if h.remove(r); !yield(r) {
				return
			}
		}
	}
}

// has reports whether a request waits for an object.
func (h *heldRequests) has(that any) bool { return len(h.behind[that]) > 0 }

// all returns all requests in order.
func (h *heldRequests) all() []heldRequest {
	byNumber := func(a, b heldRequest) int { return a.number - b.number }
	return slices.SortedFunc(func(yield func(heldRequest) bool) {
		for _, waiting := range h.behind {
			for _, r := range waiting {
				if !yield(r) {
					return
				}
			}
		}
	}, byNumber)
}
