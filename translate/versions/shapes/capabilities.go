package shapes

import (
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// A row of a table of capabilities has the place of a capability in each version, by the names
// of the objects around it and its own, and its form.

// Most are true in version 1 and an object in version 2. Absent capabilities are not added:
// some clients list every member as an ability of the agent.
const (
	yes   = "true"
	empty = "{}"
)

// A saidAs replaces values that begin with a byte.
type saidAs struct {
	first byte
	json  string
}

func (f saidAs) Write(w *Writer, value []byte) bool {
	ok := value[0] == f.first
	if ok {
		w.JSON(f.json)
	}
	return ok
}

// A flag is true in version 1 and an object in version 2.
type flag struct{}

// Write implements [Rule].
func (flag) Write(w *Writer, value []byte) bool {
	return towards{saidAs{'{', yes}, saidAs{'t', empty}}.Write(w, value)
}

// clientCapabilities are those of a client, without its plan operations. No client of version
// 2 reads files or runs commands.
var clientCapabilities = Object{
	{"fs.readTextFile", towards{is("false"), leave}},
	{"fs.writeTextFile", towards{is("false"), leave}},
	{"terminal", towards{is("false"), leave}},
	{"session.configOptions.boolean", towards{is(empty), leave}},
	{"session.notices", towards{is(empty), leave}},
	{"session.compaction", towards{is(empty), leave}},
	{"session." + suggestions, object},
	{"auth.terminal", towards{or{flag{}, "false"}, flag{}}},
	{"auth._meta", object},
	{"elicitation", object},
	{"_meta", towards{or{Func(withTerminals), `{"terminal_output":true}`}, object}},
}

// agentCapabilities are those of an agent. Every agent of version 1 has sessions.
var agentCapabilities = Object{
	{"session", called{"loadSession", towards{saidAs{'{', yes}, leave}}},
	{"session.prompt.image", called{"promptCapabilities.image", flag{}}},
	{"session.prompt.audio", called{"promptCapabilities.audio", flag{}}},
	{"session.prompt.embeddedContext", called{"promptCapabilities.embeddedContext", flag{}}},
	{"session.prompt._meta", called{"promptCapabilities._meta", object}},
	{"session.mcp.stdio", towards{leave, is(empty)}},
	{"session.mcp.http", called{"mcpCapabilities.http", flag{}}},
	{"session.mcp.acp", called{"mcpCapabilities.acp", flag{}}},
	{"session.mcp._meta", called{"mcpCapabilities._meta", object}},
	{"session", called{"sessionCapabilities.list", towards{saidAs{'{', empty}, leave}}},
	{"session", called{"sessionCapabilities.resume", towards{saidAs{'{', empty}, leave}}},
	{"session", called{"sessionCapabilities.close", towards{saidAs{'{', empty}, leave}}},
	{"session.delete", called{"sessionCapabilities.delete", object}},
	{"session.additionalDirectories", called{"sessionCapabilities.additionalDirectories", object}},
	{"session.fork", called{"sessionCapabilities.fork", object}},
	{"session.archive", called{"sessionCapabilities.archive", object}},
	{"session.status", called{"sessionCapabilities.status", object}},
	{"session.title", called{"sessionCapabilities.title", object}},
	{"session.systemPrompt", called{"sessionCapabilities.systemPrompt", object}},
	{"session._meta", called{"sessionCapabilities._meta", object}},
	{"providers", object},
	{"_meta", object},
	{"auth.status", first("{t")}, // true in some agents
	{"auth._meta", object},
	{"auth.logout", towards{object, leave}}, // see InitializeResultToV1
}

// suggestions is the member of capabilities.session with which a client of either version
// announces that it shows suggestions for prompts.
const suggestions = "promptSuggestions"

// withTerminals writes a client's _meta. Agents of version 1 show their own terminals in _meta
// to clients that announce this; such a terminal becomes one of version 2.
func withTerminals(w *Writer, meta []byte) bool {
	o := rawjson.Members(meta)
	if o.Get("terminal_output") == nil {
		o = o.Set("terminal_output", []byte(yes))
	}
	return Object{}.write(w, o)
}

// told converts the capabilities of a table to a version and appends more members. Some
// objects are always written, others only if they have members.
func (t Object) told(v2 bool, caps []byte, more string, always ...string) []byte {
	w := Writer{v2: v2}
	w.Object()
	open := w.within(nil, always)
	for i := range t {
		from, path := t[i].names(&w)
		form := t[i].form(&w)
		names := strings.Split(path, ".")
		last := len(names) - 1
		member := Writer{v2: v2}
		if (member.member(names[last], form, at(caps, from)) || member.absent(names[last], form)) && len(member.Out) > 0 {
			open = w.within(open, names[:last])
			w.Raw(member.Out)
		}
	}
	w.within(open, nil)
	if more != "" {
		w.JSON(more)
	}
	w.EndObject()
	return w.Out
}

// within writes the following members into the objects with these names, after those of other
// objects. It returns the names.
func (w *Writer) within(open, names []string) []string {
	shared := 0
	for shared < min(len(names), len(open)) && names[shared] == open[shared] {
		shared++
	}
	for range open[shared:] {
		w.EndObject()
	}
	for _, name := range names[shared:] {
		w.Name(name)
		w.Object()
	}
	return names
}

// at returns the member of caps at a path, or nil.
func at(caps []byte, path string) []byte { return rawjson.Get(caps, strings.Split(path, ".")...) }
