package shapes

import (
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// capabilities describes an object of capabilities. The name of a row is a path: the names of the
// enclosing objects and of the capability, separated by dots. Members without a row are dropped. A
// missing object, as an empty value, and a value that is not an object have no members.
type capabilities []Row

// Write implements [Rule].
func (c capabilities) Write(w *Writer, value []byte) bool {
	result := []byte(empty)
	for i := range c {
		m := Writer{toV2: w.toV2}
		from, to := c[i].names(w)
		rule, capability := c[i].ruleFor(w), memberAt(value, from)
		if capability == nil || !rule.Write(&m, capability) {
			json, _ := w.defaultOf(rule)
			m.JSON(json)
		}
		if len(m.Out) > 0 {
			result = rawjson.With(result, m.Out, strings.Split(to, ".")...)
		}
	}
	w.Raw(result)
	return true
}

// Most capabilities are true in version 1 and an object in version 2. The bridge adds no absent
// capability as false, because some clients display every member as a feature of the agent.
const (
	yes   = "true"
	empty = "{}"
)

// A marker replaces values that begin with a byte, and drops others.
type marker struct {
	first byte
	json  string
}

func (m marker) Write(w *Writer, value []byte) bool {
	ok := value[0] == m.first
	if ok {
		w.JSON(m.json)
	}
	return ok
}

// flag is a capability that is true in version 1 and an object in version 2.
var flag = towards{marker{'{', yes}, marker{'t', empty}}

// Capabilities that only version 1 has. The clients of version 2 have none of the denied, and all of
// the granted ones.
var denied, granted = towards{constant("false"), drop}, towards{constant(empty), drop}

// clientCapabilities has the client's capabilities. No client of version 2 reads files or runs
// commands for the agent.
var clientCapabilities = capabilities{
	{"fs.readTextFile", denied},
	{"fs.writeTextFile", denied},
	{"terminal", denied},
	{"session.configOptions.boolean", granted},
	{"session.notices", granted},
	{"session.compaction", granted},
	{"session." + suggestions, object},
	{"auth.terminal", towards{orDefault{flag, "false"}, flag}},
	{"auth._meta", object},
	{"elicitation", object},
	{"_meta", towards{orDefault{withTerminals, `{"terminal_output":true}`}, object}},
	{"plan", granted}, // [capabilities.Announcement] announces the names of older drafts
}

// agentCapabilities has the agent's capabilities. Every agent of version 1 has sessions and takes
// prompts.
var agentCapabilities = capabilities{
	{"session.prompt", towards{drop, constant(empty)}},
	{"session", renamed{"loadSession", towards{marker{'{', yes}, drop}}},
	{"session.prompt.image", renamed{"promptCapabilities.image", flag}},
	{"session.prompt.audio", renamed{"promptCapabilities.audio", flag}},
	{"session.prompt.embeddedContext", renamed{"promptCapabilities.embeddedContext", flag}},
	{"session.prompt._meta", renamed{"promptCapabilities._meta", object}},
	{"session.mcp.stdio", towards{drop, constant(empty)}},
	{"session.mcp.http", renamed{"mcpCapabilities.http", flag}},
	{"session.mcp.acp", renamed{"mcpCapabilities.acp", flag}},
	{"session.mcp._meta", renamed{"mcpCapabilities._meta", object}},
	{"session", renamed{"sessionCapabilities.list", everySession}},
	{"session", renamed{"sessionCapabilities.resume", everySession}},
	{"session", renamed{"sessionCapabilities.close", everySession}},
	{"session.delete", renamed{"sessionCapabilities.delete", object}},
	{"session.additionalDirectories", renamed{"sessionCapabilities.additionalDirectories", object}},
	{"session.fork", renamed{"sessionCapabilities.fork", object}},
	{"session.archive", renamed{"sessionCapabilities.archive", object}},
	{"session.status", renamed{"sessionCapabilities.status", object}},
	{"session.title", renamed{"sessionCapabilities.title", object}},
	{"session.systemPrompt", renamed{"sessionCapabilities.systemPrompt", object}},
	{"session._meta", renamed{"sessionCapabilities._meta", object}},
	{"providers", object},
	{"_meta", object},
	{"auth.status", firstByte("{t")}, // true in some agents
	{"auth._meta", object},
	{"auth.logout", towards{object, drop}}, // see InitializeResultToV1
}

// everySession is a capability of every agent of version 2 that has sessions.
var everySession = towards{marker{'{', empty}, drop}

// suggestions is the capability of a client that shows suggestions for prompts. It is a member of
// session in both versions.
const suggestions = "promptSuggestions"

// withTerminals adds terminal_output to a client's _meta. Agents of version 1 then send their
// terminals in _meta, which the bridge converts to terminals of version 2.
var withTerminals = Object{{"terminal_output", orDefault{notNull, yes}}}

// memberAt returns the member of caps at a path with dots, or nil.
func memberAt(caps []byte, path string) []byte { return rawjson.Get(caps, strings.Split(path, ".")...) }
