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

// bothEnds returns what an agent said with the client's messages in it, and with the answers
// that every conversation has.
func bothEnds(agents []*recording.Message) []*recording.Message {
	var x, whole implied // up to a message, and of all
	for _, m := range agents {
		whole.hear(m)
	}
	given := func(method, result string) {
		x.hear(answer(trace.Agent, x.answered, givenID(method), result))
	}
	switch {
	case slices.Contains(whole.asked, "initialize"):
	case whole.state:
		given("initialize", `{"protocolVersion":2,"info":{"name":"recorded","version":"0"},"capabilities":{}}`)
	default:
		given("initialize", `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}`)
	}
	if whole.first != "" && !slices.Contains(whole.asked, "session/new") && !slices.Contains(whole.asked, "session/load") {
		given("session/new", `{"sessionId":`+string(rawjson.AppendQuoted(nil, whole.first))+`}`)
	}
	for _, m := range agents {
		x.hear(m)
	}
	const prompt = "session/prompt"
	switch {
	case !x.told || x.asked[len(x.asked)-1] == prompt:
	case x.state:
		x.since = append(slices.Insert(x.since, 0, answer(trace.Agent, x.answered, givenID(prompt), "{}")),
			&recording.Message{Event: *idle(x.session, "end_turn")})
		x.ask(givenID(prompt), prompt, x.session)
	default:
		given(prompt, `{"stopReason":"end_turn"}`)
	}
	both := append(x.out, x.since...)
	for i, m := range both {
		m.Line = i + 1
	}
	return both
}

// givenID returns the id of a request whose answer is given.
func givenID(method string) []byte { return rawjson.AppendQuoted(nil, "given-"+method) }

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
