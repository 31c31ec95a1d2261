package shapes

import (
	"path"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// V1Client has the facts of a version 1 client's initialize that the bridge needs later.
type V1Client struct {
	TerminalOutput bool // terminals in the _meta of tool calls
	Notices        bool
	Compaction     bool
	Booleans       bool // options of type boolean
	Subagents      bool
	Suggestions    bool // suggestions for prompts
	Files          bool // reads or writes files for the agent, which version 2 lacks
	Terminals      bool // runs commands for the agent, which version 2 lacks
}

// V2Agent has the facts of a version 2 agent's result of initialize that the bridge needs later.
type V2Agent struct {
	Stdio        bool // the agent starts MCP servers
	OmitsSignIns bool // the client's result omits ways to sign in, whose types version 1 lacks
}

// V2Client has the facts of a version 2 client's initialize that the bridge needs later.
type V2Client struct {
	Suggestions bool // see V1Client
}

// V1Agent has the optional methods of a version 1 agent. If the agent lacks a method, the bridge
// emulates it or refuses the client's request.
type V1Agent struct {
	Load   bool // session/load
	Resume bool // session/resume
	List   bool // session/list
	Close  bool // session/close
	Delete bool // session/delete
	Logout bool // logout
}

var (
	// initializeParams describes the params of initialize.
	initializeParams = Object{
		{"protocolVersion", towards{constant("1"), constant("2")}},
		{"info", renamed{"clientInfo", towards{nil, orDefault{implementation, `{"name":"unknown","version":"unknown"}`}}}},
		{"capabilities", renamed{"clientCapabilities", clientCapabilities}},
		{"_meta", towards{nil, object}},
	}
	implementation = Object{{"name", mustString}, {"version", mustString}}
	// initializeResult describes the result of initialize.
	initializeResult = Object{
		{"protocolVersion", towards{constant("1"), constant("2")}},
		{"info", renamed{"agentInfo", implementation}},
		{"capabilities", renamed{"agentCapabilities", agentCapabilities}},
		{"authMethods", towards{firstByte("["), orDefault{array{signIn}, "[]"}}},
		{"_meta", object},
	}
)

// InitializeToV1 converts the params of an initialize request from version 2 to version 1.
// The result announces neither files nor terminals, because no client of version 2 has these, and
// announces the abilities that every client of version 2 has. InitializeToV1 also returns the facts
// that the bridge keeps.
func InitializeToV1(params []byte) ([]byte, V2Client) {
	o := rawjson.Members(params)
	caps := o.Get("capabilities")
	var w Writer
	initializeParams.ToV1(&w, o.Set("capabilities", caps))
	return w.Out, V2Client{Suggestions: isObject(caps, "session."+suggestions)}
}

// InitializeToV2 converts the params of an initialize request from version 1 to version 2, and
// returns the facts that the bridge keeps.
func InitializeToV2(params []byte) ([]byte, V1Client) {
	o := rawjson.Members(params)
	caps := o.Get("clientCapabilities")
	var w Writer
	initializeParams.ToV2(&w, o.Set("clientCapabilities", caps))
	return w.Out, V1Client{
		TerminalOutput: isTrue(caps, "_meta.terminal_output"),
		Notices:        isObject(caps, "session.notices"),
		Compaction:     isObject(caps, "session.compaction"),
		Booleans:       isObject(caps, "session.configOptions.boolean"),
		Subagents:      isObject(caps, "subagents"),
		Suggestions:    isObject(caps, "session."+suggestions),
		Files:          isTrue(caps, "fs.readTextFile") || isTrue(caps, "fs.writeTextFile"),
		Terminals:      isTrue(caps, "terminal"),
	}
}

// InitializeResultToV1 converts the result of initialize from version 2 to version 1, and
// returns the facts that the bridge keeps.
func InitializeResultToV1(result []byte) ([]byte, V2Agent) {
	o := rawjson.Members(result)
	caps := o.Get("capabilities")
	methods, leftOut := signInsToV1(o.Get("authMethods"))
	announced := caps
	if len(methods) > len("[]") && !isObject(caps, "auth.logout") { // an agent with ways to sign in has one to sign out
		announced = rawjson.With(announced, []byte(empty), "auth", "logout")
	}
	var w Writer
	initializeResult.ToV1(&w, o.Set("capabilities", announced).Set("authMethods", methods))
	return w.Out, V2Agent{Stdio: isObject(caps, "session.mcp.stdio"), OmitsSignIns: leftOut}
}

// InitializeResultToV2 converts the result of initialize from version 1 to version 2, and
// returns the facts that the bridge keeps. command is the path of the agent's program; its last
// element is the name of an agent that does not report one.
func InitializeResultToV2(result []byte, command string) ([]byte, V1Agent) {
	o := rawjson.Members(result)
	caps := o.Get("agentCapabilities")
	agent := V1Agent{
		Load:   isTrue(caps, "loadSession"),
		Resume: isObject(caps, "sessionCapabilities.resume"),
		List:   isObject(caps, "sessionCapabilities.list"),
		Close:  isObject(caps, "sessionCapabilities.close"),
		Delete: isObject(caps, "sessionCapabilities.delete"),
		Logout: isObject(caps, "auth.logout"),
	}
	o = o.Set("agentInfo", agentInfo(o.Get("agentInfo"), command))
	var w Writer
	initializeResult.ToV2(&w, o.Set("agentCapabilities", caps))
	return w.Out, agent
}

// agentInfo returns the agent's info with a name and a version, which version 2 requires.
func agentInfo(info []byte, command string) []byte {
	command = path.Base(strings.ReplaceAll(command, `\`, "/"))
	name := rawjson.AppendQuoted(nil, strings.TrimSuffix(command, ".exe"))
	o := rawjson.Members(info)
	var w Writer
	Object{{"name", orDefault{String, string(name)}}, {"version", orDefault{String, `"unknown"`}}}.ToV2(&w, o)
	return w.Out
}

// isObject reports whether the member at a path with dots is an object.
func isObject(caps []byte, path string) bool { return rawjson.IsObject(memberAt(caps, path)) }

// isTrue reports whether the member at a path with dots is true.
func isTrue(caps []byte, path string) bool { return string(memberAt(caps, path)) == yes }
