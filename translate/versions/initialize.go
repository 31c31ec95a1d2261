package versions

import (
	"errors"
	"path"
	"slices"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// OldClient is the part of a version 1 client's initialize that decides what the
// client can be shown. An agent of version 2 need not know it.
type OldClient struct {
	TerminalOutput bool // terminals in the _meta of tool calls
	Notices        bool
	Compaction     bool
	Booleans       bool // options of type boolean
	Subagents      bool
	Files          bool // it offers to read or write files, which version 2 lacks
	Terminals      bool // it offers to run commands; likewise
}

// NewAgent is what an agent of version 2 says in initialize that cannot be passed
// on to a client of version 1.
type NewAgent struct {
	Stdio   bool // it starts MCP servers
	SignIns bool // it has ways to sign in that version 1 lacks, and that the client is not told of
}

// InitializeToV2 converts the params of initialize from version 1 to version 2.
func InitializeToV2(params []byte) ([]byte, OldClient, error) {
	o, ok := rawjson.ReadObject(nil, params)
	if !ok {
		return nil, OldClient{}, errors.New("read params of initialize: no object")
	}
	caps, _ := rawjson.ReadObject(nil, o.Get("clientCapabilities"))
	out := append([]byte(nil), `{"protocolVersion":2,"info":`...)
	if info := o.Get("clientInfo"); isImplementation(info) {
		out = append(out, info...)
	} else {
		out = append(out, `{"name":"unknown","version":"unknown"}`...)
	}
	out = append(out, `,"capabilities":{`...)
	var members list
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	var inAuth list
	if string(auth.Get("terminal")) == "true" {
		inAuth.add("terminal", []byte("{}"))
	}
	inAuth.addObject("_meta", auth.Get("_meta"))
	members.addList("auth", inAuth)
	members.addObject("elicitation", caps.Get("elicitation"))
	members.addObject("_meta", caps.Get("_meta"))
	out = append(append(out, members...), '}')
	out = appendMeta(out, o)
	return append(out, '}'), readOldClient(caps), nil
}

func readOldClient(caps rawjson.Object) OldClient {
	meta, _ := rawjson.ReadObject(nil, caps.Get("_meta"))
	session, _ := rawjson.ReadObject(nil, caps.Get("session"))
	options, _ := rawjson.ReadObject(nil, session.Get("configOptions"))
	files, _ := rawjson.ReadObject(nil, caps.Get("fs"))
	return OldClient{
		TerminalOutput: string(meta.Get("terminal_output")) == "true",
		Notices:        isObject(session.Get("notices")),
		Compaction:     isObject(session.Get("compaction")),
		Booleans:       isObject(options.Get("boolean")),
		Subagents:      isObject(caps.Get("subagents")),
		Files:          string(files.Get("readTextFile")) == "true" || string(files.Get("writeTextFile")) == "true",
		Terminals:      string(caps.Get("terminal")) == "true",
	}
}

// InitializeResultToV1 converts the result of initialize from version 2 to version 1.
func InitializeResultToV1(result []byte) ([]byte, NewAgent, error) {
	o, ok := rawjson.ReadObject(nil, result)
	if !ok {
		return nil, NewAgent{}, errors.New("read result of initialize: no object")
	}
	caps, _ := rawjson.ReadObject(nil, o.Get("capabilities"))
	methods, leftOut, err := authMethodsToV1(o.Get("authMethods"))
	if err != nil {
		return nil, NewAgent{}, err
	}
	out := append([]byte(nil), `{"protocolVersion":1`...)
	if info := o.Get("info"); isImplementation(info) {
		out = append(append(out, `,"agentInfo":`...), info...)
	}
	members, agent := agentCapabilitiesToV1(caps, len(methods) > 0)
	agent.SignIns = leftOut
	out = append(out, `,"agentCapabilities":{`...)
	out = append(append(out, members...), `},"authMethods":[`...)
	out = append(append(out, methods...), ']')
	out = appendMeta(out, o)
	return append(out, '}'), agent, nil
}

// copied are the members of capabilities.session of version 2 that are members
// of sessionCapabilities in version 1.
var copied = []string{"delete", "additionalDirectories", "fork", "archive", "status", "title", "systemPrompt", "_meta"}

// agentCapabilitiesToV1 returns the members of agentCapabilities. An agent with
// ways to sign in has one to sign out.
func agentCapabilitiesToV1(caps rawjson.Object, signsIn bool) (list, NewAgent) {
	var members, auth list
	var agent NewAgent
	if session, ok := rawjson.ReadObject(nil, caps.Get("session")); ok {
		prompt, _ := rawjson.ReadObject(nil, session.Get("prompt"))
		mcp, _ := rawjson.ReadObject(nil, session.Get("mcp"))
		agent = NewAgent{Stdio: isObject(mcp.Get("stdio"))}
		members.add("loadSession", []byte("true"))
		members.addList("promptCapabilities", marks(prompt, "image", "audio", "embeddedContext"))
		members.addList("mcpCapabilities", marks(mcp, "http", "acp"))
		sessions := list(`"list":{},"resume":{},"close":{}`)
		for _, name := range copied {
			sessions.addObject(name, session.Get(name))
		}
		members.addList("sessionCapabilities", sessions)
	}
	if signsIn {
		auth.add("logout", []byte("{}"))
	}
	v2, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	auth.addObject("status", v2.Get("status"))
	auth.addObject("_meta", v2.Get("_meta"))
	members.addList("auth", auth)
	members.addObject("providers", caps.Get("providers"))
	members.addObject("_meta", caps.Get("_meta"))
	return members, agent
}

// marks returns true for each of the markers, which are objects in version 2.
// What is absent stays absent, as in the answers of agents of version 1: some
// clients list every member as something that the agent can do.
func marks(o rawjson.Object, names ...string) (members list) {
	for _, name := range names {
		if isObject(o.Get(name)) {
			members.add(name, []byte("true"))
		}
	}
	members.addObject("_meta", o.Get("_meta"))
	return members
}

// authMethodsToV1 returns the elements of authMethods. Methods of types that
// version 1 lacks are left out, because its clients would take them for another
// type. They stay if they are the only ones: without them a client could not
// sign in at all.
func authMethodsToV1(value []byte) (all list, leftOut bool, err error) {
	if rawjson.Null(value) {
		return nil, false, nil
	}
	methods, ok := rawjson.ReadArray(nil, value)
	if !ok {
		return nil, false, errors.New("read authMethods of initialize: no array")
	}
	var known, unknown list
	for _, method := range methods {
		o, _ := rawjson.ReadObject(nil, method)
		kind, _ := o.Text("type")
		into := &unknown
		if string(kind) == "agent" || string(kind) == "terminal" || len(kind) == 0 {
			into = &known
		}
		if converted, ok := authMethodToV1(o, string(kind) == "terminal"); ok {
			into.next()
			*into = append(*into, converted...)
		}
	}
	if known == nil {
		return unknown, false, nil
	}
	return known, unknown != nil, nil
}

func authMethodToV1(o rawjson.Object, terminal bool) ([]byte, bool) {
	_, hasID := o.Text("methodId")
	_, hasName := o.Text("name")
	if !hasID || !hasName {
		return nil, false
	}
	var members list
	if terminal {
		members.add("type", []byte(`"terminal"`))
	}
	for _, f := range o {
		switch string(f.Name) {
		case "type", "id":
		case "methodId":
			members.add("id", f.Value)
		case "env":
			if terminal {
				members.addList("env", environment(f.Value))
			}
		default:
			members.next()
			members = append(members, f.Text...)
		}
	}
	return append(append([]byte("{"), members...), '}'), true
}

// environment returns the members of an object with the variables of an array
// of names and values. If several have the same name, the last counts.
func environment(value []byte) (members list) {
	variables, _ := rawjson.ReadArray(nil, value)
	last := make(map[string]int, len(variables))
	values := make([]rawjson.Object, len(variables))
	for i, v := range variables {
		values[i], _ = rawjson.ReadObject(nil, v)
		if name, ok := values[i].Text("name"); ok {
			last[string(name)] = i
		}
	}
	for i, o := range values {
		name, ok := o.Text("name")
		if _, isText := o.Text("value"); ok && isText && last[string(name)] == i {
			members.add(string(name), o.Get("value"))
		}
	}
	return members
}

func appendMeta(out []byte, o rawjson.Object) []byte {
	meta := o.Get("_meta")
	if isObject(meta) {
		out = append(append(out, `,"_meta":`...), meta...)
	}
	return out
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

func isImplementation(value []byte) bool {
	o, _ := rawjson.ReadObject(nil, value)
	_, hasName := o.Text("name")
	_, hasVersion := o.Text("version")
	return hasName && hasVersion
}

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

// InitializeToV1 returns the params of the initialize request that an agent of
// version 1 gets for a client of version 2. The agent is told that the client
// reads no files and runs no commands, because no client of version 2 does, and
// that it takes what every client of version 2 takes. Other members of params,
// and their order, stay.
func InitializeToV1(params []byte) ([]byte, error) {
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
	if isObject(auth.Get("terminal")) {
		out = append(out, "true"...)
	} else {
		out = append(out, "false"...)
	}
	if meta := auth.Get("_meta"); isObject(meta) {
		out = append(appendName(out, "_meta"), meta...)
	}
	out = append(out, '}')

	if elicitation := o.Get("elicitation"); isObject(elicitation) {
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

// InitializeResultToV2 converts the result of initialize from version 1 to version 2. It
// also returns what to remember of that result. command is the name of the
// agent's program; its last element is the name of an agent that does not give
// its own.
func InitializeResultToV2(result []byte, command string) ([]byte, OldAgent, error) {
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
		Resume: isObject(session.Get("resume")),
		List:   isObject(session.Get("list")),
		Close:  isObject(session.Get("close")),
		Delete: isObject(session.Get("delete")),
		Logout: isObject(auth.Get("logout")),
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
	if meta := o.Get("_meta"); isObject(meta) {
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
	if isObject(auth.Get("status")) || isObject(auth.Get("_meta")) {
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
		if value := o.Get(name); isObject(value) {
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

func isTrue(value []byte) bool { return string(value) == "true" }

// AskForVersion1 returns the params of an initialize request, asking for version
// 1. Every other byte stays.
func AskForVersion1(params []byte) []byte {
	e := rawjson.Edit(nil, params, 0)
	var c rawjson.Cursor
	c.Reset(params)
	for more := c.Object(); more; more = c.NextMember() {
		isVersion := string(c.Name()) == "protocolVersion"
		start := c.Offset()
		if c.Skip(); isVersion {
			e.Replace(start, c.Pos(), "1")
		}
	}
	return e.Finish(len(params))
}
