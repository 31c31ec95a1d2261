package oldagent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Version 1 has three ways to offer a choice: options, modes and, in older
// agents, models. Version 2 has only options: the list that the client is shown
// has the agent's options. It also has the agent's modes and models, unless
// they are among the options.

// An option is one entry of the list of options that the client is shown.
type option struct {
	id       string
	category string
	boolean  bool   // otherwise it is a select
	value    string // what a select is set to
	// text is the whole option, with the value at text[start:end].
	text       []byte
	start, end int
}

// set changes the value of a select.
func (o *option) set(value string) {
	text := bytes.Clone(o.text[:o.start])
	text = rawjson.AppendQuoted(text, value)
	end := len(text)
	o.text = append(text, o.text[o.end:]...)
	o.end, o.value = end, value
}

// sessionOptions are what can be chosen in a session.
type sessionOptions struct {
	offered bool     // the agent has sent a list, perhaps an empty one
	real    []option // as the agent has them
	modes   choice
	models  choice
	changes int // how often the agent has sent a list by itself
	kept    int // how large all of this is, as Bridge.keep counts it
}

func (o *sessionOptions) any() bool {
	return o.offered || o.modes.options != nil || o.models.options != nil
}

// find returns the option of the agent with that id, or nil.
func (o *sessionOptions) find(id string) *option {
	i := slices.IndexFunc(o.real, func(r option) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	return &o.real[i]
}

// append writes the list that the client is shown.
func (o *sessionOptions) append(w *words.Writer) {
	w.Text("[")
	for i := range o.real {
		comma(w)
		w.Out = append(w.Out, o.real[i].text...)
	}
	for _, c := range o.made() {
		comma(w)
		w.Text(`{"configId":`)
		w.Quoted([]byte(o.idOf(c)))
		w.Text(`,"name":"` + c.name + `","category":"` + c.category + `","type":"select","currentValue":`)
		w.Quoted([]byte(c.current))
		w.Text(`,"options":[`)
		w.Out = append(w.Out, c.options...)
		w.Text("]}")
	}
	w.Text("]")
}

// takeOptions takes in what a result offers. It reports whether it offers
// anything.
func (b *Bridge) takeOptions(s *session, result rawjson.Object) bool {
	options, modes, models := result.Get("configOptions"), result.Get("modes"), result.Get("models")
	if rawjson.Null(options) && rawjson.Null(modes) && rawjson.Null(models) {
		return false
	}
	s.options = sessionOptions{changes: s.options.changes, kept: s.options.kept}
	b.takeList(s, options)
	s.options.modes = b.readChoice(s, modes, choice{
		name: "Mode", category: "mode", method: "session/set_mode", param: "modeId",
	}, "currentModeId", "availableModes", "id")
	s.options.models = b.readChoice(s, models, choice{
		name: "Model", category: "model", method: "session/set_model", param: "modelId",
	}, "currentModelId", "availableModels", "modelId")
	b.keepOptions(s)
	return true
}

// keepOptions counts the options of a session again, after any change. If they are
// too many, the session has none.
func (b *Bridge) keepOptions(s *session) {
	o := &s.options
	b.unkeep(s, o.kept)
	if o.kept = o.size(); !b.keep(s, o.kept) {
		b.lose([]byte(s.id), translate.LossTooManyOptions, "the options of a session were left out")
		*o = sessionOptions{offered: true, changes: o.changes}
	}
}

// size is what options count, as Bridge.keep counts it.
func (o *sessionOptions) size() (n int) {
	for i := range o.real {
		r := &o.real[i]
		n += 2*entrySize + len(r.id) + len(r.category) + len(r.value) + len(r.text)
	}
	for _, c := range []*choice{&o.modes, &o.models} {
		n += len(c.current) + len(c.options)
		for _, value := range c.values {
			n += entrySize + len(value)
		}
	}
	return n
}

// takeList takes in a complete list of options. It is copied.
func (b *Bridge) takeList(s *session, list []byte) {
	s.options.real = nil
	elements, ok := rawjson.ReadArray(nil, list)
	s.options.offered = ok
	if len(list) > MaxOptions {
		b.lose([]byte(s.id), translate.LossTooManyOptions, "the options of a session were left out")
		return
	}
	for _, e := range elements {
		if o, ok := b.readOption(s, e); ok {
			s.options.real = append(s.options.real, o)
		}
	}
}

// readOption reads an option of version 1. Version 2 has no select without
// values.
func (b *Bridge) readOption(s *session, value []byte) (option, bool) {
	o, _ := rawjson.ReadObject(nil, value)
	id, hasID := o.Text("id")
	kind, _ := o.Text("type")
	_, hasName := o.Text("name")
	current := o.Get("currentValue")
	r := option{id: string(id), boolean: string(kind) == "boolean"}
	if category, ok := o.Text("category"); ok {
		r.category = string(category)
	}
	chosen, isText := rawjson.TextOf(current)
	w := &words.Writer{}
	switch {
	case !hasID || !hasName || s.options.find(r.id) != nil:
		b.lose([]byte(s.id), translate.LossUnreadableOption, "one without a name or an id of its own was left out")
		return r, false
	case r.boolean && len(current) > 0 && (current[0] == 't' || current[0] == 'f'):
	case string(kind) == "select" && isText && optionValues(w, o.Get("options")):
		r.value = string(chosen)
	default:
		b.lose([]byte(s.id), translate.LossUnreadableOption, "one without values, or of an unknown type, was left out")
		return r, false
	}
	values := w.Out
	w.Out = nil
	w.Text("{")
	for _, f := range o {
		switch name := string(f.Name); {
		case name == "id":
			member(w, "configId")
			w.Out = append(w.Out, f.Value...)
		case name == "options" && !r.boolean:
			member(w, "options")
			w.Out = append(w.Out, values...)
		case name == "currentValue":
			member(w, name)
			r.start = len(w.Out)
			w.Out = append(w.Out, f.Value...)
			r.end = len(w.Out)
		default:
			field(w, f)
		}
	}
	w.Text("}")
	r.text = w.Out
	return r, true
}

// optionValues writes the values of a select, flat or in groups. It reports
// false if there are none.
func optionValues(w *words.Writer, list []byte) bool {
	elements, _ := rawjson.ReadArray(nil, list)
	w.Text("[")
	start := len(w.Out)
	grouped := false
	for i, e := range elements {
		before := len(w.Out)
		o, _ := rawjson.ReadObject(nil, e)
		_, isGroup := o.Text("group")
		if i == 0 {
			grouped = isGroup
		}
		comma(w)
		if isGroup != grouped || isGroup && !optionGroup(w, o) || !isGroup && !optionValue(w, o) {
			w.Out = w.Out[:before]
		}
	}
	w.Text("]")
	return len(w.Out) > start+1
}

func optionGroup(w *words.Writer, o rawjson.Object) bool {
	var values words.Writer
	if _, ok := o.Text("name"); !ok || !optionValues(&values, o.Get("options")) {
		return false
	}
	w.Text("{")
	for _, f := range o {
		switch string(f.Name) {
		case "group":
			member(w, "groupId")
			w.Out = append(w.Out, f.Value...)
		case "options":
			member(w, "options")
			w.Out = append(w.Out, values.Out...)
		default:
			field(w, f)
		}
	}
	w.Text("}")
	return true
}

func optionValue(w *words.Writer, o rawjson.Object) bool {
	_, hasValue := o.Text("value")
	_, hasName := o.Text("name")
	if !hasValue || !hasName {
		return false
	}
	w.Text("{")
	for _, f := range o {
		field(w, f)
	}
	w.Text("}")
	return true
}

// tellOptions sends the client the whole list.
func (b *Bridge) tellOptions(s *session) {
	w := b.beginUpdate(s, "config_option_update")
	member(w, "configOptions")
	s.options.append(w)
	b.sendUpdate(w)
}

// optionsChanged takes in a list of the agent.
func (b *Bridge) optionsChanged(u *update) {
	s := u.session
	b.takeList(s, u.fields.Get("configOptions"))
	b.keepOptions(s)
	s.options.changes++
	w := b.beginSame(u)
	w.Text("{")
	for _, f := range u.fields {
		if string(f.Name) != "configOptions" {
			field(w, f)
		}
	}
	member(w, "configOptions")
	s.options.append(w)
	w.Text("}")
	b.sendSame(u)
}

const (
	noSuchOption = "Invalid params: no such option"
	noSuchValue  = "Invalid params: no value that the option can have"
)

// setOption sets an option. The agent decides about an option of a session whose
// options it has not told, and which of its own values an option can have.
func (b *Bridge) setOption(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	id, hasID := o.Text("configId")
	kind, _ := o.Text("type")
	value := o.Get("value")
	text, isText := rawjson.TextOf(value)
	isBoolean := len(value) > 0 && (value[0] == 't' || value[0] == 'f')
	if !hasID || string(kind) == "id" && !isText || string(kind) == "boolean" && !isBoolean ||
		string(kind) != "id" && string(kind) != "boolean" {
		b.refuse(m.ID, invalidParams, noSuchValue, nil)
		return
	}
	if s := b.sessions[string(m.Session)]; s != nil && s.options.any() {
		for _, c := range s.options.made() {
			if s.options.idOf(c) == string(id) {
				b.setChoice(m, s, c, string(text), isText)
				return
			}
		}
		switch r := s.options.find(string(id)); {
		case r == nil:
			b.refuse(m.ID, invalidParams, noSuchOption, nil)
			return
		case r.boolean != isBoolean:
			b.refuse(m.ID, invalidParams, noSuchValue, nil)
			return
		}
	}
	s := b.reopen(m.Session)
	changes := s.options.changes
	b.ask(m, "", optionParams(o, isBoolean), func(c *call, m *jsonrpc.Message) { b.optionSet(c, m, s, changes) })
}

// optionParams returns the params that set an option in version 1: only a
// boolean has a type.
func optionParams(o rawjson.Object, isBoolean bool) []byte {
	w := &words.Writer{}
	w.Text("{")
	for _, f := range o {
		if string(f.Name) != "type" || isBoolean {
			field(w, f)
		}
	}
	w.Text("}")
	return w.Out
}

// optionSet takes in the agent's answer to session/set_config_option. Version 2
// wants an update too, also of a change that the client asked for.
func (b *Bridge) optionSet(c *call, m *jsonrpc.Message, s *session, changes int) {
	if m.Failed() || !m.Result.Present() {
		b.answerError(c, m)
		return
	}
	o, _ := rawjson.ReadObject(nil, m.Result.Of(m.Text))
	if list := o.Get("configOptions"); !rawjson.Null(list) {
		b.takeList(s, list)
		b.keepOptions(s)
	}
	if s.options.changes == changes && !s.dropped {
		b.tellOptions(s)
	}
	b.replyOptions(c.ID, s, o)
}

func (b *Bridge) replyOptions(id []byte, s *session, result rawjson.Object) {
	w := b.begin()
	respond(w, id, "result")
	w.Text("{")
	for _, f := range result {
		if string(f.Name) != "configOptions" {
			field(w, f)
		}
	}
	member(w, "configOptions")
	s.options.append(w)
	w.Text("}}")
	b.send(toClient)
}
