package proxy

import (
	"context"
	"log/slog"
	"maps"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/jsonrpc"
)

// maxAwaited bounds how many requests are remembered until they are answered.
const maxAwaited = 256

// awaited says what to do when a request has been answered.
type awaited struct {
	succeeded func(result []byte)
	failed    func()
	session   bool // it is about the plans of a session

	initialize []byte // the raw id of the client's initialize; nil if it is another request
}

// requested takes in a message of the client that may bear on what it shows or
// has been shown.
func (c *conversation) requested(m *reading) outcome {
	id := jsonrpc.IDOf(m.ID)
	if id == "" || m.Ambiguous {
		return forward
	}
	if string(m.Method) == methodInitialize {
		return c.initialize(id, m)
	}
	if call, matters := c.translator.FromClient(m.Method, m.Session, m.plan.Replays); matters {
		c.await(id, awaited{
			session:   true,
			succeeded: func([]byte) { c.translator.Answered(call, false) },
			failed:    func() { c.translator.Answered(call, true) },
		})
	}
	return forward
}

// setClient sets what the client of the conversation can show. That forgets the
// plans of all sessions, so the answers to requests about them no longer
// matter.
func (c *conversation) setClient(client capabilities.Client) {
	c.translator.SetClient(client)
	c.forgetSessions()
}

// forgetSessions forgets what was to be done when requests about sessions are
// answered.
func (c *conversation) forgetSessions() {
	maps.DeleteFunc(c.awaited, func(_ jsonrpc.ID, a awaited) bool { return a.session })
}

func (c *conversation) await(id jsonrpc.ID, a awaited) {
	if len(c.awaited) >= maxAwaited {
		// Requests so old will not be answered.
		c.warn(translate.LossUnansweredRequests, "too many unanswered requests; the answers to the earlier ones are not looked at")
		if c.forgetSessions(); len(c.awaited) >= maxAwaited {
			clear(c.awaited)
		}
	}
	c.awaited[id] = a
}

// answered takes in a response on its way to the client.
func (c *conversation) answered(m *reading) {
	id := jsonrpc.IDOf(m.ID)
	a, ok := c.awaited[id]
	if !ok {
		return
	}
	delete(c.awaited, id)
	switch {
	case m.Failed() && a.failed != nil:
		a.failed()
	case !m.Failed() && a.succeeded != nil:
		a.succeeded(m.Result.Of(m.Text))
	}
}

// plan takes in a plan message on its way to the client.
func (c *conversation) plan(m *reading) outcome {
	r := c.translator.FromAgent(m.Session, &m.plan.Update)
	for _, l := range r.Losses {
		c.losses.Note(l)
	}
	switch r.Action {
	case plans.Forward:
		c.counts.forwarded++
	case plans.Rewrite:
		c.counts.rewritten++
	case plans.Drop:
		c.counts.dropped++
	}
	if c.Log.Enabled(context.Background(), slog.LevelDebug) {
		c.Log.Debug("plan message", "direction", "agent to client",
			"session", string(m.Session), "kind", m.plan.Update.Kind(), "plan", r.Plan, "type", r.Type,
			"entries", r.Entries, "action", string(r.Action), "reason", r.Reason)
	}
	o := outcome{action: r.Action, with: r.Updates, plan: true}
	o.start, o.end = m.plan.Update.Span()
	return o
}
