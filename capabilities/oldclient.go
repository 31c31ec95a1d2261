package capabilities

import (
	"errors"
	"strconv"

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

// RequestToV2 converts the params of initialize from version 1 to version 2.
func RequestToV2(params []byte) ([]byte, OldClient, error) {
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

// AnswerToV1 converts the result of initialize from version 2 to version 1.
func AnswerToV1(result []byte) ([]byte, NewAgent, error) {
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
		out.next()
		if !ok {
			out = append(out, server...) // the agent says what is wrong with it
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
					members.add("name", rawjson.AppendQuoted(nil, unique))
					continue
				}
			}
			members.next()
			members = append(members, f.Text...)
		}
		out = append(append(append(out, '{'), members...), '}')
	}
	return append(append(append(dst, '['), out...), ']'), true
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

// A list is the members of an object or the elements of an array that are being
// written, with commas between them.
type list []byte

func (l *list) next() {
	if len(*l) > 0 {
		*l = append(*l, ',')
	}
}

func (l *list) add(name string, value []byte) {
	l.next()
	*l = append(rawjson.AppendQuoted(*l, name), ':')
	*l = append(*l, value...)
}

// addObject adds the member if its value is an object.
func (l *list) addObject(name string, value []byte) {
	if isObject(value) {
		l.add(name, value)
	}
}

// addList adds an object of the members if there are any.
func (l *list) addList(name string, members list) {
	if len(members) > 0 {
		l.add(name, append(append([]byte("{"), members...), '}'))
	}
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
