package oldagent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

const heldCost = 4 << 10 // bytes of a request that waits, besides its texts

// A heldRequest is a request of the client that waits: a prompt for its turn, or
// another for the end of its session.
type heldRequest struct {
	session *session   // of a prompt
	id      []byte     // as the client gave it
	text    []byte     // the params of a prompt, nil if it repeats another; of another request, the whole message
	key     *promptKey // of a prompt
	kept    *keep.Share
	number  int // of those that wait, in the order in which they came
}

func (r heldRequest) size() int { return heldCost + len(r.id) + len(r.text) }

// held counts the requests that wait, wherever they do.
type held struct{ count, last int }

// hold adds a copy of a request to those that wait, unless it does not fit.
func (h *held) hold(in *keep.Share, waiting *[]heldRequest, r heldRequest) bool {
	if r.kept = in; !in.Fix(r.size()) {
		return false
	}
	r.id, r.text = bytes.Clone(r.id), bytes.Clone(r.text)
	h.last++
	r.number = h.last
	*waiting = append(*waiting, r)
	h.count++
	return true
}

// release takes a request from those that wait.
func (h *held) release(waiting *[]heldRequest, i int) heldRequest {
	r := (*waiting)[i]
	*waiting = slices.Delete(*waiting, i, i+1)
	h.count--
	r.kept.Free(r.size())
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
