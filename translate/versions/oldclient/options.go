package oldclient

import (
	"bytes"
	"hash/maphash"
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

const maxOptions = 256 << 10 // bytes of options of a session

// options are the options of a session.
type options struct {
	told    uint64 // a digest of the list that the client was told last; see takeOptions
	again   bool   // an answer told it, and the agent may send the same as an update
	updates int    // how many lists the agent has sent as updates

	mode, model selectOption
	switches    []string // the ids of the options of type boolean
	size        int      // bytes of the list that they are from
}

// A selectOption is an option with a meaning of its own.
type selectOption struct {
	id      string // "" if there is none
	current []byte // raw
	values  [][]byte
}

// storeOptions takes in the options of a session and reports whether another mode
// is current. Of a list that is too long the client gets the options without modes.
func (b *Bridge) storeOptions(s *session, list []byte) (modeChanged bool) {
	if len(list) > maxOptions {
		b.link.Lose(translate.LossTooManyOptions, "the options of a session are more than 256 KiB, so its modes and models were left out")
		s.options = options{}
		return false
	}
	modeChanged = s.options.store(list)
	s.options.size = len(list)
	b.sessions.account(s)
	return modeChanged
}

// store is storeOptions for a list that is not too long.
func (o *options) store(list []byte) (modeChanged bool) {
	was := o.mode
	*o = options{}
	elements, _ := rawjson.ReadArray(nil, list)
	named := selectOption{}
	for _, e := range elements {
		option, _ := rawjson.ReadObject(nil, e)
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
	return o.mode.id != "" && !bytes.Equal(o.mode.current, was.current)
}

// takeOptions is storeOptions for a change, of which the client is told now: by an
// answer of the agent, or by an update.
func (b *Bridge) takeOptions(s *session, list []byte, isAnswer bool) (modeChanged bool) {
	updates := s.options.updates
	if !isAnswer {
		updates++
	}
	modeChanged = b.storeOptions(s, list)
	s.options.told, s.options.updates, s.options.again = b.digest(list), updates, isAnswer
	return modeChanged
}

func (b *Bridge) digest(list []byte) uint64 { return maphash.Bytes(b.seed, list) }

func newSelectOption(id []byte, option rawjson.Object) selectOption {
	s := selectOption{id: string(id), current: cloned(option.Get("currentValue"))}
	if _, ok := rawjson.TextOf(s.current); !ok {
		return selectOption{}
	}
	values, _ := rawjson.ReadArray(nil, option.Get("options"))
	for _, v := range values {
		o, _ := rawjson.ReadObject(nil, v)
		if group, ok := rawjson.ReadArray(nil, o.Get("options")); ok {
			for _, v := range group {
				s.values = append(s.values, cloned(v))
			}
		} else {
			s.values = append(s.values, cloned(v))
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

// optionsToV1 returns a list of options. It reports false if the value is not a list.
func (b *Bridge) optionsToV1(list []byte) ([]byte, bool) {
	var w words.Writer
	ok := words.OptionsToV1(b.options.Client.Booleans)(&w, list)
	b.link.LoseAll(w.Losses)
	return w.Out, ok
}

// optionsUpdate handles config_option_update.
func (b *Bridge) optionsUpdate(s *session, u *link.Update) {
	o := u.Members
	list := o.Get("configOptions")
	if list == nil || list[0] != '[' {
		b.link.Lose(translate.LossUnreadableUpdate, "dropped a config_option_update without configOptions")
		return
	}
	known := s.options.again && len(o) == 2 && s.options.told == b.digest(list)
	if s.options.again = false; known {
		return
	}
	s.tools.flushSmall()
	if b.takeOptions(s, list, false) {
		b.tellMode(s)
	}
	told, _ := b.optionsToV1(list)
	words.Shape{}.ConvertObject(b.link.RewriteWith(u), o.Set("configOptions", told))
	b.link.SendRewritten(u)
}

// tellMode tells the client which mode is current.
func (b *Bridge) tellMode(s *session) {
	b.link.UpdateWith([]byte(s.id), "current_mode_update").Member("currentModeId", s.options.mode.current)
	b.link.SendUpdate()
}

// optionsOpened stores the options of a session that is being opened. It returns them,
// and the modes, as version 1 has them; nil if there are none.
func (b *Bridge) optionsOpened(s *session, list []byte) (modes, options []byte) {
	b.storeOptions(s, list)
	options, _ = b.optionsToV1(list)
	return s.options.modes(), options
}

// setMode handles session/set_mode.
func (b *Bridge) setMode(m *jsonrpc.Message) {
	b.choose(m, "modeId", func(o *options) *selectOption { return &o.mode }, true)
}

// setModel handles session/set_model, which clients of before June 2026 use.
func (b *Bridge) setModel(m *jsonrpc.Message) {
	b.choose(m, "modelId", func(o *options) *selectOption { return &o.model }, false)
}

func (b *Bridge) choose(m *jsonrpc.Message, name string, which func(*options) *selectOption, mode bool) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	value, ok := o.Text(name)
	s := b.sessions.find(string(m.Session))
	if !ok || s == nil || which(&s.options).id == "" {
		refuseParams(&b.link, m.ID, "the session has no such choice")
		return
	}
	params := appendMember([]byte("{"), "sessionId", m.Session)
	params = appendMember(params, "configId", []byte(which(&s.options).id))
	params = appendMember(append(params, `,"type":"id"`...), "value", value)
	if meta := o.Get("_meta"); meta != nil && meta[0] == '{' {
		params = appendRaw(params, "_meta", meta)
	}
	updates := s.options.updates
	b.link.Ask(translate.Agent, m, "session/set_config_option", append(params, '}'), link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { b.chosen(c, m, updates, mode) },
	})
}

// chosen handles the answer to what became of session/set_mode or session/set_model.
// The agent had sent so many lists of options as updates when it was asked.
func (b *Bridge) chosen(c *link.Call, m *jsonrpc.Message, updates int, mode bool) {
	if refusedByAgent(&b.link, c, m) {
		return
	}
	b.link.Answer(translate.Client, c.ID, []byte("{}"))
	s := b.sessions.find(c.Asked.Session)
	list := member(m.Result.Of(m.Text), "configOptions")
	if s == nil || list == nil || list[0] != '[' {
		return
	}
	if s.options.toldSince(updates, b.digest(list)) {
		return
	}
	if changed := b.takeOptions(s, list, true); changed || mode && s.options.mode.id != "" {
		b.tellMode(s)
	}
	told, _ := b.optionsToV1(list)
	b.link.UpdateWith([]byte(s.id), "config_option_update").Member("configOptions", told)
	b.link.SendUpdate()
}

// toldSince reports whether an update has told the client the list with that
// digest, and since when so many updates had come.
func (o *options) toldSince(updates int, digest uint64) bool {
	return o.updates != updates && o.told == digest
}

// setOption handles session/set_config_option.
func (b *Bridge) setOption(m *jsonrpc.Message) {
	o, ok := rawjson.ReadObject(nil, link.ParamsOf(m))
	value := o.Get("value")
	id, hasID := o.Text("configId")
	s := b.sessions.find(string(m.Session))
	var kind string
	switch {
	case !ok || value == nil || !hasID:
	case value[0] == 't' || value[0] == 'f':
		kind = `"boolean"`
	case value[0] != '"':
	case s != nil && slices.Contains(s.options.switches, string(id)):
		kind = `"boolean"`
		switch string(value) {
		case `"on"`:
			value = []byte("true")
		case `"off"`:
			value = []byte("false")
		default:
			kind = ""
		}
	default:
		kind = `"id"`
	}
	if kind == "" {
		refuseParams(&b.link, m.ID, "the option has no such value")
		return
	}
	o = o.Set("value", value).Set("type", []byte(kind))
	updates := 0
	if s != nil {
		updates = s.options.updates
	}
	b.link.Ask(translate.Agent, m, "session/set_config_option", appendObject(nil, o), link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { b.optionSet(c, m, updates) },
	})
}

// optionSet handles the answer to session/set_config_option, see chosen.
func (b *Bridge) optionSet(c *link.Call, m *jsonrpc.Message, updates int) {
	if refusedByAgent(&b.link, c, m) {
		return
	}
	result, ok := rawjson.ReadObject(nil, m.Result.Of(m.Text))
	list := result.Get("configOptions")
	told, isList := b.optionsToV1(orNull(list))
	if !ok || !isList {
		refuseAnswer(&b.link, c.ID)
		return
	}
	words.Shape{}.ConvertObject(b.link.AnswerWith(c.ID), result.Set("configOptions", told))
	b.link.SendObject(translate.Client)
	s := b.sessions.find(c.Asked.Session)
	if s == nil || s.options.toldSince(updates, b.digest(list)) {
		return
	}
	if b.takeOptions(s, list, true) {
		b.tellMode(s)
	}
}
