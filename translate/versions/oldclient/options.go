package oldclient

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
// update of its own, or in both, in either order. The client is told once.

// options are the options of a session.
type options struct {
	told    digest // of the list that the client was told last; see choices.change
	again   bool   // an answer told it, and the agent may send the same as an update
	updates int    // how many lists the agent has sent as updates

	mode, model selectOption
	switches    []string // the ids of the options of type boolean
}

type digest [sha256.Size]byte

// A selectOption is an option with a meaning of its own.
type selectOption struct {
	id      string // "" without such an option
	current []byte // raw
	values  [][]byte
}

// readOptions reads a list of options.
func readOptions(list []byte) (o options) {
	named := selectOption{}
	for option := range rawjson.Objects(list, nil) {
		id, ok := option.Text("configId")
		kind, _ := option.Text("type")
		category, _ := option.Text("category")
		switch {
		case !ok:
		case string(kind) == "boolean":
			o.switches = append(o.switches, string(id))
		case string(kind) != "select":
		case string(category) == "mode" && o.mode.id == "":
			o.mode = newSelectOption(id, option)
		case string(category) == "model" && o.model.id == "":
			o.model = newSelectOption(id, option)
		case string(id) == "mode":
			named = newSelectOption(id, option)
		}
	}
	if o.mode.id == "" {
		o.mode = named
	}
	return o
}

// size is how much is kept of the options.
func (o *options) size() (n int) {
	for _, s := range []*selectOption{&o.mode, &o.model} {
		n += len(s.id) + len(s.current)
		for _, v := range s.values {
			n += itemCost + len(v)
		}
	}
	for _, id := range o.switches {
		n += itemCost + len(id)
	}
	return n
}

func newSelectOption(id []byte, option rawjson.Object) selectOption {
	s := selectOption{id: string(id), current: bytes.Clone(option.Get("currentValue"))}
	if _, ok := rawjson.TextOf(s.current); !ok {
		return selectOption{}
	}
	values, _ := rawjson.ReadArray(nil, option.Get("options"))
	for _, v := range values {
		o, _ := rawjson.ReadObject(nil, v)
		if group, ok := rawjson.ReadArray(nil, o.Get("options")); ok {
			for _, v := range group {
				s.values = append(s.values, bytes.Clone(v))
			}
		} else {
			s.values = append(s.values, bytes.Clone(v))
		}
	}
	return s
}

// modes returns the modes as version 1 has them, nil if there are none.
func (o *options) modes() []byte {
	if o.mode.id == "" {
		return nil
	}
	var w words.Writer
	words.ModesToV1(&w, o.mode.current, o.mode.values)
	return w.Out
}

// toldSince reports whether an update has told the client that list, and since when
// so many updates had come.
func (o *options) toldSince(updates int, list []byte) bool {
	return o.updates != updates && o.told == sha256.Sum256(list)
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

// store replaces the options of a session and reports whether another mode is
// current. Without room for them the client gets the options without modes.
func (c *choices) store(s *session, list []byte) (modeChanged bool) {
	was := s.options.mode
	s.kept.Free(s.options.size())
	if s.options = readOptions(list); !s.kept.Fix(s.options.size()) {
		s.options = options{}
	}
	return s.options.mode.id != "" && !bytes.Equal(s.options.mode.current, was.current)
}

// change is store for a change, of which the client is told now: by an answer of the
// agent, or by an update.
func (c *choices) change(s *session, list []byte, isAnswer bool) (modeChanged bool) {
	updates := s.options.updates
	if !isAnswer {
		updates++
	}
	modeChanged = c.store(s, list)
	s.options.told, s.options.updates, s.options.again = sha256.Sum256(list), updates, isAnswer
	return modeChanged
}

// open stores the options of a session that is being opened. It returns them, and the
// modes, as version 1 has them; nil if there are none.
func (c *choices) open(s *session, list []byte) (modes, options []byte) {
	c.store(s, list)
	var w words.Writer
	c.toV1.Write(&w, list)
	c.link.LoseAll(w.Losses)
	return s.options.modes(), w.Out
}

// optionsUpdate handles config_option_update.
func (c *choices) optionsUpdate(s *session, u *link.Update) {
	list := u.Members.Get("configOptions")
	if list == nil || list[0] != '[' {
		c.link.Lose(translate.LossUnreadableUpdate, "dropped a config_option_update without configOptions")
		return
	}
	known := s.options.again && len(u.Members) == 2 && s.options.told == sha256.Sum256(list)
	if s.options.again = false; known {
		return
	}
	s.toolCalls.flushSmall()
	if c.change(s, list, false) {
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
	c.choose(m, "modeId", func(o *options) string { return o.mode.id }, true)
}

// setModel handles session/set_model, which clients of before June 2026 use.
func (c *choices) setModel(m *jsonrpc.Message) {
	c.choose(m, "modelId", func(o *options) string { return o.model.id }, false)
}

// choose sets the option that which returns.
func (c *choices) choose(m *jsonrpc.Message, name string, which func(*options) string, isMode bool) {
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
	updates := s.options.updates
	c.link.Ask(translate.Agent, m, "session/set_config_option", b.Out, link.Request{
		Answered: func(call *link.Call, m *jsonrpc.Message) { c.chosen(call, m, updates, isMode) },
	})
}

// chosen handles the answer to what became of session/set_mode or session/set_model.
// The agent had sent so many lists of options as updates when it was asked.
func (c *choices) chosen(call *link.Call, m *jsonrpc.Message, updates int, isMode bool) {
	if refusedByAgent(c.link, call, m) {
		return
	}
	c.link.Answer(translate.Client, call.ID, []byte("{}"))
	s := c.sessions.find(call.Asked.Session)
	list := rawjson.Get(link.ResultOf(m), "configOptions")
	if s == nil || list == nil || list[0] != '[' || s.options.toldSince(updates, list) {
		return
	}
	if changed := c.change(s, list, true); changed || isMode && s.options.mode.id != "" {
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
	updates := known.updates
	c.link.Ask(translate.Agent, m, "session/set_config_option", w.Out, link.Request{
		Answered: func(call *link.Call, m *jsonrpc.Message) { c.optionSet(call, m, updates) },
	})
}

// optionSet handles the answer to session/set_config_option, see chosen.
func (c *choices) optionSet(call *link.Call, m *jsonrpc.Message, updates int) {
	if refusedByAgent(c.link, call, m) {
		return
	}
	result := link.ResultOf(m)
	if !c.link.AnswerAs(call.ID, result, words.ConfigOptions(c.toV1).ToV1) {
		c.link.Refuse(translate.Client, call.ID, errUnread)
		return
	}
	s, list := c.sessions.find(call.Asked.Session), rawjson.Get(result, "configOptions")
	if s != nil && !s.options.toldSince(updates, list) && c.change(s, list, true) {
		c.tellMode(s)
	}
}
