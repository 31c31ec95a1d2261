package v1client

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

// questions are what the agent asks the user.
type questions struct {
	link      *link.Link
	sessions  *sessions
	subagents *subagents
	ids       *ids
	w         words.Writer        // what the client is asked about a permission
	cancelled []cancelledQuestion // by the agent, in that order
}

type cancelledQuestion struct {
	call     *link.Call
	deadline time.Time // when the bridge answers for the client
}

// dismiss answers a request that the client never got.
func (t *questions) dismiss(m *jsonrpc.Message) {
	if result := dismissals[string(m.Method)]; result != "" {
		t.link.Answer(translate.Agent, m.ID, []byte(result))
	} else {
		t.link.Refuse(translate.Agent, m.ID, errCancelled)
	}
}

// cancel tells the client that the agent has cancelled a question, and gives it a while to
// answer.
func (t *questions) cancel(c *link.Call) {
	const patience = time.Second
	again := slices.ContainsFunc(t.cancelled, func(e cancelledQuestion) bool { return e.call == c })
	if _, ok := c.Asked.Of.(dismissal); ok && !again {
		t.cancelled = append(t.cancelled, cancelledQuestion{c, t.link.After(patience)})
	}
	t.link.Cancel(translate.Client, c)
}

// next is the first deadline, or zero.
func (t *questions) next() (next time.Time) {
	for _, e := range t.cancelled {
		next = link.Earliest(next, e.deadline)
	}
	return next
}

// wake answers the questions that the client has not answered in time.
func (t *questions) wake() {
	t.cancelled = slices.DeleteFunc(t.cancelled, func(e cancelledQuestion) bool {
		if e.deadline.After(t.link.Now()) {
			return false
		}
		if t.link.Find(translate.Client, e.call.FarID()) == e.call {
			t.link.Forget(translate.Client, e.call)
			e.call.Asked.Of.(dismissal)(e.call)
		}
		return true
	})
}
