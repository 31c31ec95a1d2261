package plans

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxAwaited bounds how many requests of a side are remembered until they are answered.
const maxAwaited = 256

// Methods of messages that bear on plans.
const (
	methodUpdate     = "session/update"
	methodPrompt     = "session/prompt"
	methodPermission = "session/request_permission"
	methodForm       = "elicitation/create"

	methodCancelRequest = "$/cancel_request"
)

// The requests of a client that concern plans.
const (
	methodLoad   = "session/load"
	methodResume = "session/resume"
	methodClose  = "session/close"
	methodDelete = "session/delete"
)

// Methods returns the methods of the client's requests that begin or end a session's plans.
func Methods() []string { return []string{methodLoad, methodResume, methodClose, methodDelete} }

// A Stage translates the plan messages of one connection, as a [translate.Stage]. It
// follows what the client requests of sessions, and what the agent asks the user. Its
// messages are in the client's version. What it keeps of plans is bounded by the limits of
// package keep, and of requests the last maxAwaited are.
type Stage struct {
	options  Options
	hooks    Hooks
	client   capabilities.Client
	live     *live
	messages int // counts those that say a text

	// What is done with the answer of a side, by the id of the request. It is an empty
	// message if there will be none.
	awaited [2]keep.Map[func(answer *jsonrpc.Message)]

	// Of the message at hand.
	out     *translate.Out
	message *jsonrpc.Message // if it is about a plan
	own     bool             // it is said in the agent's place
	result  Result
	content content

	wants   wants // what filters are for; few messages change it
	filters [2]*jsonrpc.Filter

	// Memory for reading a message that comes without a Params, for writing one, and for
	// the plans that are shown.
	cursor  rawjson.Cursor
	msg     jsonrpc.Message
	params  Params
	scratch []byte
	shown   []*plan
}

// An Action is what becomes of a message.
type Action string

// The actions.
const (
	Forward Action = "forward" // it leaves as it came
	Rewrite Action = "rewrite" // it leaves with another update, or several times
	Drop    Action = "drop"    // it does not leave
)

// A Result says what becomes of one message about a plan.
type Result struct {
	Action  Action
	Plan    string // the id of the plan as the agent gave it; "" for a legacy plan
	Type    string // the type of the plan, if the message has one
	Entries int    // how many entries the client now has of this plan, where it gets entries
	Reason  string // why, in a few words
}

// Hooks are what a Stage tells others. All must be set.
type Hooks struct {
	// Decided is called for each message about a plan, with what becomes of it. own
	// tells that another stage has said it.
	Decided func(m *jsonrpc.Message, kind string, own bool, r *Result)

	// Forget is called when the agent is about to replay a session, or has closed it.
	Forget func(session []byte)

	// Resumed is called when a session goes on of which the client wanted no replay.
	Resumed func(session []byte)
}

// wants says which messages matter that few connections need.
type wants struct {
	answers [2]bool // responses of a side
	turns   bool    // session/prompt
	all     bool    // everything of the agent
}

// NewStage returns a Stage for a client that nothing is known about: it forwards
// everything until SetClient.
func NewStage(o Options, h Hooks) *Stage {
	s := &Stage{options: o, hooks: h}
	s.SetClient(capabilities.Client{})
	return s
}

// SetClient says what the client can show from now on. That forgets the plans of all
// sessions, so the answers to requests about them no longer matter.
func (s *Stage) SetClient(c capabilities.Client) {
	s.client, s.live = c, &live{synthetic: s.options.SyntheticID, sessions: make(map[string]*session), waits: make(map[string]bool)}
	for side := range s.awaited {
		s.awaited[side].Clear()
	}
}

// Wants implements [translate.Stage].
func (s *Stage) Wants() [2]*jsonrpc.Filter {
	now := wants{turns: s.completesTexts(), all: len(s.live.waits) > 0}
	for side := range s.awaited {
		now.answers[side] = s.awaited[side].Len() > 0
	}
	if s.filters[translate.Client] != nil && now == s.wants {
		return s.filters
	}
	client := &jsonrpc.Filter{Methods: Methods(), Responses: now.answers[translate.Client]}
	if now.turns {
		client.Heads = []string{methodPrompt}
	}
	agent := &jsonrpc.Filter{
		All: now.all, Updates: translate.PlanKinds(), Responses: now.answers[translate.Agent],
		Methods: []string{methodPermission, methodForm, methodCancelRequest},
	}
	s.wants, s.filters = now, [2]*jsonrpc.Filter{translate.Client: client, translate.Agent: agent}
	return s.filters
}

