package v1client

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Version 2 has options only. Version 1 also has modes, which are the values of
// one option, and before them it had models.
//
// An agent tells a change that the client has asked for in its answer, in an
// update of its own, or in both, in either order. The client is told once: a list
// that it was told last is nothing new, unless it has chosen something since, or was told
// another mode.

// options are the options of a session.
type options struct {
	told     digest // of the list that the client was told last; zero if it expects another
	mode     selectOption
	model    string   // the id of the option of the models; "" without one
	switches []string // the ids of the options of type boolean
}

type digest [sha256.Size]byte

// A selectOption is an option with a meaning of its own.
type selectOption struct {
	id      string // "" without such an option
	current []byte // raw
	values  []byte // raw, as the agent has them
}

// readOptions reads a list of options. What it returns is valid as long as the list.
func readOptions(list []byte) (o options) {
	named := selectOption{}
	for option := range rawjson.Objects(list, nil) {
		id, ok := option.Text("configId")
		kind, _ := option.Text("type")
		category, _ := option.Text("category")
		s := selectOption{string(id), option.Get("currentValue"), option.Get("options")}
		_, readable := rawjson.TextOf(s.current)
		switch {
		case !ok:
		case string(kind) == "boolean":
			o.switches = append(o.switches, s.id)
		case string(kind) != "select" || !readable:
		case string(category) == "mode" && o.mode.id == "":
			o.mode = s
		case string(category) == "model" && o.model == "":
			o.model = s.id
		case s.id == "mode":
			named = s
		}
	}
	if o.mode.id == "" {
		o.mode = named
	}
	return o
}

// size is how much is kept of the options.
func (o *options) size() int {
	n := len(o.mode.id) + len(o.mode.current) + len(o.model)
	for _, id := range o.switches {
		n += itemCost + len(id)
	}
	return n
}

// modes returns the modes as version 1 has them, nil if there are none.
func (s *selectOption) modes() []byte {
	if s.id == "" {
		return nil
	}
	var all [][]byte
	values, _ := rawjson.ReadArray(nil, s.values)
	for _, v := range values {
		if group, ok := rawjson.ReadArray(nil, rawjson.Get(v, "options")); ok {
			all = append(all, group...)
		} else {
			all = append(all, v)
		}
	}
	var w words.Writer
	words.ModesToV1(&w, s.current, all)
	return w.Out
}

// value returns a raw value that the client sets an option to as version 2 has it,
// and its type. It reports false if the option cannot have such a value.
func (o *options) value(id string, value []byte) (set []byte, kind string, ok bool) {
	switch {
	case value[0] == 't' || value[0] == 'f':
		return value, `"boolean"`, true
	case value[0] != '"':
		return nil, "", false
	case !slices.Contains(o.switches, id):
		return value, `"id"`, true
	case string(value) == `"on"`:
		return []byte("true"), `"boolean"`, true
	case string(value) == `"off"`:
		return []byte("false"), `"boolean"`, true
	}
	return nil, "", false
}

// choices are what clients choose in their sessions.
type choices struct {
	link     *link.Link
	sessions *sessions
	toV1     words.Form // of a list of options
}

// change stores the options of a session, which the client is told now. It returns them
// as they were read, and whether another mode is current. Without room for them the
// client cannot choose modes.
func (c *choices) change(s *session, list []byte) (o options, modeChanged bool) {
	was := s.options.mode.current
	s.kept.Free(s.options.size())
	o = readOptions(list)
	o.told = sha256.Sum256(list)
	s.options = o
	s.options.mode.values, s.options.mode.current = nil, bytes.Clone(o.mode.current)
	if !s.kept.Fix(o.size()) {
		s.options = options{told: o.told}
	}
	return o, s.options.mode.id != "" && !bytes.Equal(o.mode.current, was)
}

// open stores the options of a session that is being opened. It returns them, and the
// modes, as version 1 has them; nil if there are none.
func (c *choices) open(s *session, list []byte) (modes, options []byte) {
	o, _ := c.change(s, list)
	var w words.Writer
	c.toV1.Write(&w, list)
	c.link.LoseAll(w.Losses)
	return o.mode.modes(), w.Out
}

