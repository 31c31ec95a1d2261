// Package permissions has an agent's own permission requests asked in the form that the
// client reads.
//
//	client <─> permissions <─> … <─> agent
//
// Some clients make an answer of a valid request that nobody gave: they know ids of their
// own only, have one button for several options, or forget a request when a second one
// comes. In front of such a client, a request that it would misread is changed, and the
// answer is changed back:
//
//	options.go      which requests a client misreads, and what it gets in their place
//	permissions.go  what is open, what waits, and who gets an answer
//
// The agent gets what the user has chosen, and never more: an option that was not offered
// is a refusal, what is cancelled is cancelled, and an error is an error. Everything else
// passes as it is.
package permissions

import (
	"bytes"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Mode is what becomes of the agent's requests that the client misreads.
type Mode string

// The values of --permissions.
const (
	Auto Mode = "auto" // they are asked in the form that it reads
	Pass Mode = "pass" // they pass
)

const (
	maxCalls = 256     // tool calls whose status matters
	maxID    = 1 << 10 // bytes of their ids
)

// A Translator translates permission requests on one connection. It must not be used by
// two goroutines at once. Until Negotiated it decides nothing.
type Translator struct {
	mode     Mode
	client   capabilities.ClientProfile
	asker    asking.Asker
	requests keep.Map[*request] // that have no answer, by their ids
	budget   keep.Budget
	kept     *keep.Share    // counts requests
	calls    keep.Map[bool] // tool calls, and whether a status of them was said
	gone     bool           // the client has ended
	out      *translate.Out // of the message at hand

	want  want
	wants [2]*jsonrpc.Filter // for that
}

// A request is one of the agent's that the client has, or is to have.
type request struct {
	id      []byte // raw
	session string
	state   state

	message []byte   // while it waits
	options []option // as the client has them, if they were changed
	refusal string   // the agent's option for a refusal, "" if it has none
}

// size returns how many bytes a request has.
func (r *request) size() int {
	n := asking.RequestCost + len(r.id) + len(r.session) + len(r.message)
	for _, o := range r.options {
		n += len(o.id) + len(o.now)
	}
	return n
}

// A state is what has become of a request.
type state uint8

const (
	waits state = iota // until the client has no other
	open               // the client has it
	ended              // the client has it with other options, and need not answer it any more
)

// New returns a Translator.
func New(m Mode) *Translator {
	t := &Translator{mode: m}
	t.kept = t.budget.Open(0, nil)
	t.asker = asking.Asker{Name: "permission-", Kept: t.kept}
	return t
}

// Negotiated begins the connection of a client, or begins it again: what the agent has
// asked stays asked then.
func (t *Translator) Negotiated(client capabilities.ClientProfile) {
	t.client, t.calls = client, keep.Map[bool]{}
	t.asker.Client = client
}

// active reports whether the client may misread a request.
func (t *Translator) active() bool {
	c := &t.client
	agents := t.mode == Auto && (c.Buttons != capabilities.EachOption || c.Yes != "" || c.AgreesAlone)
	return !t.gone && (agents || c.OneOpen || c.NeedsStatus)
}

// A want is what Wants depends on.
type want struct{ requests, statuses, answers bool }

// Wants returns the messages from each side that matter now, nil for none.
func (t *Translator) Wants() [2]*jsonrpc.Filter {
	active, isOpen := t.active(), t.requests.Len() > 0 || t.asker.Waiting() > 0
	want := want{active || isOpen, active && t.client.NeedsStatus, isOpen || t.asker.HasAsked()}
	if want == t.want {
		return t.wants
	}
	t.want, t.wants = want, [2]*jsonrpc.Filter{}
	if want.requests {
		agent := &jsonrpc.Filter{Methods: []string{"session/request_permission", "$/cancel_request"}}
		if want.statuses {
			agent.Updates, agent.HeadUpdates = translate.PlanKinds(), []string{"tool_call", "tool_call_update"}
		}
		t.wants[translate.Agent] = agent
	}
	if want.answers {
		t.wants[translate.Client] = &jsonrpc.Filter{Responses: true, Methods: asking.Overs()}
	}
	return t.wants
}

// Awaits reports whether a response of a side matters, given its id.
func (t *Translator) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return side == translate.Client && (t.requests.Has(string(id)) || t.asker.IsOwn(id))
}

// FromAgent handles a message on its way to the client. It reports whether it has decided
// what becomes of the message: what leaves is in out then. Else the message goes on.
func (t *Translator) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	t.out, t.asker.Out = out, out
	defer t.settle()
	switch {
	case m.Ambiguous:
		return false
	case string(m.Method) == "session/request_permission":
		isOurs := t.mode == Auto || out.IsOwn()
		return m.ID != nil && m.Session != nil && isOurs && t.active() && t.permission(m)
	case string(m.Method) == "$/cancel_request":
		return t.agentCancels(m)
	case string(m.Method) == "session/update":
		t.note(m)
	}
	return false
}

