// Package selectors converts between the two forms of mode and model selectors in version 1:
// the members modes and models, and config options of these categories. Many agents report
// one form only, and many clients read one form only. The stage adds the missing form.
//
//	client <─> selectors <─> agent
//
// If the peers have different versions, the stage is on the bridge's side of version 1. The bridge
// then converts options alone.
//
//	stage.go    filters; requests, responses and updates
//	session.go  the state of a session
//	options.go  conversions of JSON values
package selectors

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Stage converts the selectors of one connection. It implements [translate.Stage]. It forwards
// everything until Negotiated is called.
type Stage struct {
	client, agent capabilities.Version // 0 before Negotiated

	sessions keep.Map[*session]
	pending  keep.Map[pending] // by request id
	budget   keep.Budget
	share    *keep.Share // of pending
	out      *translate.Out

	filters scan.Cache[wanted]
}

// wanted selects the messages that the Stage needs.
type wanted struct {
	openings  bool // a peer has version 1
	changes   bool // a session is converted
	responses bool // a request is pending
}

// changing are the methods of the client that change a session.
var changing = []string{"session/set_mode", "session/set_model", "session/set_config_option", "session/close", "session/delete"}

// A pending request has a callback for its successful response. The callback's session is nil if the
// session was closed or evicted.
type pending struct {
	session string
	respond func(s *session, m *jsonrpc.Message)
}

// Negotiated sets the versions of the peers and drops all state.
func (t *Stage) Negotiated(client, agent capabilities.Version) {
	*t = Stage{client: client, agent: agent}
	t.share = t.budget.Open(0, nil)
}

// joined reports whether there is a bridge. The stage then converts every session, because
// version 2 has no modes.
func (t *Stage) joined() bool { return t.client != t.agent }

// Wants implements [translate.Stage].
func (t *Stage) Wants() [2]*scan.Filter {
	return t.filters.Filters(wanted{
		openings: t.client == 1 || t.agent == 1, changes: t.joined() || t.sessions.Len() > 0, responses: t.pending.Len() > 0,
	}, wanted.filters)
}

func (w wanted) filters() (f [2]*scan.Filter) {
	if !w.openings {
		return f
	}
	client, agent := &scan.Filter{Methods: translate.Openings()}, &scan.Filter{Responses: w.responses}
	if w.changes {
		client.Methods = append(client.Methods, changing...)
		agent.Updates = []string{"current_mode_update", "config_option_update"}
	}
	return [2]*scan.Filter{translate.Client: client, translate.Agent: agent}
}

// Awaits implements [translate.Stage].
func (t *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return side == translate.Agent && t.pending.Has(string(id))
}

// PeerClosed implements [translate.Stage].
func (t *Stage) PeerClosed(translate.Side, time.Time, *translate.Out) {}

// From implements [translate.Stage].
func (t *Stage) From(side translate.Side, m *jsonrpc.Message, _ time.Time, out *translate.Out) {
	t.out = out
	handled := false
	switch {
	case side == translate.Client && m.IsRequest():
		handled = t.request(m)
	case side == translate.Client:
	case m.IsResponse():
		id := string(jsonrpc.IDOf(m.ID))
		p := t.pending.Get(id)
		t.pending.Delete(id)
		switch s := t.sessions.Get(p.session); {
		case p.respond == nil:
		case !m.Failed():
			p.respond(s, m)
			handled = true
		case s != nil:
			s.isCurrent = false // the client may show the refused value
		}
	case string(m.Method) == "session/update" && m.IsNotification() && m.Session != nil:
		handled = t.update(m)
	}
	if !handled {
		out.Forward()
	}
	if t.budget.EvictExcess() {
		out.Lose(translate.Loss{Kind: translate.LossMemory, Detail: "memory limit: the selectors of the least recently changed sessions are no longer converted"})
	}
}

// Options returns the options of a session for the client, a raw array, or nil without a list.
func (t *Stage) Options(session []byte) []byte {
	if s := t.sessions.Find(session); s != nil {
		return s.list()
	}
	return nil
}

// find returns the session with that id, or nil if the session needs no conversion.
func (t *Stage) find(id []byte) *session {
	s := t.sessions.Find(id)
	if s == nil && t.joined() {
		s = t.open(string(id))
	}
	return s
}

func (t *Stage) open(id string) *session {
	t.forget(id)
	s := &session{id: id, derived: t.agent > t.client, addedLast: t.client > t.agent}
	s.kept = t.budget.Open(len(id), func() { t.forget(id) })
	t.sessions.Put(id, s)
	return s
}

