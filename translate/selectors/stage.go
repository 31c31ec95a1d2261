// Package selectors converts between the two forms of mode and model selectors in version 1:
// the members modes and models, and config options of these categories. Many agents report
// one form only, and many clients read one form only. The stage adds the missing form.
//
//	client <─> selectors <─> agent
//
// If the peers have different versions, the stage is on the bridge's side of version 1, so the bridge
// has to convert options only.
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
	pending  keep.Map[pendingRequest] // by request id
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

// changeMethods lists the methods of the client's requests that change a session.
var changeMethods = []string{"session/set_mode", "session/set_model", "session/set_config_option", "session/close", "session/delete"}

// A pendingRequest has a callback for its successful response. The callback receives the session of
// the request, or nil if that was closed or evicted.
type pendingRequest struct {
	session string
	respond func(sess *session, m *jsonrpc.Message)
}

// Negotiated sets the versions of the peers and drops all state.
func (s *Stage) Negotiated(client, agent capabilities.Version) {
	*s = Stage{client: client, agent: agent}
	s.share = s.budget.Open(0, nil)
}

// isJoined reports whether there is a bridge. The stage then converts every session, because
// version 2 has no modes.
func (s *Stage) isJoined() bool { return s.client != s.agent }

// Wants implements [translate.Stage].
func (s *Stage) Wants() [2]*scan.Filter {
	return s.filters.Filters(wanted{
		openings: s.client == 1 || s.agent == 1, changes: s.isJoined() || s.sessions.Len() > 0, responses: s.pending.Len() > 0,
	}, wanted.filters)
}

func (w wanted) filters() (f [2]*scan.Filter) {
	if !w.openings {
		return f
	}
	client, agent := &scan.Filter{Methods: translate.Openings()}, &scan.Filter{Responses: w.responses}
	if w.changes {
		client.Methods = append(client.Methods, changeMethods...)
		agent.Updates = []string{"current_mode_update", "config_option_update"}
	}
	return [2]*scan.Filter{translate.Client: client, translate.Agent: agent}
}

// Awaits implements [translate.Stage].
func (s *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return side == translate.Agent && s.pending.Has(string(id))
}

// PeerClosed implements [translate.Stage].
func (s *Stage) PeerClosed(translate.Side, time.Time, *translate.Out) {}

// Receive implements [translate.Stage].
func (s *Stage) Receive(side translate.Side, m *jsonrpc.Message, _ time.Time, out *translate.Out) {
	s.out = out
	handled := false
	switch {
	case side == translate.Client && m.IsRequest():
		handled = s.convertRequest(m)
	case side == translate.Client:
	case m.IsResponse():
		id := string(jsonrpc.IDOf(m.ID))
		p := s.pending.Get(id)
		s.pending.Delete(id)
		switch sess := s.sessions.Get(p.session); {
		case p.respond == nil:
		case !m.Failed():
			p.respond(sess, m)
			handled = true
		case sess != nil:
			sess.clientHasList = false // the client may show the refused value
		}
	case string(m.Method) == "session/update" && m.IsNotification() && m.Session != nil:
		handled = s.convertUpdate(m)
	}
	if !handled {
		out.Forward()
	}
	if s.budget.EvictExcess() {
		out.LoseIn("", translate.LossMemory, "memory limit: the selectors of some sessions are no longer converted")
	}
}

// Options returns the options of a session for the client, a raw array, or nil without a list.
func (s *Stage) Options(session []byte) []byte {
	if sess := s.sessions.Find(session); sess != nil {
		return sess.clientList()
	}
	return nil
}

// find returns the session with that id, or nil if the session needs no conversion.
func (s *Stage) find(id []byte) *session {
	sess := s.sessions.Find(id)
	if sess == nil && s.isJoined() {
		sess = s.open(string(id))
	}
	return sess
}

func (s *Stage) open(id string) *session {
	s.forget(id)
	sess := &session{id: id, derivesModes: s.agent > s.client, addedLast: s.client > s.agent}
	sess.share = s.budget.Open(len(id), func() { s.forget(id) })
	s.sessions.Put(id, sess)
	return sess
}

func (s *Stage) forget(id string) {
	if sess := s.sessions.Get(id); sess != nil {
		sess.share.Close()
		s.sessions.Delete(id)
	}
}

// updateSize updates the number of bytes that a session counts, after a change. It forgets a session
// that exceeds the budget.
func (s *Stage) updateSize(sess *session) {
	sess.share.Release(sess.size)
	sess.size = len(sess.agentList) + len(sess.added[modes]) + len(sess.added[models])
	if !sess.share.Reserve(sess.size) {
		s.forget(sess.id)
	}
}

// await registers a callback for the successful response to a request.
func (s *Stage) await(m *jsonrpc.Message, respond func(*session, *jsonrpc.Message)) {
	p := pendingRequest{string(m.Session), respond}
	s.pending.Keep(s.share, string(jsonrpc.IDOf(m.ID)), p, nil).SetSize(len(p.session))
}

