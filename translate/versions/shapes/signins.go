package shapes

import (
	"errors"
	"maps"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// signIn is a way to sign in: of the agent, in a terminal, by variables. Version 1 has no
// type for the first; the last was in its drafts only.
var signIn = Object{
	{"methodId", called{"id", towards{must{String}, front{must{String}}}}},
	{"type", towards{front{word{"terminal", "env_var"}}, front{or{orPrivate{known: word{"agent", "terminal"}}, `"agent"`}}}},
	{"name", must{String}},
	{"env", towards{Func(variablesToV1), Func(variablesToV2)}},
}

// signInsToV1 returns authMethods. Those of types that version 1
// lacks are left out, because its clients would take them for another type. They stay
// if they are the only ones: without them a client could not sign in at all.
func signInsToV1(value []byte) (all []byte, leftOut bool, err error) {
	methods, ok := rawjson.ReadArray(nil, value)
	if !ok && !rawjson.Null(value) {
		return nil, false, errors.New("authMethods is not an array")
	}
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
		return unknown.Out, false, nil
	}
	return known.Out, len(unknown.Out) > len("[]"), nil
}

// variablesToV1 writes an object with the variables of an array of names and values.
// If several have the same name, the last counts.
func variablesToV1(w *Writer, value []byte) bool {
	var variables rawjson.Object
	for v := range rawjson.Objects(value, nil) {
		name, ok := v.Text("name")
		if _, isText := v.Text("value"); ok && isText {
			variables = variables.Set(string(name), v.Get("value"))
		}
	}
	return variables != nil && Object{}.write(w, variables)
}

// variablesToV2 writes an array with the variables of an object, sorted by name.
func variablesToV2(w *Writer, value []byte) bool {
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
