package v1agent

import (
	"bytes"
	"iter"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
)

const heldCost = 4 << 10 // bytes of a request that waits, besides its texts

// A heldRequest is a request of the client that waits.
type heldRequest struct {
	behind any        // *session: its turn; *promptKey: the answer to the prompt that it repeats; *closing: its answer
	id     []byte     // as the client gave it
	text   []byte     // the whole message; nil if it repeats a prompt
	key    *promptKey // of a prompt
	number int        // the earlier ones have lower numbers
}

// isNew reports whether the agent has yet to get the request: it does not repeat a prompt.
func (r heldRequest) isNew() bool { return r.text != nil }

// isReady reports whether the request can go to the agent now.
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

// A promptKey tells prompts apart, by their idempotencyKey. A client of version 2 can send a
// prompt again, with the same key, when it does not know whether the first one has arrived.
// Version 1 has no such keys, so the bridge sends one prompt on for each key of a session,
// and answers the others as it answers that one. If that one fails, the key is free again.
type promptKey struct {
	session   *session
	key       string // "" if the prompt has none
	messageID string // "" until the prompt is inserted
}

// heldRequests are the requests that wait, by what they wait for.
type heldRequests struct {
	link   *calls.Link
	kept   *keep.Share
	behind map[any][]heldRequest
	ready  []any // for which requests need not wait any longer
	came   int   // requests so far
}

// add has a copy of a request wait, unless it does not fit.
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

// next removes the earliest request that is ready. It reports false if there is none.
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

// of removes the requests that wait for that, one by one.
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

// has reports whether a request waits for that.
func (h *heldRequests) has(that any) bool { return len(h.behind[that]) > 0 }

// all returns all requests, in the order in which they came.
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
