package plans

import (
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Stage is a [translate.Stage] that translates the plan messages of one connection. Its
// messages have the client's version. The limits of package keep bound its memory.
type Stage struct {
	options   Options
	hooks     Hooks
	client    capabilities.Client
	live      *livePlans
	current   currentMessage
	content   content // of the latest plan message
	scratch   []byte
	textCount int // number of texts sent with an id, to a client of version 2

	// awaited holds a callback for each pending request, by the side that responds and the id of
	// the request. The callback receives the response, or an empty message if the request is
	// cancelled.
	awaited      [2]keep.Map[func(response *jsonrpc.Message)]
	awaitedShare *keep.Share // budget of awaited

	filters scan.Cache[wanted]

	// Buffers for reading a message that was not read with a Params.
	cursor rawjson.Cursor
	msg    jsonrpc.Message
	params Params
}

// Hooks are notified of the decisions of a Stage. All must be set.
type Hooks struct {
	// Decided is called after each plan message. isOwn reports that another stage has sent the
	// message in the agent's place.
	Decided func(m *jsonrpc.Message, kind string, isOwn bool, r *Result)

	// Forget is called when the agent is about to replay a session, or has closed or deleted it.
	Forget func(session []byte)

	// Resumed is called when a session is resumed without replay.
	Resumed func(session []byte)
}

// wanted selects the messages that only some connections need.
type wanted struct {
	responses [2]bool // by side
	prompts   bool    // session/prompt
	all       bool    // every message of the agent
}

// NewStage returns a Stage that forwards every message until Negotiated.
func NewStage(o Options, h Hooks) *Stage {
	s := &Stage{options: o, hooks: h}
	s.Negotiated(capabilities.Client{})
	return s
}

// Negotiated sets the client's capabilities, and resets all sessions.
func (s *Stage) Negotiated(c capabilities.Client) {
	s.client = c
	s.live = &livePlans{synthetic: s.options.SyntheticID, unsentLists: make(map[string]*session)}
	for side := range s.awaited {
		s.awaited[side].Clear()
	}
	s.awaitedShare = s.live.budget.Open(0, nil)
}

// Wants implements [translate.Stage].
func (s *Stage) Wants() [2]*scan.Filter {
	now := wanted{prompts: s.flushesAtTurnEnd(), all: len(s.live.unsentLists) > 0}
	for side := range s.awaited {
		now.responses[side] = s.awaited[side].Len() > 0
	}
	return s.filters.Filters(now, wanted.filters)
}

func (w wanted) filters() [2]*scan.Filter {
	client := &scan.Filter{
		Methods: []string{"session/load", "session/resume", "session/close", "session/delete"}, Responses: w.responses[translate.Client],
	}
	if w.prompts {
		client.Heads = []string{"session/prompt"}
	}
	agent := &scan.Filter{
		All: w.all, Updates: translate.PlanKinds(), Responses: w.responses[translate.Agent],
		Methods: []string{"session/request_permission", "elicitation/create", "$/cancel_request"},
	}
	return [2]*scan.Filter{translate.Client: client, translate.Agent: agent}
}

// Awaits implements [translate.Stage].
func (s *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return s.awaited[side].Has(string(id))
}

// Receive implements [translate.Stage].
func (s *Stage) Receive(side translate.Side, m *jsonrpc.Message, _ time.Time, out *translate.Out) {
	s.current = currentMessage{Message: m, out: out}
	if side == translate.Client {
		out.Forward()
		s.fromClient(m)
	} else {
		s.fromAgent(m)
	}
	if s.live.budget.EvictExcess() {
		s.lose(translate.LossMemory, "memory limit: plans were evicted")
	}
}

// PeerClosed implements [translate.Stage]. When the agent is gone, its texts are complete.
func (s *Stage) PeerClosed(side translate.Side, _ time.Time, out *translate.Out) {
	s.current = currentMessage{Message: new(jsonrpc.Message), out: out}
	if side == translate.Agent {
		for session := range s.live.sessions.All() {
			s.flushTexts(session)
			if len(out.Outputs()) > 0 {
				out.MarkPlan()
			}
		}
	}
}

func (s *Stage) fromClient(m *jsonrpc.Message) {
	if m.IsResponse() {
		s.deliver(translate.Client, jsonrpc.IDOf(m.ID), m)
		return
	}
	if m.ID == nil || m.Ambiguous || m.Session == nil {
		return
	}
	session := string(m.Session)
	answered := func(*jsonrpc.Message) { s.flushTexts(session) }
	switch method := string(m.Method); {
	case method == "session/close", method == "session/delete":
		answered = func(response *jsonrpc.Message) {
			if !response.Failed() {
				s.hooks.Forget([]byte(session))
				s.live.close(session)
			}
		}
	case translate.Replays(method, m.Params.Of(m.Text)):
		// The replay precedes the response, and ends like a turn.
		s.hooks.Forget(m.Session)
		s.live.close(session)
	case method == "session/resume":
		answered = func(response *jsonrpc.Message) {
			if !response.Failed() {
				s.hooks.Resumed([]byte(session))
			}
		}
	case method != "session/prompt" || !s.flushesAtTurnEnd():
		return
	}
	s.await(translate.Agent, m, len(session), answered)
}

// await registers a callback for the response of a side to a request. size is the number of bytes
// that the callback retains. If the request is evicted, the callback is not called.
func (s *Stage) await(side translate.Side, request *jsonrpc.Message, size int, answered func(response *jsonrpc.Message)) {
	s.awaited[side].Keep(s.awaitedShare, string(jsonrpc.IDOf(request.ID)), answered, nil).SetSize(size)
}

// deliver calls the callback that awaits the response of a side to the request with that id, if
// there is one.
func (s *Stage) deliver(side translate.Side, id jsonrpc.ID, response *jsonrpc.Message) {
	if answered := s.awaited[side].Get(string(id)); answered != nil {
		s.awaited[side].Delete(string(id))
		answered(response)
	}
}

func (s *Stage) fromAgent(m *jsonrpc.Message) {
	switch {
	case m.IsResponse():
		s.deliver(translate.Agent, jsonrpc.IDOf(m.ID), m)
	case m.IsNotification() && string(m.Method) == "session/update":
		p, ok := m.Reader.(*Params)
		if !ok {
			m, p = s.read(m.Span.Of(m.Text)), &s.params
		}
		if p.update.kind != "" {
			s.translate(m, &p.update, false)
			return
		}
		s.flushList(m.Session)
	case string(m.Method) == "$/cancel_request":
		s.deliver(translate.Client, jsonrpc.IDOf(translate.RequestID(m)), new(jsonrpc.Message))
	case m.Session == nil:
	case m.IsRequest() && string(m.Method) == "session/request_permission":
		s.preparePermission(m)
	case m.IsRequest() && string(m.Method) == "elicitation/create":
		s.flushTexts(string(m.Session))
	default:
		s.flushList(m.Session)
	}
	s.current.out.Forward()
}

// read reads a message with s.params.
func (s *Stage) read(text []byte) *jsonrpc.Message {
	s.cursor.Reset(text)
	s.msg.Read(&s.cursor, text, &s.params)
	return &s.msg
}

// add translates a plan message that the Stage sends in the agent's place.
func (s *Stage) add(message []byte) { s.translate(s.read(message), &s.params.update, true) }

// translate translates a plan message. isAdded reports that the Stage sends it in the agent's place.
func (s *Stage) translate(m *jsonrpc.Message, u *update, isAdded bool) {
	out := s.current.out
	s.current = currentMessage{Message: m, out: out, isAdded: isAdded, result: Result{Action: Forward, Type: u.typeName}}
	out.MarkPlan()
	r := &s.current.result
	switch {
	case m.Session == nil:
		r.Reason = "it has no session"
		s.lose(translate.LossPlanSession, "plan message without a session forwarded unchanged")
	case !s.client.Known():
		r.Reason = "nothing was negotiated yet"
	case u.isDelta():
		r.Reason = "a delta"
	case u.err != nil:
		r.Reason = "not understood: " + u.err.Error()
		s.lose(translate.LossPlanMessage, "plan message forwarded unchanged: %v", u.err)
	default:
		s.apply(s.live.open(m.Session), u)
	}
	s.hooks.Decided(m, u.kind, out.IsOwn(), r)
	switch {
	case r.Action != Forward:
	case isAdded:
		s.sendOwn(m.Span.Of(m.Text))
	default:
		out.Forward()
	}
}

// apply applies an update to the live plans of its session and sends the client the result.
func (s *Stage) apply(sess *session, u *update) {
	r := &s.current.result
	id := u.id
	if id == nil {
		id = []byte(s.live.synthetic)
	}
	before := sess.find(id)
	var stringID string
	if before != nil {
		stringID = before.id // a conversion would allocate
	} else {
		stringID = string(id)
	}
	if u.id != nil {
		r.Plan = stringID
	}
	if u.idsDiffer {
		s.lose(translate.LossPlanIDs, "the ids of a plan differ; the proxy reads %s", capabilities.PlanIDMember(0))
	}
	s.renderOutdated(sess, before)
	var c change
	switch {
	case u.kind == removalUpdate:
		s.resetContent()
		c.plan = sess.remove(id, s.current.isOwn())
	case u.kind == legacyUpdate && sess.ignoresLegacy:
		s.drop("the agent sends the plan with an id, too")
		return
	default:
		c = sess.update(id, s.render(u, before))
		if c.plan == nil {
			r.Reason = "another plan shows the same"
		} else {
			r.Entries = len(c.plan.entries.contentStarts)
		}
	}
	if s.client.Legacy() {
		s.writeList(sess, u, c)
	} else {
		s.writePlan(sess, u, stringID, c)
	}
	switch {
	case r.Reason != "":
	case r.Action == Forward:
		r.Reason = "the client shows it as it is"
	default:
		r.Reason = "the client does not show it as it is"
	}
}
