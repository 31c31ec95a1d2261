package oldclient

import (
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

var (
	formShape = versions.Shape{
		{Name: "type", Convert: versions.Word("object"), Default: `"object"`},
		{Name: "title", Convert: versions.StringOrNull},
		{Name: "description", Convert: versions.StringOrNull},
		{Name: "properties", Convert: versions.Values(propertyToV1)},
		{Name: "required", Convert: versions.OrNull(versions.Array(versions.String))},
		{Name: "_meta", Convert: versions.ObjectOrNull},
	}
	propertyShape = versions.Shape{{Name: "format", Convert: versions.Word("email", "uri", "date", "date-time")}}
)

// propertyToV1 writes a property of a form. Version 1 knows four formats of
// strings.
func propertyToV1(w *versions.Writer, value []byte) bool {
	if kind, _ := rawjson.TextOf(member(value, "type")); string(kind) != "string" {
		return versions.Object(w, value)
	}
	return propertyShape.Convert(w, value)
}

// createElicitation handles elicitation/create.
func (b *Bridge) createElicitation(m *jsonrpc.Message) {
	o, ok := rawjson.ReadObject(nil, paramsOf(m))
	_, hasMessage := o.Text("message")
	_, hasMode := o.Text("mode")
	if !ok || !hasMessage || !hasMode {
		b.failAgent(m.ID, invalidParams, "the params of an elicitation cannot be read")
		return
	}
	if id := o.Get("requestId"); id != nil {
		if c := b.toAgent.Find(id); c != nil {
			o = o.Set("requestId", c.ID)
		}
	}
	if schema := o.Get("requestedSchema"); schema != nil {
		b.w.Out = b.w.Out[:0]
		if !formShape.Convert(&b.w, schema) {
			b.failAgent(m.ID, invalidParams, "the requestedSchema of an elicitation cannot be read")
			return
		}
		o = o.Set("requestedSchema", b.w.Out)
	}
	if m.Session != nil {
		shown := b.shownIn(m.Session)
		b.flush(b.sessions.get(b, shown))
		o = o.Set("sessionId", rawjson.AppendQuoted(nil, shown))
	}
	b.askClient(m.ID, string(m.Method), appendObject(nil, o), ask{session: string(m.Session), form: true})
}
