package schematest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"acp-plan-proxy/translate"
)

// A Listener judges what one side gets, by the draft that it speaks.
type Listener struct {
	*Draft

	// Passes: a method or an update that the draft does not know may be one that
	// both sides know, and plans are translated later.
	Passes bool

	version int
	updates []string            // the kinds of session/update
	asked   map[string][]string // the methods of the side's open requests, by id
}

// Listener returns the judge of one side of one connection.
func (d *Draft) Listener(t testing.TB) *Listener {
	t.Helper()
	l := &Listener{Draft: d, version: int(d.Name[1] - '0'), updates: kindsOf(d.Definitions["SessionUpdate"]), asked: make(map[string][]string)}
	if len(l.updates) < 10 {
		t.Fatalf("%s: %d kinds of updates", d.Name, len(l.updates))
	}
	return l
}

// kindsOf returns the values of sessionUpdate that a definition names.
func kindsOf(definition any) []string {
	var kinds []string
	switch v := definition.(type) {
	case []any:
		for _, e := range v {
			kinds = append(kinds, kindsOf(e)...)
		}
	case Object:
		if kind, ok := v["sessionUpdate"].(Object); ok {
			if name, ok := kind["const"].(string); ok {
				kinds = append(kinds, name)
			}
		}
		for _, name := range []string{"oneOf", "anyOf", "properties"} {
			kinds = append(kinds, kindsOf(v[name])...)
		}
	}
	return kinds
}

// An Object is a message, or what is in one.
type Object = map[string]any

// Parse returns the object that a line is.
func Parse(line string) (Object, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		return nil, err
	}
	if o, ok := v.(Object); ok {
		return o, nil
	}
	return nil, fmt.Errorf("not an object: %s", line)
}

// IDOf returns the id of a message. It tells 1 from "1".
func IDOf(m Object) string { return fmt.Sprintf("%T %[1]v", m["id"]) }

// Says notes a line that the side itself sends. A method that is not a string makes a
// request too, a wrong one.
func (l *Listener) Says(line string) {
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

// May reports whether the side may send a request or a notification.
func (l *Listener) May(line string) bool {
	m, err := Parse(line)
	method, _ := m["method"].(string)
	schema := l.Calls[method]
	return err == nil && (schema == nil || schema.Validate(m["params"]) == nil)
}

// Waiting returns the methods of the requests of the side that have no answer.
func (l *Listener) Waiting() []string { return slices.Concat(slices.Collect(maps.Values(l.asked))...) }

// Gets returns what is wrong with a line that the side gets.
func (l *Listener) Gets(line string) error {
	m, err := Parse(line)
	if err != nil {
		return err
	}
	method, isCall := m["method"].(string)
	schema, value := l.Calls[method], m["params"]
	if !isCall {
		asked := l.asked[IDOf(m)]
		switch id, given := m["id"]; {
		case len(asked) > 0:
		case given && id == nil && m["error"] != nil:
			return nil // it is about a line that could not be read
		default:
			return fmt.Errorf("an answer to no request: %s", line)
		}
		l.asked[IDOf(m)] = asked[1:]
		if m["error"] != nil {
			return nil
		}
		method, schema, value = asked[0], l.Results[asked[0]], m["result"]
	}
	if method == "initialize" && isCall && l.otherVersion(value) {
		return nil // the client's own, to find out what the agent speaks
	}
	switch {
	case strings.HasPrefix(method, "_"), l.Passes && (schema == nil || l.isExtension(value)):
		return nil
	case schema == nil:
		return fmt.Errorf("%s does not know %s: %s", l.Name, method, line)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("not valid in %s: %s: %w", l.Name, line, err)
	}
	if err := l.foreign(m, "", method); err != nil {
		return fmt.Errorf("%w in %s", err, line)
	}
	return nil
}

func (l *Listener) otherVersion(params any) bool {
	p, _ := params.(Object)
	version, _ := p["protocolVersion"].(json.Number)
	return version.String() != fmt.Sprint(l.version)
}

// isExtension reports whether params have an update that is nobody's but the sides'.
// Clients of version 1 know none.
func (l *Listener) isExtension(params any) bool {
	p, _ := params.(Object)
	update, _ := p["update"].(Object)
	kind, _ := update["sessionUpdate"].(string)
	return l.version > 1 && strings.HasPrefix(kind, "_")
}

// A word is a member that only one version has: in the members that are named, or
// besides in all but those.
type word struct{ in, except []string }

// foreignWords are the members that only the other version has. Schemas let them
// pass, as members that nobody knows yet.
var foreignWords = map[int]map[string]word{
	1: {
		"configId": {except: []string{"params"}}, "groupId": {}, "methodId": {except: []string{"params"}},
		"subject": {}, "patch": {}, "changes": {}, "replayFrom": {}, "background": {}, "availableCommands": {except: []string{"update"}},
		"info": {in: []string{"params", "result"}}, "capabilities": {in: []string{"params", "result", "update", "toolCall"}},
		"state": {}, "messageId": {in: []string{"result"}}, "type": {in: []string{"availableCommands", "input"}},
	},
	2: {
		"modes": {}, "models": {}, "oldText": {}, "newText": {}, "group": {}, "modeId": {},
		"id": {in: []string{"configOptions", "authMethods"}}, "toolCall": {in: []string{"params"}}, "stopReason": {in: []string{"result"}},
		"agentCapabilities": {}, "agentInfo": {}, "clientCapabilities": {}, "clientInfo": {},
	},
}

// opaque are members with values that the protocol says nothing about.
var opaque = []string{"_meta", "rawInput", "rawOutput", "data", "requestedSchema"}

// foreign returns an error that names something that only the other version has, in
// a message of that method. within is the member that value belongs to.
func (l *Listener) foreign(value any, within, method string) error {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			if err := l.foreign(e, within, method); err != nil {
				return err
			}
		}
	case Object:
		kind, ok := v["sessionUpdate"].(string)
		if ok && !slices.Contains(l.updates, kind) && !strings.HasPrefix(kind, "_") && !(l.Passes && translate.IsPlan([]byte(kind))) {
			return fmt.Errorf("an update %s, which %s does not have", kind, l.Name)
		}
		if l.version == 1 && (v["type"] == "id" || within == "mcpServers" && v["type"] == "stdio") {
			return fmt.Errorf("a type %v in %s, which version 1 does not have", v["type"], within)
		}
		if kind == "subagent_update" || strings.HasPrefix(method, "auth/status") && within != "" {
			return nil // the same in both
		}
		for name, member := range v {
			if slices.Contains(opaque, name) {
				continue
			}
			if l.isForeign(name, within) {
				return fmt.Errorf("a member %s in %s, which version %d does not have", name, within, l.version)
			}
			if err := l.foreign(member, name, method); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Listener) isForeign(name, within string) bool {
	w, listed := foreignWords[l.version][name]
	return listed && within != "" && (w.in == nil || slices.Contains(w.in, within)) && !slices.Contains(w.except, within)
}
