package capabilities

import (
	"errors"
	"path"
	"slices"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// OldAgent is what an agent of version 1 offers but a client of version 2
// cannot be told, because version 2 always has it or ties it to something else.
// The bridge makes up for what the agent lacks, or refuses it when the client
// asks for it.
type OldAgent struct {
	Load   bool // session/load
	Resume bool // session/resume
	List   bool // session/list
	Close  bool // session/close
	Delete bool // session/delete
	Logout bool // logout
}

var errNoObject = errors.New("not an object")

// RequestToV1 returns the params of the initialize request that an agent of
// version 1 gets for a client of version 2. The agent is told that the client
// reads no files and runs no commands, because no client of version 2 does, and
// that it takes what every client of version 2 takes. Other members of params,
// and their order, stay.
func RequestToV1(params []byte) ([]byte, error) {
	var buf [8]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], params)
	if !ok {
		return nil, errNoObject
	}
	out := []byte(`{"protocolVersion":1`)
	for _, f := range o {
		switch string(f.Name) {
		case "protocolVersion", "capabilities", "clientCapabilities", "clientInfo":
		case "info":
			out = append(appendName(out, "clientInfo"), f.Value...)
		default:
			out = appendField(out, f)
		}
	}
	out = appendName(out, "clientCapabilities")
	return append(appendClientToV1(out, o.Get("capabilities")), '}'), nil
}

func appendClientToV1(out, capabilities []byte) []byte {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], capabilities)
	out = append(out, `{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,`+
		`"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"plan":{},"planCapabilities":{}`...)

	auth, _ := rawjson.ReadObject(nil, o.Get("auth"))
	out = append(appendName(out, "auth"), `{"terminal":`...)
	if present(auth.Get("terminal")) {
		out = append(out, "true"...)
	} else {
		out = append(out, "false"...)
	}
	if meta := auth.Get("_meta"); present(meta) {
		out = append(appendName(out, "_meta"), meta...)
	}
	out = append(out, '}')

	if elicitation := o.Get("elicitation"); present(elicitation) {
		out = append(appendName(out, "elicitation"), elicitation...)
	}
	// Agents of version 1 show a terminal of their own in _meta to clients that
	// say this. It becomes a terminal of version 2.
	meta, _ := rawjson.ReadObject(nil, o.Get("_meta"))
	out = append(appendName(out, "_meta"), '{')
	for _, f := range meta {
		out = appendField(out, f)
	}
	if meta.Get("terminal_output") == nil {
		out = append(appendName(out, "terminal_output"), "true"...)
	}
	return append(out, "}}"...)
}

// AnswerToV2 converts the result of initialize from version 1 to version 2. It
// also returns what to remember of that result. command is the name of the
// agent's program; its last element is the name of an agent that does not give
// its own.
func AnswerToV2(result []byte, command string) ([]byte, OldAgent, error) {
	var buf [8]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], result)
	if !ok {
		return nil, OldAgent{}, errNoObject
	}
	agent, _ := rawjson.ReadObject(nil, o.Get("agentCapabilities"))
	session, _ := rawjson.ReadObject(nil, agent.Get("sessionCapabilities"))
	auth, _ := rawjson.ReadObject(nil, agent.Get("auth"))
	remember := OldAgent{
		Load:   isTrue(agent.Get("loadSession")),
		Resume: present(session.Get("resume")),
		List:   present(session.Get("list")),
		Close:  present(session.Get("close")),
		Delete: present(session.Get("delete")),
		Logout: present(auth.Get("logout")),
	}
	out := appendInfoToV2([]byte(`{"protocolVersion":2,"info":`), o.Get("agentInfo"), command)
	out = append(out, `,"capabilities":`...)
	out = appendAgentToV2(out, agent, session, auth)
	out = append(appendName(out, "authMethods"), '[')
	methods, _ := rawjson.ReadArray(nil, o.Get("authMethods"))
	for _, m := range methods {
		out = appendAuthMethodToV2(out, m)
	}
	out = append(out, ']')
	if meta := o.Get("_meta"); present(meta) {
		out = append(appendName(out, "_meta"), meta...)
	}
	return append(out, '}'), remember, nil
}

