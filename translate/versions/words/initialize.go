package words

import (
	"errors"
	"maps"
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
	members := list(`"protocolVersion":1`)
	for _, f := range o {
		switch string(f.Name) {
		case "protocolVersion", "capabilities", "clientCapabilities", "clientInfo":
		case "info":
			members.add("clientInfo", f.Value)
		default:
			members.addText(f.Text)
		}
	}
	caps, _ := rawjson.ReadObject(nil, o.Get("capabilities"))
	members.add("clientCapabilities", clientCapabilitiesToV1(caps).object())
	return members.object(), nil
}

func clientCapabilitiesToV1(caps rawjson.Object) list {
	members := list(`"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,` +
		`"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"plan":{},"planCapabilities":{}`)
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	inAuth := list(`"terminal":false`)
	if isObject(auth.Get("terminal")) {
		inAuth = list(`"terminal":true`)
	}
	inAuth.addObjects(auth, "_meta")
	members.add("auth", inAuth.object())
	members.addObjects(caps, "elicitation")

	// Agents of version 1 show a terminal of their own in _meta to clients that
	// say this. It becomes a terminal of version 2.
	meta, _ := rawjson.ReadObject(nil, caps.Get("_meta"))
	var inMeta list
	for _, f := range meta {
		inMeta.addText(f.Text)
	}
	if meta.Get("terminal_output") == nil {
		inMeta.add("terminal_output", []byte("true"))
	}
	members.add("_meta", inMeta.object())
	return members
}

// InitializeToV2 converts the params of an initialize request from version 1 to
// version 2. It also returns what to remember of them.
func InitializeToV2(params []byte) ([]byte, OldClient, error) {
	o, ok := rawjson.ReadObject(nil, params)
	if !ok {
		return nil, OldClient{}, errors.New("read params of initialize: no object")
	}
	caps, _ := rawjson.ReadObject(nil, o.Get("clientCapabilities"))
	info := o.Get("clientInfo")
	if !isImplementation(info) {
		info = []byte(`{"name":"unknown","version":"unknown"}`)
	}
	members := list(`"protocolVersion":2`)
	members.add("info", info)
	members.add("capabilities", clientCapabilitiesToV2(caps).object())
	members.addObjects(o, "_meta")
	return members.object(), readOldClient(caps), nil
}

func clientCapabilitiesToV2(caps rawjson.Object) (members list) {
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	var inAuth list
	inAuth.addMarkersToV2(auth, "terminal")
	members.addUnlessEmpty("auth", inAuth)
	members.addObjects(caps, "elicitation", "_meta")
	return members
}

func readOldClient(caps rawjson.Object) OldClient {
	meta, _ := rawjson.ReadObject(nil, caps.Get("_meta"))
	session, _ := rawjson.ReadObject(nil, caps.Get("session"))
	options, _ := rawjson.ReadObject(nil, session.Get("configOptions"))
	files, _ := rawjson.ReadObject(nil, caps.Get("fs"))
	return OldClient{
		TerminalOutput: isTrue(meta.Get("terminal_output")),
		Notices:        isObject(session.Get("notices")),
		Compaction:     isObject(session.Get("compaction")),
		Booleans:       isObject(options.Get("boolean")),
		Subagents:      isObject(caps.Get("subagents")),
		Files:          isTrue(files.Get("readTextFile")) || isTrue(files.Get("writeTextFile")),
		Terminals:      isTrue(caps.Get("terminal")),
	}
}

// InitializeResultToV1 converts the result of initialize from version 2 to version
// 1. It also returns what to remember of that result.
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
	members := list(`"protocolVersion":1`)
	if info := o.Get("info"); isImplementation(info) {
		members.add("agentInfo", info)
	}
	inCaps, agent := agentCapabilitiesToV1(caps, len(methods) > 0)
	agent.SignIns = leftOut
	members.add("agentCapabilities", inCaps.object())
	members.add("authMethods", methods.array())
	members.addObjects(o, "_meta")
	return members.object(), agent, nil
}

