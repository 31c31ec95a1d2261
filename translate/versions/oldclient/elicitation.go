package oldclient

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Forms are the same in both versions, except that version 2 has more formats of
// strings. A parser of version 1 refuses a whole form because of one member that
// it cannot read. So such members are left out here.

var (
	count   = versions.OrNull(versions.Natural)
	length  = versions.OrNull(versions.Natural32)
	number  = versions.NumberOrNull
	integer = versions.OrNull(versions.Integer)
	texts   = versions.OrNull(versions.Array(versions.String))
	label   = versions.Shape{
		{Name: "const", Convert: versions.String, Required: true},
		{Name: "title", Convert: versions.String, Required: true},
		{Name: "description", Convert: versions.StringOrNull},
	}
	labels = versions.OrNull(versions.Array(label.Convert))

	// properties are the shapes of a form's properties, by their type. Each has
	// the members of propertyShape too.
	properties = map[string]versions.Shape{
		"string": property(
			versions.Member{Name: "minLength", Convert: length}, versions.Member{Name: "maxLength", Convert: length},
			versions.Member{Name: "pattern", Convert: versions.StringOrNull}, versions.Member{Name: "default", Convert: versions.StringOrNull},
			versions.Member{Name: "format", Convert: versions.OrNull(versions.Word("email", "uri", "date", "date-time"))},
			versions.Member{Name: "enum", Convert: texts}, versions.Member{Name: "oneOf", Convert: labels},
		),
		"number":  property(versions.Member{Name: "minimum", Convert: number}, versions.Member{Name: "maximum", Convert: number}, versions.Member{Name: "default", Convert: number}),
		"integer": property(versions.Member{Name: "minimum", Convert: integer}, versions.Member{Name: "maximum", Convert: integer}, versions.Member{Name: "default", Convert: integer}),
		"boolean": property(versions.Member{Name: "default", Convert: versions.OrNull(versions.Boolean)}),
		"array": property(
			versions.Member{Name: "minItems", Convert: count}, versions.Member{Name: "maxItems", Convert: count},
			versions.Member{Name: "items", Convert: choicesToV1, Required: true}, versions.Member{Name: "default", Convert: texts},
		),
	}
	choices          = versions.Shape{{Name: "enum", Convert: versions.Array(versions.String), Required: true}, {Name: "anyOf", Convert: versions.Array(label.Convert)}}
	namedChoices     = versions.Shape{{Name: "type", Convert: versions.String}, {Name: "enum", Convert: versions.Array(versions.String)}, {Name: "anyOf", Convert: versions.Array(label.Convert), Required: true}}
	elicitationShape = versions.Shape{
		{Name: "mode", Convert: versions.String, Required: true},
		{Name: "message", Convert: versions.String, Required: true},
		{Name: "sessionId", Convert: versions.String},
		{Name: "toolCallId", Convert: versions.StringOrNull},
	}
	formMode = append(elicitationShape[:len(elicitationShape):len(elicitationShape)], versions.Member{Name: "requestedSchema", Convert: formToV1, Required: true})
	urlMode  = append(elicitationShape[:len(elicitationShape):len(elicitationShape)],
		versions.Member{Name: "elicitationId", Convert: versions.String, Required: true}, versions.Member{Name: "url", Convert: versions.URI, Required: true})
)

func property(own ...versions.Member) versions.Shape {
	return append(versions.Shape{
		{Name: "title", Convert: versions.StringOrNull},
		{Name: "description", Convert: versions.StringOrNull},
	}, own...)
}

// formToV1 writes a form. A property that version 1 cannot read is left out, and is
// not required then.
func formToV1(w *versions.Writer, value []byte) bool {
	form, _ := rawjson.ReadObject(nil, value)
	fields, _ := rawjson.ReadObject(nil, form.Get("properties"))
	asked := make(map[string]bool, len(fields))
	for _, f := range fields {
		var scratch versions.Writer
		if asked[string(f.Name)] = propertyToV1(&scratch, f.Value); !asked[string(f.Name)] {
			w.Lose(translate.LossQuestion, "one that cannot be read was left out")
		}
	}
	isAsked := func(w *versions.Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		return ok && asked[string(name)] && versions.Same(w, value)
	}
	shape := versions.Shape{
		{Name: "type", Convert: versions.Word("object"), Default: `"object"`},
		{Name: "title", Convert: versions.StringOrNull},
		{Name: "description", Convert: versions.StringOrNull},
		{Name: "properties", Convert: versions.Values(propertyToV1)},
		{Name: "required", Convert: versions.OrNull(versions.Array(isAsked))},
	}
	return shape.Convert(w, value)
}

// choicesToV1 writes what a list of choices can have. Its strings have names, or
// say that they are strings; a type that nobody knows passes.
func choicesToV1(w *versions.Writer, value []byte) bool {
	kind, ok := rawjson.TextOf(member(value, "type"))
	switch {
	case ok && string(kind) != "string":
		return versions.Object(w, value)
	case ok && choices.Convert(w, value):
		return true
	}
	return namedChoices.Convert(w, value)
}

// propertyToV1 writes a property of a form.
func propertyToV1(w *versions.Writer, value []byte) bool {
	kind, ok := rawjson.TextOf(member(value, "type"))
	if shape := properties[string(kind)]; shape != nil {
		return shape.Convert(w, value)
	}
	return ok && versions.Object(w, value)
}

// createElicitation handles elicitation/create. It belongs to a session or to a
// request of the client, whose id is the bridge's towards the agent.
func (b *Bridge) createElicitation(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, paramsOf(m))
	id := o.Get("requestId")
	if c := b.toAgent.Find(id); c != nil {
		o = o.Set("requestId", c.ID)
	}
	if m.Session != nil {
		shown := b.shownIn(m.Session)
		if call, ok := o.Text("toolCallId"); ok && b.childOf(m.Session) != nil {
			o = o.Set("toolCallId", rawjson.AppendQuoted(nil, b.prefixed(o, call)))
		}
		b.flush(b.sessions.get(b, shown))
		o = o.Set("sessionId", rawjson.AppendQuoted(nil, shown))
	}
	mode, _ := o.Text("mode")
	shape := elicitationShape
	switch string(mode) {
	case "form":
		shape = formMode
	case "url":
		shape = urlMode
	}
	b.w.Out = b.w.Out[:0]
	if m.Session == nil && !isID(id) || !shape.ConvertObject(&b.w, o) {
		b.failAgent(m.ID, invalidParams, "the params of an elicitation cannot be read")
		return
	}
	b.askClient(m.ID, string(m.Method), b.w.Out, ask{session: string(m.Session), form: true})
}

// isID reports whether a raw value can be an id.
func isID(raw []byte) bool {
	var w versions.Writer
	return len(raw) > 0 && (versions.StringOrNull(&w, raw) || versions.Integer(&w, raw))
}
