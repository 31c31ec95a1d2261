package words

import (
	"fmt"
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// An UnsupportedServer is the error for an MCP server that an agent cannot be
// given.
type UnsupportedServer struct {
	Type string // of the server
}

func (e *UnsupportedServer) Error() string {
	return fmt.Sprintf("MCP server of the unknown type %q", e.Type)
}

// MCPServersToV1 returns what an agent of version 1 gets for a client's list of MCP
// servers, which may be nil. Version 1 has a server without a type where version
// 2 says stdio, and lists that version 2 leaves out. Other members stay. The
// error is an [UnsupportedServer].
func MCPServersToV1(value []byte) ([]byte, error) {
	servers, _ := rawjson.ReadArray(nil, value)
	var w Writer
	w.Array()
	for _, server := range servers {
		o, _ := rawjson.ReadObject(nil, server)
		kind, _ := o.Text("type")
		switch string(kind) {
		case "stdio":
			stdio.ToV1(&w, o)
		case "http":
			http.ToV1(&w, o)
		case "acp":
			Object{}.ToV1(&w, o)
		default:
			return nil, &UnsupportedServer{string(kind)}
		}
	}
	w.EndArray()
	return w.Out, nil
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
