package oldclient

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Forms are the same in both versions, except that version 2 has more formats of
// strings. A parser of version 1 refuses a whole form because of one member that
// it cannot read. So such members are left out here.

var (
	count   = words.OrNull(words.Natural)
	length  = words.OrNull(words.Natural32)
	number  = words.NumberOrNull
	integer = words.OrNull(words.Integer)
	texts   = words.OrNull(words.Array(words.String))
	label   = words.Shape{
		{Name: "const", Convert: words.String, Required: true},
		{Name: "title", Convert: words.String, Required: true},
		{Name: "description", Convert: words.StringOrNull},
	}
	labels = words.OrNull(words.Array(label.Convert))

	// properties are the shapes of a form's properties, by their type. Each has
	// the members of propertyShape too.
	properties = map[string]words.Shape{
		"string": property(
			words.Member{Name: "minLength", Convert: length}, words.Member{Name: "maxLength", Convert: length},
			words.Member{Name: "pattern", Convert: words.StringOrNull}, words.Member{Name: "default", Convert: words.StringOrNull},
			words.Member{Name: "format", Convert: words.OrNull(words.Word("email", "uri", "date", "date-time"))},
			words.Member{Name: "enum", Convert: texts}, words.Member{Name: "oneOf", Convert: labels},
		),
		"number":  property(words.Member{Name: "minimum", Convert: number}, words.Member{Name: "maximum", Convert: number}, words.Member{Name: "default", Convert: number}),
		"integer": property(words.Member{Name: "minimum", Convert: integer}, words.Member{Name: "maximum", Convert: integer}, words.Member{Name: "default", Convert: integer}),
		"boolean": property(words.Member{Name: "default", Convert: words.OrNull(words.Boolean)}),
		"array": property(
			words.Member{Name: "minItems", Convert: count}, words.Member{Name: "maxItems", Convert: count},
			words.Member{Name: "items", Convert: choicesToV1, Required: true}, words.Member{Name: "default", Convert: texts},
		),
	}
	choices          = words.Shape{{Name: "enum", Convert: words.Array(words.String), Required: true}, {Name: "anyOf", Convert: words.Array(label.Convert)}}
	namedChoices     = words.Shape{{Name: "type", Convert: words.String}, {Name: "enum", Convert: words.Array(words.String)}, {Name: "anyOf", Convert: words.Array(label.Convert), Required: true}}
	elicitationShape = words.Shape{
		{Name: "mode", Convert: words.String, Required: true},
		{Name: "message", Convert: words.String, Required: true},
		{Name: "sessionId", Convert: words.String},
		{Name: "toolCallId", Convert: words.StringOrNull},
	}
	formMode = append(elicitationShape[:len(elicitationShape):len(elicitationShape)], words.Member{Name: "requestedSchema", Convert: formToV1, Required: true})
	urlMode  = append(elicitationShape[:len(elicitationShape):len(elicitationShape)],
		words.Member{Name: "elicitationId", Convert: words.String, Required: true}, words.Member{Name: "url", Convert: words.URI, Required: true})
)

func property(own ...words.Member) words.Shape {
	return append(words.Shape{
		{Name: "title", Convert: words.StringOrNull},
		{Name: "description", Convert: words.StringOrNull},
	}, own...)
}

// formToV1 writes a form. A property that version 1 cannot read is left out, and is
// not required then.
func formToV1(w *words.Writer, value []byte) bool {
	form, _ := rawjson.ReadObject(nil, value)
	fields, _ := rawjson.ReadObject(nil, form.Get("properties"))
	asked := make(map[string]bool, len(fields))
	for _, f := range fields {
		var scratch words.Writer
		if asked[string(f.Name)] = propertyToV1(&scratch, f.Value); !asked[string(f.Name)] {
			w.Lose(translate.LossQuestion, "one that cannot be read was left out")
		}
	}
	isAsked := func(w *words.Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		return ok && asked[string(name)] && words.Same(w, value)
	}
	shape := words.Shape{
		{Name: "type", Convert: words.Word("object"), Default: `"object"`},
		{Name: "title", Convert: words.StringOrNull},
		{Name: "description", Convert: words.StringOrNull},
		{Name: "properties", Convert: words.Values(propertyToV1)},
		{Name: "required", Convert: words.OrNull(words.Array(isAsked))},
	}
	return shape.Convert(w, value)
}

// choicesToV1 writes what a list of choices can have. Its strings have names, or
// say that they are strings; a type that nobody knows passes.
func choicesToV1(w *words.Writer, value []byte) bool {
	kind, ok := rawjson.TextOf(member(value, "type"))
	switch {
	case ok && string(kind) != "string":
		return words.Object(w, value)
	case ok && choices.Convert(w, value):
		return true
	}
	return namedChoices.Convert(w, value)
}

// propertyToV1 writes a property of a form.
func propertyToV1(w *words.Writer, value []byte) bool {
	kind, ok := rawjson.TextOf(member(value, "type"))
	if shape := properties[string(kind)]; shape != nil {
		return shape.Convert(w, value)
	}
	return ok && words.Object(w, value)
}

// elicitation says that a request of the agent is one, see questions.go.
type elicitation struct{}

// createElicitation handles elicitation/create. It belongs to a session or to a
// request of the client, whose id is the bridge's towards the agent.
func (b *Bridge) createElicitation(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	id := o.Get("requestId")
	if c := b.link.Find(translate.Agent, id); c != nil {
		o = o.Set("requestId", c.ID)
	}
	if m.Session != nil {
		shown := b.subagents.shownIn(m.Session)
		if call, ok := o.Text("toolCallId"); ok {
			o = o.Set("toolCallId", rawjson.AppendQuoted(nil, b.subagents.callID(m.Session, call)))
		}
		b.sessions.get(shown).tools.flush()
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
	var w words.Writer
	readable := (m.Session != nil || isID(id)) && shape.ConvertObject(&w, o)
	b.link.LoseAll(w.Losses)
	if !readable {
		b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.InvalidParams, Message: "the params of an elicitation cannot be read"})
		return
	}
	b.link.Ask(translate.Client, m, "", w.Out, link.Request{Of: elicitation{}, Answered: b.elicitationAnswered})
}

// elicitationAnswered handles the client's answer.
func (b *Bridge) elicitationAnswered(c *link.Call, m *jsonrpc.Message) {
	if refusedByClient(&b.link, c, m) {
		return
	}
	words.FormAnswer(b.link.AnswerWith(c.ID), link.ResultOf(m), words.Same)
	b.link.SendObject(translate.Agent)
}

// isID reports whether a raw value can be an id.
func isID(raw []byte) bool {
	var w words.Writer
	return len(raw) > 0 && (words.StringOrNull(&w, raw) || words.Integer(&w, raw))
}