// appendInfoToV2 writes who the agent is. Version 2 wants a name and a version.
func appendInfoToV2(out, info []byte, command string) []byte {
	o, _ := rawjson.ReadObject(nil, info)
	name, ok := o.Text("name")
	if !ok {
		command = path.Base(strings.ReplaceAll(command, `\`, "/"))
		name = []byte(strings.TrimSuffix(command, ".exe"))
	}
	out = rawjson.AppendQuoted(append(out, `{"name":`...), name)
	out = append(out, `,"version":`...)
	if version, ok := o.Text("version"); ok {
		out = rawjson.AppendQuoted(out, version)
	} else {
		out = append(out, `"unknown"`...)
	}
	for _, f := range o {
		if n := string(f.Name); n != "name" && n != "version" {
			out = appendField(out, f)
		}
	}
	return append(out, '}')
}

// appendAgentToV2 writes the agent's capabilities. Sessions are always there:
// every agent of version 1 has them.
func appendAgentToV2(out []byte, agent, session, auth rawjson.Object) []byte {
	out = append(out, `{"session":{"prompt":{`...)
	prompt, _ := rawjson.ReadObject(nil, agent.Get("promptCapabilities"))
	out = appendMarkers(out, prompt, "image", "audio", "embeddedContext")
	out = append(out, `},"mcp":{"stdio":{}`...)
	mcp, _ := rawjson.ReadObject(nil, agent.Get("mcpCapabilities"))
	out = appendMarkers(out, mcp, "http", "acp")
	out = append(out, '}')
	out = appendObjects(out, session, "delete", "additionalDirectories", "fork", "archive", "status", "title", "systemPrompt", "_meta")
	out = append(out, '}')
	if present(auth.Get("status")) || present(auth.Get("_meta")) {
		out = append(appendObjects(append(appendName(out, "auth"), '{'), auth, "status", "_meta"), '}')
	}
	return append(appendObjects(out, agent, "providers", "_meta"), '}')
}

// appendMarkers writes an empty object for each of the members that is true,
// and _meta as it is.
func appendMarkers(out []byte, o rawjson.Object, names ...string) []byte {
	for _, name := range names {
		if isTrue(o.Get(name)) {
			out = append(appendName(out, name), "{}"...)
		}
	}
	return appendObjects(out, o, "_meta")
}

// appendObjects copies each of the named members that is an object.
func appendObjects(out []byte, o rawjson.Object, names ...string) []byte {
	for _, name := range names {
		if value := o.Get(name); present(value) {
			out = append(appendName(out, name), value...)
		}
	}
	return out
}

// appendAuthMethodToV2 writes a way to sign in, or nothing if it has no id or
// no name. Version 2 reserves names of types without an underscore.
func appendAuthMethodToV2(out, method []byte) []byte {
	o, _ := rawjson.ReadObject(nil, method)
	id, hasID := o.Text("id")
	_, hasName := o.Text("name")
	if !hasID || !hasName {
		return out
	}
	kind, ok := o.Text("type")
	if !ok {
		kind = []byte("agent")
	}
	terminal := string(kind) == "terminal"
	if !terminal && string(kind) != "agent" && !strings.HasPrefix(string(kind), "_") {
		kind = append([]byte("_"), kind...)
	}
	out = rawjson.AppendQuoted(append(comma(out), `{"methodId":`...), id)
	out = rawjson.AppendQuoted(appendName(out, "type"), kind)
	for _, f := range o {
		switch {
		case string(f.Name) == "id" || string(f.Name) == "type":
		case string(f.Name) == "env" && terminal:
			out = appendEnvToV2(appendName(out, "env"), f.Value)
		default:
			out = appendField(out, f)
		}
	}
	return append(out, '}')
}

// appendEnvToV2 writes an object of variables as an array, sorted by name.
func appendEnvToV2(out, env []byte) []byte {
	o, _ := rawjson.ReadObject(nil, env)
	values := make(map[string][]byte, len(o))
	for _, f := range o {
		if len(f.Value) > 0 && f.Value[0] == '"' {
			values[string(f.Name)] = f.Value
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	out = append(out, '[')
	for _, name := range names {
		out = rawjson.AppendQuoted(append(comma(out), `{"name":`...), name)
		out = append(append(appendName(out, "value"), values[name]...), '}')
	}
	return append(out, ']')
}

// comma writes a comma unless an object or array has just begun.
func comma(out []byte) []byte {
	if last := out[len(out)-1]; last == '{' || last == '[' {
		return out
	}
	return append(out, ',')
}

func appendName(out []byte, name string) []byte {
	out = append(comma(out), '"')
	return append(append(out, name...), `":`...)
}

func appendField(out []byte, f rawjson.Field) []byte { return append(comma(out), f.Text...) }

// present reports whether a capability is there.
func present(value []byte) bool { return len(value) > 0 && value[0] == '{' }

func isTrue(value []byte) bool { return string(value) == "true" }
