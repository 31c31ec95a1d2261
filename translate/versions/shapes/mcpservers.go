package shapes

import (
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// MCPServersToV1 converts a list of MCP servers, which may be nil, to version 1. Version 1
// omits the type stdio, and requires lists that version 2 may omit. If a server has a type that
// version 1 lacks, MCPServersToV1 returns the type and false.
func MCPServersToV1(value []byte) (list []byte, unknownType string, ok bool) {
	servers, _ := rawjson.ReadArray(nil, value)
	var w Writer
	w.Array()
	for _, server := range servers {
		o := rawjson.Members(server)
		kind, _ := o.Text("type")
		switch string(kind) {
		case "stdio":
			stdioServer.ToV1(&w, o)
		case "http":
			httpServer.ToV1(&w, o)
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
	orEmpty     = towards{orDefault{notNull, "[]"}, nil}
	stdioServer = Object{{"type", drop}, {"args", orEmpty}, {"env", orEmpty}}
	httpServer  = Object{{"headers", orEmpty}}
)

// MCPServersToV2 converts a list of MCP servers to version 2, where each server has a type and a
// distinct name. It reports false if the value is neither a list nor null.
func MCPServersToV2(value []byte) ([]byte, bool) {
	if rawjson.IsNull(value) {
		return []byte("[]"), true
	}
	used := make(map[string]bool)
	server := Object{{"type", orDefault{notNull, `"stdio"`}}, {"name", Func(func(w *Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		unique := string(name)
		for n := 2; ok && used[unique]; n++ {
			unique = string(name) + "-" + strconv.Itoa(n)
		}
		used[unique] = true
		if unique == string(name) {
			return w.copy(value)
		}
		w.String([]byte(unique))
		return true
	})}}
	var w Writer
	ok := w.ToV2(array{Func(func(w *Writer, value []byte) bool {
		return server.Write(w, value) || w.copy(value) // the agent refuses an element that is not an object
	})}, value)
	return w.Out, ok
}
