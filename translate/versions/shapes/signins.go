package shapes

import (
	"maps"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// signIn is a way to sign in: by the agent, in a terminal, by variables. Version 1 omits the
// type of the first; only its drafts had the last.
var signIn = Object{
	{"methodId", named{"id", mustString}},
	{"type", towards{oneOf{"terminal", "env_var"}, orDefault{orPrivate{known: oneOf{"agent", "terminal"}}, `"agent"`}}},
	{"name", mustString},
	{"env", towards{Func(writeVariablesV1), Func(writeVariablesV2)}},
}

// signInsToV1 converts authMethods. It drops methods of a type that version 1 lacks, because a
// client would take them for another type. If there are no others, it keeps them, because a
// client could not sign in without them.
func signInsToV1(value []byte) (all []byte, leftOut bool) {
	methods, _ := rawjson.ReadArray(nil, value)
	var known, unknown Writer
	known.Array()
	unknown.Array()
	for _, method := range methods {
		o := rawjson.Members(method)
		switch o.String("type") {
		case "agent", "terminal", "env_var", "":
			signIn.ToV1(&known, o)
		default:
			signIn.ToV1(&unknown, o)
		}
	}
	known.EndArray()
	unknown.EndArray()
	if len(known.Out) == len("[]") {
		return unknown.Out, false
	}
	return known.Out, len(unknown.Out) > len("[]")
}

// writeVariablesV1 writes an array of names and values as an object. The last of several with the
// same name counts.
func writeVariablesV1(w *Writer, value []byte) bool {
	var variables rawjson.Object
	for v := range rawjson.Objects(value, nil) {
		name, ok := v.Text("name")
		if _, isText := v.Text("value"); ok && isText {
			variables = variables.Set(string(name), v.Get("value"))
		}
	}
	return variables != nil && Object{}.writeMembers(w, variables)
}

// writeVariablesV2 writes an object as an array of names and values, sorted by name.
func writeVariablesV2(w *Writer, value []byte) bool {
	o := rawjson.Members(value)
	values := make(map[string][]byte, len(o))
	for _, f := range o {
		if f.Value[0] == '"' {
			values[string(f.Name)] = f.Value
		}
	}
	w.Array()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		w.Object()
		w.StringMember("name", []byte(name))
		w.Member("value", values[name])
		w.EndObject()
	}
	w.EndArray()
	return true
}
