package shapes

import (
	"maps"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// signIn is a way to sign in: by the agent, in a terminal, or by environment variables. In version
// 1, a sign-in by the agent has no type, and only drafts had the variables.
var signIn = Object{
	{"methodId", renamed{"id", mustString}},
	{"type", towards{oneOf{"terminal", "env_var"}, orDefault{orPrivate{known: oneOf{"agent", "terminal"}}, `"agent"`}}},
	{"name", mustString},
	{"env", towards{Func(writeVariablesV1), Func(writeVariablesV2)}},
}

// signInsToV1 converts authMethods. It drops the methods of types that version 1 lacks, because a
// client would misread them, unless there are no other methods. leftOut reports that it dropped any.
func signInsToV1(value []byte) (list []byte, leftOut bool) {
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
