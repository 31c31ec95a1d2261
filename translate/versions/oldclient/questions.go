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

// questions are the requests to the client that the agent has cancelled, in that
// order.
type questions struct{ all []cancelledQuestion }

type cancelledQuestion struct {
	call     *link.Call
	deadline time.Time // when the bridge answers for the client
}

// cancel notes that the agent has cancelled a request, which the client may answer
// for a while.
func (q *questions) cancel(c *link.Call, now time.Time) {
	const patience = time.Second
	if q.find(c) < 0 {
		q.all = append(q.all, cancelledQuestion{c, now.Add(patience)})
	}
}

func (q *questions) find(c *link.Call) int {
	return slices.IndexFunc(q.all, func(e cancelledQuestion) bool { return e.call == c })
}

// forget forgets a request that was answered.
func (q *questions) forget(c *link.Call) {
	if i := q.find(c); i >= 0 {
		q.all = slices.Delete(q.all, i, i+1)
	}
}

// next is the first deadline; zero if there is none.
func (q *questions) next() (next time.Time) {
	for _, e := range q.all {
		next = link.Earliest(next, e.deadline)
	}
	return next
}

// due returns and forgets the requests whose deadline has come.
func (q *questions) due(now time.Time) (due []*link.Call) {
	q.all = slices.DeleteFunc(q.all, func(e cancelledQuestion) bool {
		over := !e.deadline.After(now)
		if over {
			due = append(due, e.call)
		}
		return over
	})
	return due
}

// cancelQuestion handles $/cancel_request of the agent.
func (b *Bridge) cancelQuestion(m *jsonrpc.Message) {
	id := link.RequestID(m)
	if m, ok := b.held.withdraw(id); ok {
		b.dismiss(&m)
		return
	}
	c := b.link.Sent(translate.Client, id)
	if c == nil {
		return
	}
	if c.Asked.Of != nil {
		b.overdue.cancel(c, b.link.Now())
	}
	b.link.Cancel(translate.Client, c)
}

// dismiss answers a request that the client never got.
func (b *Bridge) dismiss(m *jsonrpc.Message) {
	if result := dismissals[string(m.Method)]; result != "" {
		b.link.Answer(translate.Agent, m.ID, []byte(result))
	} else {
		b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.RequestCancelled, Message: "Request cancelled"})
	}
}

// answerForClient answers a request that the agent has cancelled and the client
// does not answer.
func (b *Bridge) answerForClient(c *link.Call) {
	b.link.Forget(translate.Client, c)
	switch of := c.Asked.Of.(type) {
	case *permission:
		b.permissions.cancelled(of, c.ID)
	case elicitation:
		b.link.Answer(translate.Agent, c.ID, []byte(dismissals["elicitation/create"]))
	}
}
