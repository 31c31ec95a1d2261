package v1client

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
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
	list     []byte // raw, that the client was told last; nil without room for it
	expected bool   // the client expects another
}

// isNew reports whether the client was not told a list.
func (o *options) isNew(list []byte) bool { return o.expected || !bytes.Equal(list, o.list) }

// optionOf returns the first option with that category whose values are a choice, else the
// one that is called so.
func optionOf(list []byte, category string) (named rawjson.Object) {
	for o := range rawjson.Objects(list, nil) {
		id, ok := o.Text("configId")
		_, readable := o.Text("currentValue")
		switch {
		case !ok || !readable || o.String("type") != "select":
		case o.String("category") == category:
			return o
		case string(id) == category:
			named = append(named[:0], o...)
		}
	}
	return named
}

// modeOf returns the option of the modes.
func modeOf(list []byte) rawjson.Object { return optionOf(list, "mode") }

// modesToV1 returns the modes as version 1 has them, nil if there are none.
func modesToV1(mode rawjson.Object) []byte {
	if mode == nil {
		return nil
	}
	var all [][]byte
	values, _ := rawjson.ReadArray(nil, mode.Get("options"))
	for _, v := range values {
		if group, ok := rawjson.ReadArray(nil, rawjson.Get(v, "options")); ok {
			all = append(all, group...)
		} else {
			all = append(all, v)
		}
	}
	var w shapes.Writer
	shapes.ModesToV1(&w, mode.Get("currentValue"), all)
	return w.Out
}

// isSwitch reports whether the option with that id is of type boolean.
func (o *options) isSwitch(id string) bool {
	for option := range rawjson.Objects(o.list, nil) {
		if option.String("configId") == id && option.String("type") == "boolean" {
			return true
		}
	}
	return false
}

// optionsToV1 returns the Rule of a list of options.
func (b *Bridge) optionsToV1() shapes.Rule { return shapes.OptionsToV1(b.options.Client.Booleans) }

// change stores the options of a session, which the client is told now. It reports whether
// another mode is current. Without room for them the client cannot choose modes.
func (s *session) change(list []byte) (modeChanged bool) {
	before, mode := modeOf(s.options.list).Get("currentValue"), modeOf(list).Get("currentValue")
	s.kept.Free(len(s.options.list))
	if s.options = (options{}); s.kept.Fix(len(list)) {
		s.options.list = bytes.Clone(list)
	}
	return mode != nil && !bytes.Equal(mode, before)
}

// optionsUpdate handles config_option_update.
func (s *session) optionsUpdate(u *calls.Update) {
	list := u.Members.Get("configOptions")
	if list == nil || list[0] != '[' {
		s.loseUnreadable(u)
		return
	}
	if len(u.Members) == 2 && !s.options.isNew(list) {
		return
	}
	s.flushSmall()
	if s.change(list) {
		s.tellMode(list)
	}
	s.shaped(u, u.Members, shapes.ConfigOptions(s.bridge.optionsToV1()))
}

// tellMode tells the client which mode is current.
func (s *session) tellMode(list []byte) {
	s.link.UpdateWith([]byte(s.id), "current_mode_update").Member("currentModeId", modeOf(list).Get("currentValue"))
	s.link.SendUpdate()
}

// choose handles session/set_mode, and session/set_model, which clients of before June 2026
// use: it sets the option of that category to what the client has named.
func (b *Bridge) choose(m *jsonrpc.Message, name, category string) {
	o := read(calls.ParamsOf(m))
	_, ok := o.Text(name)
	var option rawjson.Object
	s := b.sessions.Find(m.Session)
	if s != nil {
		option = optionOf(s.options.list, category)
	}
	if !ok || option == nil {
		b.refuse(m, invalid("the session has no such choice"))
		return
	}
	var w shapes.Writer
	w.Object()
	w.StringMember("sessionId", m.Session)
	w.Member("configId", option.Get("configId"))
	w.JSON(`"type":"id"`)
	w.Member("value", o.Get(name))
	w.Others(o, "sessionId", name)
	w.EndObject()
	s.options.expected = true
	b.ask(m, "session/set_config_option", w.Out, func(c *calls.Call, m *jsonrpc.Message) { b.chosen(c, m, category == "mode") })
}

// chosen handles the answer to what became of session/set_mode or session/set_model.
func (b *Bridge) chosen(c *calls.Call, m *jsonrpc.Message, isMode bool) {
	if b.failed(translate.Client, c, m) {
		return
	}
	b.link.Answer(translate.Client, c.ID, []byte("{}"))
	s := b.sessions.Get(c.Asked.Session)
	list := rawjson.Get(calls.ResultOf(m), "configOptions")
	if s == nil || list == nil || list[0] != '[' || !s.options.isNew(list) {
		return
	}
	if s.change(list) || isMode && modeOf(list) != nil {
		s.tellMode(list)
	}
	w := b.link.UpdateWith([]byte(s.id), "config_option_update")
	w.Name("configOptions")
	b.optionsToV1().Write(w, list)
	b.link.SendUpdate()
}

// setOption handles session/set_config_option.
func (b *Bridge) setOption(m *jsonrpc.Message) {
	o := read(calls.ParamsOf(m))
	id, ok := o.Text("configId")
	s := b.sessions.Find(m.Session)
	value, kind := o.Get("value"), ""
	switch {
	case !ok || value == nil:
	case value[0] == 't' || value[0] == 'f':
		kind = `"boolean"`
	case s == nil || !s.options.isSwitch(string(id)):
		if value[0] == '"' {
			kind = `"id"`
		}
	case string(value) == `"on"`:
		value, kind = []byte("true"), `"boolean"`
	case string(value) == `"off"`:
		value, kind = []byte("false"), `"boolean"`
	}
	if kind == "" {
		b.refuse(m, invalid("the option has no such value"))
		return
	}
	o = o.Set("value", value).Set("type", []byte(kind))
	b.ask(m, "session/set_config_option", shapes.Text(o), b.optionSet)
}

// optionSet handles the answer to session/set_config_option.
func (b *Bridge) optionSet(c *calls.Call, m *jsonrpc.Message) {
	b.passOn(translate.Client, shapes.ConfigOptions(b.optionsToV1()))(c, m)
	s := b.sessions.Get(c.Asked.Session)
	list := rawjson.Get(calls.ResultOf(m), "configOptions")
	switch {
	case s == nil:
	case list == nil || list[0] != '[':
		s.options.expected = true // what the client shows may be what it has chosen
	case s.change(list):
		s.tellMode(list)
	}
}
