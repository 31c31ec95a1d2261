package play

import (
	"bytes"
	"fmt"
	"slices"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// An implied is what the client must have asked, by what the agent said: its lines alone
// do not have the requests. A request came behind the answer to the one before, so what
// the agent said before an answer belongs to that.
type implied struct {
	asks    []impliedAsk
	session string // that was named last
	first   string // that was named first
	since   bool   // the agent has said something of a session since the last answer
	state   bool   // it has said how its turns go, as in version 2
}

// An impliedAsk is one of these requests.
type impliedAsk struct {
	id              []byte
	method, session string
	given           string // the answer, if that is not in the recording
}

// hear handles what the agent said.
func (x *implied) hear(m *recording.Message) {
	if m.Type != trace.Response {
		if m.Session != "" {
			x.session, x.since = m.Session, true
			if x.first == "" {
				x.first = x.session
			}
			x.state = x.state || bytes.Contains(m.Params, []byte(`"state_update"`))
		}
		return
	}
	a := impliedAsk{method: x.methodOf(m), id: bytes.Clone(m.ID)}
	switch a.method {
	case "session/prompt", "session/set_config_option", "session/load":
		a.session = x.session
	case "session/new":
		session, _ := rawjson.TextOf(rawjson.Get(m.Payload, "sessionId"))
		x.session = string(session)
	case "":
		return
	}
	x.since = false
	x.asks = append(x.asks, a)
}

// methodOf returns the method that has such an answer, "" if that cannot be told.
func (x *implied) methodOf(m *recording.Message) string {
	o, ok := rawjson.ReadObject(nil, m.Payload)
	has := func(name string) bool { return o.Get(name) != nil }
	switch {
	case m.IsError || !ok:
		return ""
	case has("protocolVersion"):
		return "initialize"
	case has("stopReason"), has("messageId"):
		return "session/prompt"
	case has("sessionId"):
		return "session/new"
	case has("sessions"):
		return "session/list"
	case has("modes") || has("models"):
		return "session/load"
	case has("configOptions"):
		return "session/set_config_option"
	case len(o) == 0 && x.state:
		return "session/prompt"
	}
	return ""
}

// complete adds the requests that every conversation has.
func (x *implied) complete() (all []impliedAsk) {
	has := func(methods ...string) bool {
		return slices.ContainsFunc(x.asks, func(a impliedAsk) bool { return slices.Contains(methods, a.method) })
	}
	if !has("initialize") {
		hello := `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}`
		if x.state {
			hello = `{"protocolVersion":2,"info":{"name":"recorded","version":"0"},"capabilities":{}}`
		}
		all = append(all, impliedAsk{method: "initialize", given: hello})
	}
	if x.first != "" && !has("session/new", "session/load") {
		all = append(all, impliedAsk{method: "session/new", given: `{"sessionId":` + string(rawjson.AppendQuoted(nil, x.first)) + `}`})
	}
	all = append(all, x.asks...)
	if last := len(x.asks) - 1; x.since && (last < 0 || x.asks[last].method != "session/prompt") {
		all = append(all, impliedAsk{method: "session/prompt", session: x.session, given: `{"stopReason":"end_turn"}`})
	}
	return all
}

// fill reads the recording with what the client must have said among it.
func (x *implied) fill(p *player, r *reading) error {
	all := x.complete()
	var last func() // what ends a turn that the recording does not end
	ask := func() {
		for len(all) > 0 {
			a := all[0]
			all = all[1:]
			id := a.id
			if a.given != "" {
				id = fmt.Appendf(nil, "%q", "given-"+a.method)
			}
			r.made(trace.Event{Type: trace.Request, From: trace.Client, ID: id, Method: a.method, Session: a.session})
			answer := trace.Event{Type: trace.Response, From: trace.Agent, ID: id, Payload: []byte(a.given)}
			switch {
			case a.given == "":
				return
			case a.method != "session/prompt":
				r.made(answer)
			case !x.state:
				last = func() { r.made(answer) }
			default:
				answer.Payload = []byte("{}")
				r.made(answer)
				last = func() {
					var parser recording.Parser
					e := parser.Parse([]byte(idle(a.session, "end_turn")))[0].Event
					e.From = trace.Agent
					r.made(e)
				}
			}
		}
	}
	ask()
	err := p.scan(func(m *recording.Message, at place) {
		m.From, m.To = trace.Agent, trace.Client
		r.hear(m, at)
		switch m.Type {
		case trace.Request: // the agent has waited for the answer
			r.made(trace.Event{Type: trace.Response, From: trace.Client, ID: m.ID, Payload: []byte("{}"), Seconds: m.Seconds})
		case trace.Response:
			if m.Request != nil {
				ask()
			}
		}
	})
	if last != nil {
		last()
	}
	return err
}

// made takes a message that is not in the recording.
func (r *reading) made(e trace.Event) {
	m := recording.Message{Event: e}
	m.To = trace.Agent
	if m.From == trace.Agent {
		m.To, m.Text = trace.Client, e.AppendMessage(nil)
	}
	r.hear(&m, place{})
}