// Awaits implements [translate.Stage].
func (s *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return s.awaited[side].Has(string(id))
}

// From implements [translate.Stage].
func (s *Stage) From(side translate.Side, m *jsonrpc.Message, _ time.Time, out *translate.Out) {
	s.out = out
	if side == translate.Client {
		out.Forward()
		s.fromClient(m)
		return
	}
	s.fromAgent(m)
}

// Gone implements [translate.Stage]: the texts that waited for a better moment are shown.
func (s *Stage) Gone(side translate.Side, _ time.Time, out *translate.Out) {
	if s.out = out; side == translate.Agent {
		for _, session := range slices.Sorted(maps.Keys(s.live.sessions)) {
			if s.complete(session); len(out.Leaves()) > 0 {
				out.OfPlan()
			}
		}
	}
}

// fromClient handles a message of the client that may bear on what it has been shown.
func (s *Stage) fromClient(m *jsonrpc.Message) {
	if m.IsResponse() {
		s.answered(translate.Client, jsonrpc.IDOf(m.ID), m)
		return
	}
	if m.ID == nil || m.Ambiguous || m.Session == nil {
		return
	}
	session := string(m.Session)
	switch method := string(m.Method); {
	case method == methodClose, method == methodDelete:
		s.await(translate.Agent, m, func(answer *jsonrpc.Message) {
			if !answer.Failed() {
				s.hooks.Forget([]byte(session))
				s.live.close(session)
			}
		})
	case method == methodLoad, method == methodResume && replays(m):
		// The replay precedes the response. It ends like a turn.
		s.hooks.Forget(m.Session)
		s.live.close(session)
		s.await(translate.Agent, m, func(*jsonrpc.Message) { s.complete(session) })
	case method == methodResume:
		s.await(translate.Agent, m, func(answer *jsonrpc.Message) {
			if !answer.Failed() {
				s.hooks.Resumed([]byte(session))
			}
		})
	case method == methodPrompt && s.completesTexts():
		s.await(translate.Agent, m, func(*jsonrpc.Message) { s.complete(session) })
	}
}

// replays reports whether a request of the client asks for a replay.
func replays(m *jsonrpc.Message) bool {
	if p, ok := m.Reader.(*Params); ok {
		return p.replays
	}
	return !rawjson.Null(rawjson.Get(m.Params.Of(m.Text), "replayFrom"))
}

// await says what to do when a side has answered a request. A request so old that it has to
// go for that will not be answered.
func (s *Stage) await(side translate.Side, request *jsonrpc.Message, answered func(answer *jsonrpc.Message)) {
	awaited := &s.awaited[side]
	awaited.Put(string(jsonrpc.IDOf(request.ID)), answered)
	if awaited.Trim(maxAwaited) {
		s.out.Lose(translate.Loss{
			Kind:   translate.LossUnansweredRequests,
			Detail: "too many unanswered requests; the answers to the earlier ones are not looked at",
		})
	}
}

// answered handles that a side has answered the request with that id.
func (s *Stage) answered(side translate.Side, id jsonrpc.ID, answer *jsonrpc.Message) {
	if answered := s.awaited[side].Get(string(id)); answered != nil {
		s.awaited[side].Delete(string(id))
		answered(answer)
	}
}

// fromAgent handles a message on its way to the client, as the agent or another stage said
// it.
func (s *Stage) fromAgent(m *jsonrpc.Message) {
	switch {
	case m.IsResponse():
		s.answered(translate.Agent, jsonrpc.IDOf(m.ID), m)
	case m.IsNotification() && string(m.Method) == methodUpdate:
		p, ok := m.Reader.(*Params)
		if !ok {
			m, p = s.read(m.Span.Of(m.Text)), &s.params
		}
		if p.update.kind != "" {
			s.plan(m, &p.update, false)
			return
		}
		s.follows(m.Session)
	case string(m.Method) == methodCancelRequest:
		s.answered(translate.Client, jsonrpc.IDOf(rawjson.Get(m.Params.Of(m.Text), "requestId")), new(jsonrpc.Message))
	case m.Session == nil:
	case m.IsRequest() && string(m.Method) == methodPermission:
		s.permission(m)
	case m.IsRequest() && string(m.Method) == methodForm:
		s.complete(string(m.Session))
	default:
		s.follows(m.Session)
	}
	s.out.Forward()
}

