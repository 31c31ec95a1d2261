package v1agent

import (
	"bytes"
	"iter"
	"slices"
)

const heldCost = 4 << 10 // bytes of a request that waits, besides its texts

// A heldRequest is a request of the client that waits.
type heldRequest struct {
	behind any        // *session: its turn; *promptKey: the answer to the prompt that it repeats; *closing: its answer
	id     []byte     // as the client gave it
	text   []byte     // the whole message; nil if it repeats a prompt
	key    *promptKey // of a prompt
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

// hold has a copy of a request wait, unless it does not fit.
func (b *Bridge) hold(r heldRequest) bool {
	fits := b.sessions.beside.Fix(r.size())
	if fits {
		r.id, r.text = bytes.Clone(r.id), bytes.Clone(r.text)
		b.held = append(b.held, r)
	}
	return fits
}

// nextHeld releases the earliest request of which that is true. It reports false if there is
// none.
func (b *Bridge) nextHeld(is func(heldRequest) bool) (r heldRequest, ok bool) {
	i := slices.IndexFunc(b.held, is)
	if i < 0 {
		return heldRequest{}, false
	}
	r = b.held[i]
	b.held = slices.Delete(b.held, i, i+1)
	b.sessions.beside.Free(r.size())
	return r, true
}

// heldBehind releases the requests that wait for that, one by one.
func (b *Bridge) heldBehind(that any) iter.Seq[heldRequest] {
	return func(yield func(heldRequest) bool) {
		for {
			r, ok := b.nextHeld(func(r heldRequest) bool { return r.behind == that })
			if !ok || !yield(r) {
				return
			}
		}
	}
}

// isHeldBehind reports whether a request waits for that.
func (b *Bridge) isHeldBehind(that any) bool {
	return slices.ContainsFunc(b.held, func(r heldRequest) bool { return r.behind == that })
}