func (t *Stage) forget(id string) {
	if s := t.sessions.Get(id); s != nil {
		s.kept.Close()
		t.sessions.Delete(id)
	}
}

// count updates the memory count of a session after a change. It forgets a session that exceeds
// the budget.
func (t *Stage) count(s *session) {
	s.kept.Release(s.size)
	if s.size = len(s.own) + len(s.added[modes]) + len(s.added[models]); !s.kept.Reserve(s.size) {
		t.forget(s.id)
	}
}

// await registers a callback for the successful response to a request.
func (t *Stage) await(m *jsonrpc.Message, respond func(*session, *jsonrpc.Message)) {
	p := pending{string(m.Session), respond}
	t.pending.Keep(t.share, string(jsonrpc.IDOf(m.ID)), p, nil).SetSize(len(p.session))
}

// request converts a request of the client. It reports false if the request is to be forwarded.
func (t *Stage) request(m *jsonrpc.Message) bool {
	switch string(m.Method) {
	case "session/new", "session/fork", "session/load", "session/resume":
		id := string(m.Session)
		if s := t.sessions.Get(id); s != nil {
			s.isCurrent = false // a replay repeats the list
		}
		t.await(m, func(_ *session, r *jsonrpc.Message) { t.opened(id, r) })
	case "session/close", "session/delete":
		t.forget(string(m.Session))
	case "session/set_mode", "session/set_model", "session/set_config_option":
		if s := t.find(m.Session); s != nil {
			return t.set(m, s)
		}
	}
	return false
}

// opened adds the missing forms to the result of a request that opens a session. The id is the
// session of the request, or "".
func (t *Stage) opened(id string, m *jsonrpc.Message) {
	result, changed := m.Result.Of(m.Text), false
	o := rawjson.Members(result)
	s := t.open(cmp.Or(o.String("sessionId"), id))
	own := o.Get("configOptions")
	if s.id == "" || !rawjson.IsArray(own) && !rawjson.Null(own) {
		t.forget(s.id)
		t.out.Forward()
		return
	}
	if rawjson.IsArray(own) {
		s.own = bytes.Clone(own)
	}
	for i := range forms {
		s.added[i] = forms[i].optionOf(o.Get(forms[i].member), func() {
			t.lose(s, translate.LossUnreadableOption, "a mode or model without a unique id is omitted")
		})
	}
	if list := s.list(); !bytes.Equal(list, s.own) {
		result, changed = rawjson.With(result, list, "configOptions"), true
	}
	if mode, added := s.option(modes); !added && rawjson.Null(o.Get("modes")) && currentOf(mode) != "" {
		s.derived = true
		result, changed = rawjson.With(result, modesOf(mode), "modes"), true
	}
	t.sync(s, s.mode(), s.list())
	switch {
	case changed:
		t.replace(m, result, "result")
		return
	case !t.joined():
		t.forget(s.id)
	}
	t.out.Forward()
}

// set converts a request that sets a selector. It reports false if the request is to be
// forwarded.
func (t *Stage) set(m *jsonrpc.Message, s *session) bool {
	params, shown := rawjson.Members(m.Params.Of(m.Text)), s.shown()
	i := slices.IndexFunc(forms[:], func(f form) bool { return f.method == string(m.Method) })
	native := i >= 0 // set_mode or set_model
	name := "value"
	if native {
		name = forms[i].param
	} else {
		i = slices.IndexFunc(shown[:], func(o []byte) bool {
			return o != nil && rawjson.Members(o).String("id") == params.String("configId")
		})
	}
	added := i >= 0 && shown[i] != nil
	value, raw := params.String(name), params.Get(name)
	var method string
	var members rawjson.Object
	switch {
	case i < 0 || native && added: // the agent reads this form
	case value == "" || native && s.added[i] != nil:
		return false
	case native:
		o, _ := s.option(i)
		if o == nil {
			return false
		}
		method, members = "session/set_config_option", members.Set("configId", o.Get("id"))
		members = members.Set("value", raw)
	case t.client == 2 && !hasValue(rawjson.Members(shown[i]), value):
		t.out.Send(translate.Client, translate.Answer(m.ID, "error", []byte(errNoValue)))
		return true
	default:
		method, members = forms[i].method, members.Set(forms[i].param, raw)
	}
	s.isCurrent = s.isCurrent && !native
	t.await(m, func(s *session, r *jsonrpc.Message) { t.responded(s, r, i, value, native, added) })
	if members == nil {
		return false
	}
	var b rawjson.Builder
	b.Object()
	others(&b, params, "configId", "type", "value", forms[i].param)
	others(&b, members)
	b.EndObject()
	text := rawjson.With(m.Span.Of(m.Text), b.Out, "params")
	t.out.Send(translate.Agent, rawjson.With(text, rawjson.AppendQuoted(nil, method), "method"))
	return true
}