// read reads a message, with s.params.
func (s *Stage) read(text []byte) *jsonrpc.Message {
	s.cursor.Reset(text)
	s.msg.Read(&s.cursor, text, &s.params)
	return &s.msg
}

// say says a message about a plan in the agent's place.
func (s *Stage) say(message []byte) { s.plan(s.read(message), &s.params.update, true) }

// plan handles a message about a plan on its way to the client.
func (s *Stage) plan(m *jsonrpc.Message, u *update, own bool) {
	s.out.OfPlan()
	s.message, s.own = m, own
	s.scratch = rawjson.Reuse(s.scratch)
	s.result = Result{Action: Forward, Type: u.typ}
	s.decide(m.Session, u)
	s.hooks.Decided(m, u.kind, s.out.IsOwn(), &s.result)
	if s.result.Action == Forward {
		if own {
			s.send(m.Span.Of(m.Text))
		} else {
			s.out.Forward()
		}
	}
}

// decide applies an update and decides what the client gets. The session is nil if the
// message names none.
func (s *Stage) decide(session []byte, u *update) {
	r := &s.result
	switch {
	case session == nil:
		r.Reason = "it has no session"
		s.lose(translate.LossPlanSession, "plan message without a session forwarded as it came")
	case !s.client.Known():
		r.Reason = "nothing was negotiated yet"
	case u.isDelta():
		r.Reason = "a delta"
	case u.err != nil:
		r.Reason = "not understood: " + u.err.Error()
		s.lose(translate.LossPlanMessage, "plan message forwarded as it came: %v", u.err)
	default:
		s.understood(s.live.open(session), u)
	}
}

func (s *Stage) understood(in *session, u *update) {
	r := &s.result
	id := u.id
	if r.Plan = string(id); id == nil {
		id = []byte(s.options.SyntheticID)
	}
	if u.differ {
		s.lose(translate.LossPlanIDs, "a plan's ids differ; %s counts", capabilities.PlanIDMember(0))
	}
	var c change
	switch added := s.own || s.out.IsOwn(); {
	case u.kind == removalUpdate:
		s.beginContent()
		c.plan = in.remove(id, added)
	case u.kind == legacyUpdate && in.ignoresLegacy:
		s.drop("the agent sends the plan with an id, too")
		return
	default:
		c = in.update(id, s.render(u, in.find(id)), u.kind == legacyUpdate, added)
		if c.plan == nil {
			r.Reason = "another plan shows the same"
		} else {
			r.Entries = len(c.plan.entries.contents)
		}
	}
	if s.client.Legacy() {
		s.writeList(in, u, c)
	} else {
		s.writePlan(in, u, string(id), c)
	}
	switch {
	case r.Reason != "":
	case r.Action == Forward:
		r.Reason = "the client shows it as it is"
	case s.client.Legacy():
		r.Reason = "the client knows only plan"
	default:
		r.Reason = "the client does not show it as it is"
	}
	if s.live.budget.Settle() {
		s.lose(translate.LossMemory, "too much is kept of plans: the oldest were forgotten")
	}
}

// lose notes a loss of the message at hand. The arguments make a sentence without a period.
func (s *Stage) lose(kind translate.LossKind, format string, args ...any) {
	s.out.Lose(translate.Loss{Kind: kind, Session: string(s.message.Session), Detail: fmt.Sprintf(format, args...)})
}

// drop notes that the message at hand does not leave.
func (s *Stage) drop(reason string) { s.result.Action, s.result.Reason = Drop, reason }

// send sends what the message at hand becomes.
func (s *Stage) send(message []byte) {
	if s.out.Send(translate.Client, message); s.own {
		s.out.Own()
	}
}

// sendOwn sends a message in the agent's place that is not about a plan alone.
func (s *Stage) sendOwn(message []byte) {
	s.out.Send(translate.Client, message)
	s.out.Own()
}

// permission handles a permission request on its way to the client. A plan that another
// stage asks about has been said, and leaves by it.
func (s *Stage) permission(m *jsonrpc.Message) {
	a := s.readApproval(m)
	if a == nil {
		s.complete(string(m.Session))
		return
	}
	s.out.OfPlan()
	own := s.out.IsOwn()
	if !own {
		if says := a.says(); says != nil {
			s.say(says)
		}
		s.await(translate.Client, m, func(answer *jsonrpc.Message) {
			s.out.OfPlan()
			if removes := s.refused(a, answer.Result.Of(answer.Text)); removes != nil {
				s.say(removes)
			}
		})
	}
	s.asked(a, !own)
}
