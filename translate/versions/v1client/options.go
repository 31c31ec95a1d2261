package v1client

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Version 2 has options only. Package selectors adds the modes for version 1, and drops lists of
// options that the client already has.

// optionsToV1 returns the Rule of a list of options, which depends on the client.
func (b *Bridge) optionsToV1() shapes.Rule { return shapes.Options(b.options.Client.Booleans) }

// switchCost is the cost of a switch in bytes, without its id.
const switchCost = 32

// keepSwitches stores the ids of the options of type boolean, as far as the budget allows.
func (s *session) keepSwitches(list []byte) {
	for _, id := range s.switches {
		s.share.Release(switchCost + len(id))
	}
	s.switches = nil
	for o := range rawjson.Objects(list, nil) {
		id, ok := o.Text("configId")
		if ok && o.String("type") == "boolean" && s.share.Reserve(switchCost+len(id)) {
			s.switches = append(s.switches, string(id))
		}
	}
}

// optionsUpdate converts config_option_update.
func (s *session) optionsUpdate(u *calls.Update) {
	list := u.Members.Get("configOptions")
	if !rawjson.IsArray(list) {
		s.loseUnreadable(u)
		return
	}
	s.flush(smallContent)
	s.keepSwitches(list)
	s.sendConvertedAs(u, u.Members, shapes.ConfigOptions(s.bridge.optionsToV1()))
}

// setOption forwards session/set_config_option. In version 2, a value has a type.
func (b *Bridge) setOption(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	id, ok := o.Text("configId")
	s := b.sessions.Find(m.Session)
	value, kind := o.Get("value"), ""
	switch {
	case !ok || value == nil:
	case value[0] == 't' || value[0] == 'f':
		kind = `"boolean"`
	case s == nil || !slices.Contains(s.switches, string(id)):
		if value[0] == '"' {
			kind = `"id"`
		}
	case string(value) == `"on"`:
		value, kind = []byte("true"), `"boolean"`
	case string(value) == `"off"`:
		value, kind = []byte("false"), `"boolean"`
	}
	if kind == "" {
		b.refuse(m, calls.InvalidParams("the option has no such value"))
		return
	}
	o = o.Set("value", value).Set("type", []byte(kind))
	b.ask(m, "session/set_config_option", shapes.Text(o), b.onOptionSet)
}

// onOptionSet handles the answer to session/set_config_option.
func (b *Bridge) onOptionSet(c *calls.Call, m *jsonrpc.Message) {
	b.resultAs(translate.Client, shapes.ConfigOptions(b.optionsToV1()))(c, m)
	s := b.sessions.Get(c.Request.Session)
	if list := rawjson.Get(calls.ResultOf(m), "configOptions"); s != nil && rawjson.IsArray(list) {
		s.keepSwitches(list)
	}
}
