package oldagent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Modes and models become options, which are set by session/set_mode and
// session/set_model.

// choiceNames are the words of version 1 for modes or models.
type choiceNames struct {
	option   string // the name of the option
	category string // its category and, unless that is taken, its id
	method   string // that sets it
	param    string // of that method

	current, available, id string
}

var (
	modeNames = &choiceNames{
		option: "Mode", category: "mode", method: "session/set_mode", param: "modeId",
		current: "currentModeId", available: "availableModes", id: "id",
	}
	modelNames = &choiceNames{
		option: "Model", category: "model", method: "session/set_model", param: "modelId",
		current: "currentModelId", available: "availableModels", id: "modelId",
	}
)

// A choice is the modes or the models of a session.
type choice struct {
	names   *choiceNames
	current string
	values  []string        // nil if there is nothing to choose
	shown   rawjson.Builder // the values as those of an option
}

// readChoice reads modes or models.
func readChoice(l *link.Link, session string, value []byte, names *choiceNames) choice {
	c := choice{names: names}
	o, _ := rawjson.ReadObject(nil, value)
	list, _ := rawjson.ReadArray(nil, o.Get(names.available))
	seen := make(map[string]bool, len(list))
	for _, e := range list {
		v, _ := rawjson.ReadObject(nil, e)
		id, ok := v.Text(names.id)
		if !ok || seen[string(id)] {
			l.LoseOf([]byte(session), translate.LossUnreadableOption, "a mode or model without an id of its own was left out")
			continue
		}
		seen[string(id)] = true
		c.add(string(id), v)
	}
	if c.values != nil {
		current, ok := o.Text(names.current)
		if !ok {
			current = []byte(c.values[0])
		}
		c.set(string(current))
	}
	return c
}

// add adds a mode or model.
func (c *choice) add(id string, o rawjson.Object) {
	c.values = append(c.values, id)
	words.ModeToV2(&c.shown, []byte(id), o)
}

// set changes the current value. It is added to the values if it is not among them.
func (c *choice) set(value string) {
	if c.current = value; !slices.Contains(c.values, value) {
		c.add(value, nil)
	}
}

// write writes the option that the choice becomes, under that id.
func (c *choice) write(w *words.Writer, id string) {
	w.Object()
	w.StringMember("configId", []byte(id))
	w.StringMember("name", []byte(c.names.option))
	w.StringMember("category", []byte(c.names.category))
	w.StringMember("type", []byte("select"))
	w.StringMember("currentValue", []byte(c.current))
	w.Name("options")
	w.Array()
	w.Raw(c.shown.Out)
	w.EndArray()
	w.EndObject()
}

// same returns the option of the agent that is the same choice, or nil.
func (o *options) same(names *choiceNames) *option {
	for _, by := range []func(*option) string{
		func(r *option) string { return r.category },
		func(r *option) string { return r.id },
	} {
		for i := range o.own {
			if r := &o.own[i]; !r.boolean && by(r) == names.category {
				return r
			}
		}
	}
	return nil
}

// made returns the choices that become options of the bridge.
func (o *options) made() (choices []*choice) {
	for _, c := range []*choice{&o.modes, &o.models} {
		if c.values != nil && o.same(c.names) == nil {
			choices = append(choices, c)
		}
	}
	return choices
}

// madeAs returns the choice that becomes the option with that id, or nil.
func (o *options) madeAs(id string) *choice {
	for _, c := range o.made() {
		if o.idOf(c) == id {
			return c
		}
	}
	return nil
}

// idOf returns the id of a choice that becomes an option.
func (o *options) idOf(c *choice) string {
	id := c.names.category
	for o.find(id) != nil {
		id = "_" + id
	}
	return id
}

// setMode notes the mode that is current now. It reports whether that is another
// one, and whether the session has modes at all.
func (o *options) setMode(mode string) (changed, has bool) {
	if r := o.same(modeNames); r != nil {
		if changed = r.value != mode; changed {
			r.set(mode)
		}
		return changed, true
	}
	if c := &o.modes; c.values != nil {
		if changed = c.current != mode; changed {
			c.set(mode)
		}
		return changed, true
	}
	return false, false
}

// modeUpdate handles current_mode_update. It tells the client only of a change: the
// answer to session/set_mode has said the same before, and agents that have modes as
// an option too report both.
func (c *choices) modeUpdate(s *session, u *link.Update) {
	mode, ok := u.Members.Text("currentModeId")
	if !ok {
		s.lose(translate.LossUnreadableUpdate, "a mode without an id was dropped")
		return
	}
	switch changed, has := s.options.setMode(string(mode)); {
	case !has:
		s.lose(translate.LossModeOfSession, "the client was not told of it: the agent offers no modes there")
	case changed:
		s.keepOptions()
		s.tellOptions()
	}
}

// setChoice sets a mode or a model.
func (c *choices) setChoice(m *jsonrpc.Message, s *session, made *choice, value string, isText bool) {
	if !isText || !slices.Contains(made.values, value) {
		c.link.Refuse(translate.Client, m.ID, noSuchValue)
		return
	}
	var w words.Writer
	w.Object()
	w.StringMember("sessionId", m.Session)
	w.StringMember(made.names.param, []byte(value))
	w.EndObject()
	c.link.Ask(translate.Agent, m, made.names.method, w.Out, link.Request{Answered: func(call *link.Call, m *jsonrpc.Message) {
		if failed(m) {
			passError(c.link, call.ID, call.Asked.Session, m)
			return
		}
		c.choiceSet(call, s, made, value)
	}})
}

// choiceSet handles the answer that a mode or a model was set.
func (c *choices) choiceSet(call *link.Call, s *session, made *choice, value string) {
	if made.values != nil && made.current != value {
		made.set(value)
		s.keepOptions()
		if !s.forgotten {
			s.tellOptions()
		}
	}
	c.answer(call.ID, s, nil)
}
