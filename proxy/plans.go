package proxy

import (
	"bytes"
	"context"
	"log/slog"
	"slices"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxAwaited bounds how many requests are remembered until they are answered.
const maxAwaited = 256

// A translation is the plan translation of a conversation: what the client can show,
// the live plans, and the client's requests that matter to the two. Its messages are
// in the client's version.
type translation struct {
	settings capabilities.Settings // what the client can show, if not what initialize says
	told     capabilities.Told     // what the agent is told of that
	log      *slog.Logger
	losses   *losses

	translator *plans.Translator
	asked      bool              // the client has sent initialize
	awaited    keep.Map[awaited] // by the ids of the client's requests
	approvals  []approval        // that the client has not answered, the oldest first
	counts     counts
	filtered   planWant        // what toClient is for
	toClient   *jsonrpc.Filter // see filter
	before     [][]byte        // messages that leave before the answer that is being read
	joined     string          // which versions are joined, for the log; empty if there is no bridge
	vendor     string          // whose words the message at hand comes from, for the log; empty if it is the protocol's

	// negotiated is called when initialize has been answered.
	negotiated func(request capabilities.Request, answer capabilities.Answer, client capabilities.Client, saysTexts int, joined bool)

	// forgets is called when a session will be repeated or is over. What it returns
	// takes that back.
	forgets func(session []byte) (restore func())

	// resumed is called when a session goes on of which the client wanted no replay.
	resumed func(session []byte)
}

type counts struct{ forwarded, rewritten, dropped int }

// awaited says what to do when a request has been answered.
type awaited struct {
	succeeded func(result []byte)
	failed    func()
	session   bool // it is about the plans of a session

	initialize []byte // the raw id of the client's initialize; nil if it is another request
}

// An approval is a plan that the agent has asked the user to approve.
type approval struct {
	id jsonrpc.ID // of the request
	*plans.Approval
}

func newTranslation(o Options, losses *losses) translation {
	if o.Plans.ReadFile == nil {
		o.Plans.ReadFile = newPlanFiles().read
	}
	return translation{
		settings: o.Client, told: o.Told, log: o.Log, losses: losses,
		translator: plans.New(o.Plans),
	}
}

// A planWant says which messages matter to a translation besides plans.
type planWant struct {
	answers bool // responses of the agent
	turns   bool // session/prompt, and what the agent asks
	asks    bool // permission requests
	open    bool // what ends them
	all     bool // everything
}

// wants returns what matters now.
func (t *translation) wants() planWant {
	return planWant{
		answers: t.awaited.Len() > 0, turns: t.translator.CompletesTexts(),
		asks: t.translator.ReadsApprovals(), open: len(t.approvals) > 0, all: t.translator.ListWaits(),
	}
}

// filter says which messages from a bridge to the client matter.
func (t *translation) filter() *jsonrpc.Filter {
	if want := t.wants(); t.toClient == nil || want != t.filtered {
		t.filtered, t.toClient = want, agentFilter(want, vendors.Want{})
	}
	return t.toClient
}

// fromClient handles a message of the client that may bear on what it shows or
// has been shown.
func (t *translation) fromClient(m *reading) outcome {
	id := jsonrpc.IDOf(m.ID)
	if id == "" || m.Ambiguous {
		return forward
	}
	if string(m.Method) == methodInitialize {
		return t.initialize(id, m)
	}
	if call, matters := t.translator.FromClient(m.Method, m.Session, m.plan.Replays); matters {
		restore := t.forgets(m.Session)
		t.await(id, awaited{
			session:   true,
			succeeded: func([]byte) { t.before = t.translator.Answered(call, false) },
			failed: func() {
				t.translator.Answered(call, true)
				restore()
			},
		})
	} else if string(m.Method) == methodResume && m.Session != nil {
		session := bytes.Clone(m.Session)
		t.await(id, awaited{session: true, succeeded: func([]byte) { t.resumed(session) }, failed: func() {}})
	}
	if string(m.Method) == methodPrompt && m.Session != nil && t.translator.CompletesTexts() {
		session := string(m.Session)
		turnEnded := func() { t.before = t.translator.Complete(session) }
		t.await(id, awaited{session: true, succeeded: func([]byte) { turnEnded() }, failed: turnEnded})
	}
	return forward
}

// fromAgent handles a message on its way to the client, as the agent or the bridge
// said it.
func (t *translation) fromAgent(m *reading) outcome {
	o := forward
	switch {
	case m.IsResponse():
		t.before = nil
		t.answered(m)
		o.before = t.before
	case m.isPlan():
		return t.plan(m)
	case string(m.Method) == methodCancelRequest:
		o.before = t.approvalEnds(jsonrpc.IDOf(rawjson.Get(m.Params.Of(m.Text), "requestId")), nil)
	case m.Session == nil:
	case m.IsRequest() && string(m.Method) == methodPermission:
		return t.permission(m)
	case m.IsRequest() && string(m.Method) == methodForm:
		o.before = t.translator.Complete(string(m.Session))
	default:
		o.before = t.translator.Follows(m.Session)
	}
	return o
}

// permission handles a permission request on its way to the client. A plan that a vendor's
// words bring has been said, and leaves by them.
func (t *translation) permission(m *reading) outcome {
	o := forward
	a := t.translator.Approval(m.Session, m.Params.Of(m.Text))
	if a == nil {
		o.before = t.translator.Complete(string(m.Session))
		return o
	}
	o.plan = true
	if t.vendor == "" {
		o.before = t.say(a.Says())
		if len(t.approvals) >= maxAwaited {
			t.approvals = t.approvals[1:]
		}
		t.approvals = append(t.approvals, approval{jsonrpc.IDOf(m.ID), a})
	}
	o.before = append(o.before, t.translator.Asked(a, t.vendor == "")...)
	return o
}

func (t *translation) approvalOf(id jsonrpc.ID) int {
	return slices.IndexFunc(t.approvals, func(a approval) bool { return a.id == id })
}

// approvalEnds handles the end of a request about a plan: with that result, nil without
// one. It returns what the client gets: a plan that is not approved leaves at once.
func (t *translation) approvalEnds(id jsonrpc.ID, result []byte) [][]byte {
	i := t.approvalOf(id)
	if i < 0 {
		return nil
	}
	a := t.approvals[i]
	t.approvals = slices.Delete(t.approvals, i, i+1)
	return t.say(t.translator.Refused(a.Approval, result))
}

// say returns what the client gets of a message about a plan in the agent's place, nil for
// none.
func (t *translation) say(message []byte) [][]byte {
	var m reading
	var cursor rawjson.Cursor
	cursor.Reset(message)
	m.read(&cursor, message)
	if !m.isPlan() {
		return nil
	}
	var all [][]byte
	o := t.plan(&m)
	if o.action == plans.Forward {
		return [][]byte{message}
	}
	for _, with := range o.with {
		all = append(all, slices.Concat(message[:o.start], with, message[o.end:]))
	}
	return all
}

// setClient sets what the client of the conversation can show. That forgets the
// plans of all sessions, so the answers to requests about them no longer
// matter.
func (t *translation) setClient(client capabilities.Client) {
	t.translator.SetClient(client)
	t.approvals = nil
	t.forgetSessions()
}

// forgetSessions forgets what was to be done when requests about sessions are
// answered.
func (t *translation) forgetSessions() {
	for id, a := range t.awaited.All() {
		if a.session {
			t.awaited.Delete(id)
		}
	}
}

func (t *translation) await(id jsonrpc.ID, a awaited) {
	if t.awaited.Len() >= maxAwaited {
		// A request so old will not be answered.
		t.warn(translate.LossUnansweredRequests, "too many unanswered requests; the answers to the earlier ones are not looked at")
		oldest, _ := t.awaited.Oldest()
		t.awaited.Delete(oldest)
	}
	t.awaited.Put(string(id), a)
}

// awaits reports whether it matters how a side answers a request.
func (t *translation) awaits(side translate.Side, id jsonrpc.ID) bool {
	if side == translate.Client {
		return t.approvalOf(id) >= 0
	}
	return t.awaited.Has(string(id))
}

// answered handles a response on its way to the client.
func (t *translation) answered(m *reading) {
	id := string(jsonrpc.IDOf(m.ID))
	if !t.awaited.Has(id) {
		return
	}
	a := t.awaited.Get(id)
	t.awaited.Delete(id)
	switch {
	case m.Failed() && a.failed != nil:
		a.failed()
	case !m.Failed() && a.succeeded != nil:
		a.succeeded(m.Result.Of(m.Text))
	}
}

// plan handles a plan message on its way to the client.
func (t *translation) plan(m *reading) outcome {
	r := t.translator.FromAgent(m.Session, &m.plan.Update)
	for _, l := range r.Losses {
		t.losses.note(l)
	}
	switch r.Action {
	case plans.Forward:
		t.counts.forwarded++
	case plans.Rewrite:
		t.counts.rewritten++
	case plans.Drop:
		t.counts.dropped++
	}
	if t.log.Enabled(context.Background(), slog.LevelDebug) {
		attrs := []any{
			"direction", "agent to client",
			"session", string(m.Session), "kind", m.plan.Update.Kind(), "plan", r.Plan, "type", r.Type,
			"entries", r.Entries, "action", string(r.Action), "reason", r.Reason,
		}
		if t.vendor != "" {
			attrs = append(attrs, "vendor", t.vendor)
		}
		t.log.Debug("plan message", attrs...)
	}
	o := outcome{action: r.Action, with: r.Updates, plan: true}
	o.start, o.end = m.plan.Update.Span()
	return o
}

func (t *translation) warn(kind translate.LossKind, detail string) {
	t.losses.note(translate.Loss{Kind: kind, Detail: detail})
}