// convertRequest converts a request of the client. It returns false if the request is to be
// forwarded.
func (s *Stage) convertRequest(m *jsonrpc.Message) bool {
	switch string(m.Method) {
	case "session/new", "session/fork", "session/load", "session/resume":
		id := string(m.Session)
		if sess := s.sessions.Get(id); sess != nil {
			sess.clientHasList = false // a replay repeats the list
		}
		s.await(m, func(_ *session, r *jsonrpc.Message) { s.convertOpening(id, r) })
	case "session/close", "session/delete":
		s.forget(string(m.Session))
	case "session/set_mode", "session/set_model", "session/set_config_option":
		if sess := s.find(m.Session); sess != nil {
			return s.convertSet(m, sess)
		}
	}
	return false
}

// convertOpening adds the missing forms to the result of a request that opens a session. id is the
// session in the request, or "".
func (s *Stage) convertOpening(id string, m *jsonrpc.Message) {
	result, changed := m.Result.Of(m.Text), false
	o := rawjson.Members(result)
	sess := s.open(cmp.Or(o.String("sessionId"), id))
	received := o.Get("configOptions")
	if sess.id == "" || !rawjson.IsArray(received) && !rawjson.IsNull(received) {
		s.forget(sess.id)
		s.out.Forward()
		return
	}
	if rawjson.IsArray(received) {
		sess.agentList = bytes.Clone(received)
	}
	for i := range legacySelectors {
		sess.added[i] = legacySelectors[i].optionOf(o.Get(legacySelectors[i].member), func() {
			s.lose(sess, translate.LossUnreadableOption, "a mode or model without a unique id is omitted")
		})
	}
	if clientList := sess.clientList(); !bytes.Equal(clientList, sess.agentList) {
		result, changed = rawjson.With(result, clientList, "configOptions"), true
	}
	if option, added := sess.option(modes); !added && rawjson.IsNull(o.Get("modes")) && currentOf(option) != "" {
		sess.derivesModes = true
		result, changed = rawjson.With(result, modesOf(option), "modes"), true
	}
	s.sync(sess, sess.mode(), sess.clientList())
	switch {
	case changed:
		s.replace(m, result, "result")
		return
	case !s.isJoined(): // nothing to convert
		s.forget(sess.id)
	}
	s.out.Forward()
}

// A setting is a request of the client that sets a selector.
type setting struct {
	selector       int // an index of legacySelectors, -1 for any other option of the agent
	value          string
	clientUsesMode bool // the client uses set_mode or set_model, otherwise set_config_option
	agentUsesMode  bool // the agent reads set_mode or set_model, otherwise set_config_option
}

// convertSet converts a request that sets a selector. It returns false if the request is to be
// forwarded.
func (s *Stage) convertSet(m *jsonrpc.Message, sess *session) bool {
	params, options := rawjson.Members(m.Params.Of(m.Text)), sess.optionsToAdd()
	selector, member := slices.IndexFunc(legacySelectors[:], func(f legacySelector) bool { return f.method == string(m.Method) }), "value"
	set := setting{clientUsesMode: selector >= 0}
	if set.clientUsesMode {
		member = legacySelectors[selector].param
	} else {
		selector = slices.IndexFunc(options[:], func(o []byte) bool {
			return o != nil && rawjson.Members(o).String("id") == params.String("configId")
		})
	}
	set.selector, set.value, set.agentUsesMode = selector, params.String(member), selector >= 0 && options[selector] != nil
	converts := set.clientUsesMode != set.agentUsesMode
	var method string
	var members rawjson.Object // the converted members of the params
	switch raw := params.Get(member); {
	case !converts:
	case set.value == "", set.clientUsesMode && sess.added[selector] != nil: // no value, or the agent reports both forms
		return false
	case set.clientUsesMode:
		o, _ := sess.option(selector)
		if o == nil {
			return false
		}
		method, members = "session/set_config_option", members.Set("configId", o.Get("id")).Set("value", raw)
	case s.client == 2 && !hasValue(rawjson.Members(options[selector]), set.value):
		refusal := jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "Invalid params: no option with such a value"}
		s.out.Send(translate.Client, refusal.Response(m.ID))
		return true
	default:
		method, members = legacySelectors[selector].method, members.Set(legacySelectors[selector].param, raw)
	}
	sess.clientHasList = sess.clientHasList && !set.clientUsesMode // the client may show the value that it sets
	s.await(m, func(sess *session, r *jsonrpc.Message) { s.convertSetResult(sess, r, set) })
	if !converts {
		return false
	}
	var b rawjson.Builder
	b.Object()
	writeOthers(&b, params, "configId", "type", "value", legacySelectors[selector].param)
	writeOthers(&b, members)
	b.EndObject()
	text := rawjson.With(m.Span.Of(m.Text), b.Out, "params")
	s.out.Send(translate.Agent, rawjson.With(text, rawjson.AppendQuoted(nil, method), "method"))
	return true
}

