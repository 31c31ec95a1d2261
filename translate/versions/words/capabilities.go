package words

import (
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// In tables of capabilities a row is where each version has a capability, by the names of
// the objects around it and its own, and how it is said.

// Most are true in version 1, and an object in version 2. What is absent stays absent: some
// clients list every member as something that the agent can do.
const (
	yes   = "true"
	empty = "{}"
)

// A saidAs is the Form of values that begin with a byte, which are said as another.
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

// clientCapabilities are what a client can do, besides the plans that it can show. No
// client of version 2 reads files or runs commands, and each takes what is always said.
var clientCapabilities = Object{
	{"fs.readTextFile", "", is("false"), nil},
	{"fs.writeTextFile", "", is("false"), nil},
	{"terminal", "", is("false"), nil},
	{"session.configOptions.boolean", "", is(empty), nil},
	{"session.notices", "", is(empty), nil},
	{"session.compaction", "", is(empty), nil},
	{"session." + suggestions, "session." + suggestions, object, both},
	{"auth.terminal", "auth.terminal", or{saidAs{'{', yes}, "false"}, saidAs{'t', empty}},
	{"auth._meta", "auth._meta", object, both},
	{"elicitation", "elicitation", object, both},
	{"_meta", "_meta", or{Func(withTerminals), `{"terminal_output":true}`}, object},
}

// agentCapabilities are what an agent can do. Every agent of version
// 1 has sessions.
var agentCapabilities = Object{
	{"loadSession", "session", saidAs{'{', yes}, leave},
	{"promptCapabilities.image", "session.prompt.image", saidAs{'{', yes}, saidAs{'t', empty}},
	{"promptCapabilities.audio", "session.prompt.audio", saidAs{'{', yes}, saidAs{'t', empty}},
	{"promptCapabilities.embeddedContext", "session.prompt.embeddedContext", saidAs{'{', yes}, saidAs{'t', empty}},
	{"promptCapabilities._meta", "session.prompt._meta", object, both},
	{"", "session.mcp.stdio", nil, is(empty)},
	{"mcpCapabilities.http", "session.mcp.http", saidAs{'{', yes}, saidAs{'t', empty}},
	{"mcpCapabilities.acp", "session.mcp.acp", saidAs{'{', yes}, saidAs{'t', empty}},
	{"mcpCapabilities._meta", "session.mcp._meta", object, both},
	{"sessionCapabilities.list", "session", saidAs{'{', empty}, leave},
	{"sessionCapabilities.resume", "session", saidAs{'{', empty}, leave},
	{"sessionCapabilities.close", "session", saidAs{'{', empty}, leave},
	{"sessionCapabilities.delete", "session.delete", object, both},
	{"sessionCapabilities.additionalDirectories", "session.additionalDirectories", object, both},
	{"sessionCapabilities.fork", "session.fork", object, both},
	{"sessionCapabilities.archive", "session.archive", object, both},
	{"sessionCapabilities.status", "session.status", object, both},
	{"sessionCapabilities.title", "session.title", object, both},
	{"sessionCapabilities.systemPrompt", "session.systemPrompt", object, both},
	{"sessionCapabilities._meta", "session._meta", object, both},
	{"providers", "providers", object, both},
	{"_meta", "_meta", object, both},
	{"auth.status", "auth.status", first("{t"), both}, // some agents say true in place of an object
	{"auth._meta", "auth._meta", object, both},
	{"auth.logout", "auth.logout", object, leave}, // see InitializeResultToV1
}

// suggestions is the member of capabilities.session by which a client of either version
// says that it shows suggestions for prompts.
const suggestions = "promptSuggestions"

// withTerminals writes a client's _meta. Agents of version 1 show a terminal of their own
// in _meta to clients that say this; it becomes a terminal of version 2.
func withTerminals(w *Writer, meta []byte) bool {
	o, _ := rawjson.ReadObject(nil, meta)
	if o.Get("terminal_output") == nil {
		o = o.Set("terminal_output", []byte(yes))
	}
	return Object{}.write(w, o)
}

// tell writes the capabilities of a table as the version says them, given those of the
// other version, and behind them more members. Some objects in it are always there; others
// are begun when there is something in them.
func (t Object) tell(w *Writer, caps []byte, more string, always ...string) {
	w.Object()
	open := w.within(nil, always)
	for i := range t {
		from, path := t[i].names(w)
		names := strings.Split(path, ".")
		last := len(names) - 1
		var member Writer
		form := t[i].form(w)
		if path != "" && (member.member(names[last], form, at(caps, from)) || member.absent(names[last], form)) && len(member.Out) > 0 {
			open = w.within(open, names[:last])
			w.Raw(member.Out)
		}
	}
	w.within(open, nil)
	if more != "" {
		w.JSON(more)
	}
	w.EndObject()
}

// within has what comes next be in the objects with these names, behind something in
// others. It returns the names.
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

// at returns the member of caps that a path leads to, nil if there is none.
func at(caps []byte, path string) []byte {
	for name := range strings.SplitSeq(path, ".") {
		o, _ := rawjson.ReadObject(nil, caps)
		caps = o.Get(name)
	}
	return caps
}