// settle has the oldest of what is kept go if it is too much.
func (t *Translator) settle() {
	if t.budget.Settle() {
		t.out.Lose(translate.Loss{Kind: translate.LossMemory, Detail: "too many permission requests are open: one passes as it is, was cancelled, or forgotten"})
	}
}

// permission handles a permission request, also one that the proxy itself makes.
func (t *Translator) permission(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(m.ID)
	if old := t.requests.Get(string(id)); old != nil { // the agent has used the id twice
		t.end(old)
	}
	t.asker.Replaced(id)
	r := &request{id: bytes.Clone(m.ID), session: string(m.Session)}
	if t.client.OneOpen && t.isBusy() {
		r.message = bytes.Clone(m.Span.Of(m.Text))
		return t.add(r)
	}
	return t.ask(r, m, false)
}

// add keeps a request. It reports false if there is no room for it.
func (t *Translator) add(r *request) bool {
	if !t.kept.Fix(r.size()) {
		return false
	}
	t.requests.Put(string(jsonrpc.IDOf(r.id)), r)
	return true
}

// end forgets a request.
func (t *Translator) end(r *request) {
	t.requests.Delete(string(jsonrpc.IDOf(r.id)))
	if r.state != ended {
		t.kept.Free(r.size())
	}
}

// isBusy reports whether the client has a request that it is to answer.
func (t *Translator) isBusy() bool {
	for _, r := range t.requests.All() {
		if r.state == open {
			return true
		}
	}
	return false
}

// ask has the client asked. It reports false if the message at hand goes on as it is, and
// nothing else leaves. later: the message is another one than that at hand.
func (t *Translator) ask(r *request, m *jsonrpc.Message, later bool) bool {
	params, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	status := t.needsStatus(r.session, params.Get("toolCall"))
	if status != nil {
		t.out.Send(translate.Client, status)
		t.out.NoPlan()
	}
	options := readOptions(params.Get("options"))
	r.refusal = refusalOf(options)
	if isConfused(&t.client, options) {
		t.askEach(r, bytes.Clone(m.Params.Of(m.Text)))
		return true
	}
	r.state, r.options = open, changedFor(&t.client, options)
	if (r.options != nil || t.client.OneOpen) && !t.add(r) {
		r.options = nil
	}
	switch {
	case r.options != nil:
		t.out.Send(translate.Client, rawjson.With(m.Span.Of(m.Text), writeOptions(r.options), "params", "options"))
	case later:
		t.out.Send(translate.Client, m.Span.Of(m.Text))
	case status == nil:
		return false
	default:
		t.out.Forward()
	}
	return true
}

// askEach has the client asked about one option that allows after the other.
func (t *Translator) askEach(r *request, raw []byte) {
	params, _ := rawjson.ReadObject(nil, raw)
	call, _ := rawjson.TextOf(rawjson.Get(params.Get("toolCall"), "toolCallId"))
	asked := asking.Request{ID: r.id, Session: r.session, Call: string(call), Size: len(raw)}
	t.asker.Ask(asked, questionsOf(&t.client, params, r.refusal), func(result asking.Result) {
		switch {
		case result.Error != nil:
			t.answer(r, "error", result.Error)
		case len(result.Chosen) > 0:
			t.answer(r, "result", selected(result.Chosen[0][0]))
		default:
			t.answer(r, "result", selected(result.Refused))
		}
	})
}

// selected returns the result of a request whose user has chosen an option, "" for none.
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

// answer answers a request in the client's place.
func (t *Translator) answer(r *request, member string, value []byte) {
	t.out.Send(translate.Agent, translate.Answer(r.id, member, value))
}

// FromClient handles a message on its way to the agent, as FromAgent does.
func (t *Translator) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	t.out, t.asker.Out = out, out
	defer t.settle()
	switch session, closed, isOver := asking.SessionOver(m); {
	case m.Ambiguous:
		return false
	case m.Method == nil:
		return m.ID != nil && t.clientAnswers(m)
	case isOver:
		t.overWith(session, closed)
		return true
	}
	return false
}

// clientAnswers handles an answer of the client.
func (t *Translator) clientAnswers(m *jsonrpc.Message) bool {
	if t.asker.Answer(m) {
		return true
	}
	r := t.requests.Get(string(jsonrpc.IDOf(m.ID)))
	switch {
	case r == nil:
		return false
	case r.state == waits: // the client has not had it: nobody has answered
		return true
	}
	t.end(r)
	switch {
	case m.Failed() && rawjson.Null(m.Error.Of(m.Text)):
		t.answer(r, "error", asking.ErrorOf(m))
	case r.options == nil || !t.mapBack(r, m):
		t.out.Forward()
	}
	t.next()
	return true
}