// optionsUpdate handles config_option_update.
func (c *choices) optionsUpdate(s *session, u *link.Update) {
	list := u.Members.Get("configOptions")
	if list == nil || list[0] != '[' {
		c.link.Lose(translate.LossUnreadableUpdate, "dropped a config_option_update without configOptions")
		return
	}
	if len(u.Members) == 2 && s.options.told == sha256.Sum256(list) {
		return
	}
	s.toolCalls.flushSmall()
	if _, changed := c.change(s, list); changed {
		c.tellMode(s)
	}
	words.ConfigOptions(c.toV1).ToV1(c.link.RewriteWith(u), u.Members)
	c.link.SendRewritten(u)
}

// tellMode tells the client which mode is current.
func (c *choices) tellMode(s *session) {
	c.link.UpdateWith([]byte(s.id), "current_mode_update").Member("currentModeId", s.options.mode.current)
	c.link.SendUpdate()
}

// setMode handles session/set_mode.
func (c *choices) setMode(m *jsonrpc.Message) {
	c.choose(m, "modeId", func(o *options) string { return o.mode.id })
}

// setModel handles session/set_model, which clients of before June 2026 use.
func (c *choices) setModel(m *jsonrpc.Message) {
	c.choose(m, "modelId", func(o *options) string { return o.model })
}

// choose sets the option that which returns.
func (c *choices) choose(m *jsonrpc.Message, name string, which func(*options) string) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	value, ok := o.Text(name)
	s := c.sessions.find(string(m.Session))
	if !ok || s == nil || which(&s.options) == "" {
		c.link.Refuse(translate.Client, m.ID, invalid("the session has no such choice"))
		return
	}
	var b rawjson.Builder
	b.Object()
	b.StringMember("sessionId", m.Session)
	b.StringMember("configId", []byte(which(&s.options)))
	b.StringMember("type", []byte("id"))
	b.StringMember("value", value)
	if meta := o.Get("_meta"); meta != nil && meta[0] == '{' {
		b.Member("_meta", meta)
	}
	b.EndObject()
	s.options.told = digest{}
	isMode := name == "modeId"
	c.link.Ask(translate.Agent, m, "session/set_config_option", b.Out, link.Request{
		Answered: func(call *link.Call, m *jsonrpc.Message) { c.chosen(call, m, isMode) },
	})
}

// chosen handles the answer to what became of session/set_mode or session/set_model.
func (c *choices) chosen(call *link.Call, m *jsonrpc.Message, isMode bool) {
	if refusedByAgent(c.link, call, m) {
		return
	}
	c.link.Answer(translate.Client, call.ID, []byte("{}"))
	s := c.sessions.find(call.Asked.Session)
	list := rawjson.Get(link.ResultOf(m), "configOptions")
	if s == nil || list == nil || list[0] != '[' || s.options.told == sha256.Sum256(list) {
		return
	}
	if _, changed := c.change(s, list); changed || isMode && s.options.mode.id != "" {
		c.tellMode(s)
	}
	w := c.link.UpdateWith([]byte(s.id), "config_option_update")
	w.Name("configOptions")
	c.toV1.Write(w, list)
	c.link.SendUpdate()
}

// setOption handles session/set_config_option.
func (c *choices) setOption(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	id, ok := o.Text("configId")
	known := &options{}
	if s := c.sessions.find(string(m.Session)); s != nil {
		known = &s.options
	}
	value := o.Get("value")
	var kind string
	if ok = ok && value != nil; ok {
		value, kind, ok = known.value(string(id), value)
	}
	if !ok {
		c.link.Refuse(translate.Client, m.ID, invalid("the option has no such value"))
		return
	}
	var w words.Writer
	words.Object{}.ToV2(&w, o.Set("value", value).Set("type", []byte(kind)))
	c.link.Ask(translate.Agent, m, "session/set_config_option", w.Out, link.Request{Answered: c.optionSet})
}

// optionSet handles the answer to session/set_config_option.
func (c *choices) optionSet(call *link.Call, m *jsonrpc.Message) {
	s := c.sessions.find(call.Asked.Session)
	if refusedByAgent(c.link, call, m) {
		if s != nil {
			s.options.told = digest{} // what the client shows may be what it has chosen
		}
		return
	}
	result := link.ResultOf(m)
	if !c.link.AnswerAs(call.ID, result, words.ConfigOptions(c.toV1).ToV1) {
		c.link.Refuse(translate.Client, call.ID, errUnread)
		return
	}
	if s == nil {
		return
	}
	if _, changed := c.change(s, rawjson.Get(result, "configOptions")); changed {
		c.tellMode(s)
	}
}
