package view

import (
	"hash/maphash"
	"strings"

	"acp-plan-proxy/proxy/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// sameTime is how much later, in seconds, an event may be that tells what left in
// the place of a message. The two have one time, in older recordings nearly so.
const sameTime = 0.001

// maxRequests bounds how many unanswered requests are remembered.
const maxRequests = 4096

// A bridged is what the timeline knows of a recording in which the proxy joins two
// versions: then all messages are printed, not only plans.
type bridged struct {
	joined   bool
	requests map[requestKey]request
	turns    map[uint64]bool // the sessions in which a turn is going on
}

type requestKey struct {
	from     trace.Component
	toClient bool
	id       jsonrpc.ID
}

type request struct{ method, session string }

func toClient(e trace.Event) bool { return e.From == trace.Agent || e.To == trace.Client }

// requestOf returns the request that an event answers, and remembers an event
// that is one. A request that is forwarded can be answered on either side of the
// proxy.
func (b *bridged) requestOf(e trace.Event, session string) request {
	switch e.Type {
	case trace.Request:
		if len(b.requests) >= maxRequests {
			clear(b.requests)
		}
		key := requestKey{e.From, toClient(e), jsonrpc.IDOf(e.ID)}
		b.requests[key] = request{e.Method, session}
		if e.To != trace.Proxy {
			key.from = trace.Proxy
			b.requests[key] = request{e.Method, session}
		}
	case trace.Response:
		key := requestKey{e.To, !toClient(e), jsonrpc.IDOf(e.ID)}
		answered := b.requests[key]
		delete(b.requests, key)
		if e.From != trace.Proxy && e.To != trace.Proxy {
			key.from = trace.Proxy
			delete(b.requests, key)
		}
		return answered
	}
	return request{}
}

// read handles an event that concerns no plan. The caller gives the event's
// session and the request that it answers. It returns the lines to print.
func (t *timeline) read(e trace.Event, session string, answered request) string {
	if answered.method == "initialize" && e.From == trace.Proxy && member(e.Payload, "protocolVersion") != nil {
		t.joined = true // of two that share a version, the agent answers
	}
	if session == "" {
		return "  " + summary(e, answered.method)
	}
	id := maphash.String(t.seed, session)
	mark := "  "
	if t.turns[id] {
		mark = "│ "
	}
	switch stop := stopReason(e, answered.method); {
	case e.Type == trace.Request && e.Method == "session/prompt" && !t.turns[id]:
		mark = "┌ "
		t.turns[id] = true
	case stop != "" && t.turns[id]:
		delete(t.turns, id)
		return "└ turn ended: " + brief(stop)
	}
	return mark + summary(e, answered.method)
}

// stopReason returns why a turn has ended, if an event says so.
func stopReason(e trace.Event, answered string) string {
	if e.Type == trace.Response {
		if answered != "session/prompt" {
			return ""
		}
		if e.IsError {
			return "error"
		}
		return asText(member(e.Payload, "stopReason"))
	}
	update := member(e.Params, "update")
	if asText(member(update, "sessionUpdate")) != "state_update" || asText(member(update, "state")) != "idle" {
		return ""
	}
	if stop := asText(member(update, "stopReason")); stop != "" {
		return stop
	}
	return "idle"
}

// summary says an event in a line: what it is, and what it is about.
func summary(e trace.Event, answered string) string {
	name, says := e.Method, ""
	switch {
	case e.Type == trace.Response && e.IsError:
		name, says = "error", asText(member(e.Payload, "message"))
	case e.Type == trace.Response:
		name, says = "answer", answered
		if answered == "session/request_permission" {
			says = asText(member(member(e.Payload, "outcome"), "optionId"))
		}
	case e.Method == "session/update":
		update := member(e.Params, "update")
		name = asText(member(update, "sessionUpdate"))
		says = firstText(update)
	case e.Method == "session/prompt":
		name, says = "prompt", blockText(member(e.Params, "prompt"))
	case e.Method == "session/request_permission":
		name, says = "asks", firstText(e.Params)
		if says == "" {
			says = firstText(member(e.Params, "toolCall"))
		}
	}
	if says == "" {
		return brief(name)
	}
	return brief(name) + ": " + strings.Join(strings.Fields(brief(says)), " ")
}

// firstText returns the text of the member that tells people most.
func firstText(object []byte) string {
	for _, name := range []string{"title", "content", "status", "state"} {
		value := member(object, name)
		if name == "content" {
			if text := blockText(value); text != "" {
				return text
			}
		} else if len(value) > 0 && value[0] == '"' {
			return asText(value)
		}
	}
	return ""
}

// blockText returns the text of a content block or of the first of several.
func blockText(content []byte) string {
	var c rawjson.Cursor
	c.Reset(content)
	if c.Kind() == '[' {
		if !c.Array() {
			return ""
		}
		content = c.Value()
	}
	return asText(member(content, "text"))
}
