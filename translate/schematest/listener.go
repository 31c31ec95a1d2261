// Package schematest validates the proxy's output in tests, against the protocol's published
// schemas and rules beyond them, see [Listener].
package schematest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schema"
)

// drafts caches the drafts, because reading them takes long.
var drafts schema.Drafts

// Draft returns the draft of that name.
func Draft(t testing.TB, name string) *schema.Draft {
	t.Helper()
	d, err := drafts.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A Listener validates the messages that one side receives, by that side's draft.
type Listener struct {
	*schema.Draft

	// AllowsUnknown makes Check accept methods and updates that the draft does not define, because
	// both sides may know them, and plan updates, because a later stage translates them.
	AllowsUnknown bool

	side    translate.Side
	version int
	asked   map[string][]string // the methods of the side's pending requests, by id
}

// NewListener returns the Listener for a side of one connection, which speaks the draft of that name.
func NewListener(t testing.TB, name string, side translate.Side) *Listener {
	t.Helper()
	return &Listener{Draft: Draft(t, name), side: side, version: int(name[1] - '0'), asked: make(map[string][]string)}
}

// An Object is a message, or an object in one.
type Object = schema.Object

// Parse returns the object in a line.
func Parse(line string) (m Object, err error) {
	err = json.Unmarshal([]byte(line), &m)
	return m, err
}

// callOf returns a message to a side as a call. It reports false if the message has no method.
func callOf(m Object, to translate.Side) (c *schema.Call, ok bool) {
	method, ok := m["method"].(string)
	_, isRequest := m["id"]
	return &schema.Call{Method: method, ToClient: to == translate.Client, IsRequest: isRequest, ID: m["id"], Params: m["params"]}, ok
}

// IDOf returns the id of a message. The ids 1 and "1" differ.
func IDOf(m Object) string { return fmt.Sprintf("%T %[1]v", m["id"]) }

// RecordSent records a line that the side sends. A message with an id and a method that is not a
// string counts as an invalid request.
func (l *Listener) RecordSent(line string) {
	m, err := Parse(line)
	if err != nil {
		return
	}
	_, hasID := m["id"]
	if method, ok := m["method"]; ok && hasID {
		name, _ := method.(string)
		l.asked[IDOf(m)] = append(l.asked[IDOf(m)], name)
	}
}

// MaySend reports whether the side may send a request or a notification.
func (l *Listener) MaySend(line string) bool {
	m, err := Parse(line)
	c, _ := callOf(m, l.side.Other())
	return err == nil && (!l.HasMethod(c.Method) || l.CheckCall(c) == nil)
}

// Unanswered returns the methods of the pending requests of the side.
func (l *Listener) Unanswered() []string {
	return slices.Concat(slices.Collect(maps.Values(l.asked))...)
}

// Check returns an error about the faults of a line that the side receives, or nil.
func (l *Listener) Check(line string) error {
	m, err := Parse(line)
	if err != nil {
		return err
	}
	c, isCall := callOf(m, l.side)
	if !isCall {
		asked := l.asked[IDOf(m)]
		switch id, given := m["id"]; {
		case len(asked) > 0:
		case given && id == nil && m["error"] != nil:
			return nil // an error about an unreadable line
		default:
			return fmt.Errorf("an answer to no request: %s", line)
		}
		l.asked[IDOf(m)] = asked[1:]
		if m["error"] != nil {
			return nil
		}
		c.Method = asked[0]
	}
	kind := c.Update()
	switch {
	case c.Method == "initialize" && isCall && l.asksOtherVersion(m["params"]):
		return nil // the client's own request to discover the agent's version
	case schema.IsExtension(c.Method), l.AllowsUnknown && (!l.HasMethod(c.Method) || l.version > 1 && schema.IsExtension(kind)):
		return nil // in version 1, updates have no extensions
	case !l.HasMethod(c.Method):
		return fmt.Errorf("%s does not know %s: %s", l.Name, c.Method, line)
	case isCall && c.Method == "session/update" && !l.allowsUpdate(c):
		return fmt.Errorf("an update %s, which %s does not have, in %s", kind, l.Name, line)
	}
	faults := l.CheckResult(c.Method, m["result"])
	if isCall {
		faults = l.CheckCall(c)
	}
	if faults != nil {
		return fmt.Errorf("not valid in %s: %s: %s", l.Name, line, faults.Reason())
	}
	if err := l.checkForeign(m, "", c.Method); err != nil {
		return fmt.Errorf("%w in %s", err, line)
	}
	return nil
}

// allowsUpdate reports whether the side may receive the update in a session/update.
func (l *Listener) allowsUpdate(c *schema.Call) bool {
	kind := c.Update()
	return schema.IsExtension(kind) || kind != "" && l.Knows(c) || l.AllowsUnknown && translate.IsPlan([]byte(kind))
}

func (l *Listener) asksOtherVersion(params any) bool {
	p, _ := params.(Object)
	return p["protocolVersion"] != float64(l.version)
}

// A word is the name of a member that only one version defines: in the objects onlyIn, if there are
// any, otherwise in all except exceptIn.
type word struct{ onlyIn, exceptIn []string }

// foreignWords are the members that only the other version has. Schemas allow them, like all unknown
// members.
var foreignWords = map[int]map[string]word{
	1: {
		"configId": {exceptIn: []string{"params"}}, "groupId": {}, "methodId": {exceptIn: []string{"params"}},
		"subject": {}, "patch": {}, "changes": {}, "replayFrom": {}, "background": {}, "availableCommands": {exceptIn: []string{"update"}},
		"info": {onlyIn: []string{"params", "result"}}, "capabilities": {onlyIn: []string{"params", "result", "update", "toolCall"}},
		"state": {}, "messageId": {onlyIn: []string{"result"}}, "type": {onlyIn: []string{"availableCommands", "input"}},
	},
	2: {
		"modes": {}, "models": {}, "oldText": {}, "newText": {}, "group": {}, "modeId": {},
		"id": {onlyIn: []string{"configOptions", "authMethods"}}, "toolCall": {onlyIn: []string{"params"}}, "stopReason": {onlyIn: []string{"result"}},
		"agentCapabilities": {}, "agentInfo": {}, "clientCapabilities": {}, "clientInfo": {},
	},
}

// opaque lists members whose values the protocol does not define.
var opaque = []string{"_meta", "rawInput", "rawOutput", "data", "requestedSchema"}

// checkForeign returns an error that names a member or a type that only the other version has, in a
// message of that method. parent is the name of the member with the value.
func (l *Listener) checkForeign(value any, parent, method string) error {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			if err := l.checkForeign(e, parent, method); err != nil {
				return err
			}
		}
	case Object:
		if l.version == 1 && (v["type"] == "id" || parent == "mcpServers" && v["type"] == "stdio") {
			return fmt.Errorf("a type %v in %s, which version 1 does not have", v["type"], parent)
		}
		if v["sessionUpdate"] == "subagent_update" || strings.HasPrefix(method, "auth/status") && parent != "" {
			return nil // the same in both versions
		}
		for name, member := range v {
			if slices.Contains(opaque, name) {
				continue
			}
			if l.isForeign(name, parent) {
				return fmt.Errorf("a member %s in %s, which version %d does not have", name, parent, l.version)
			}
			if err := l.checkForeign(member, name, method); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Listener) isForeign(name, parent string) bool {
	w, listed := foreignWords[l.version][name]
	return listed && parent != "" && (w.onlyIn == nil || slices.Contains(w.onlyIn, parent)) && !slices.Contains(w.exceptIn, parent)
}
