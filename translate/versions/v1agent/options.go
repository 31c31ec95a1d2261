package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Version 1 has three ways to offer a choice: options, modes and, in older
// agents, models. Version 2 has only options: the list that the client is shown
// has the agent's options. It also has the agent's modes and models, unless
// they are among the options.

// options are what can be chosen in a session. Losses are those of the session
// whose id is given.
type options struct {
	offered bool     // the agent has sent a list, perhaps an empty one
	own     []option // as the client is shown them
	modes   *option  // as one is shown, nil if there are none
	models  *option
	changes int // how often the agent has sent a list by itself
	kept    int // bytes of all of this
}

// An option is an option of the agent, or one that is made of its modes or models.
type option struct {
	names    *choiceNames // nil if it is the agent's
	id       string
	category string
	boolean  bool   // otherwise it is a select
	value    string // what a select is set to
	text     []byte // the whole option
}

// readOption reads an option of version 1.
func readOption(o rawjson.Object) (option, bool) {
	var w words.Writer
	if !words.OptionToV2(&w, o) {
		return option{}, false
	}
	id, _ := o.Text("id")
	kind, _ := o.Text("type")
	category, _ := o.Text("category")
	value, _ := o.Text("currentValue")
	return option{id: string(id), category: string(category), boolean: string(kind) == "boolean", value: string(value), text: w.Out}, true
}

// has reports whether a value is among those of a select without groups.
func (r *option) has(value string) bool {
	for v := range rawjson.Objects(rawjson.Get(r.text, "options"), nil) {
		if id, _ := v.Text("value"); string(id) == value {
			return true
		}
	}
	return false
}

// set changes the value of a select. A mode or model is added if it is not among them.
func (r *option) set(value string) {
	o, _ := rawjson.ReadObject(nil, r.text)
	if r.names != nil && !r.has(value) {
		list := o.Get("options")
		b := rawjson.Builder{Out: bytes.Clone(list[:len(list)-1])}
		words.ModeToV2(&b, []byte(value), nil)
		b.EndArray()
		o = o.Set("options", b.Out)
	}
	r.text, r.value = words.Text(o.Set("currentValue", rawjson.AppendQuoted(nil, value))), value
}

// any reports whether there is anything to choose, or a list without anything.
func (o *options) any() bool {
	return o.offered || o.modes != nil || o.models != nil
}

