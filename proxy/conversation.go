package proxy

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/plans"
)

// maxAwaited bounds how many requests are remembered until they are answered.
const maxAwaited = 256

// A conversation is what the two directions of a connection share: what was
// negotiated, and the live plans.
type conversation struct {
	settings   capabilities.Settings
	advertise  capabilities.Policy
	log        *slog.Logger
	observe    func(Event)
	observeAll bool
	translator *plans.Translator

	mu      sync.Mutex
	awaited map[string]awaited // requests of the client, by id, whose answers matter
	counts  counts

	// answers is len(awaited), readable without the lock.
	answers atomic.Int32
}

// awaited says what to do when a request has been answered.
type awaited struct {
	succeeded func(result []byte)
	failed    func()
	session   bool // it is about the plans of a session
}

type counts struct{ forwarded, rewritten, dropped int }

// An outcome is what becomes of one message.
type outcome struct {
	action     plans.Action
	start, end int      // of what is replaced in a message that is rewritten
	with       [][]byte // what it is replaced with; the message leaves as often
	plan       bool     // the message concerns a plan
}

func newConversation(o Options) *conversation {
	o.Translate.ReadFile = newPlanFiles().read
	return &conversation{
		settings:   o.Client,
		advertise:  o.Advertise,
		log:        o.Log,
		observe:    o.Observe,
		observeAll: o.ObserveAll,
		translator: plans.New(o.Translate),
		awaited:    make(map[string]awaited),
	}
}

// fromClient takes in a message on its way to the agent.
func (c *conversation) fromClient(m *rpcMessage, line []byte) outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	forward := outcome{action: plans.Forward}
	id := m.requestID()
	if id == "" || m.ambiguous {
		return forward
	}
	session := string(m.session)
	switch string(m.method) {
	case methodInitialize:
		return c.initialize(id, line, m)
	case methodResume:
		if !m.replays {
			break
		}
		fallthrough
	case methodLoad:
		c.translator.Reset(session)
		c.await(id, awaited{
			session:   true,
			succeeded: func([]byte) { c.translator.Replayed(session) },
			failed:    func() { c.translator.Restore(session) },
		})
	case methodClose, methodDelete:
		c.await(id, awaited{session: true, succeeded: func([]byte) { c.translator.Close(session) }})
	}
	return forward
}

// initialize takes in the client's initialize request: what it asks for counts
// when it is answered, and it is announced to the agent as the settings say.
func (c *conversation) initialize(id string, line []byte, m *rpcMessage) outcome {
	params := line[m.params.start:m.params.end]
	o := outcome{action: plans.Forward}
	request, err := capabilities.ReadRequest(params)
	told := request
	if err != nil {
		c.log.Warn("initialize request not understood; the client counts as one that advertises nothing", "error", err)
	} else if edited, changed := c.advertise.Advertise(params, request); changed {
		o = outcome{action: plans.Rewrite, start: m.params.start, end: m.params.end, with: [][]byte{edited}}
		told, _ = capabilities.ReadRequest(edited)
	}
	for _, a := range request.Capabilities {
		if a == capabilities.Malformed {
			c.log.Warn("the client's plan capability is not an object and counts as absent")
		}
	}
	c.await(id, awaited{
		succeeded: func(result []byte) { c.negotiate(request, told, result) },
		failed: func() {
			c.log.Warn("initialize failed; plans pass as they are")
			c.setClient(capabilities.Client{})
		},
	})
	return o
}

// negotiate takes in the answer to an initialize request; told is that request
// as the agent got it.
func (c *conversation) negotiate(request, told capabilities.Request, result []byte) {
	answer, err := capabilities.ReadAnswer(result)
	if err != nil {
		c.log.Warn("answer to initialize not understood; plans pass as they are", "error", err)
		c.setClient(capabilities.Client{})
		return
	}
	client := c.settings.Client(request, answer)
	c.setClient(client)
	c.log.Info("negotiated",
		"client", request.Name, "client_version", request.Release,
		"agent", answer.Name, "agent_version", answer.Release,
		"protocol", answer.Version, "shows", client.String(), "why", c.settings.Why(request, answer),
		"advertised", told.Advertised())
}

// setClient makes the conversation one with a client that shows what it shows.
// That forgets the plans of all sessions, so nothing is to be done any more
// when requests about them are answered.
func (c *conversation) setClient(client capabilities.Client) {
	c.translator.SetClient(client)
	c.forgetSessions()
}

// forgetSessions forgets what was to be done when requests about sessions are
// answered.
func (c *conversation) forgetSessions() {
	maps.DeleteFunc(c.awaited, func(_ string, a awaited) bool { return a.session })
	c.answers.Store(int32(len(c.awaited)))
}

func (c *conversation) await(id string, a awaited) {
	if len(c.awaited) >= maxAwaited {
		// Requests so old will not be answered.
		c.log.Warn("too many unanswered requests about sessions; the answers to the earlier ones are not looked at")
		c.forgetSessions()
	}
	c.awaited[id] = a
	c.answers.Store(int32(len(c.awaited)))
}

// awaiting reports whether answers to requests matter at present. It may be
// called from any goroutine.
func (c *conversation) awaiting() bool { return c.answers.Load() > 0 }

// fromAgent takes in a message on its way to the client.
func (c *conversation) fromAgent(m *rpcMessage, line []byte) outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case m.isResponse():
		c.answered(m)
	case m.isPlan():
		return c.plan(m)
	}
	return outcome{action: plans.Forward}
}

func (c *conversation) answered(m *rpcMessage) {
	id := m.requestID()
	a, ok := c.awaited[id]
	if !ok {
		return
	}
	delete(c.awaited, id)
	c.answers.Store(int32(len(c.awaited)))
	switch {
	case m.failed && a.failed != nil:
		a.failed()
	case !m.failed && a.succeeded != nil:
		a.succeeded(m.result)
	}
}

// plan takes in a plan message.
func (c *conversation) plan(m *rpcMessage) outcome {
	var r *plans.Result
	if m.session != nil {
		r = c.translator.Translate(m.session, &m.update)
	} else {
		r = &plans.Result{
			Action: plans.Forward, Reason: "it has no session",
			Warnings: []string{"plan message without a session forwarded as it came"},
		}
	}
	for _, w := range r.Warnings {
		c.log.Warn(w, "session", string(m.session), "plan", r.Plan)
	}
	switch r.Action {
	case plans.Forward:
		c.counts.forwarded++
	case plans.Rewrite:
		c.counts.rewritten++
	case plans.Drop:
		c.counts.dropped++
	}
	if c.log.Enabled(context.Background(), slog.LevelDebug) {
		c.log.Debug("plan message", "direction", "agent to client",
			"session", string(m.session), "kind", m.update.Kind(), "plan", r.Plan, "type", r.Type,
			"entries", r.Entries, "action", string(r.Action), "reason", r.Reason)
	}
	o := outcome{action: r.Action, with: r.Updates, plan: true}
	o.start, o.end = m.update.Span()
	return o
}

func (c *conversation) logCounts(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log.Info("agent exited", "status", status,
		"forwarded", c.counts.forwarded, "rewritten", c.counts.rewritten, "dropped", c.counts.dropped)
}
