package selectors

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
)

// A session holds the selectors of a session, as both sides have them between messages.
type session struct {
	id    string
	share *keep.Share
	size  int // bytes of the options, reserved in share

	agentList    []byte                       // the agent's options, a raw array; nil without a list
	added        [len(legacySelectors)][]byte // options made of the agent's modes and models, nil without these
	derivesModes bool                         // the client's modes are made of one of the agent's options
	addedLast    bool                         // the added options are listed after the agent's own

	clientHasList bool // the client has the list, and has set no mode or model since
	sentModeEarly bool // the proxy has sent the current mode before the agent did
}

// option returns the option of a selector: the agent's own, else the added one, else nil.
func (s *session) option(i int) (o rawjson.Object, added bool) {
	if o := findOption(s.agentList, legacySelectors[i].category); o != nil {
		return o, false
	}
	return rawjson.Members(s.added[i]), s.added[i] != nil
}

// optionsToAdd returns the options to add to the agent's own, by selector: nil for a selector of
// which the agent has an option. Each id is unique in the list.
func (s *session) optionsToAdd() (options [len(legacySelectors)][]byte) {
	for i := range legacySelectors {
		if _, added := s.option(i); !added {
			continue
		}
		id := legacySelectors[i].category
		for s.isTaken(id) {
			id = "_" + id
		}
		options[i] = rawjson.With(s.added[i], rawjson.AppendQuoted(nil, id), "id")
	}
	return options
}

func (s *session) isTaken(id string) bool {
	for o := range rawjson.Objects(s.agentList, nil) {
		if o.String("id") == id {
			return true
		}
	}
	return false
}

// clientList returns the list of options for the client, a raw array, or nil.
func (s *session) clientList() []byte {
	var b rawjson.Builder
	for _, o := range s.optionsToAdd() {
		if o != nil {
			b.Raw(o)
		}
	}
	switch empty := len(s.agentList) == 0 || len(bytes.TrimSpace(s.agentList[1:len(s.agentList)-1])) == 0; {
	case b.Out == nil:
		return s.agentList
	case empty:
		return slices.Concat([]byte("["), b.Out, []byte("]"))
	case s.addedLast:
		return slices.Concat(s.agentList[:len(s.agentList)-1], []byte(","), b.Out, []byte("]"))
	}
	return slices.Concat([]byte("["), b.Out, []byte(","), s.agentList[1:])
}

// mode returns the current mode, or "" if the agent reports the modes in both forms or in none.
func (s *session) mode() string {
	if o, added := s.option(modes); added || s.derivesModes {
		return currentOf(o)
	}
	return ""
}

// setCurrent changes the current value of a selector.
func (s *session) setCurrent(i int, value string) {
	o, added := s.option(i)
	switch {
	case added:
		s.added[i] = setValue(s.added[i], value)
	case hasValue(o, value) && o.String("currentValue") != value:
		var b rawjson.Builder
		b.Array()
		elements, _ := rawjson.ReadArray(nil, s.agentList)
		for _, e := range elements {
			if bytes.Equal(rawjson.Get(e, "id"), o.Get("id")) {
				e = rawjson.With(e, rawjson.AppendQuoted(nil, value), "currentValue")
			}
			b.Raw(e)
		}
		b.EndArray()
		s.agentList = b.Out
	}
}
