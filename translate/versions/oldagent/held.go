package oldagent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/jsonrpc"
)

const (
	// maxHeld is how many prompts of a session can wait for their turn, and how
	// many requests until it is closed.
	maxHeld = 256
	// maxHeldBytes is how large all requests that wait can be together, with
	// their ids. There can be link.MaxOpen such requests.
	maxHeldBytes = 64 << 20
)

// A heldRequest is a request of the client that waits: a prompt for its turn, or
// another for the end of its session.
type heldRequest struct {
	session *session   // of a prompt
	id      []byte     // as the client gave it
	text    []byte     // the params of a prompt, nil if it repeats another; of another request, the whole message
	key     *promptKey // of a prompt
	number  int        // of those that wait, in the order in which they came
}

func (r heldRequest) size() int { return len(r.id) + len(r.text) }

// held counts the requests that wait, wherever they do.
type held struct{ count, bytes, last int }

// hold adds a copy of a request to those that wait, unless there are too many.
func (h *held) hold(waiting *[]heldRequest, r heldRequest) bool {
	if len(*waiting) >= maxHeld || h.count >= link.MaxOpen || h.bytes+r.size() > maxHeldBytes {
		return false
	}
	r.id, r.text = bytes.Clone(r.id), bytes.Clone(r.text)
	h.last++
	r.number = h.last
	*waiting = append(*waiting, r)
	h.count++
	h.bytes += r.size()
	return true
}

// release takes a request from those that wait.
func (h *held) release(waiting *[]heldRequest, i int) heldRequest {
	r := (*waiting)[i]
	*waiting = slices.Delete(*waiting, i, i+1)
	h.count--
	h.bytes -= r.size()
	return r
}

// releaseID is release for the request with that id. It reports false if that does not
// wait there.
func (h *held) releaseID(waiting *[]heldRequest, id jsonrpc.ID) (r heldRequest, ok bool) {
	i := slices.IndexFunc(*waiting, func(r heldRequest) bool { return jsonrpc.IDOf(r.id) == id })
	if i < 0 {
		return heldRequest{}, false
	}
	return h.release(waiting, i), true
}
