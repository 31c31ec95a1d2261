package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"acp-plan-proxy/translate/schematest"
)

// A wire is what may be said in one version of the protocol, by its published
// schema. Several connections may use a wire at once.
type wire struct {
	*schematest.Draft
	version int
	updates []string // the kinds of session/update
}

// wireOf returns the wire of a schema: v1, v2.unstable.
func wireOf(t testing.TB, schema string) *wire {
	t.Helper()
	draft := schematest.Of(t, schema)
	w := &wire{Draft: draft, version: int(schema[1] - '0'), updates: kindsOf(draft.Definitions["SessionUpdate"])}
	if len(w.updates) < 10 {
		t.Fatalf("%s: %d kinds of updates", schema, len(w.updates))
	}
	if w.version == 2 {
		w.updates = append(w.updates, "replay_complete") // decided, and in no schema yet
	}
	return w
}

// kindsOf returns the values of sessionUpdate that a definition names.
func kindsOf(definition any) []string {
	var kinds []string
	switch v := definition.(type) {
	case []any:
		for _, e := range v {
			kinds = append(kinds, kindsOf(e)...)
		}
	case map[string]any:
		if kind, ok := v["sessionUpdate"].(map[string]any); ok {
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

// A listener judges what one side gets.
type listener struct {
	*wire
	asked map[string][]string // the methods of the side's open requests, by id
}

func (w *wire) listener() *listener { return &listener{wire: w, asked: make(map[string][]string)} }

type object = map[string]any

func parseObject(line string) (object, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		return nil, err
	}
	if o, ok := v.(object); ok {
		return o, nil
	}
	return nil, fmt.Errorf("not an object: %s", line)
}

// says takes in a line that the side itself sends. A method that is no string
// makes a request too, a wrong one.
func (l *listener) says(line string) {
	m, err := parseObject(line)
	if err != nil {
		return
	}
	if method, ok := m["method"]; ok && m["id"] != nil {
		name, _ := method.(string)
		l.asked[idOf(m)] = append(l.asked[idOf(m)], name)
	}
}

func idOf(m object) string { return fmt.Sprintf("%T %[1]v", m["id"]) }

// gets returns what is wrong with a line that the side gets.
func (l *listener) gets(line string) error {
	m, err := parseObject(line)
	if err != nil {
		return err
	}
	method, isCall := m["method"].(string)
	schema, value := l.Calls[method], m["params"]
	if !isCall {
		asked := l.asked[idOf(m)]
		if len(asked) == 0 {
			return fmt.Errorf("an answer to no request: %s", line)
		}
		l.asked[idOf(m)] = asked[1:]
		if m["error"] != nil {
			return nil
		}
		method, schema, value = asked[0], l.Results[asked[0]], m["result"]
	}
	if method == "initialize" && isCall && l.otherVersion(value) {
		return nil // the client's own, to find out what the agent speaks
	}
	if strings.HasPrefix(method, "_") { // an extension
		return nil
	}
	if schema == nil {
		return fmt.Errorf("%s does not know %s: %s", l.Name, method, line)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("not valid in %s: %s: %w", l.Name, line, err)
	}
	if err := l.foreign(m, ""); err != nil {
		return fmt.Errorf("%w in %s", err, line)
	}
	return nil
}

func (l *listener) otherVersion(params any) bool {
	p, _ := params.(object)
	version, _ := p["protocolVersion"].(json.Number)
	return version.String() != fmt.Sprint(l.version)
}

// foreignMembers are members that only the other version has, and where. Schemas
// let them pass, as members that nobody knows yet.
var foreignMembers = map[int]map[string][]string{
	1: {
		"configId": {"configOptions"}, "groupId": nil, "methodId": {"authMethods"},
		"subject": {"params"}, "patch": {"content"}, "changes": {"content"}, "replayFrom": nil,
		"info": {"params", "result"}, "capabilities": {"params", "result", "update", "toolCall"},
		"state": {"update"}, "messageId": {"result"}, "type": {"availableCommands", "input"},
	},
	2: {
		"modes": nil, "models": nil, "oldText": nil, "newText": nil, "group": nil,
		"id": {"configOptions", "authMethods"}, "toolCall": {"params"}, "stopReason": {"result"},
		"agentCapabilities": nil, "agentInfo": nil, "clientCapabilities": nil, "clientInfo": nil, "modeId": nil,
	},
}

// opaque are members with values that the protocol says nothing about.
var opaque = []string{"_meta", "rawInput", "rawOutput", "data", "requestedSchema"}

// foreign returns an error that names something that only the other version has.
// within is the member that value belongs to.
func (w *wire) foreign(value any, within string) error {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			if err := w.foreign(e, within); err != nil {
				return err
			}
		}
	case object:
		kind, ok := v["sessionUpdate"].(string)
		if ok && !slices.Contains(w.updates, kind) && !strings.HasPrefix(kind, "_") {
			return fmt.Errorf("an update %s, which %s does not have", kind, w.Name)
		}
		if w.version == 1 && (v["type"] == "id" || within == "mcpServers" && v["type"] == "stdio") {
			return fmt.Errorf("a type %v in %s, which version 1 does not have", v["type"], within)
		}
		for name, member := range v {
			if slices.Contains(opaque, name) {
				continue
			}
			where, listed := foreignMembers[w.version][name]
			if listed && (where == nil || slices.Contains(where, within)) && !(name == "id" && within == "") {
				return fmt.Errorf("a member %s in %s, which version %d does not have", name, within, w.version)
			}
			if err := w.foreign(member, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestWire checks the judge of what is said with lines that it must not let
// pass, and with the same lines as they ought to be.
func TestWire(t *testing.T) {
	update := func(update string) string {
		return `{"method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
	}
	for _, test := range []struct{ schema, good, bad string }{
		{"v1", update(`{"sessionUpdate":"current_mode_update","currentModeId":"a"}`), update(`{"sessionUpdate":"state_update","state":"idle"}`)},
		{"v1", update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`), update(`{"sessionUpdate":"tool_call","toolCallId":"t"}`)},
		{"v1", update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}`),
			update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"a","description":"b"}]}`)},
		{"v1", `{"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"c","value":"v"}}`,
			`{"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"c","type":"id","value":"v"}}`},
		{"v2", update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T"}`), update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`)},
		{"v2", update(`{"sessionUpdate":"config_option_update","configOptions":[]}`), update(`{"sessionUpdate":"current_mode_update","currentModeId":"a"}`)},
		{"v2", update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"a","description":"b"}]}`),
			update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}`)},
		{"v2", `{"id":"new","result":{"sessionId":"s"}}`, `{"id":"new","result":{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[]}}}`},
		{"v2", `{"id":"new","error":{"code":1,"message":"m"}}`, `{"id":"old","error":{"code":1,"message":"m"}}`},
	} {
		l := wireOf(t, test.schema).listener()
		for _, line := range []string{test.good, test.bad} {
			l.says(`{"id":"new","method":"session/new","params":{}}`)
			if err := l.gets(line); (err == nil) != (line == test.good) {
				t.Errorf("%s: %s: %v", test.schema, line, err)
			}
		}
	}
}
