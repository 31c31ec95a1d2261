package oldagent

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// elicit asks the client for what the agent wants to know from the user.
func (b *Bridge) elicit(m *jsonrpc.Message) {
	if m.Session != nil && b.unwanted(m, noElicitation) {
		return
	}
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	if !isElicitation(o) {
		b.refuseAgent(m.ID, invalidParams, "Invalid params: an elicitation that cannot be read")
		return
	}
	w := &words.Writer{}
	w.Text("{")
	for _, f := range o {
		switch string(f.Name) {
		case "sessionId": // it or requestId, version 2 does not read both
			if m.Session != nil {
				field(w, f)
			}
		case "requestId":
			if m.Session == nil {
				b.elicitFor(w, f)
			}
		case "requestedSchema":
			member(w, "requestedSchema")
			schemaToV2(w, f.Value)
		default:
			field(w, f)
		}
	}
	w.Text("}")
	b.noteLosses(m, w)
	if m.Session == nil {
		b.askClient(m, w.Out, request{answered: b.elicitationAnswered})
		return
	}
	b.pose(m, w.Out, noElicitation, b.elicitationAnswered)
}

// isElicitation reports whether params can be the params of an elicitation.
func isElicitation(params rawjson.Object) bool {
	_, hasMode := params.Text("mode")
	_, readable := params.Text("message")
	return hasMode && (readable || params.Get("message") == nil)
}

// elicitFor writes which request of the client an elicitation belongs to. It
// writes the id that the client knows.
func (b *Bridge) elicitFor(w *words.Writer, f rawjson.Field) {
	c := b.asked.Find(f.Value)
	if c == nil {
		field(w, f)
		return
	}
	member(w, "requestId")
	w.Out = append(w.Out, c.ID...)
}

// schemaToV2 writes the schema of a form. Version 2 wants its type and its
// properties, and no list of values that is empty.
func schemaToV2(w *words.Writer, schema []byte) {
	o, ok := rawjson.ReadObject(nil, schema)
	if !ok {
		w.Text(`{"type":"object","properties":{}}`)
		return
	}
	properties, _ := rawjson.ReadObject(nil, o.Get("properties"))
	shown := make(map[string]bool, len(properties))
	w.Text(`{"type":"object","properties":{`)
	for _, p := range properties {
		property, ok := propertyToV2(p.Value)
		if !ok {
			w.Lose(translate.LossQuestion, "one that leaves nothing to choose from was left out")
			continue
		}
		shown[string(p.Name)] = true
		comma(w)
		w.Out = append(w.Out, p.Text[:len(p.Text)-len(p.Value)]...)
		w.Out = append(w.Out, property...)
	}
	w.Text("}")
	for _, f := range o {
		switch string(f.Name) {
		case "type", "properties":
		case "required":
			if required := requiredToV2(f.Value, shown); required != nil {
				member(w, "required")
				w.Out = append(w.Out, required...)
			}
		default:
			field(w, f)
		}
	}
	w.Text("}")
}

// propertyToV2 returns a property of a form, or false if there is nothing to
// choose from.
func propertyToV2(value []byte) ([]byte, bool) {
	o, ok := rawjson.ReadObject(nil, value)
	if !ok {
		return nil, false
	}
	items, _ := rawjson.ReadObject(nil, o.Get("items"))
	if isEmptyList(items.Get("enum")) || isEmptyList(items.Get("anyOf")) {
		return nil, false
	}
	w := &words.Writer{}
	w.Text("{")
	for _, f := range o {
		if name := string(f.Name); name != "enum" && name != "oneOf" || !isEmptyList(f.Value) {
			field(w, f)
		}
	}
	w.Text("}")
	return w.Out, true
}

func isEmptyList(value []byte) bool {
	list, ok := rawjson.ReadArray(nil, value)
	return ok && len(list) == 0
}

// requiredToV2 returns the names of the required properties that are shown, nil
// if the value is not a list.
func requiredToV2(value []byte, shown map[string]bool) []byte {
	names, ok := rawjson.ReadArray(nil, value)
	if !ok {
		return nil
	}
	w := &words.Writer{}
	w.Text("[")
	for _, n := range names {
		if name, ok := rawjson.TextOf(n); ok && shown[string(name)] {
			comma(w)
			w.Out = append(w.Out, n...)
		}
	}
	return append(w.Out, ']')
}

// elicitationAnswered takes in the client's answer.
func (b *Bridge) elicitationAnswered(c *call, m *jsonrpc.Message) {
	if result := m.Result.Of(m.Text); result != nil && !m.Failed() {
		w := b.begin()
		respond(w, c.ID, "result")
		words.FormAnswer(w, result, formValue)
		w.Text("}")
		b.send(toAgent)
	} else {
		b.clientAnswer(c, m)
	}
	if q := c.Asked.question; q != nil {
		b.answered(q)
	}
}

// formValue writes a value of a form. One that version 1 does not know becomes
// text.
func formValue(w *words.Writer, value []byte) bool {
	switch value[0] {
	case 'n':
		return false
	case '[':
		if list, _ := rawjson.ReadArray(nil, value); !bytes.ContainsAny(firstBytes(list), `{[tfn-0123456789`) {
			return words.Same(w, value)
		}
	case '{':
	default:
		return words.Same(w, value)
	}
	w.Quoted(value)
	return true
}

// firstBytes returns the first byte of each of the values.
func firstBytes(values [][]byte) (bytes []byte) {
	for _, v := range values {
		bytes = append(bytes, v[0])
	}
	return bytes
}
