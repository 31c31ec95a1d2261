package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Modes and models become options, which are set by session/set_mode and
// session/set_model.

// A choice is the words of version 1 for modes or models.
type choice struct {
	option   string // the name of the option
	category string // its category and, unless that is taken, its id
	method   string // that sets it
	param    string // of that method

	current, available, id string
}

var choices = [...]choice{
	{"Mode", "mode", "session/set_mode", "modeId", "currentModeId", "availableModes", "id"},
	{"Model", "model", "session/set_model", "modelId", "currentModelId", "availableModels", "modelId"},
}

// readChoice reads modes or models as the option that they become, nil if there is nothing
// to choose.
func (s *session) readChoice(value []byte, c *choice) []byte {
	o := rawjson.Members(value)
	current, hasCurrent := o.Text(c.current)
	seen := make(map[string]bool)
	var values rawjson.Builder
	values.Array()
	for v := range rawjson.Objects(o.Get(c.available), nil) {
		id, ok := v.Text(c.id)
		if !ok || seen[string(id)] {
			s.lose(translate.LossUnreadableOption, "a mode or model without an id of its own was left out")
			continue
		}
		if !hasCurrent {
			current, hasCurrent = id, true
		}
		seen[string(id)] = true
		shapes.ModeToV2(&values, id, v)
	}
	if len(seen) == 0 {
		return nil
	}
	values.EndArray()
	var b rawjson.Builder
	b.Object()
	b.Texts("configId", c.category, "name", c.option, "category", c.category, "type", "select", "currentValue", "")
	b.Member("options", values.Out)
	b.EndObject()
	return chosen(b.Out, string(current))
}

// has reports whether a value is among those of a select without groups.
func has(option []byte, value string) bool {
	for v := range rawjson.Objects(rawjson.Get(option, "options"), nil) {
		if v.String("value") == value {
			return true
		}
	}
	return false
}

// chosen returns a mode or model that is set to a value, which is added if it is not among
// its values.
func chosen(option []byte, value string) []byte {
	o := rawjson.Members(option)
	if !has(option, value) {
		list := o.Get("options")
		b := rawjson.Builder{Out: append([]byte(nil), list[:len(list)-1]...)}
		shapes.ModeToV2(&b, []byte(value), nil)
		b.EndArray()
		o = o.Set("options", b.Out)
	}
	return with(shapes.Text(o), "currentValue", value)
}

// same returns the option of the agent that is the same choice, or nil.
func (o *options) same(i int) *[]byte {
	for _, by := range []string{"category", "configId"} {
		for j, option := range o.own {
			if member(option, "type") == "select" && member(option, by) == choices[i].category {
				return &o.own[j]
			}
		}
	}
	return nil
}

// modeUpdate handles current_mode_update. It tells the client only of a change: the
// answer to session/set_mode has said the same before, and agents that have modes as
// an option too report both.
func (s *session) modeUpdate(u *calls.Update) {
	o := &s.options
	option := o.same(0)
	switch mode, ok := u.Members.Text("currentModeId"); {
	case !ok:
		s.lose(translate.LossUnreadableUpdate, "a mode without an id was dropped")
	case option != nil && member(*option, "currentValue") != string(mode):
		*option = with(*option, "currentValue", string(mode))
		s.keepOptions()
		s.tellOptions()
	case option == nil && o.made[0] == nil:
		s.lose(translate.LossModeOfSession, "the client was not told of it: the agent offers no modes there")
	case option == nil:
		s.choose(0, string(mode))
	}
}

// choose notes that a mode or a model was set, and tells the client of a change.
func (s *session) choose(i int, value string) {
	if option := &s.options.made[i]; *option != nil && member(*option, "currentValue") != value {
		*option = chosen(*option, value)
		s.keepOptions()
		s.tellOptions()
	}
}

// setChoice sets a mode or a model.
func (b *Bridge) setChoice(m *jsonrpc.Message, s *session, i int, value string) {
	var w shapes.Writer
	w.Object()
	w.StringMember("sessionId", m.Session)
	w.StringMember(choices[i].param, []byte(value))
	w.EndObject()
	b.ask(m, choices[i].method, w.Out, b.resultTo(func(id []byte, _ rawjson.Object) {
		s.choose(i, value) // the agent may have told others since
		b.answerSet(id, s, nil)
	}))
}
