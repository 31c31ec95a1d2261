package play

import (
	"bytes"
	"cmp"
	"slices"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// An implied makes a recording of both ends of what an agent said alone: it adds what the
// client must have said. A request came behind the answer to the one before, so what the
// agent said before an answer belongs to that.
type implied struct {
	out      []*recording.Message // the recording, up to the last answer
	since    []*recording.Message // what was said since
	answered float64              // the time of that answer, in seconds
	asked    []string             // methods
	session  string               // that was named last
	first    string               // that was named first
	told     bool                 // the agent has said something of a session since the last answer
	state    bool                 // it has said how its turns go, as in version 2
}

// bothEnds returns what an agent said with the client's messages in it.
func bothEnds(all []*recording.Message) []*recording.Message {
	var x implied
	for _, m := range all {
		x.hear(m)
	}
	both := x.complete()
	for i, m := range both {
		m.Line = i + 1
	}
	return both
}

// hear takes the next message of the agent.
func (x *implied) hear(m *recording.Message) {
	x.since = append(x.since, m)
	if m.Type == trace.Response {
		method, session := x.methodOf(m), ""
		switch method {
		case "":
			return
		case "session/prompt", "session/set_config_option", "session/load":
			session = x.session
		case "session/new":
			x.session = recording.TextOf(m.Payload, "sessionId")
		}
		x.ask(m.ID, method, session)
		x.answered = m.Seconds
		return
	}
	if m.Type == trace.Request { // it has waited for the answer
		x.since = append(x.since, answer(trace.Client, m.Seconds, m.ID, "{}"))
	}
	if m.Session != "" {
		x.session, x.first, x.told = m.Session, cmp.Or(x.first, m.Session), true
		x.state = x.state || bytes.Contains(m.Params, []byte(`"state_update"`))
	}
}

// answer returns an answer of one end.
func answer(from trace.Component, seconds float64, id []byte, result string) *recording.Message {
	return &recording.Message{Event: trace.Event{Type: trace.Response, Seconds: seconds, From: from, ID: id, Payload: []byte(result)}}
}

// ask adds a request in front of what was said since the last answer.
func (x *implied) ask(id []byte, method, session string) {
	request := trace.Event{Type: trace.Request, Seconds: x.answered, From: trace.Client, To: trace.Agent, ID: id, Method: method, Session: session}
	x.out = append(append(x.out, &recording.Message{Event: request}), x.since...)
	x.since, x.told, x.asked = nil, false, append(x.asked, method)
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

// complete adds the requests that every conversation has, and returns the recording.
func (x *implied) complete() []*recording.Message {
	var begin implied
	given := func(method string) []byte { return rawjson.AppendQuoted(nil, "given-"+method) }
	begins := func(method, result string) {
		begin.since = append(begin.since, answer(trace.Agent, 0, given(method), result))
		begin.ask(given(method), method, "")
	}
	if !slices.Contains(x.asked, "initialize") {
		hello := `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}`
		if x.state {
			hello = `{"protocolVersion":2,"info":{"name":"recorded","version":"0"},"capabilities":{}}`
		}
		begins("initialize", hello)
	}
	if x.first != "" && !slices.Contains(x.asked, "session/new") && !slices.Contains(x.asked, "session/load") {
		begins("session/new", `{"sessionId":`+string(rawjson.AppendQuoted(nil, x.first))+`}`)
	}
	const prompt = "session/prompt"
	if x.told && (len(x.asked) == 0 || x.asked[len(x.asked)-1] != prompt) {
		if x.state {
			x.since = slices.Concat([]*recording.Message{answer(trace.Agent, x.answered, given(prompt), "{}")}, x.since,
				[]*recording.Message{{Event: *idle(x.session, "end_turn")}})
		} else {
			x.since = append(x.since, answer(trace.Agent, x.answered, given(prompt), `{"stopReason":"end_turn"}`))
		}
		x.ask(given(prompt), prompt, x.session)
	}
	return slices.Concat(begin.out, x.out, x.since)
}
