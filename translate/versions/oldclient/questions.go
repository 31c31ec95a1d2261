package oldclient

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can cancel what it asks the user. Clients of version 1 do not know that
// notification, and go on to ask. So if the client does not answer for a while, the
// bridge does: nothing was chosen.

// dismissals are the results that say so, by the method of the request.
var dismissals = map[string]string{
	"session/request_permission": words.NoPermission,
	"elicitation/create":         words.NoForm,
}

// A dismissal answers a question in the place of the client. It is what [link.Request]
// is of.
type dismissal func(*link.Call)

// cancelledQuestions are the requests to the client that the agent has cancelled, in
// that order.
type cancelledQuestions struct {
	link *link.Link
	held *held
	all  []cancelledQuestion
}

type cancelledQuestion struct {
	call     *link.Call
	deadline time.Time // when the bridge answers for the client
}

// cancelQuestion handles $/cancel_request of the agent.
func (q *cancelledQuestions) cancelQuestion(m *jsonrpc.Message) {
	id := link.RequestID(m)
	if m, ok := q.held.withdraw(id); ok {
		q.dismiss(&m)
	} else if c := q.link.Sent(translate.Client, id); c != nil {
		q.wait(c)
		q.link.Cancel(translate.Client, c)
	}
}

// dismiss answers a request that the client never got.
func (q *cancelledQuestions) dismiss(m *jsonrpc.Message) {
	if result := dismissals[string(m.Method)]; result != "" {
		q.link.Answer(translate.Agent, m.ID, []byte(result))
	} else {
		q.link.Refuse(translate.Agent, m.ID, errCancelled)
	}
}

// wait gives the client a while to answer a question that the agent has cancelled.
func (q *cancelledQuestions) wait(c *link.Call) {
	const patience = time.Second
	if _, ok := c.Asked.Of.(dismissal); ok && q.find(c) < 0 {
		q.all = append(q.all, cancelledQuestion{c, q.link.After(patience)})
	}
}

func (q *cancelledQuestions) find(c *link.Call) int {
	return slices.IndexFunc(q.all, func(e cancelledQuestion) bool { return e.call == c })
}

// forget forgets a request that was answered.
func (q *cancelledQuestions) forget(c *link.Call) {
	if i := q.find(c); i >= 0 {
		q.all = slices.Delete(q.all, i, i+1)
	}
}

// next is the first deadline, or zero.
func (q *cancelledQuestions) next() (next time.Time) {
	for _, e := range q.all {
		next = link.Earliest(next, e.deadline)
	}
	return next
}

// wake answers the questions that the client has not answered in time.
func (q *cancelledQuestions) wake() {
	for _, e := range slices.Clone(q.all) {
		if !e.deadline.After(q.link.Now()) {
			q.forget(e.call)
			q.link.Forget(translate.Client, e.call)
			e.call.Asked.Of.(dismissal)(e.call)
		}
	}
}

// gone forgets everything: the agent has ended.
func (q *cancelledQuestions) gone() { q.all = nil }
