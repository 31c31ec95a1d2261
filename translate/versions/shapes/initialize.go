package shapes

import (
	"errors"
	"path"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// V1Client is the part of a version 1 client's initialize that decides which updates the
// client can show. An agent of version 2 need not know it.
type V1Client struct {
	TerminalOutput bool // terminals in the _meta of tool calls
	Notices        bool
	Compaction     bool
	Booleans       bool // options of type boolean
	Subagents      bool
	Suggestions    bool // it shows suggestions for prompts
	Files          bool // it offers to read or write files, which version 2 lacks
	Terminals      bool // it offers to run commands; likewise
}

// V2Agent is the part of a version 2 agent's initialize result that a client of version 1
// cannot receive.
type V2Agent struct {
	Stdio   bool // it starts MCP servers
	SignIns bool // it has ways to sign in that version 1 lacks
}

// V2Client is the part of a version 2 client's initialize that an agent of version 1 cannot
// receive.
type V2Client struct {
	Suggestions bool // see V1Client
}

// V1Agent is the part of a version 1 agent's offer that version 2 has no capability for,
// because every agent has it or it is tied to another one. The bridge emulates the ones that
// the agent lacks, or refuses the client's request.
type V1Agent struct {
	Load   bool // session/load
	Resume bool // session/resume
	List   bool // session/list
	Close  bool // session/close
	Delete bool // session/delete
	Logout bool // logout
}

var errNoObject = errors.New("not an object")

var (
	// initialize has the params of initialize.
	initialize = Object{
		{"protocolVersion", towards{is("1"), is("2")}},
		{"info", called{"clientInfo", towards{nil, or{implementation, `{"name":"unknown","version":"unknown"}`}}}},
		{"capabilities", called{"clientCapabilities", object}},
		{"_meta", towards{nil, object}},
	}
	implementation = Object{{"name", mustString}, {"version", mustString}}
	// initialized is the result.
	initialized = Object{
		{"protocolVersion", towards{is("1"), is("2")}},
		{"info", called{"agentInfo", implementation}},
		{"capabilities", called{"agentCapabilities", object}},
		{"authMethods", towards{first("["), or{array{signIn}, "[]"}}},
		{"_meta", object},
	}
)

// InitializeToV1 converts the params of an initialize request from version 2 to version 1.
// They announce neither files nor terminals, because no client of version 2 has these, and
// announce the abilities that every client of version 2 has. It also returns the facts that the
// bridge keeps.
func InitializeToV1(params []byte) ([]byte, V2Client, error) {
	o, ok := rawjson.ReadObject(nil, params)
	if !ok {
		return nil, V2Client{}, errNoObject
	}
	caps := o.Get("capabilities")
	var w Writer
	initialize.ToV1(&w, o.Set("capabilities", clientCapabilities.capabilities(false, caps)))
	return w.Out, V2Client{Suggestions: rawjson.IsObject(at(caps, "session."+suggestions))}, nil
}

// InitializeToV2 converts the params of an initialize request from version 1 to version 2. It
// also returns the facts that the bridge keeps.
func InitializeToV2(params []byte) ([]byte, V1Client, error) {
	o, ok := rawjson.ReadObject(nil, params)
	if !ok {
		return nil, V1Client{}, errNoObject
	}
	caps := o.Get("clientCapabilities")
	var w Writer
	initialize.ToV2(&w, o.Set("clientCapabilities", clientCapabilities.capabilities(true, caps)))
	return w.Out, readV1Client(caps), nil
}

func readV1Client(caps []byte) V1Client {
	return V1Client{
		TerminalOutput: isTrue(at(caps, "_meta.terminal_output")),
		Notices:        rawjson.IsObject(at(caps, "session.notices")),
		Compaction:     rawjson.IsObject(at(caps, "session.compaction")),
		Booleans:       rawjson.IsObject(at(caps, "session.configOptions.boolean")),
		Subagents:      rawjson.IsObject(at(caps, "subagents")),
		Suggestions:    rawjson.IsObject(at(caps, "session."+suggestions)),
		Files:          isTrue(at(caps, "fs.readTextFile")) || isTrue(at(caps, "fs.writeTextFile")),
		Terminals:      isTrue(at(caps, "terminal")),
	}
}

// InitializeResultToV1 converts the result of initialize from version 2 to version 1. It also
// returns the facts that the bridge keeps.
func InitializeResultToV1(result []byte) ([]byte, V2Agent, error) {
	o, ok := rawjson.ReadObject(nil, result)
	if !ok {
		return nil, V2Agent{}, errNoObject
	}
	caps := o.Get("capabilities")
	methods, leftOut := signInsToV1(o.Get("authMethods"))
	announced := caps
	if len(methods) > len("[]") && !rawjson.IsObject(at(caps, "auth.logout")) { // an agent with ways to sign in has one to sign out
		announced = rawjson.With(announced, []byte(empty), "auth", "logout")
	}
	var w Writer
	initialized.ToV1(&w, o.Set("capabilities", agentCapabilities.capabilities(false, announced)).Set("authMethods", methods))
	return w.Out, V2Agent{Stdio: rawjson.IsObject(at(caps, "session.mcp.stdio")), SignIns: leftOut}, nil
}

// InitializeResultToV2 converts the result of initialize from version 1 to version 2. It also
// returns the facts that the bridge keeps. command is the name of the agent's program; its
// last element names an agent that does not give its name.
func InitializeResultToV2(result []byte, command string) ([]byte, V1Agent, error) {
	o, ok := rawjson.ReadObject(nil, result)
	if !ok {
		return nil, V1Agent{}, errNoObject
	}
	caps := o.Get("agentCapabilities")
	agent := V1Agent{
		Load:   isTrue(at(caps, "loadSession")),
		Resume: rawjson.IsObject(at(caps, "sessionCapabilities.resume")),
		List:   rawjson.IsObject(at(caps, "sessionCapabilities.list")),
		Close:  rawjson.IsObject(at(caps, "sessionCapabilities.close")),
		Delete: rawjson.IsObject(at(caps, "sessionCapabilities.delete")),
		Logout: rawjson.IsObject(at(caps, "auth.logout")),
	}
	o = o.Set("agentInfo", agentInfo(o.Get("agentInfo"), command))
	var w Writer
	initialized.ToV2(&w, o.Set("agentCapabilities", agentCapabilities.capabilities(true, caps, "session", "prompt"))) // which are always there
	return w.Out, agent, nil
}

// agentInfo returns the agent's name and version, which version 2 requires.
func agentInfo(info []byte, command string) []byte {
	command = path.Base(strings.ReplaceAll(command, `\`, "/"))
	name := rawjson.AppendQuoted(nil, strings.TrimSuffix(command, ".exe"))
	o := rawjson.Members(info)
	var w Writer
	Object{{"name", or{String, string(name)}}, {"version", or{String, `"unknown"`}}}.ToV2(&w, o)
	return w.Out
}

func isTrue(value []byte) bool { return string(value) == "true" }
