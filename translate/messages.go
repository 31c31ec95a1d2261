package translate

import (
	"slices"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Update returns a session/update notification. write adds the members of the update other
// than its kind.
func Update(session, kind string, write func(*rawjson.Builder)) []byte {
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
	b.Texts("sessionId", session)
	b.Name("update")
	b.Object()
	b.Texts("sessionUpdate", kind)
	write(&b)
	for range 3 {
		b.EndObject()
	}
	return b.Out
}

// TextMessage returns a chat message of the agent. Clients join a message to those around it, so
// empty lines separate it. id is the id of the message in version 2, "" in version 1.
func TextMessage(session, id, text string) []byte {
	return Update(session, "agent_message_chunk", func(b *rawjson.Builder) {
		if id != "" {
			b.Texts("messageId", id)
		}
		b.Name("content")
		b.JSON(`{"type":"text"`)
		b.Texts("text", "\n\n"+strings.Trim(text, "\n")+"\n\n")
		b.EndObject()
	})
}

// MarkdownPlan returns a plan_update of a markdown text.
func MarkdownPlan(session, id, text string) []byte {
	return Update(session, PlanUpdate, func(b *rawjson.Builder) {
		b.Name("plan")
		b.JSON(`{"type":"markdown"`)
		b.Texts("planId", id, "content", text)
		b.EndObject()
	})
}

// RemovedPlan returns a plan_removed.
func RemovedPlan(session, id string) []byte {
	return Update(session, PlanRemoved, func(b *rawjson.Builder) { b.Texts("planId", id) })
}

// Answer returns the response to the request with a raw id. member is "result" or "error",
// value its raw value.
func Answer(id []byte, member string, value []byte) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"`+member+`":`), value, []byte("}"))
}
