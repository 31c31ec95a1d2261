package v1agent

import (
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// setOption forwards session/set_config_option. The bridge refuses an unknown option, and a
// value of another type than the option's. The agent decides about the options of a session
// whose list is unknown, and about values of the right type.
func (b *Bridge) setOption(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	_, hasID := o.Text("configId")
	_, isText := o.Text("value")
	id, kind, value := o.String("configId"), o.String("type"), string(o.Get("value"))
	isBoolean := value == "true" || value == "false"
	readable := hasID && (kind == "id" && isText || kind == "boolean" && isBoolean)
	list := b.options.Options(m.Session)
	allowed := list == nil
	for option := range rawjson.Objects(list, nil) {
		allowed = allowed || option.String("id") == id && (option.String("type") == "boolean") == isBoolean
	}
	if !readable || !allowed {
		b.refuse(m, calls.InvalidParams("no option with such a value"))
		return
	}
	if isText { // in version 1 only a boolean has a type
		o = shapes.Without(o, "type")
	}
	b.ask(m, "", shapes.Text(o), b.resultAs(shapes.ConfigOptionsToV2))
}