const errNoValue = `{"code":-32602,"message":"Invalid params: no option with such a value"}`

// responded converts the successful response to a request that set selector i; i is -1 for any
// other option of the agent. native reports that the client sent set_mode or set_model, added that
// the agent received one of these.
func (t *Stage) responded(s *session, m *jsonrpc.Message, i int, value string, native, added bool) {
	closed := s == nil
	if closed {
		s = new(session)
	}
	own := rawjson.Get(m.Result.Of(m.Text), "configOptions")
	mode, list := s.mode(), s.list()
	if added {
		s.setCurrent(i, value)
	} else if rawjson.IsArray(own) {
		s.own = bytes.Clone(own)
	}
	switch {
	case native && added:
		t.out.Forward()
		mode = s.mode()
	case native:
		t.replace(m, []byte("{}"), "result")
		if rawjson.IsArray(own) && !s.isCurrent { // the client may show the value that it set
			if list = nil; i == modes {
				mode = ""
			}
		}
	default:
		if t.client == 2 && !closed { // version 2 requires an update of each change
			t.sync(s, mode, list)
			mode = s.mode()
		}
		t.sendList(m, s, own, "result", "configOptions")
		list = s.list()
	}
	if !closed {
		t.sync(s, mode, list)
	}
}

// update converts a session update of the agent. It reports false if the update is to be
// forwarded.
func (t *Stage) update(m *jsonrpc.Message) bool {
	s := t.find(m.Session)
	if s == nil {
		return false
	}
	mode, list := s.mode(), s.list()
	switch m.Members.String("sessionUpdate") {
	case "current_mode_update":
		id := m.Members.String("currentModeId")
		if o, _ := s.option(modes); id == "" || o == nil {
			if id != "" && t.client == 2 {
				t.lose(s, translate.LossModeOfSession, "the mode is dropped: the agent offers no modes in the session")
			}
			return false
		}
		if !s.sentEarly || id != mode {
			t.out.Forward()
		}
		s.sentEarly = false
		s.setCurrent(modes, id)
		t.sync(s, s.mode(), list)
		s.isCurrent = s.mode() == id
	case "config_option_update":
		raw, known := m.Members.Get("configOptions"), s.isCurrent
		own := raw
		if t.client == 2 && rawjson.Null(own) {
			own = []byte("[]")
		}
		if !rawjson.IsArray(own) {
			return false
		}
		s.own = bytes.Clone(own)
		now := s.list()
		t.sync(s, mode, now)
		if t.client == 2 || !known || len(m.Members) > 2 || !bytes.Equal(now, list) {
			t.sendList(m, s, raw, "params", "update", "configOptions")
		}
	default:
		return false
	}
	return true
}

// sync sends the mode and the list of a session to the client, each if it differs from the one that
// the client has. Each change of a session ends with a call of sync.
func (t *Stage) sync(s *session, mode string, list []byte) {
	if now := s.mode(); now != "" && now != mode {
		s.sentEarly = true
		t.send(s, "current_mode_update", func(b *rawjson.Builder) { b.Texts("currentModeId", now) })
	}
	if now := s.list(); !bytes.Equal(now, list) {
		t.send(s, "config_option_update", func(b *rawjson.Builder) { b.Member("configOptions", now) })
	}
	s.isCurrent = true
	t.count(s)
}

// send sends an update of the proxy's own to the client.
func (t *Stage) send(s *session, kind string, write func(*rawjson.Builder)) {
	t.out.Send(translate.Client, translate.Update(s.id, kind, write))
	t.out.SetTopic(scan.Topic(kind))
}

// sendList forwards a message of the agent with the list for the client. own is the agent's list,
// at the path.
func (t *Stage) sendList(m *jsonrpc.Message, s *session, own []byte, path ...string) {
	if list := s.list(); bytes.Equal(list, own) {
		t.out.Forward()
	} else {
		t.replace(m, list, path...)
	}
}

// replace forwards a message of the agent with another value at the path.
func (t *Stage) replace(m *jsonrpc.Message, value []byte, path ...string) {
	t.out.Send(translate.Client, rawjson.With(m.Span.Of(m.Text), value, path...))
	t.out.SetTopic(scan.TopicOf(m))
}

func (t *Stage) lose(s *session, kind translate.LossKind, detail string) {
	t.out.Lose(translate.Loss{Kind: kind, Session: s.id, Detail: detail, Version: t.joined()})
}
