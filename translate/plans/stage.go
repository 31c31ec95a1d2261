package plans

import (
	"maps"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxAwaited bounds how many requests are remembered until they are answered.
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
	translate.Untimed
	options  Options
	hooks    Hooks
	client   capabilities.Client
	live     *live
	renderer renderer
	writer   writer // nil while nothing is known of the client
	messages int    // counts those that say a text

	awaited   keep.Map[func(failed bool)] // what an answer does, by the ids of the client's requests
	approvals keep.Map[*approval]         // that the client has not answered, by their ids

	// Of the message at hand.
	out    *translate.Out
	result output

	wants   wants // what filters are for; few messages change it
	filters [2]*jsonrpc.Filter

	// Memory for reading a message that comes without a Params.
	cursor rawjson.Cursor
	msg    jsonrpc.Message
	params Params
}

// Hooks are what a Stage tells others. All must be set.
type Hooks struct {
	// Decided is called for each message about a plan, with what becomes of it. own
	// tells that another stage has said it.
	Decided func(m *jsonrpc.Message, kind string, own bool, r *Result)

	// Forget is called when a session will be repeated or is over. What it returns takes
	// that back.
	Forget func(session []byte) (restore func())

	// Resumed is called when a session goes on of which the client wanted no replay.
	Resumed func(session []byte)
}

// wants says which messages matter besides plans.
type wants struct {
	answers bool // responses of the agent
	turns   bool // session/prompt, and what the agent asks
	asks    bool // permission requests
	open    bool // what ends them
	all     bool // everything
}

// NewStage returns a Stage for a client that nothing is known about: it forwards
// everything until SetClient.
func NewStage(o Options, h Hooks) *Stage {
	return &Stage{options: o, hooks: h, live: newLive(o.SyntheticID)}
}

// SetClient says what the client can show from now on. That forgets the plans of all
// sessions, so the answers to requests about them no longer matter.
func (s *Stage) SetClient(c capabilities.Client) {
	s.client = c
	s.live = newLive(s.options.SyntheticID)
	s.renderer = renderer{options: s.options, client: c, result: &s.result.Result}
	s.approvals, s.awaited = keep.Map[*approval]{}, keep.Map[func(failed bool)]{}
	switch {
	case !c.Known():
		s.writer = nil
	case c.Legacy():
		s.writer = &legacyWriter{out: &s.result, merge: s.options.Merge, cards: c.PlanCards}
	default:
		s.writer = &operationsWriter{out: &s.result, client: c}
	}
}

// Reader implements [translate.Reader].
func (s *Stage) Reader() jsonrpc.ParamsReader { return new(Params) }

// Wants implements [translate.Stage].
func (s *Stage) Wants() [2]*jsonrpc.Filter {
	now := wants{
		answers: s.awaited.Len() > 0, turns: s.completesTexts(), asks: s.writer != nil,
		open: s.approvals.Len() > 0, all: len(s.live.waits) > 0,
	}
	if s.filters[0] == nil || now != s.wants {
		s.wants = now
		s.filters = [2]*jsonrpc.Filter{translate.Client: now.ofClient(), translate.Agent: now.ofAgent()}
	}
	return s.filters
}

func (w wants) ofClient() *jsonrpc.Filter {
	f := &jsonrpc.Filter{Methods: Methods(), Responses: w.open}
	if w.turns {
		f.Heads = []string{methodPrompt}
	}
	return f
}

func (w wants) ofAgent() *jsonrpc.Filter {
	f := &jsonrpc.Filter{All: w.all, Updates: translate.PlanKinds(), Responses: w.answers}
	if w.asks {
		f.Methods = append(f.Methods, methodPermission)
	}
	if w.turns {
		f.Methods = append(f.Methods, methodForm)
	}
	if w.open {
		f.Methods = append(f.Methods, methodCancelRequest)
	}
	return f
}

// Awaits implements [translate.Stage].
func (s *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	if side == translate.Client {
		return s.approvals.Has(string(id))
	}
	return s.awaited.Has(string(id))
}

// From implements [translate.Stage].
func (s *Stage) From(side translate.Side, m *jsonrpc.Message, _ time.Time, out *translate.Out) {
	s.out = out
	if side == translate.Client {
		s.fromClient(m)
	} else {
		s.fromAgent(m)
	}
}

// Gone implements [translate.Stage]: the texts that waited for a better moment are shown.
func (s *Stage) Gone(side translate.Side, _ time.Time, out *translate.Out) {
	if s.out = out; side == translate.Agent {
		for _, session := range slices.Sorted(maps.Keys(s.live.sessions)) {
			if texts := s.complete(session); len(texts) > 0 {
				out.OfPlan()
				s.sayAll(texts)
			}
		}
	}
}

// fromClient handles a message of the client that may bear on what it has been shown.
func (s *Stage) fromClient(m *jsonrpc.Message) {
	s.out.Forward()
	if m.ID == nil || m.Ambiguous {
		return
	}
	if m.IsResponse() {
		if id := jsonrpc.IDOf(m.ID); s.approvals.Has(string(id)) {
			s.out.OfPlan()
			s.approvalEnds(id, m.Result.Of(m.Text))
		}
		return
	}
	if m.Session == nil {
		return
	}
	session := string(m.Session)
	switch method := string(m.Method); {
	case method == methodClose, method == methodDelete:
		restore := s.hooks.Forget(m.Session)
		s.await(m.ID, func(failed bool) {
			if failed {
				restore()
			} else {
				s.live.close(session)
			}
		})
	case method == methodLoad, method == methodResume && replays(m):
		// A replay begins with the request, so the session then begins without plans. It is
		// over like a turn.
		restore := s.hooks.Forget(m.Session)
		s.live.reset(session)
		s.await(m.ID, func(failed bool) {
			if failed {
				s.live.restore(session)
				restore()
			} else {
				s.live.replayed(session)
				s.sayAll(s.complete(session))
			}
		})
	case method == methodResume:
		s.await(m.ID, func(failed bool) {
			if !failed {
				s.hooks.Resumed([]byte(session))
			}
		})
	case method == methodPrompt && s.completesTexts():
		s.await(m.ID, func(bool) { s.sayAll(s.complete(session)) })
	}
}

