package words

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"acp-plan-proxy/capabilities"
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
	Suggestions    bool   // it shows suggestions for prompts
	Files          bool   // it offers to read or write files, which version 2 lacks
	Terminals      bool   // it offers to run commands; likewise
	Untold         string // capabilities that the agent is not told of, with commas between them
}

// NewAgent is what an agent of version 2 says in initialize that cannot be passed
// on to a client of version 1.
type NewAgent struct {
	Stdio   bool   // it starts MCP servers
	SignIns bool   // it has ways to sign in that version 1 lacks, and that the client is not told of
	Untold  string // other capabilities of that kind, as in OldClient
}

// NewClient is what a client of version 2 says in initialize that cannot be passed on
// to an agent of version 1.
type NewClient struct {
	Suggestions bool // see OldClient

	Untold string // as in OldClient
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

	Untold string // capabilities that nobody makes up for, as in OldClient
}

// untold returns the capabilities of a side that both versions had in drafts only.
func untold(caps rawjson.Object) string {
	var names []string
	for _, name := range []string{"nes", "positionEncoding", "positionEncodings"} {
		if !rawjson.Null(caps.Get(name)) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
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
// and their order, stay. It also returns what to remember of them.
func InitializeToV1(params []byte) ([]byte, NewClient, error) {
	var buf [8]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], params)
	if !ok {
		return nil, NewClient{}, errNoObject
	}
	var b rawjson.Builder
	b.JSON(`{"protocolVersion":1`)
	for _, f := range o {
		switch string(f.Name) {
		case "protocolVersion", "capabilities", "clientCapabilities", "clientInfo":
		case "info":
			b.Member("clientInfo", f.Value)
		default:
			b.Field(f)
		}
	}
	caps, _ := rawjson.ReadObject(nil, o.Get("capabilities"))
	b.Name("clientCapabilities")
	clientCapabilitiesToV1(&b, caps)
	b.EndObject()
	session, _ := rawjson.ReadObject(nil, caps.Get("session"))
	return b.Out, NewClient{Suggestions: isObject(session.Get(suggestions)), Untold: untold(caps)}, nil
}

func clientCapabilitiesToV1(b *rawjson.Builder, caps rawjson.Object) {
	b.JSON(`{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,` +
		`"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}`)
	session, _ := rawjson.ReadObject(nil, caps.Get("session"))
	addObjects(b, session, suggestions)
	b.EndObject()
	b.JSON(capabilities.Members())
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	b.Name("auth")
	b.Object()
	b.Name("terminal")
	b.JSON(strconv.FormatBool(isObject(auth.Get("terminal"))))
	addObjects(b, auth, "_meta")
	b.EndObject()
	addObjects(b, caps, "elicitation")

	// Agents of version 1 show a terminal of their own in _meta to clients that
	// say this. It becomes a terminal of version 2.
	meta, _ := rawjson.ReadObject(nil, caps.Get("_meta"))
	b.Name("_meta")
	b.Object()
	for _, f := range meta {
		b.Field(f)
	}
	if meta.Get("terminal_output") == nil {
		b.Name("terminal_output")
		b.JSON("true")
	}
	b.EndObject()
	b.EndObject()
}

// suggestions is the member of capabilities.session by which a client of either version
// says that it shows suggestions for prompts.
const suggestions = "promptSuggestions"

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
	var b rawjson.Builder
	b.JSON(`{"protocolVersion":2`)
	b.Member("info", info)
	b.Name("capabilities")
	clientCapabilitiesToV2(&b, caps)
	addObjects(&b, o, "_meta")
	b.EndObject()
	return b.Out, readOldClient(caps), nil
}

func clientCapabilitiesToV2(b *rawjson.Builder, caps rawjson.Object) {
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	b.Object()
	session, _ := rawjson.ReadObject(nil, caps.Get("session"))
	unlessEmpty(b, "auth", func() { markersToV2(b, auth, "terminal") })
	unlessEmpty(b, "session", func() { addObjects(b, session, suggestions) })
	addObjects(b, caps, "elicitation", "_meta")
	b.EndObject()
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
		Suggestions:    isObject(session.Get(suggestions)),
		Files:          isTrue(files.Get("readTextFile")) || isTrue(files.Get("writeTextFile")),
		Terminals:      isTrue(caps.Get("terminal")),
		Untold:         untold(caps),
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
	methods, leftOut, err := signInsToV1(o.Get("authMethods"))
	if err != nil {
		return nil, NewAgent{}, err
	}
	var b rawjson.Builder
	b.JSON(`{"protocolVersion":1`)
	if info := o.Get("info"); isImplementation(info) {
		b.Member("agentInfo", info)
	}
	b.Name("agentCapabilities")
	agent := agentCapabilitiesToV1(&b, caps, len(methods) > 0)
	agent.SignIns, agent.Untold = leftOut, untold(caps)
	b.Name("authMethods")
	b.Array()
	b.Raw(methods)
	b.EndArray()
	addObjects(&b, o, "_meta")
	b.EndObject()
	return b.Out, agent, nil
}

// sessionCapabilities are the members of capabilities.session of version 2 that
// are members of sessionCapabilities in version 1.
var sessionCapabilities = []string{"delete", "additionalDirectories", "fork", "archive", "status", "title", "systemPrompt", "_meta"}

