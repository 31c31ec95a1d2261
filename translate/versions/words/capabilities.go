package words

import (
	"strconv"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// A capability is a row of a table of capabilities: where each version has it, by the
// names of the objects around it and its own, and how it is said. The path is "" in a
// version that lacks it.
type capability struct {
	v1, v2  string
	spelled spelling
}

// A spelling is what each version says of a capability, given what the other one says: nil if
// that is nothing.
type spelling struct{ toV1, toV2 func(value []byte) []byte }

var (
	object = spelling{ifObject, ifObject}
	// A marker is true in version 1, and an object in version 2. What is absent stays
	// absent: some clients list every member as something that the agent can do.
	marker = spelling{ifObjectSay("true"), ifTrueSay("{}")}
	// A flag is always there in version 1.
	flag = spelling{func(value []byte) []byte { return strconv.AppendBool(nil, isObject(value)) }, ifTrueSay("{}")}
	// withSessions is for what an agent of version 2 with sessions always has.
	withSessions = func(json string) spelling { return spelling{ifObjectSay(json), nothing} }
	// always is for what only one version can say.
	always = func(json string) spelling {
		say := func([]byte) []byte { return []byte(json) }
		return spelling{say, say}
	}
)

// clientCapabilities are what a client can do, besides the plans that it can show. No
// client of version 2 reads files or runs commands, and each takes what is always said.
var clientCapabilities = []capability{
	{"fs.readTextFile", "", always("false")},
	{"fs.writeTextFile", "", always("false")},
	{"terminal", "", always("false")},
	{"session.configOptions.boolean", "", always("{}")},
	{"session.notices", "", always("{}")},
	{"session.compaction", "", always("{}")},
	{"session." + suggestions, "session." + suggestions, object},
	{"auth.terminal", "auth.terminal", flag},
	{"auth._meta", "auth._meta", object},
	{"elicitation", "elicitation", object},
	{"_meta", "_meta", spelling{withTerminals, ifObject}},
}

// agentCapabilities are what an agent can do, besides signing out. Every agent of version
// 1 has sessions.
var agentCapabilities = []capability{
	{"loadSession", "session", withSessions("true")},
	{"promptCapabilities.image", "session.prompt.image", marker},
	{"promptCapabilities.audio", "session.prompt.audio", marker},
	{"promptCapabilities.embeddedContext", "session.prompt.embeddedContext", marker},
	{"promptCapabilities._meta", "session.prompt._meta", object},
	{"", "session.mcp.stdio", always("{}")},
	{"mcpCapabilities.http", "session.mcp.http", marker},
	{"mcpCapabilities.acp", "session.mcp.acp", marker},
	{"mcpCapabilities._meta", "session.mcp._meta", object},
	{"sessionCapabilities.list", "session", withSessions("{}")},
	{"sessionCapabilities.resume", "session", withSessions("{}")},
	{"sessionCapabilities.close", "session", withSessions("{}")},
	{"sessionCapabilities.delete", "session.delete", object},
	{"sessionCapabilities.additionalDirectories", "session.additionalDirectories", object},
	{"sessionCapabilities.fork", "session.fork", object},
	{"sessionCapabilities.archive", "session.archive", object},
	{"sessionCapabilities.status", "session.status", object},
	{"sessionCapabilities.title", "session.title", object},
	{"sessionCapabilities.systemPrompt", "session.systemPrompt", object},
	{"sessionCapabilities._meta", "session._meta", object},
	{"providers", "providers", object},
	{"_meta", "_meta", object},
	// Some agents say true in place of an object.
	{"auth.status", "auth.status", spelling{ifObjectOrTrue, ifObjectOrTrue}},
	{"auth._meta", "auth._meta", object},
}

// suggestions is the member of capabilities.session by which a client of either version
// says that it shows suggestions for prompts.
const suggestions = "promptSuggestions"

func nothing([]byte) []byte { return nil }

func ifObject(value []byte) []byte {
	if !isObject(value) {
		return nil
	}
	return value
}

func ifObjectOrTrue(value []byte) []byte {
	if isTrue(value) {
		return value
	}
	return ifObject(value)
}

func ifObjectSay(json string) func([]byte) []byte {
	return func(value []byte) []byte {
		if !isObject(value) {
			return nil
		}
		return []byte(json)
	}
}

func ifTrueSay(json string) func([]byte) []byte {
	return func(value []byte) []byte {
		if !isTrue(value) {
			return nil
		}
		return []byte(json)
	}
}

// withTerminals returns a client's _meta. Agents of version 1 show a terminal of their own
// in _meta to clients that say this; it becomes a terminal of version 2.
func withTerminals(meta []byte) []byte {
	o, _ := rawjson.ReadObject(nil, meta)
	var b rawjson.Builder
	b.Object()
	for _, f := range o {
		b.Field(f)
	}
	if o.Get("terminal_output") == nil {
		b.Name("terminal_output")
		b.JSON("true")
	}
	b.EndObject()
	return b.Out
}

// A capabilityWriter writes an object of capabilities. It opens an object when there is
// something in it.
type capabilityWriter struct {
	b    *rawjson.Builder
	open []string // the names of the objects around what was written last
}

// toV1 writes the table's capabilities as version 1 says them, given those of version 2.
func (w *capabilityWriter) toV1(table []capability, caps []byte) {
	for _, c := range table {
		w.add(c.v1, c.spelled.toV1(at(caps, c.v2)))
	}
}

// toV2 writes the table's capabilities as version 2 says them, given those of version 1.
func (w *capabilityWriter) toV2(table []capability, caps []byte) {
	for _, c := range table {
		w.add(c.v2, c.spelled.toV2(at(caps, c.v1)))
	}
}

func (w *capabilityWriter) add(path string, value []byte) {
	if path == "" || value == nil {
		return
	}
	names := strings.Split(path, ".")
	last := len(names) - 1
	w.within(names[:last])
	w.b.Member(names[last], value)
}

// within has what comes next be in the objects with these names.
func (w *capabilityWriter) within(names []string) {
	shared := 0
	for shared < min(len(names), len(w.open)) && names[shared] == w.open[shared] {
		shared++
	}
	for range w.open[shared:] {
		w.b.EndObject()
	}
	for _, name := range names[shared:] {
		w.b.Name(name)
		w.b.Object()
	}
	w.open = names
}

// at returns the member of caps that a path leads to, nil if there is none.
func at(caps []byte, path string) []byte {
	if path == "" {
		return nil
	}
	for name := range strings.SplitSeq(path, ".") {
		o, _ := rawjson.ReadObject(nil, caps)
		caps = o.Get(name)
	}
	return caps
}

// clientCapabilitiesToV1 writes what an agent of version 1 is told of a client of version
// 2, which shows the plans of all drafts.
func clientCapabilitiesToV1(b *rawjson.Builder, caps []byte) {
	b.Object()
	w := capabilityWriter{b: b}
	w.toV1(clientCapabilities, caps)
	w.within(nil)
	b.JSON(capabilities.Members())
	b.EndObject()
}

func clientCapabilitiesToV2(b *rawjson.Builder, caps []byte) {
	b.Object()
	w := capabilityWriter{b: b}
	w.toV2(clientCapabilities, caps)
	w.within(nil)
	b.EndObject()
}

// agentCapabilitiesToV1 writes the agent's capabilities. An agent with ways to sign in
// has one to sign out.
func agentCapabilitiesToV1(b *rawjson.Builder, caps []byte, signsIn bool) {
	b.Object()
	w := capabilityWriter{b: b}
	w.toV1(agentCapabilities, caps)
	if signsIn {
		w.add("auth.logout", []byte("{}"))
	}
	w.within(nil)
	b.EndObject()
}

func agentCapabilitiesToV2(b *rawjson.Builder, caps []byte) {
	b.Object()
	w := capabilityWriter{b: b}
	w.within([]string{"session", "prompt"}) // which are always there
	w.toV2(agentCapabilities, caps)
	w.within(nil)
	b.EndObject()
}
