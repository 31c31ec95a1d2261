// Package permissions sends an agent's permission requests in the form that the client reads.
//
//	client <─> permissions <─> … <─> agent
//
// Some clients turn a valid request into an answer that the user did not give: they recognize only
// option ids of their own, have one button for several options, drop a request when a second one
// arrives, or show no buttons for a tool call without a status. For such a client, the Stage
// rewrites or delays the requests that the client would misread, or sends a status before them, and
// maps the option ids in the responses back:
//
//	permissions.go  the pending requests and their responses
//	options.go      the options in the form that the client reads
//
// [capabilities.ClientProfile] decides which requests are rewritten for a client.
//
// The agent receives exactly the option that the user chose. The Stage therefore checks the responses
// of a client that may respond with another option:
//
//   - An option id that the client does not have is a refusal.
//   - A cancelled request remains cancelled, and an error remains an error.
//   - After the agent has received a response, further outcomes of that request are dropped.
//
// A request that the memory budget refuses is answered as cancelled. The Stage drops a response or a
// $/cancel_request for a request that it has not sent yet. All other messages pass unchanged.
package permissions

import (
	"bytes"
	"slices"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Mode selects whether the agent's requests are rewritten.
type Mode string

// The values of --permissions.
const (
	Auto Mode = "auto" // rewrite the requests that the client misreads
	Pass Mode = "pass" // forward the agent's requests unchanged
)

const (
	maxToolCalls = 256     // tool calls whose status is recorded
	maxEnded     = 1 << 10 // requests whose late or second response is recognized
)

// A Stage translates the permission requests of one connection. It forwards everything
// until Negotiated is called. A Stage is not safe for concurrent use.
type Stage struct {
	mode         Mode
	client       capabilities.ClientProfile
	asker        asking.Asker
	prompts      asking.Prompts
	budget       keep.Budget
	share        *keep.Share        // budget of all state
	pending      keep.Map[*request] // requests without a response, by id
	unsentCount  int                // number of pending requests that the client does not have yet
	ended        keep.Map[*request] // cancelled or answered requests, by id, to which the client may still respond
	toolCalls    keep.Map[bool]     // whether a tool call has a status, by toolCallKey
	clientClosed bool               // the client disconnected
	out          *translate.Out     // output for the current message

	filters scan.Cache[wanted]
}

// A request is a permission request of the agent.
type request struct {
	id       []byte // raw JSON
	session  string
	unsent   []byte // the whole message until the client has the request, then nil
	answered bool   // the agent has received a response

	options []optionIDs // the options that the client has; nil if its response passes unchecked
	changed bool        // the client has other options than the agent sent
	refusal string      // id of the agent's reject option, "" if there is none
}

// optionIDs are the ids of an option, for the agent and for the client.
type optionIDs struct{ agent, client string }

// size returns the number of bytes that a request counts.
func (r *request) size() int {
	n := asking.RequestCost + len(r.id) + len(r.session) + len(r.unsent)
	for _, o := range r.options {
		n += len(o.agent) + len(o.client)
	}
	return n
}

// New returns a Stage.
func New(m Mode) *Stage {
	s := &Stage{mode: m}
	s.share = s.budget.Open(0, nil)
	s.asker = asking.Asker{Name: "permission-", Share: s.share}
	s.prompts.Share = s.share
	return s
}

// Negotiated sets the client after initialize. Pending requests remain pending.
func (s *Stage) Negotiated(client capabilities.ClientProfile) {
	s.client = client
	s.toolCalls.Clear()
	s.asker.Client = client
}

// active reports whether requests may need another form, a delay or a status.
func (s *Stage) active() bool {
	return !s.clientClosed && (s.checksIDs() || s.client.OneRequestAtATime || s.client.NeedsStatus)
}

// checksIDs reports whether the option ids in the client's responses are checked.
func (s *Stage) checksIDs() bool { return s.mode == Auto && s.client.MayMisanswer() }

// wanted selects the messages that the Stage needs.
type wanted struct{ requests, statuses, responses bool }

// Wants implements [translate.SimpleStage].
func (s *Stage) Wants() [2]*scan.Filter {
	active, isPending := s.active(), s.pending.Len() > 0 || s.asker.Pending() > 0
	return s.filters.Filters(wanted{
		requests: active || isPending, statuses: active && s.client.NeedsStatus,
		responses: isPending || s.asker.HasAsked() || s.ended.Len() > 0,
	}, wanted.filters)
}

func (w wanted) filters() (f [2]*scan.Filter) {
	f[translate.Client] = asking.Filter(w.requests, w.responses)
	if w.requests {
		agent := &scan.Filter{Methods: []string{"session/request_permission", "$/cancel_request"}}
		if w.statuses {
			agent.HeadUpdates = []string{"tool_call", "tool_call_update"}
		}
		f[translate.Agent] = agent
	}
	return f
}

// Awaits implements [translate.SimpleStage].
func (s *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	key := string(id)
	return side == translate.Client && (s.pending.Has(key) || s.asker.IsOwn(id) || s.asker.Replaces(id) || s.ended.Has(key))
}

// FromAgent implements [translate.SimpleStage].
func (s *Stage) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	s.out, s.asker.Out = out, out
	defer s.settle()
	switch {
	case m.Ambiguous:
		return false
	case string(m.Method) == "session/request_permission":
		rewritable := s.mode == Auto || out.IsOwn()
		return m.ID != nil && m.Session != nil && rewritable && s.active() && s.rewrite(m)
	case string(m.Method) == "$/cancel_request":
		return s.acceptCancel(m)
	case string(m.Method) == "session/update":
		s.recordStatus(m)
	}
	return false
}