// sessionCapabilities are the members of capabilities.session of version 2 that
// are members of sessionCapabilities in version 1.
var sessionCapabilities = []string{"delete", "additionalDirectories", "fork", "archive", "status", "title", "systemPrompt", "_meta"}

// agentCapabilitiesToV1 returns the members of agentCapabilities. An agent with
// ways to sign in has one to sign out.
func agentCapabilitiesToV1(caps rawjson.Object, signsIn bool) (list, NewAgent) {
	var members, inPrompt, inMCP, inAuth list
	var agent NewAgent
	if session, ok := rawjson.ReadObject(nil, caps.Get("session")); ok {
		prompt, _ := rawjson.ReadObject(nil, session.Get("prompt"))
		mcp, _ := rawjson.ReadObject(nil, session.Get("mcp"))
		agent.Stdio = isObject(mcp.Get("stdio"))
		inPrompt.addMarkersToV1(prompt, "image", "audio", "embeddedContext")
		inMCP.addMarkersToV1(mcp, "http", "acp")
		inSession := list(`"list":{},"resume":{},"close":{}`)
		inSession.addObjects(session, sessionCapabilities...)
		members.add("loadSession", []byte("true"))
		members.addUnlessEmpty("promptCapabilities", inPrompt)
		members.addUnlessEmpty("mcpCapabilities", inMCP)
		members.add("sessionCapabilities", inSession.object())
	}
	if signsIn {
		inAuth.add("logout", []byte("{}"))
	}
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	inAuth.addObjects(auth, "status", "_meta")
	members.addUnlessEmpty("auth", inAuth)
	members.addObjects(caps, "providers", "_meta")
	return members, agent
}

// InitializeResultToV2 converts the result of initialize from version 1 to version
// 2. It also returns what to remember of that result. command is the name of the
// agent's program; its last element is the name of an agent that does not give
// its own.
func InitializeResultToV2(result []byte, command string) ([]byte, OldAgent, error) {
	var buf [8]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], result)
	if !ok {
		return nil, OldAgent{}, errNoObject
	}
	caps, _ := rawjson.ReadObject(nil, o.Get("agentCapabilities"))
	session, _ := rawjson.ReadObject(nil, caps.Get("sessionCapabilities"))
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	agent := OldAgent{
		Load:   isTrue(caps.Get("loadSession")),
		Resume: isObject(session.Get("resume")),
		List:   isObject(session.Get("list")),
		Close:  isObject(session.Get("close")),
		Delete: isObject(session.Get("delete")),
		Logout: isObject(auth.Get("logout")),
	}
	members := list(`"protocolVersion":2`)
	members.add("info", agentInfoToV2(o.Get("agentInfo"), command).object())
	members.add("capabilities", agentCapabilitiesToV2(caps, session, auth).object())
	members.add("authMethods", authMethodsToV2(o.Get("authMethods")).array())
	members.addObjects(o, "_meta")
	return members.object(), agent, nil
}

