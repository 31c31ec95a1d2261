package shapes

import (
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// MCPServersToV1 returns what an agent of version 1 gets for a client's list of MCP
// servers, which may be nil. Version 1 has a server without a type where version
// 2 says stdio, and lists that version 2 leaves out. Other members stay. If a server is of a
// type that version 1 lacks, it returns false, and the type.
func MCPServersToV1(value []byte) (list []byte, lacking string, ok bool) {
	servers, _ := rawjson.ReadArray(nil, value)
	var w Writer
	w.Array()
	for _, server := range servers {
		o := rawjson.Members(server)
		kind, _ := o.Text("type")
		switch string(kind) {
		case "stdio":
			stdio.ToV1(&w, o)
		case "http":
			http.ToV1(&w, o)
		case "acp":
			Object{}.ToV1(&w, o)
		default:
			return nil, string(kind), false
		}
	}
	w.EndArray()
	return w.Out, "", true
}

var (
	stdio = Object{
		{"type", leave},
		{"args", towards{or{notNull, "[]"}, nil}},
		{"env", towards{or{notNull, "[]"}, nil}},
	}
	http = Object{{"headers", towards{or{notNull, "[]"}, nil}}}
)

// MCPServersToV2 returns a list of MCP servers of version 1 as version 2 has it: with a
// type for each, and without two of the same name. It reports false if value is not a list.
func MCPServersToV2(value []byte) ([]byte, bool) {
	if rawjson.Null(value) {
		return []byte("[]"), true
	}
	used := make(map[string]bool)
	server := Object{{"type", front{is(`"stdio"`)}}, {"name", Func(func(w *Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		unique := string(name)
		for n := 2; ok && used[unique]; n++ {
			unique = string(name) + "-" + strconv.Itoa(n)
		}
		if used[unique] = true; unique == string(name) {
			return w.any(value)
		}
		w.String([]byte(unique))
		return true
	})}}
	var w Writer
	ok := w.ToV2(array{Func(func(w *Writer, value []byte) bool {
		o, ok := rawjson.ReadObject(nil, value)
		switch {
		case !ok:
			return w.any(value) // the agent says what is wrong with it
		case rawjson.Null(o.Get("type")):
			return server.write(w, o)
		}
		return server[1:].write(w, o)
	})}, value)
	return w.Out, ok
}