// settle evicts state if the budget is exhausted.
func (s *Stage) settle() {
	if s.budget.EvictExcess() {
		s.out.LoseIn("", translate.LossMemory, "memory limit: a permission request was cancelled or evicted")
	}
}

// rewrite rewrites a permission request of the agent, or of the proxy. It returns false if the
// request passes.
func (s *Stage) rewrite(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(m.ID)
	if old := s.pending.Get(string(id)); old != nil { // the agent has reused the id
		s.remove(old)
	}
	s.ended.Delete(string(id))
	s.asker.Discard(id)
	r := &request{id: bytes.Clone(m.ID), session: string(m.Session)}
	if s.client.OneRequestAtATime && s.isBusy() {
		r.unsent = bytes.Clone(m.Span.Of(m.Text))
		s.add(r)
		return true
	}
	return s.ask(r, m, false)
}

// add adds a pending request. It returns false after cancelling the request if the budget is exhausted.
func (s *Stage) add(r *request) bool {
	if !s.share.Reserve(r.size()) {
		s.answer(r, "result", selected(""))
		return false
	}
	s.pending.Put(string(jsonrpc.IDOf(r.id)), r)
	if r.unsent != nil {
		s.unsentCount++
	}
	return true
}

// remove removes a pending request.
func (s *Stage) remove(r *request) {
	s.pending.Delete(string(jsonrpc.IDOf(r.id)))
	s.share.Release(r.size())
	if r.unsent != nil {
		s.unsentCount--
	}
}

// isBusy reports whether the client has an unanswered request.
func (s *Stage) isBusy() bool { return s.pending.Len() > s.unsentCount || s.asker.Pending() > 0 }

// ask sends the client the request m in a form that it reads correctly. delayed means that m is not
// the current message. ask returns false if m is the current message and passes unchanged.
func (s *Stage) ask(r *request, m *jsonrpc.Message, delayed bool) bool {
	params := rawjson.Members(m.Params.Of(m.Text))
	options, ok := readOptions(params.Get("options"))
	r.refusal = refusalOf(options)
	if ok && s.client.Displays.SharesButton(count(options, "allow_once"), count(options, "allow_always")) {
		s.sendMissingStatus(r.session, params)
		s.askEach(r, bytes.Clone(m.Params.Of(m.Text)))
		return true
	}
	if ok {
		options = optionsFor(&s.client, options)
		r.changed = slices.ContainsFunc(options, option.isChanged)
	}
	if s.checksIDs() || r.changed {
		r.options = make([]optionIDs, len(options))
		for i, o := range options {
			r.options[i] = optionIDs{o.id, o.clientID}
		}
	}
	if (r.options != nil || s.client.OneRequestAtATime) && !s.add(r) {
		return true
	}
	sentStatus := s.sendMissingStatus(r.session, params)
	switch {
	case r.changed:
		s.out.Send(translate.Client, rawjson.With(m.Span.Of(m.Text), writeOptions(options), "params", "options"))
	case delayed:
		s.out.Send(translate.Client, m.Span.Of(m.Text))
	case !sentStatus: // the message passes by itself
		return false
	default:
		s.out.Forward()
	}
	return true
}

