package oldagent

import (
	"bytes"
	"unicode"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// commands passes the list of commands on. In version 2 a command and its input
// say what type they are, and names are words of their own.
func (b *Bridge) commands(u *update) {
	elements, _ := rawjson.ReadArray(nil, u.fields.Get("availableCommands"))
	w := b.beginSame(u)
	w.Text("{")
	for _, f := range u.fields {
		if string(f.Name) != "availableCommands" {
			field(w, f)
		}
	}
	w.Text(`,"availableCommands":[`)
	names := make(map[string]bool, len(elements))
	for _, e := range elements {
		var buf [8]rawjson.Field
		o, _ := rawjson.ReadObject(buf[:0], e)
		name, hasName := o.Text("name")
		_, hasDescription := o.Text("description")
		if !hasName || !hasDescription || names[string(name)] || bytes.ContainsFunc(name, unicode.IsSpace) {
			w.Lose(translate.LossCommand, "one was left out: its name or description is missing, the name has a blank, or another command has it")
			continue
		}
		names[string(name)] = true
		command(w, o)
	}
	w.Text("]}")
	b.sendSame(u)
}

func command(w *words.Writer, o rawjson.Object) {
	comma(w)
	w.Text(`{"type":"command"`)
	for _, f := range o {
		switch string(f.Name) {
		case "type":
		case "input":
			commandInput(w, f.Value)
		default:
			field(w, f)
		}
	}
	w.Text("}")
}

func commandInput(w *words.Writer, input []byte) {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], input)
	if _, ok := o.Text("hint"); !ok {
		return
	}
	w.Text(`,"input":{"type":"text"`)
	for _, f := range o {
		if string(f.Name) != "type" {
			field(w, f)
		}
	}
	w.Text("}")
}
