package oldagent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Modes and models become options, which are set by session/set_mode and
// session/set_model.

// A choice is the modes or the models of a session.
type choice struct {
	name     string // of the option
	category string // and, unless that is taken, its id
	method   string // that sets it
	param    string // of that method
	current  string
	values   []string
	options  []byte // the raw values of the option, with commas; nil if there is none
}

// same returns the option of the agent that is the same choice, or nil.
func (o *sessionOptions) same(c *choice) *option {
	for _, by := range []func(*option) bool{
		func(r *option) bool { return r.category == c.category },
		func(r *option) bool { return r.id == c.category },
	} {
		for i := range o.real {
			if r := &o.real[i]; !r.boolean && by(r) {
				return r
			}
		}
	}
	return nil
}

// made returns the choices that become options of the bridge.
func (o *sessionOptions) made() (choices []*choice) {
	for _, c := range []*choice{&o.modes, &o.models} {
		if c.options != nil && o.same(c) == nil {
			choices = append(choices, c)
		}
	}
	return choices
}

// idOf returns the id of a choice that becomes an option.
func (o *sessionOptions) idOf(c *choice) string {
	id := c.category
	for o.find(id) != nil {
		id = "_" + id
	}
	return id
}

// readChoice reads modes or models, whose members have these names.
func (b *Bridge) readChoice(s *session, value []byte, c choice, current, available, id string) choice {
	if len(value) > MaxOptions {
		b.lose([]byte(s.id), translate.LossTooManyOptions, "the modes or models of a session were left out")
		return c
	}
	o, _ := rawjson.ReadObject(nil, value)
	list, _ := rawjson.ReadArray(nil, o.Get(available))
	w := &words.Writer{}
	seen := make(map[string]bool, len(list))
	for _, e := range list {
		v, _ := rawjson.ReadObject(nil, e)
		own, ok := v.Text(id)
		if !ok || seen[string(own)] {
			b.lose([]byte(s.id), translate.LossUnreadableOption, "a mode or model without an id of its own was left out")
			continue
		}
		seen[string(own)] = true
		c.add(w, string(own), v)
	}
	if chosen, ok := o.Text(current); ok && len(c.values) > 0 {
		c.current = string(chosen)
	} else if len(c.values) > 0 {
		c.current = c.values[0]
	}
	c.options = w.Out
	c.complete()
	return c
}

// add writes a mode or model as the value of an option.
func (c *choice) add(w *words.Writer, id string, o rawjson.Object) {
	c.values = append(c.values, id)
	if len(w.Out) > 0 {
		w.Text(",")
	}
	w.Text(`{"value":`)
	w.Quoted([]byte(id))
	member(w, "name")
	if name, ok := o.Text("name"); ok {
		w.Quoted(name)
	} else {
		w.Quoted([]byte(id))
	}
	if description := o.Get("description"); len(description) > 0 && description[0] == '"' {
		member(w, "description")
		w.Out = append(w.Out, description...)
	}
	if meta := o.Get("_meta"); len(meta) > 0 && meta[0] == '{' {
		member(w, "_meta")
		w.Out = append(w.Out, meta...)
	}
	w.Text("}")
}

// complete adds the current value to the values if it is not among them.
func (c *choice) complete() {
	if c.options != nil && !slices.Contains(c.values, c.current) {
		w := &words.Writer{Builder: rawjson.Builder{Out: c.options}}
		c.add(w, c.current, nil)
		c.options = w.Out
	}
}

// modeChanged takes in a mode that the agent has changed to. It tells the client
// only of a change: the answer to session/set_mode has said the same before, and
// agents that have modes as an option too report both.
func (b *Bridge) modeChanged(u *update) {
	s := u.session
	mode, ok := u.fields.Text("currentModeId")
	if !ok {
		b.lose([]byte(s.id), translate.LossUnreadableUpdate, "a mode without an id was dropped")
		return
	}
	c := &s.options.modes
	if r := s.options.same(&choice{category: "mode"}); r != nil {
		if r.value == string(mode) {
			return
		}
		r.set(string(mode))
	} else {
		if c.options == nil {
			b.lose([]byte(s.id), translate.LossModeOfSession, "the client was not told of it: the agent offers no modes there")
			return
		}
		if c.current == string(mode) {
			return
		}
		c.current = string(mode)
		c.complete()
	}
	b.keepOptions(s)
	b.tellOptions(s)
}

// setChoice sets a mode or a model.
func (b *Bridge) setChoice(m *jsonrpc.Message, s *session, c *choice, value string, isText bool) {
	if !isText || !slices.Contains(c.values, value) {
		b.refuse(m.ID, invalidParams, noSuchValue, nil)
		return
	}
	params := rawjson.AppendQuoted([]byte(`{"sessionId":`), m.Session)
	params = append(params, `,"`+c.param+`":`...)
	params = append(rawjson.AppendQuoted(params, value), '}')
	isMode := c == &s.options.modes
	b.ask(m, c.method, params, func(call *call, m *jsonrpc.Message) {
		if m.Failed() || !m.Result.Present() {
			b.answerError(call, m)
			return
		}
		b.choiceSet(call, s, isMode, value)
	})
}

// choiceSet takes in that a mode or a model was set.
func (b *Bridge) choiceSet(c *call, s *session, isMode bool, value string) {
	of := &s.options.models
	if isMode {
		of = &s.options.modes
	}
	if of.current != value && of.options != nil {
		of.current = value
		of.complete()
		b.keepOptions(s)
		if !s.dropped {
			b.tellOptions(s)
		}
	}
	b.replyOptions(c.ID, s, nil)
}