// askEach asks about one allow option after another, in place of a request with these raw params.
func (s *Stage) askEach(r *request, rawParams []byte) {
	params := rawjson.Members(rawParams)
	id := rawjson.StringAt(params.Get("toolCall"), "toolCallId")
	asked := asking.Request{ID: r.id, Session: r.session, ToolCall: id, Size: len(rawParams)}
	s.asker.Ask(asked, []asking.Question{questionOf(&s.client, params, r.refusal)}, func(result asking.Result) {
		switch {
		case result.Error != nil:
			s.answer(r, "error", result.Error)
		case len(result.Answers) > 0:
			s.answer(r, "result", selected(result.Answers[0][0]))
		default:
			s.answer(r, "result", selected(result.Refused))
		}
	})
}

// selected returns the result that selects an option, or the result cancelled for "".
func selected(option string) []byte {
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":`)
	if option == "" {
		b.JSON(`"cancelled"`)
	} else {
		b.JSON(`"selected"`)
		b.Texts("optionId", option)
	}
	b.EndObject()
	b.EndObject()
	return b.Out
}

// answer responds to the agent's request.
func (s *Stage) answer(r *request, member string, value []byte) {
	s.out.Send(translate.Agent, translate.Answer(r.id, member, value))
}

// FromClient implements [translate.SimpleStage].
func (s *Stage) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	s.out, s.asker.Out = out, out
	defer s.settle()
	switch {
	case m.Ambiguous:
		return false
	case m.Method == nil:
		return m.IsResponse() && s.acceptResponse(m)
	}
	session, closed, ok := s.prompts.Read(m)
	if ok {
		s.cancelSession(session, closed)
	}
	return ok
}

// acceptResponse accepts a response of the client. It returns false if the response passes.
func (s *Stage) acceptResponse(m *jsonrpc.Message) bool {
	if s.asker.AcceptResponse(m) {
		s.sendNext()
		return true
	}
	id := string(jsonrpc.IDOf(m.ID))
	r := s.pending.Get(id)
	switch {
	case s.asker.Replaces(jsonrpc.IDOf(m.ID)): // the client does not have the request
		return true
	case r == nil:
		if r = s.ended.Get(id); r == nil || r.answered {
			return r != nil && isOutcome(m)
		}
	case r.unsent != nil: // the client cannot answer it yet
		return true
	default:
		s.remove(r)
	}
	r.answered = true
	s.keepEnded(r)
	switch {
	case m.Failed() && rawjson.IsNull(m.Error.Of(m.Text)):
		s.answer(r, "error", asking.FailureOf(m))
	case r.options == nil || !s.mapBack(r, m):
		s.out.Forward()
	}
	s.sendNext()
	return true
}

// keepEnded keeps a former request whose responses are checked.
func (s *Stage) keepEnded(r *request) {
	if r.options != nil {
		s.ended.Keep(s.share, string(jsonrpc.IDOf(r.id)), r, nil).SetSize(r.size() - asking.RequestCost)
		s.ended.Trim(maxEnded)
	}
}

// isOutcome reports whether a response answers a permission request. Another request of the
// agent may have the same id.
func isOutcome(m *jsonrpc.Message) bool {
	outcome, kind := asking.OutcomeOf(m)
	return kind == "selected" || kind == "cancelled" || outcome.Get("optionId") != nil
}

// mapBack sends the agent a response with the agent's own option id. It returns false if the
// response passes unchanged, because it has no option id, or already the agent's. Some agents read
// only the option id, so mapBack removes that of a cancelled outcome and of an error response.
func (s *Stage) mapBack(r *request, m *jsonrpc.Message) bool {
	outcome, kind := asking.OutcomeOf(m)
	if kind != "selected" && rawjson.IsNull(outcome.Get("optionId")) {
		return false
	}
	option := ""
	if id, ok := outcome.Text("optionId"); ok && kind != "cancelled" && !m.Failed() {
		if option = r.agentOption(string(id)); option != "" && option == string(id) {
			return false
		}
	}
	value, path := rawjson.Get(selected(option), "outcome"), []string{"result", "outcome"}
	if option != "" { // the other members remain
		value, path = rawjson.AppendQuoted(nil, option), append(path, "optionId")
	}
	s.out.Send(translate.Agent, rawjson.With(m.Span.Of(m.Text), value, path...))
	return true
}

