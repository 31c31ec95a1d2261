package words

import (
	"fmt"
	"slices"
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
	var out list
	for _, server := range servers {
		o, _ := rawjson.ReadObject(nil, server)
		kind, _ := o.Text("type")
		var lists []string
		switch string(kind) {
		case "stdio":
			lists = []string{"args", "env"}
		case "http":
			lists = []string{"headers"}
		case "acp":
		default:
			return nil, &UnsupportedServer{string(kind)}
		}
		var members list
		for _, f := range o {
			untyped := string(f.Name) == "type" && string(kind) == "stdio"
			if untyped || f.Value[0] == 'n' && slices.Contains(lists, string(f.Name)) {
				continue
			}
			members.addText(f.Text)
		}
		for _, name := range lists {
			if rawjson.Null(o.Get(name)) {
				members.add(name, []byte("[]"))
			}
		}
		out.addText(members.object())
	}
	return out.array(), nil
}

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
	var out list
	for _, server := range servers {
		o, ok := rawjson.ReadObject(nil, server)
		if !ok {
			out.addText(server) // the agent says what is wrong with it
			continue
		}
		var members list
		if rawjson.Null(o.Get("type")) {
			members.add("type", []byte(`"stdio"`))
		}
		for _, f := range o {
			if string(f.Name) == "type" && rawjson.Null(f.Value) {
				continue
			}
			name, isText := rawjson.TextOf(f.Value)
			if string(f.Name) == "name" && isText {
				if unique := unused(names, string(name)); unique != string(name) {
					members.addString("name", []byte(unique))
					continue
				}
			}
			members.addText(f.Text)
		}
		out.addText(members.object())
	}
	return append(dst, out.array()...), true
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