// replays reports whether a request of the client asks for a replay.
func replays(m *jsonrpc.Message) bool {
	if p, ok := m.Reader.(*Params); ok {
		return p.Replays
	}
	from := rawjson.Get(m.Params.Of(m.Text), "replayFrom")
	return from != nil && string(from) != "null"
}

// await says what to do when the request with that raw id has been answered.
func (s *Stage) await(id []byte, answered func(failed bool)) {
	keepAwaited(s, &s.awaited, id, answered)
}

// keepAwaited keeps what is to be done when a request has been answered. A request so old
// that it has to go for that will not be answered.
func keepAwaited[V any](s *Stage, awaited *keep.Map[V], id []byte, v V) {
	if awaited.Len() >= maxAwaited {
		s.out.Lose(translate.Loss{
			Kind:   translate.LossUnansweredRequests,
			Detail: "too many unanswered requests; the answers to the earlier ones are not looked at",
		})
		oldest, _ := awaited.Oldest()
		awaited.Delete(oldest)
	}
	awaited.Put(string(jsonrpc.IDOf(id)), v)
}

// fromAgent handles a message on its way to the client, as the agent or another stage said
// it.
func (s *Stage) fromAgent(m *jsonrpc.Message) {
	switch {
	case m.IsResponse():
		s.answered(m)
	case m.IsNotification() && string(m.Method) == methodUpdate:
		p, ok := m.Reader.(*Params)
		if !ok {
			s.read(m.Span.Of(m.Text))
			m, p = &s.msg, &s.params
		}
		if p.Update.Kind() != "" {
			s.out.OfPlan()
			s.plan(m, &p.Update, false)
			return
		}
		s.sayAll(s.follows(m.Session))
	case string(m.Method) == methodCancelRequest:
		s.approvalEnds(jsonrpc.IDOf(rawjson.Get(m.Params.Of(m.Text), "requestId")), nil)
	case m.Session == nil:
	case m.IsRequest() && string(m.Method) == methodPermission:
		s.permission(m)
	case m.IsRequest() && string(m.Method) == methodForm:
		s.sayAll(s.complete(string(m.Session)))
	default:
		s.sayAll(s.follows(m.Session))
	}
	s.out.Forward()
}

// read reads a message.
func (s *Stage) read(text []byte) {
	s.cursor.Reset(text)
	s.msg.Read(&s.cursor, text, &s.params)
}

// answered handles a response on its way to the client.
func (s *Stage) answered(m *jsonrpc.Message) {
	id := string(jsonrpc.IDOf(m.ID))
	if answered := s.awaited.Get(id); answered != nil {
		s.awaited.Delete(id)
		answered(m.Failed())
	}
}

// plan handles a message about a plan on its way to the client. own: it is said in the
// agent's place.
func (s *Stage) plan(m *jsonrpc.Message, u *Update, own bool) {
	s.result.more = s.out.HasMore()
	r := s.decide(m.Session, u)
	for _, l := range r.Losses {
		s.out.Lose(l)
	}
	s.hooks.Decided(m, u.Kind(), s.out.IsOwn(), r)
	start, end := u.Span()
	switch {
	case r.Action == Forward && !own:
		s.out.Forward()
	case r.Action == Forward:
		s.out.Send(translate.Client, m.Span.Of(m.Text))
		s.out.Own()
	case r.Action == Rewrite:
		for _, with := range r.Updates {
			s.out.Send(translate.Client, m.Text[m.Start:start], with, m.Text[end:m.End])
			if own {
				s.out.Own()
			}
		}
	}
}

// say says a message about a plan in the agent's place.
func (s *Stage) say(message []byte) {
	if message == nil {
		return
	}
	s.read(message)
	s.plan(&s.msg, &s.params.Update, true)
}

// sayAll sends the client messages that concern plans.
func (s *Stage) sayAll(messages [][]byte) {
	for _, message := range messages {
		s.out.Send(translate.Client, message)
		s.out.Own()
	}
}

// permission handles a permission request on its way to the client. A plan that another
// stage asks about has been said, and leaves by it.
func (s *Stage) permission(m *jsonrpc.Message) {
	a := s.readApproval(m)
	if a == nil {
		s.sayAll(s.complete(string(m.Session)))
		return
	}
	s.out.OfPlan()
	own := s.out.IsOwn()
	if !own {
		s.say(a.says())
		keepAwaited(s, &s.approvals, m.ID, a)
	}
	s.sayAll(s.asked(a, !own))
}

// approvalEnds handles the end of a request about a plan: with that result, nil without
// one. A plan that is not approved leaves at once.
func (s *Stage) approvalEnds(id jsonrpc.ID, result []byte) {
	if a := s.approvals.Get(string(id)); a != nil {
		s.approvals.Delete(string(id))
		s.say(s.refused(a, result))
	}
}
