package v1agent

import (
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

// readChoice reads modes or models as the option that they become, nil if there is nothing
// to choose.
func readChoice(l *link.Link, session string, value []byte, names *choiceNames) *option {
	o, _ := rawjson.ReadObject(nil, value)
	list, _ := rawjson.ReadArray(nil, o.Get(names.available))
	current, hasCurrent := o.Text(names.current)
	seen := make(map[string]bool, len(list))
	var values rawjson.Builder
	for _, e := range list {
		v, _ := rawjson.ReadObject(nil, e)
		id, ok := v.Text(names.id)
		if !ok || seen[string(id)] {
			l.LoseOf([]byte(session), translate.LossUnreadableOption, "a mode or model without an id of its own was left out")
			continue
		}
		if !hasCurrent {
			current, hasCurrent = id, true
		}
		seen[string(id)] = true
		words.ModeToV2(&values, id, v)
	}
	if len(seen) == 0 {
		return nil
	}
	var w words.Writer
	w.Object()
	w.StringMember("configId", []byte(names.category))
	w.StringMember("name", []byte(names.option))
	w.StringMember("category", []byte(names.category))
	w.StringMember("type", []byte("select"))
	w.StringMember("currentValue", nil)
	w.Name("options")
	w.Array()
	w.Raw(values.Out)
	w.EndArray()
	w.EndObject()
	r := &option{names: names, category: names.category, text: w.Out}
	r.set(string(current))
	return r
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

// made returns the modes and the models that become options of the bridge, under ids that
// the agent's options do not have.
func (o *options) made() (made []*option) {
	for _, r := range []*option{o.modes, o.models} {
		if r == nil || o.same(r.names) != nil {
			continue
		}
		for r.id = r.category; o.find(r.id) != nil; {
			r.id = "_" + r.id
		}
		made = append(made, r)
	}
	return made
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
	r := s.options.same(modeNames)
	if r == nil {
		r = s.options.modes
	}
	if r == nil {
		s.lose(translate.LossModeOfSession, "the client was not told of it: the agent offers no modes there")
	} else if r.value != string(mode) {
		r.set(string(mode))
		s.keepOptions()
		s.tellOptions()
	}
}

// setChoice sets a mode or a model.
func (c *choices) setChoice(m *jsonrpc.Message, s *session, made *option, value string, isText bool) {
	if !isText || !made.has(value) {
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
		c.choiceSet(call, s, made.names, value)
	}})
}

// choiceSet handles the answer that a mode or a model was set. The agent may have told
// others since.
func (c *choices) choiceSet(call *link.Call, s *session, names *choiceNames, value string) {
	for _, r := range []*option{s.options.modes, s.options.models} {
		if r != nil && r.names == names && r.value != value {
			r.set(value)
			s.keepOptions()
			s.tellOptions()
		}
	}
	c.answer(call.ID, s, nil)
}
