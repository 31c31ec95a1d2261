package play

import (
	"bytes"

	"acp-plan-proxy/transport/jsonrpc"
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

// An impliedAsk is one of these requests. A given one has no recorded answer.
type impliedAsk struct {
	method, session string
	id              jsonrpc.ID
	given           string
}

// hear handles what the agent said.
func (x *implied) hear(m *message) {
	if m.kind != answer {
		if m.session != nil {
			x.session, x.since = string(m.session), true
			if x.first == "" {
				x.first = x.session
			}
			x.state = x.state || bytes.Contains(m.params, []byte(`"state_update"`))
		}
		return
	}
	a := impliedAsk{method: x.methodOf(m), id: jsonrpc.IDOf(m.id)}
	switch a.method {
	case methodPrompt, "session/set_config_option":
		a.session = x.session
	case "session/load":
		a.session = x.session
	case methodNew:
		x.session = string(textOf(m.result, "sessionId"))
	case "":
		return
	}
	x.since = false
	x.asks = append(x.asks, a)
}

// methodOf returns the method that has such an answer, "" if that cannot be told.
func (x *implied) methodOf(m *message) string {
	o, ok := rawjson.ReadObject(nil, m.result)
	has := func(name string) bool { return o.Get(name) != nil }
	switch {
	case m.failed || !ok:
		return ""
	case has("protocolVersion"):
		return methodInitialize
	case has("stopReason"), has("messageId"):
		return methodPrompt
	case has("sessionId"):
		return methodNew
	case has("sessions"):
		return "session/list"
	case has("modes") || has("models"):
		return "session/load"
	case has("configOptions"):
		return "session/set_config_option"
	case len(o) == 0 && x.state:
		return methodPrompt
	}
	return ""
}

// complete adds the requests that every conversation has.
func (x *implied) complete() []impliedAsk {
	var all []impliedAsk
	has := func(methods ...string) bool {
		for _, a := range x.asks {
			for _, method := range methods {
				if a.method == method {
					return true
				}
			}
		}
		return false
	}
	if !has(methodInitialize) {
		hello := `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}`
		if x.state {
			hello = `{"protocolVersion":2,"info":{"name":"recorded","version":"0"},"capabilities":{}}`
		}
		all = append(all, impliedAsk{method: methodInitialize, given: hello})
	}
	if x.first != "" && !has(methodNew, "session/load") {
		all = append(all, impliedAsk{method: methodNew, given: `{"sessionId":` + string(rawjson.AppendQuoted(nil, x.first)) + `}`})
	}
	all = append(all, x.asks...)
	if last := len(x.asks) - 1; x.since && (last < 0 || x.asks[last].method != methodPrompt) {
		all = append(all, impliedAsk{method: methodPrompt, session: x.session, given: `{"stopReason":"end_turn"}`})
	}
	return all
}

// imply adds the points of the next requests, up to one with an answer.
func (r *reading) imply() {
	for len(r.implied) > 0 {
		a := r.implied[0]
		r.implied = r.implied[1:]
		l := r.lane([]byte(a.session))
		p := l.add(&point{waits: ask, method: a.method, id: a.id, given: a.given})
		r.asked(p)
		if a.given == "" {
			return
		}
	}
}