// convertSetResult converts the successful response to a request that set a selector. sess is nil if
// the session was closed or evicted.
func (s *Stage) convertSetResult(sess *session, m *jsonrpc.Message, set setting) {
	expectsEmpty := set.clientUsesMode && !set.agentUsesMode // the client expects the result of set_mode or set_model
	if sess == nil {
		if expectsEmpty {
			s.replace(m, []byte("{}"), "result")
		} else {
			s.out.Forward()
		}
		return
	}
	received := rawjson.Get(m.Result.Of(m.Text), "configOptions")
	mode, clientList := sess.mode(), sess.clientList()
	if set.agentUsesMode {
		sess.setCurrent(set.selector, set.value)
	} else if rawjson.IsArray(received) {
		sess.agentList = bytes.Clone(received)
	}
	switch {
	case set.clientUsesMode && set.agentUsesMode:
		s.out.Forward()
		mode = sess.mode()
	case expectsEmpty:
		s.replace(m, []byte("{}"), "result")
		if rawjson.IsArray(received) && !sess.clientHasList { // the client may show the value that it set
			clientList = nil
			if set.selector == modes {
				mode = ""
			}
		}
	default:
		if s.client == 2 { // version 2 requires an update of each change
			s.sync(sess, mode, clientList)
			mode = sess.mode()
		}
		s.sendList(m, sess, received, "result", "configOptions")
		clientList = sess.clientList()
	}
	s.sync(sess, mode, clientList)
}

// convertUpdate converts a session update of the agent. It returns false if the update is to be
// forwarded.
func (s *Stage) convertUpdate(m *jsonrpc.Message) bool {
	sess := s.find(m.Session)
	if sess == nil {
		return false
	}
	mode, clientList := sess.mode(), sess.clientList()
	switch m.Members.String("sessionUpdate") {
	case "current_mode_update":
		id := m.Members.String("currentModeId")
		if o, _ := sess.option(modes); id == "" || o == nil {
			if id != "" && s.client == 2 {
				s.lose(sess, translate.LossModeOfSession, "the mode is dropped: the agent offers no modes in the session")
			}
			return false
		}
		if !sess.sentModeEarly || id != mode {
			s.out.Forward()
		}
		sess.sentModeEarly = false
		sess.setCurrent(modes, id)
		s.sync(sess, sess.mode(), clientList)
		sess.clientHasList = sess.mode() == id
	case "config_option_update":
		received, hadList := m.Members.Get("configOptions"), sess.clientHasList
		agentList := received
		if s.client == 2 && rawjson.IsNull(agentList) {
			agentList = []byte("[]")
		}
		if !rawjson.IsArray(agentList) {
			return false
		}
		sess.agentList = bytes.Clone(agentList)
		now := sess.clientList()
		s.sync(sess, mode, now)
		if s.client == 2 || !hadList || len(m.Members) > 2 || !bytes.Equal(now, clientList) {
			s.sendList(m, sess, received, "params", "update", "configOptions")
		}
	default:
		return false
	}
	return true
}

// sync ends each change of a session. mode and list are those that the client has. If those of the
// session differ, sync sends them to the client. It then counts the session in the budget, and forgets
// a session that exceeds the budget.
func (s *Stage) sync(sess *session, mode string, list []byte) {
	if now := sess.mode(); now != "" && now != mode {
		sess.sentModeEarly = true
		s.send(sess, "current_mode_update", func(b *rawjson.Builder) { b.Texts("currentModeId", now) })
	}
	if now := sess.clientList(); !bytes.Equal(now, list) {
		s.send(sess, "config_option_update", func(b *rawjson.Builder) { b.Member("configOptions", now) })
	}
	sess.clientHasList = true
	s.updateSize(sess)
}

// send sends the client an update that the agent has not sent.
func (s *Stage) send(sess *session, kind string, write func(*rawjson.Builder)) {
	s.out.Send(translate.Client, translate.Update(sess.id, kind, write))
	s.out.SetTopic(scan.Topic(kind))
}

// sendList forwards a message of the agent with the client's list in place of the received one, the
// value at the path.
func (s *Stage) sendList(m *jsonrpc.Message, sess *session, received []byte, path ...string) {
	if clientList := sess.clientList(); bytes.Equal(clientList, received) {
		s.out.Forward()
	} else {
		s.replace(m, clientList, path...)
	}
}

// replace forwards a message of the agent with another value at the path.
func (s *Stage) replace(m *jsonrpc.Message, value []byte, path ...string) {
	s.out.Send(translate.Client, rawjson.With(m.Span.Of(m.Text), value, path...))
	s.out.SetTopic(scan.TopicOf(m))
}

func (s *Stage) lose(sess *session, kind translate.LossKind, detail string) {
	s.out.Lose(translate.Loss{Kind: kind, Session: sess.id, Detail: detail, BetweenVersions: s.isJoined()})
}
