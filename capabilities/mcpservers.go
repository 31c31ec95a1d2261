package capabilities

import (
	"fmt"
	"slices"

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
func MCPServersToV1(servers []byte) ([]byte, error) {
	list, _ := rawjson.ReadArray(nil, servers)
	out := []byte{'['}
	for _, server := range list {
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
		out = append(comma(out), '{')
		for _, f := range o {
			untyped := string(f.Name) == "type" && string(kind) == "stdio"
			if untyped || f.Value[0] == 'n' && slices.Contains(lists, string(f.Name)) {
				continue
			}
			out = appendField(out, f)
		}
		for _, name := range lists {
			if rawjson.Null(o.Get(name)) {
				out = append(appendName(out, name), "[]"...)
			}
		}
		out = append(out, '}')
	}
	return append(out, ']'), nil
}