// find returns the option of the agent with that id, or nil.
func (o *options) find(id string) *option {
	i := slices.IndexFunc(o.own, func(r option) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	return &o.own[i]
}

// read replaces the options by what a result offers. It reports whether it offers
// anything.
func (o *options) read(l *link.Link, session string, result rawjson.Object) bool {
	list, modes, models := result.Get("configOptions"), result.Get("modes"), result.Get("models")
	if rawjson.Null(list) && rawjson.Null(modes) && rawjson.Null(models) {
		return false
	}
	*o = options{changes: o.changes, kept: o.kept}
	o.readList(l, session, list)
	o.modes = readChoice(l, session, modes, modeNames)
	o.models = readChoice(l, session, models, modelNames)
	return true
}

// readList replaces the agent's own options. The list is copied.
func (o *options) readList(l *link.Link, session string, list []byte) {
	o.own = nil
	elements, ok := rawjson.ReadArray(nil, list)
	o.offered = ok
	for _, e := range elements {
		read, _ := rawjson.ReadObject(nil, e)
		id, hasID := read.Text("id")
		_, hasName := read.Text("name")
		if !hasID || !hasName || o.find(string(id)) != nil {
			l.LoseOf([]byte(session), translate.LossUnreadableOption, "one without a name or an id of its own was left out")
		} else if r, ok := readOption(read); ok {
			o.own = append(o.own, r)
		} else {
			l.LoseOf([]byte(session), translate.LossUnreadableOption, "one without values, or of an unknown type, was left out")
		}
	}
}

// write writes the list that the client is shown.
func (o *options) write(w *words.Writer) {
	w.Array()
	for i := range o.own {
		w.Raw(o.own[i].text)
	}
	for _, r := range o.made() {
		m, _ := rawjson.ReadObject(nil, r.text)
		w.Raw(words.Text(m.Set("configId", rawjson.AppendQuoted(nil, r.id))))
	}
	w.EndArray()
}

// writeIn writes an object with the list, as its last member, in place of its own.
func (o *options) writeIn(w *words.Writer, object rawjson.Object) {
	w.Object()
	w.Others(object, "configOptions")
	w.Name("configOptions")
	o.write(w)
	w.EndObject()
}

// size is what an option counts.
func (r *option) size() int {
	if r == nil {
		return 0
	}
	return 128 + len(r.category) + len(r.value) + len(r.text) // which has its id
}

// size is what options count.
func (o *options) size() (n int) {
	for i := range o.own {
		n += o.own[i].size()
	}
	return n + o.modes.size() + o.models.size()
}

// choices are what clients choose in their sessions.
type choices struct {
	link     *link.Link
	sessions *sessions
}

// takeOptions replaces the options of a session by what a result offers. It reports
// whether it offers anything.
func (s *session) takeOptions(result rawjson.Object) bool {
	offers := s.options.read(s.link, s.id, result)
	if offers {
		s.keepOptions()
	}
	return offers
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
	w := s.link.UpdateWith([]byte(s.id), "config_option_update")
	w.Name("configOptions")
	s.options.write(w)
	s.link.SendUpdate()
}

// optionsUpdate handles config_option_update.
func (c *choices) optionsUpdate(s *session, u *link.Update) {
	s.options.readList(c.link, s.id, u.Members.Get("configOptions"))
	s.keepOptions()
	s.options.changes++
	s.options.writeIn(s.rewrite(u), u.Members)
	c.link.SendRewritten(u)
}

var (
	noSuchOption = invalid("no such option")
	noSuchValue  = invalid("no value that the option can have")
)

// setOption handles session/set_config_option. The agent decides about an option of
// a session whose options it has not told, and which of its own values an option
// can have.
func (c *choices) setOption(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	id, hasID := o.Text("configId")
	kind, _ := o.Text("type")
	value := o.Get("value")
	text, isText := rawjson.TextOf(value)
	isBoolean := len(value) > 0 && (value[0] == 't' || value[0] == 'f')
	if !hasID || !(string(kind) == "id" && isText || string(kind) == "boolean" && isBoolean) {
		c.link.Refuse(translate.Client, m.ID, noSuchValue)
		return
	}
	if s := c.sessions.find(m.Session); s != nil && s.options.any() {
		for _, made := range s.options.made() {
			if made.id == string(id) {
				c.setChoice(m, s, made, string(text), isText)
				return
			}
		}
		switch r := s.options.find(string(id)); {
		case r == nil:
			c.link.Refuse(translate.Client, m.ID, noSuchOption)
			return
		case r.boolean != isBoolean:
			c.link.Refuse(translate.Client, m.ID, noSuchValue)
			return
		}
	}
	s := c.sessions.reopen(m.Session)
	changes := s.options.changes
	c.link.Ask(translate.Agent, m, "", optionParams(o, isBoolean), link.Request{Answered: func(call *link.Call, m *jsonrpc.Message) { c.optionSet(call, m, s, changes) }})
}

// optionParams returns the params that set an option in version 1: only a
// boolean has a type.
func optionParams(o rawjson.Object, isBoolean bool) []byte {
	if !isBoolean {
		o = slices.DeleteFunc(o, func(f rawjson.Field) bool { return string(f.Name) == "type" })
	}
	return words.Text(o)
}

// optionSet handles the agent's answer to session/set_config_option. Version 2
// wants an update too, also of a change that the client asked for.
func (c *choices) optionSet(call *link.Call, m *jsonrpc.Message, s *session, changes int) {
	if failed(m) {
		passError(c.link, call.ID, call.Asked.Session, m)
		return
	}
	o, _ := rawjson.ReadObject(nil, link.ResultOf(m))
	if list := o.Get("configOptions"); !rawjson.Null(list) {
		s.options.readList(c.link, s.id, list)
		s.keepOptions()
	}
	if s.options.changes == changes && !s.forgotten {
		s.tellOptions()
	}
	c.answer(call.ID, s, o)
}

// answer answers a request that has set an option.
func (c *choices) answer(id []byte, s *session, result rawjson.Object) {
	s.options.writeIn(c.link.AnswerWith(id), result)
	c.link.SendObject(translate.Client)
}
