package v1agent

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// options are the options of a session. Package selectors adds modes and models as options
// (bridge.md §5.3).
type options struct {
	list []byte // as the client has them, a raw array; nil without a list or without room for it
}

// find returns the option with that id, nil if there is none.
func (o *options) find(id []byte) rawjson.Object {
	for option := range rawjson.Objects(o.list, nil) {
		if has, ok := option.Text("configId"); ok && bytes.Equal(has, id) {
			return option
		}
	}
	return nil
}

// readList replaces the options of a session and reports whether they have changed. It copies the
// list.
func (s *session) readList(list []byte) (changed bool) {
	var w shapes.Writer
	w.Array()
	elements, _ := rawjson.ReadArray(nil, list)
	for _, e := range elements {
		if !shapes.OptionToV2(&w, rawjson.Members(e)) {
			s.lose(translate.LossUnreadableOption, "one without a name, an id or values, or of an unknown type, was left out")
		}
	}
	w.EndArray()
	changed = !bytes.Equal(w.Out, s.options.list)
	s.kept.Free(len(s.options.list))
	if s.options.list = nil; s.kept.Fix(len(w.Out)) {
		s.options.list = w.Out
	}
	return changed
}

// write writes the list as a member.
func (o *options) write(w *shapes.Writer) {
	w.Name("configOptions")
	if o.list == nil {
		w.JSON("[]")
	} else {
		w.Raw(o.list)
	}
}

// writeIn writes an object with the list, as its last member, in place of its own.
func (o *options) writeIn(w *shapes.Writer, object rawjson.Object) {
	w.Object()
	w.Others(object, "configOptions")
	o.write(w)
	w.EndObject()
}

// takeOptions replaces the options of a session by the ones in a result. It reports whether
// there are any.
func (s *session) takeOptions(result rawjson.Object) bool {
	list := result.Get("configOptions")
	if rawjson.Null(list) && rawjson.Null(result.Get("modes")) && rawjson.Null(result.Get("models")) {
		return false
	}
	s.readList(list)
	return true
}

var (
	noSuchOption = invalid("no such option")
	noSuchValue  = invalid("no value that the option can have")
)

// setOption forwards session/set_config_option (bridge.md §2.5). The bridge refuses an unknown
// option, and a value of another type than the option's. The agent decides about the options of
// a session whose list is unknown, and about values of the right type.
func (b *Bridge) setOption(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	id, hasID := o.Text("configId")
	_, isText := o.Text("value")
	kind, value := o.String("type"), string(o.Get("value"))
	isBoolean := value == "true" || value == "false"
	if !hasID || !(kind == "id" && isText || kind == "boolean" && isBoolean) {
		b.refuse(m, noSuchValue)
		return
	}
	if s := b.sessions.find(m.Session); s != nil && s.options.list != nil {
		switch option := s.options.find(id); {
		case option == nil:
			b.refuse(m, noSuchOption)
			return
		case (option.String("type") == "boolean") != isBoolean:
			b.refuse(m, noSuchValue)
			return
		}
	}
	if isText { // in version 1 only a boolean has a type
		o = without(o, "type")
	}
	s := b.sessions.get(m.Session)
	b.ask(m, "", shapes.Text(o), b.resultTo(func(id []byte, result rawjson.Object) { b.optionSet(id, result, s) }))
}

// optionSet forwards the result of session/set_config_option. Version 2 requires an update of
// each change, also of one that the client has requested.
func (b *Bridge) optionSet(id []byte, result rawjson.Object, s *session) {
	if !s.forgotten {
		s.confirm()
	}
	if list := result.Get("configOptions"); !rawjson.Null(list) && s.readList(list) && !s.forgotten {
		s.options.write(s.beginUpdate("config_option_update"))
		s.link.SendUpdate()
	}
	s.options.writeIn(b.link.AnswerWith(id), result)
	b.link.SendObject(translate.Client)
}
