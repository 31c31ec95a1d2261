package translate

import (
	"slices"
	"strings"
	"unicode"

	"acp-plan-proxy/transport/jsonrpc"
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

// OneLine returns a text on one line, truncated to a number of characters.
func OneLine(text string, most int) string {
	isGap := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return Truncate(strings.Join(strings.FieldsFunc(text, isGap), " "), most)
}

// Truncate limits a text to a number of characters, the last of them an ellipsis if the text is
// longer. It does not read the rest of a long text.
func Truncate(text string, most int) string {
	count, end := 0, 0
	for i := range text {
		if count++; count == most {
			end = i
		} else if count > most {
			return text[:end] + "…"
		}
	}
	return text
}

// ContentTexts returns the texts in the content of a tool call.
func ContentTexts(content []byte) (texts []string) {
	for o := range rawjson.Objects(content, nil) {
		if text, ok := rawjson.TextOf(rawjson.Get(o.Get("content"), "text")); ok {
			texts = append(texts, string(text))
		}
	}
	return texts
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

// ProposedPlan is the id of a plan whose text the agent has sent only to be approved.
const ProposedPlan = "plan-to-approve"

// WriteText writes a text as an item of a tool call's content.
func WriteText[S []byte | string](b *rawjson.Builder, text S) {
	b.JSON(`{"type":"content","content":{"type":"text","text":`)
	b.Out = append(rawjson.AppendQuoted(b.Out, text), "}}"...)
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

// RequestID returns the raw params.requestId, the id of the request to which a $/cancel_request or a
// form refers, or nil.
func RequestID(m *jsonrpc.Message) []byte { return rawjson.Get(m.Params.Of(m.Text), "requestId") }

// Answer returns the response to the request with a raw id. member is "result" or "error",
// value its raw value.
func Answer(id []byte, member string, value []byte) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"`+member+`":`), value, []byte("}"))
}