// agentInfoToV2 returns who the agent is. Version 2 wants a name and a version.
func agentInfoToV2(info []byte, command string) (members list) {
	o, _ := rawjson.ReadObject(nil, info)
	name, ok := o.Text("name")
	if !ok {
		command = path.Base(strings.ReplaceAll(command, `\`, "/"))
		name = []byte(strings.TrimSuffix(command, ".exe"))
	}
	version, ok := o.Text("version")
	if !ok {
		version = []byte("unknown")
	}
	members.addString("name", name)
	members.addString("version", version)
	for _, f := range o {
		if n := string(f.Name); n != "name" && n != "version" {
			members.addText(f.Text)
		}
	}
	return members
}

// agentCapabilitiesToV2 returns the agent's capabilities. Sessions are always
// there: every agent of version 1 has them.
func agentCapabilitiesToV2(caps, session, auth rawjson.Object) (members list) {
	prompt, _ := rawjson.ReadObject(nil, caps.Get("promptCapabilities"))
	mcp, _ := rawjson.ReadObject(nil, caps.Get("mcpCapabilities"))
	var inPrompt, inSession, inAuth list
	inPrompt.addMarkersToV2(prompt, "image", "audio", "embeddedContext")
	inMCP := list(`"stdio":{}`)
	inMCP.addMarkersToV2(mcp, "http", "acp")
	inSession.add("prompt", inPrompt.object())
	inSession.add("mcp", inMCP.object())
	inSession.addObjects(session, sessionCapabilities...)
	members.add("session", inSession.object())
	inAuth.addObjects(auth, "status", "_meta")
	members.addUnlessEmpty("auth", inAuth)
	members.addObjects(caps, "providers", "_meta")
	return members
}

// addMarkersToV1 adds true for each of the markers, which are objects in version 2,
// and _meta as it is. What is absent stays absent, as in the answers of agents of
// version 1: some clients list every member as something that the agent can do.
func (l *list) addMarkersToV1(o rawjson.Object, names ...string) {
	for _, name := range names {
		if isObject(o.Get(name)) {
			l.add(name, []byte("true"))
		}
	}
	l.addObjects(o, "_meta")
}

// addMarkersToV2 adds an empty object for each of the members that is true, and
// _meta as it is.
func (l *list) addMarkersToV2(o rawjson.Object, names ...string) {
	for _, name := range names {
		if isTrue(o.Get(name)) {
			l.add(name, []byte("{}"))
		}
	}
	l.addObjects(o, "_meta")
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
		if members := authMethodToV1(o, string(kind) == "terminal"); members != nil {
			into.addText(members.object())
		}
	}
	if known == nil {
		return unknown, false, nil
	}
	return known, unknown != nil, nil
}

// authMethodToV1 returns the members of a way to sign in, or nil if it has no id or
// no name.
func authMethodToV1(o rawjson.Object, terminal bool) (members list) {
	_, hasID := o.Text("methodId")
	_, hasName := o.Text("name")
	if !hasID || !hasName {
		return nil
	}
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
				members.addUnlessEmpty("env", variablesToV1(f.Value))
			}
		default:
			members.addText(f.Text)
		}
	}
	return members
}

// authMethodsToV2 returns the elements of authMethods. A way to sign in without an
// id or a name is left out. Version 2 reserves names of types without an
// underscore.
func authMethodsToV2(value []byte) (all list) {
	methods, _ := rawjson.ReadArray(nil, value)
	for _, method := range methods {
		o, _ := rawjson.ReadObject(nil, method)
		id, hasID := o.Text("id")
		_, hasName := o.Text("name")
		if !hasID || !hasName {
			continue
		}
		kind, ok := o.Text("type")
		if !ok {
			kind = []byte("agent")
		}
		terminal := string(kind) == "terminal"
		if !terminal && string(kind) != "agent" && !strings.HasPrefix(string(kind), "_") {
			kind = append([]byte("_"), kind...)
		}
		var members list
		members.addString("methodId", id)
		members.addString("type", kind)
		for _, f := range o {
			switch {
			case string(f.Name) == "id" || string(f.Name) == "type":
			case string(f.Name) == "env" && terminal:
				members.add("env", variablesToV2(f.Value).array())
			default:
				members.addText(f.Text)
			}
		}
		all.addText(members.object())
	}
	return all
}

// variablesToV1 returns the members of an object with the variables of an array
// of names and values. If several have the same name, the last counts.
func variablesToV1(value []byte) (members list) {
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

// variablesToV2 returns the elements of an array with the variables of an object,
// sorted by name.
func variablesToV2(value []byte) (elements list) {
	o, _ := rawjson.ReadObject(nil, value)
	values := make(map[string][]byte, len(o))
	for _, f := range o {
		if f.Value[0] == '"' {
			values[string(f.Name)] = f.Value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var members list
		members.addString("name", []byte(name))
		members.add("value", values[name])
		elements.addText(members.object())
	}
	return elements
}

func isImplementation(value []byte) bool {
	o, _ := rawjson.ReadObject(nil, value)
	_, hasName := o.Text("name")
	_, hasVersion := o.Text("version")
	return hasName && hasVersion
}
