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
	id      []byte  // raw id of the client's request
	text    []byte  // the request
	prompt  *prompt // of a prompt; nil for another request
}

// isReady reports whether the request can be sent to the agent.
func (r *queuedRequest) isReady() bool {
	if r.prompt == nil {
		return r.session.closing == nil
	}
	return r.session.turn == nil
}

func (r *queuedRequest) size() int { return queuedCost + len(r.id) + len(r.text) }

// enqueue adds a copy of a request to the queue. It reports false if the budget has no room. p is nil
// unless the request is a prompt.
func (b *Bridge) enqueue(s *session, m *jsonrpc.Message, p *prompt) bool {
	r := &queuedRequest{s, m.ID, m.Span.Of(m.Text), p}
	fits := b.share.Reserve(r.size())
	if fits {
		r.id, r.text = bytes.Clone(r.id), bytes.Clone(r.text)
		b.queue = append(b.queue, r)
	}
	return fits
}

// takeQueued removes and returns the first queued request for which selects returns true, or nil.
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
	return func(r *queuedRequest) bool { return r.prompt != nil && r.session == s }
}

// answerRepeats calls answer for the ids in repeats, and removes them.
func (p *prompt) answerRepeats(answer func(id []byte)) {
	for _, id := range p.repeats {
		p.session.bridge.share.Release(queuedCost + len(id))
		answer(id)
	}
	p.repeats = nil
}

// refuseWithRepeats refuses a request with a raw error. If it is a prompt, p is not nil: its repetitions
// are refused too, and its key can be used again.
func (b *Bridge) refuseWithRepeats(id []byte, p *prompt, failure []byte) {
	refuse := func(id []byte) { b.link.RefuseAs(translate.Client, id, failure) }
	refuse(id)
	if p != nil {
		p.session.prompts.Delete(p.key)
		p.answerRepeats(refuse)
	}
}

// refuseEachQueued refuses the queued requests for which selects returns true.
func (b *Bridge) refuseEachQueued(selects func(*queuedRequest) bool, failure []byte) {
	for r := b.takeQueued(selects); r != nil; r = b.takeQueued(selects) {
		b.refuseWithRepeats(r.id, r.prompt, failure)
	}
}
