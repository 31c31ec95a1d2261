package v1agent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Version 1 has three ways to offer a choice: options, modes and, in older
// agents, models. Version 2 has only options: the list that the client is shown
// has the agent's options. It also has the agent's modes and models, unless
// they are among the options.

// options are what can be chosen in a session. Each option is as the client is shown it.
type options struct {
	offered bool                 // the agent has sent a list, perhaps an empty one
	own     [][]byte             // of that list
	made    [len(choices)][]byte // what the agent's modes and models become; nil if it has none
	changes int                  // how often the agent has sent a list by itself
	kept    int                  // bytes of all of this
}

// member returns what a member of an option says, "" if that is no string.
func member(option []byte, name string) string {
	text, _ := rawjson.TextOf(rawjson.Get(option, name))
	return string(text)
}

// with returns an option in which a member says something else.
func with(option []byte, name, text string) []byte {
	o := rawjson.Members(option)
	return shapes.Text(o.Set(name, rawjson.AppendQuoted(nil, text)))
}

// find returns where an option with that id is in a list, -1 if there is none.
func find(list [][]byte, id string) int {
	return slices.IndexFunc(list, func(option []byte) bool { return member(option, "configId") == id })
}

// any reports whether there is anything to choose, or a list without anything.
func (o *options) any() bool {
	return o.offered || slices.ContainsFunc(o.made[:], func(option []byte) bool { return option != nil })
}

// readList replaces the agent's own options. The list is copied.
func (s *session) readList(list []byte) {
	o := &s.options
	o.own = nil
	elements, ok := rawjson.ReadArray(nil, list)
	o.offered = ok
	for _, e := range elements {
		option := rawjson.Members(e)
		var w shapes.Writer
		if shapes.OptionToV2(&w, option) && find(o.own, option.String("id")) < 0 {
			o.own = append(o.own, w.Out)
		} else {
			s.lose(translate.LossUnreadableOption, "one without a name, an id of its own or values, or of an unknown type, was left out")
		}
	}
}

// shown returns the list that the client is shown, and for those behind the agent's own which
// of its choices they are. These have ids that the agent's options do not have.
func (o *options) shown() (list [][]byte, made []int) {
	list = slices.Clone(o.own)
	for i, option := range o.made {
		if option == nil || o.same(i) != nil {
			continue
		}
		id := choices[i].category
		for find(o.own, id) >= 0 {
			id = "_" + id
		}
		list, made = append(list, with(option, "configId", id)), append(made, i)
	}
	return list, made
}

// write writes the list that the client is shown.
func (o *options) write(w *shapes.Writer) {
	list, _ := o.shown()
	w.Array()
	for _, option := range list {
		w.Raw(option)
	}
	w.EndArray()
}

// writeIn writes an object with the list, as its last member, in place of its own.
func (o *options) writeIn(w *shapes.Writer, object rawjson.Object) {
	w.Object()
	w.Others(object, "configOptions")
	w.Name("configOptions")
	o.write(w)
	w.EndObject()
}

// size is what options count.
func (o *options) size() (n int) {
	for _, option := range o.own {
		n += 128 + len(option)
	}
	for _, option := range o.made {
		n += len(option)
	}
	return n
}

// takeOptions replaces the options of a session by what a result offers. It reports
// whether it offers anything.
func (s *session) takeOptions(result rawjson.Object) bool {
	list, modes, models := result.Get("configOptions"), result.Get("modes"), result.Get("models")
	if rawjson.Null(list) && rawjson.Null(modes) && rawjson.Null(models) {
		return false
	}
	s.readList(list)
	for i, value := range [...][]byte{modes, models} {
		s.options.made[i] = s.readChoice(value, &choices[i])
	}
	s.keepOptions()
	return true
}

// keepOptions counts the options of a session again, after any change. Without room
// for them, the session has none.
func (s *session) keepOptions() {
	o := &s.options
	s.kept.Free(o.kept)
	if o.kept = o.size(); !s.kept.Fix(o.kept) {
		*o = options{offered: true, changes: o.changes}
	}
}

// tellOptions sends the client the whole list.
func (s *session) tellOptions() {
	w := s.beginUpdate("config_option_update")
	w.Name("configOptions")
	s.options.write(w)
	s.link.SendUpdate()
}

// optionsUpdate handles config_option_update.
func (s *session) optionsUpdate(u *calls.Update) {
	s.readList(u.Members.Get("configOptions"))
	s.keepOptions()
	s.options.changes++
	s.options.writeIn(s.rewrite(u), u.Members)
	s.link.SendRewritten(u)
}

var (
	noSuchOption = invalid("no such option")
	noSuchValue  = invalid("no value that the option can have")
)

// setOption handles session/set_config_option. The agent decides about an option of
// a session whose options it has not told, and which of its own values an option
// can have.
func (b *Bridge) setOption(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	id, hasID := o.Text("configId")
	text, isText := rawjson.TextOf(o.Get("value"))
	kind, value := o.String("type"), string(o.Get("value"))
	isBoolean := value == "true" || value == "false"
	if !hasID || !(kind == "id" && isText || kind == "boolean" && isBoolean) {
		b.refuse(m, noSuchValue)
		return
	}
	if s := b.sessions.find(m.Session); s != nil && s.options.any() {
		list, made := s.options.shown()
		i := find(list, string(id))
		behind := i - len(s.options.own) // those of the agent itself
		switch {
		case i < 0:
			b.refuse(m, noSuchOption)
			return
		case behind >= 0 && isText && has(list[i], string(text)):
			b.setChoice(m, s, made[behind], string(text))
			return
		case behind >= 0 || (member(list[i], "type") == "boolean") != isBoolean:
			b.refuse(m, noSuchValue)
			return
		}
	}
	if isText { // in version 1 only a boolean has a type
		o = without(o, "type")
	}
	s := b.sessions.reopen(m.Session)
	changes := s.options.changes
	b.ask(m, "", shapes.Text(o), b.resultTo(func(id []byte, result rawjson.Object) { b.optionSet(id, result, s, changes) }))
}

// optionSet handles the agent's result of session/set_config_option. Version 2
// wants an update too, also of a change that the client asked for.
func (b *Bridge) optionSet(id []byte, result rawjson.Object, s *session, changes int) {
	if list := result.Get("configOptions"); !rawjson.Null(list) {
		s.readList(list)
		s.keepOptions()
	}
	if s.options.changes == changes && !s.forgotten {
		s.tellOptions()
	}
	b.answerSet(id, s, result)
}

// answerSet answers a request that has set an option.
func (b *Bridge) answerSet(id []byte, s *session, result rawjson.Object) {
	s.options.writeIn(b.link.AnswerWith(id), result)
	b.link.SendObject(translate.Client)
}