// agentOption returns the agent's id of the option that has that id for the client. For an unknown
// id, it returns the id of the agent's reject option, or "" if there is none.
func (r *request) agentOption(id string) string {
	for _, o := range r.options {
		if o.client == id {
			return o.agent
		}
	}
	return r.refusal
}

// sendNext sends the client the unsent requests. A client that supports one request at a time
// receives the first, unless it has one.
func (s *Stage) sendNext() {
	for _, r := range s.pending.All() {
		if s.unsentCount == 0 || s.client.OneRequestAtATime && s.isBusy() {
			return
		}
		if r.unsent == nil {
			continue
		}
		s.remove(r)
		m := jsonrpc.MessageOf(r.unsent)
		r.unsent = nil
		s.ask(r, &m, true)
	}
}

// acceptCancel accepts a $/cancel_request of the agent. It returns false if the message passes,
// because no such request is pending.
func (s *Stage) acceptCancel(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(translate.RequestID(m))
	r := s.pending.Get(string(id))
	if r == nil && !s.asker.Cancel(id) {
		return false
	}
	if r != nil && !s.withdraw(r) {
		s.out.Forward()
	}
	s.sendNext()
	return true
}

// cancel answers a request with the outcome cancelled.
func (s *Stage) cancel(r *request) {
	s.remove(r)
	s.answer(r, "result", selected(""))
}

// withdraw removes a pending request that the agent no longer needs, and answers it if the client
// does not have it. Otherwise withdraw returns false, and the client may still answer.
func (s *Stage) withdraw(r *request) (answered bool) {
	if r.unsent != nil {
		s.cancel(r)
		return true
	}
	s.remove(r)
	s.keepEnded(r)
	return false
}

// cancelSession forwards the current message, which cancels or closes a session, and withdraws
// the requests of the session.
func (s *Stage) cancelSession(session string, closed bool) {
	s.out.Forward()
	for _, r := range s.pending.All() {
		if r.session == session {
			s.withdraw(r)
		}
	}
	s.asker.CancelSession(session, closed)
	s.sendNext()
}

// ClientClosed implements [translate.SimpleStage]. It cancels the requests that the client does not
// have, or has with other options than the agent sent.
func (s *Stage) ClientClosed(out *translate.Out) {
	s.out, s.asker.Out, s.clientClosed = out, out, true
	for _, r := range s.pending.All() {
		if r.changed || r.unsent != nil {
			r.answered = true
			s.keepEnded(r) // the client's response may still be read
			s.cancel(r)
		}
	}
	s.asker.Close()
}

// recordStatus records whether the agent has sent a status of a tool call.
func (s *Stage) recordStatus(m *jsonrpc.Message) {
	kind := m.Members.String("sessionUpdate")
	if m.Session == nil || !s.client.NeedsStatus || kind != "tool_call" && kind != "tool_call_update" {
		return
	}
	key, ok := toolCallKey(string(m.Session), m.Members)
	if !ok {
		return
	}
	if has := m.Members.String("status") != ""; has || kind == "tool_call" {
		s.recordToolCall(key, has)
	}
}

func (s *Stage) recordToolCall(key string, hasStatus bool) {
	s.toolCalls.Keep(s.share, key, hasStatus, nil)
	s.toolCalls.Trim(maxToolCalls)
}

// toolCallKey returns the key of a tool call in toolCalls. It returns false if the call has no id.
func toolCallKey(session string, toolCall rawjson.Object) (string, bool) {
	id, ok := toolCall.Text("toolCallId")
	return session + "\x00" + string(id), ok
}

// sendMissingStatus sends and records a status of the tool call in a request's params. It returns false
// if the client has a status of the call or needs none. A status in the request itself counts only if
// the call is unknown.
func (s *Stage) sendMissingStatus(session string, params rawjson.Object) bool {
	if !s.client.NeedsStatus {
		return false
	}
	toolCall := params.Object("toolCall")
	key, ok := toolCallKey(session, toolCall)
	if !ok || s.toolCalls.Get(key) || !s.toolCalls.Has(key) && toolCall.String("status") != "" {
		return false
	}
	s.recordToolCall(key, true)
	s.out.Send(translate.Client, translate.Update(session, "tool_call_update", func(b *rawjson.Builder) {
		b.Member("toolCallId", toolCall.Get("toolCallId"))
		b.Texts("status", "pending")
	}))
	return true
}
