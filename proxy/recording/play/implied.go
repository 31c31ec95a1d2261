package play

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// An implied makes a recording of both ends of what an agent said alone: it adds what the
// client must have said. A request came behind the answer to the one before, so what the
// agent said before an answer belongs to that.
type implied struct {
	out      []byte   // the recording, up to the last answer
	since    []byte   // what was said since
	answered float64  // the time of that answer, in seconds
	asked    []string // methods
	session  string   // that was named last
	first    string   // that was named first
	told     bool     // the agent has said something of a session since the last answer
	state    bool     // it has said how its turns go, as in version 2
}

// bothEnds returns the recording with the client's lines in it.
func (p *player) bothEnds() ([]byte, error) {
	var x implied
	err := p.scan(func(m *recording.Message, _ place) { x.hear(m) })
	return x.complete(), err
}

// line appends a line that an end said.
func line(dst []byte, direction string, seconds float64, message []byte) []byte {
	return fmt.Appendf(dst, `{"dir":%q,"t":%f,"line":%s}`+"\n", direction, seconds*1000, rawjson.AppendQuoted(nil, message))
}

// hear takes the next message of the agent.
func (x *implied) hear(m *recording.Message) {
	x.since = line(x.since, "a2c", m.Seconds, m.Append(nil))
	if m.Type == trace.Response {
		switch method := x.methodOf(m); method {
		case "":
			return
		case "session/prompt", "session/set_config_option", "session/load":
			x.ask(m.ID, method, x.session)
		case "session/new":
			x.session = textOf(m.Payload, "sessionId")
			fallthrough
		default:
			x.ask(m.ID, method, "")
		}
		x.answered = m.Seconds
		return
	}
	if m.Type == trace.Request { // it has waited for the answer
		x.since = line(x.since, "c2a", m.Seconds, resultOf(m.ID, "{}"))
	}
	if m.Session != "" {
		x.session, x.first, x.told = m.Session, cmp.Or(x.first, m.Session), true
		x.state = x.state || bytes.Contains(m.Params, []byte(`"state_update"`))
	}
}

// ask adds a request in front of what was said since the last answer.
func (x *implied) ask(id []byte, method, session string) {
	request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"sessionId":%s}}`, id, method, rawjson.AppendQuoted(nil, session))
	x.out = append(line(x.out, "c2a", x.answered, request), x.since...)
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
func (x *implied) complete() []byte {
	var begin implied
	given := func(method string) []byte { return fmt.Appendf(nil, "%q", "given-"+method) }
	begins := func(method, answer string) {
		begin.since = line(nil, "a2c", 0, resultOf(given(method), answer))
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
			accepted := line(nil, "a2c", x.answered, resultOf(given(prompt), "{}"))
			x.since = line(append(accepted, x.since...), "a2c", x.answered, []byte(idle(x.session, "end_turn")))
		} else {
			x.since = line(x.since, "a2c", x.answered, resultOf(given(prompt), `{"stopReason":"end_turn"}`))
		}
		x.ask(given(prompt), prompt, x.session)
	}
	return slices.Concat(begin.out, x.out, x.since)
}