// mapBack answers the agent with its own option. It reports false if the answer can go on
// as it is: it has no option, or one with its own id. Not every agent looks at more than the
// option: it is the agent's own also in an answer that is cancelled, or an error.
func (t *Translator) mapBack(r *request, m *jsonrpc.Message) bool {
	outcome, _ := rawjson.ReadObject(nil, rawjson.Get(m.Result.Of(m.Text), "outcome"))
	if kind, _ := outcome.Text("outcome"); string(kind) != "selected" && rawjson.Null(outcome.Get("optionId")) {
		return false
	}
	now, ok := outcome.Text("optionId")
	option := ""
	if ok {
		if option = chosenOf(r.options, string(now), r.refusal); option != "" && option == string(now) {
			return false
		}
	}
	value, path := rawjson.Get(selected(option), "outcome"), []string{"result", "outcome"}
	if option != "" { // what else is said stays
		value, path = rawjson.AppendQuoted(nil, option), append(path, "optionId")
	}
	t.out.Send(translate.Agent, rawjson.With(m.Span.Of(m.Text), value, path...))
	return true
}

// next has the client asked what has waited, if there is room.
func (t *Translator) next() {
	for _, r := range t.requests.All() {
		if r.state != waits {
			continue
		}
		if t.client.OneOpen && t.isBusy() {
			return
		}
		t.end(r)
		m := jsonrpc.MessageOf(r.message)
		r.message = nil
		t.ask(r, &m, true)
	}
}

// agentCancels handles $/cancel_request of the agent. In the place of a request that is
// asked here, the client has another one, or has none yet.
func (t *Translator) agentCancels(m *jsonrpc.Message) bool {
	id := asking.RequestID(m)
	r := t.requests.Get(string(id))
	if r == nil {
		return t.asker.Cancelled(id)
	}
	if !t.over(r) {
		t.out.Forward()
	}
	t.next()
	return true
}

// cancel answers the agent: the user has given no answer.
func (t *Translator) cancel(r *request) {
	t.end(r)
	t.answer(r, "result", selected(""))
}

// over handles that nobody waits for an answer any more. It answers a request that the
// client has not had, and reports whether this is one. Else it leaves it to the client
// whether it answers. Only other options are still of use then, and may be forgotten.
func (t *Translator) over(r *request) (waited bool) {
	if r.state == waits {
		t.cancel(r)
		return true
	}
	if t.end(r); r.options != nil {
		r.state = ended
		t.requests.Keep(t.kept, string(jsonrpc.IDOf(r.id)), r, nil).Count(r.size())
	}
	return false
}

// overWith handles that the client has cancelled or closed a session with the message at
// hand. It answers its own requests by itself, and late or never.
func (t *Translator) overWith(session string, closed bool) {
	t.out.Forward()
	for _, r := range t.requests.All() {
		if r.session == session && r.state != ended {
			t.over(r)
		}
	}
	t.asker.Over(session, closed)
	t.next()
}

// ClientGone implements [translate.Words]. The agent gets an answer to what the client has
// not, or not as the agent has asked it.
func (t *Translator) ClientGone(out *translate.Out) {
	t.out, t.asker.Out, t.gone = out, out, true
	for _, r := range t.requests.All() {
		if r.state == waits || r.options != nil {
			t.cancel(r)
		}
	}
	t.asker.Gone()
}

// note notes whether the status of a tool call was said.
func (t *Translator) note(m *jsonrpc.Message) {
	kind, _ := m.Members.Text("sessionUpdate")
	if m.Session == nil || !t.client.NeedsStatus || string(kind) != "tool_call" && string(kind) != "tool_call_update" {
		return
	}
	key, ok := callKey(string(m.Session), m.Members)
	if !ok {
		return
	}
	if said := hasStatus(m.Members); said || string(kind) == "tool_call" {
		t.keepCall(key, said)
	}
}

func (t *Translator) keepCall(key string, said bool) {
	t.calls.Put(key, said)
	t.calls.Trim(maxCalls)
}

// callKey returns by what a tool call is known.
func callKey(session string, call rawjson.Object) (string, bool) {
	id, ok := call.Text("toolCallId")
	return session + "\x00" + string(id), ok && len(id)+len(session) <= maxID
}

func hasStatus(call rawjson.Object) bool {
	status, _ := call.Text("status")
	return len(status) > 0
}

// needsStatus returns an update that says the status of the tool call of a request, nil if
// the client has it, or does not need it. Of a call that it knows, one in the request does
// not count.
func (t *Translator) needsStatus(session string, raw []byte) []byte {
	if !t.client.NeedsStatus {
		return nil
	}
	call, _ := rawjson.ReadObject(nil, raw)
	key, ok := callKey(session, call)
	if !ok || t.calls.Get(key) || !t.calls.Has(key) && hasStatus(call) {
		return nil
	}
	t.keepCall(key, true)
	return translate.Update(session, "tool_call_update", func(b *rawjson.Builder) {
		b.Member("toolCallId", call.Get("toolCallId"))
		b.Texts("status", "pending")
	})
}
