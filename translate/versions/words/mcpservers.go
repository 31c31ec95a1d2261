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
		{"", "type", nil, nil},
		{"args", "args", or{notNull, "[]"}, nil},
		{"env", "env", or{notNull, "[]"}, nil},
	}
	http = Object{{"headers", "headers", or{notNull, "[]"}, nil}}
)

// MCPServersToV2 appends a list of MCP servers of version 1 as version 2 has
// it: with a type for each, and without two of the same name. It reports false
// if value is not a list.
func MCPServersToV2(dst, value []byte) ([]byte, bool) {
	if rawjson.Null(value) {
		return append(dst, "[]"...), true
	}
	servers, ok := rawjson.ReadArray(nil, value)
	if !ok {
		return dst, false
	}
	names := make(map[string]int)
	b := rawjson.Builder{Out: dst}
	b.Array()
	for _, server := range servers {
		o, ok := rawjson.ReadObject(nil, server)
		if !ok {
			b.Raw(server) // the agent says what is wrong with it
			continue
		}
		mcpServerToV2(&b, o, names)
	}
	b.EndArray()
	return b.Out, true
}

// mcpServerToV2 writes a server with a type, and with a name that no other has.
func mcpServerToV2(b *rawjson.Builder, o rawjson.Object, names map[string]int) {
	b.Object()
	if rawjson.Null(o.Get("type")) {
		b.JSON(`"type":"stdio"`)
	}
	for _, f := range o {
		name, isText := rawjson.TextOf(f.Value)
		switch {
		case string(f.Name) == "type" && rawjson.Null(f.Value):
		case string(f.Name) == "name" && isText:
			if unique := unused(names, string(name)); unique != string(name) {
				b.StringMember("name", []byte(unique))
				continue
			}
			b.Field(f)
		default:
			b.Field(f)
		}
	}
	b.EndObject()
}

// unused returns name, or name-2 and so on if it is used already, and counts it.
func unused(used map[string]int, name string) string {
	used[name]++
	for unique := name; ; used[name]++ {
		if n := used[name]; n > 1 {
			unique = name + "-" + strconv.Itoa(n)
		}
		if unique == name {
			return name
		}
		if used[unique] == 0 {
			used[unique] = 1
			return unique
		}
	}
}