// agentCapabilitiesToV1 writes the agent's capabilities. An agent with ways to sign in
// has one to sign out.
func agentCapabilitiesToV1(b *rawjson.Builder, caps rawjson.Object, signsIn bool) (agent NewAgent) {
	b.Object()
	if session, ok := rawjson.ReadObject(nil, caps.Get("session")); ok {
		prompt, _ := rawjson.ReadObject(nil, session.Get("prompt"))
		mcp, _ := rawjson.ReadObject(nil, session.Get("mcp"))
		agent.Stdio = isObject(mcp.Get("stdio"))
		b.JSON(`"loadSession":true`)
		unlessEmpty(b, "promptCapabilities", func() { markersToV1(b, prompt, "image", "audio", "embeddedContext") })
		unlessEmpty(b, "mcpCapabilities", func() { markersToV1(b, mcp, "http", "acp") })
		b.JSON(`"sessionCapabilities":{"list":{},"resume":{},"close":{}`)
		addObjects(b, session, sessionCapabilities...)
		b.EndObject()
	}
	auth, _ := rawjson.ReadObject(nil, caps.Get("auth"))
	unlessEmpty(b, "auth", func() {
		if signsIn {
			b.JSON(`"logout":{}`)
		}
		addAuth(b, auth)
	})
	addObjects(b, caps, "providers", "_meta")
	b.EndObject()
	return agent
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
		Untold: untold(caps),
	}
	var b rawjson.Builder
	b.JSON(`{"protocolVersion":2`)
	b.Name("info")
	agentInfoToV2(&b, o.Get("agentInfo"), command)
	b.Name("capabilities")
	agentCapabilitiesToV2(&b, caps, session, auth)
	b.Name("authMethods")
	b.Array()
	b.Raw(signInsToV2(o.Get("authMethods")))
	b.EndArray()
	addObjects(&b, o, "_meta")
	b.EndObject()
	return b.Out, agent, nil
}

// agentInfoToV2 writes who the agent is. Version 2 wants a name and a version.
func agentInfoToV2(b *rawjson.Builder, info []byte, command string) {
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
	b.Object()
	b.StringMember("name", name)
	b.StringMember("version", version)
	for _, f := range o {
		if n := string(f.Name); n != "name" && n != "version" {
			b.Field(f)
		}
	}
	b.EndObject()
}

// agentCapabilitiesToV2 writes the agent's capabilities. Sessions are always there:
// every agent of version 1 has them.
func agentCapabilitiesToV2(b *rawjson.Builder, caps, session, auth rawjson.Object) {
	prompt, _ := rawjson.ReadObject(nil, caps.Get("promptCapabilities"))
	mcp, _ := rawjson.ReadObject(nil, caps.Get("mcpCapabilities"))
	b.JSON(`{"session":{"prompt":{`)
	markersToV2(b, prompt, "image", "audio", "embeddedContext")
	b.EndObject()
	b.JSON(`"mcp":{"stdio":{}`)
	markersToV2(b, mcp, "http", "acp")
	b.EndObject()
	addObjects(b, session, sessionCapabilities...)
	b.EndObject()
	unlessEmpty(b, "auth", func() { addAuth(b, auth) })
	addObjects(b, caps, "providers", "_meta")
	b.EndObject()
}

// addAuth writes what both versions have of the capability auth. Some agents say true in
// place of an object.
func addAuth(b *rawjson.Builder, auth rawjson.Object) {
	if status := auth.Get("status"); isObject(status) || isTrue(status) {
		b.Member("status", status)
	}
	addObjects(b, auth, "_meta")
}

// markersToV1 writes true for each of the markers, which are objects in version 2,
// and _meta as it is. What is absent stays absent, as in the answers of agents of
// version 1: some clients list every member as something that the agent can do.
func markersToV1(b *rawjson.Builder, o rawjson.Object, names ...string) {
	for _, name := range names {
		if isObject(o.Get(name)) {
			b.Name(name)
			b.JSON("true")
		}
	}
	addObjects(b, o, "_meta")
}

// markersToV2 writes an empty object for each of the members that is true, and _meta
// as it is.
func markersToV2(b *rawjson.Builder, o rawjson.Object, names ...string) {
	for _, name := range names {
		if isTrue(o.Get(name)) {
			b.Name(name)
			b.JSON("{}")
		}
	}
	addObjects(b, o, "_meta")
}

// addObjects writes each of the named members of o whose value is an object.
func addObjects(b *rawjson.Builder, o rawjson.Object, names ...string) {
	for _, name := range names {
		if value := o.Get(name); isObject(value) {
			b.Member(name, value)
		}
	}
}

// unlessEmpty writes an object as a member, unless write writes no members.
func unlessEmpty(b *rawjson.Builder, name string, write func()) {
	before := len(b.Out)
	b.Name(name)
	b.Object()
	start := len(b.Out)
	if write(); len(b.Out) == start {
		b.Out = b.Out[:before]
		return
	}
	b.EndObject()
}

func isImplementation(value []byte) bool {
	o, _ := rawjson.ReadObject(nil, value)
	_, hasName := o.Text("name")
	_, hasVersion := o.Text("version")
	return hasName && hasVersion
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

func isTrue(value []byte) bool { return string(value) == "true" }
