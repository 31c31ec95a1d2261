package bridgetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schematest"
)

// A Judge compares what the two sides get with the schemas of their versions, and
// looks for the words of the other version in what the client gets.
type Judge struct {
	// Of reports whether a line that leaves is judged: each is if it is nil.
	Of func(to translate.Side, text string) bool

	sides [2]listener
}

// A listener is a side of one version.
type listener struct {
	*schematest.Draft
	version int
	asked   map[string][]string // the methods of the requests that the side waits for, by id
}

// NewJudge returns the judge of a client of that version and an agent of the other.
func NewJudge(t testing.TB, client int) *Judge {
	t.Helper()
	j := &Judge{}
	for i, version := range []int{client, 3 - client} {
		j.sides[i] = listener{Draft: schematest.Of(t, fmt.Sprintf("v%d.unstable", version)), version: version, asked: make(map[string][]string)}
	}
	return j
}

// Asks notes a request that a side sends the bridge.
func (j *Judge) Asks(side translate.Side, text string) {
	m, err := parse(text)
	method, isCall := m["method"].(string)
	if _, ok := m["id"]; err == nil && isCall && ok {
		id := key(m["id"])
		j.sides[side].asked[id] = append(j.sides[side].asked[id], method)
	}
}

// Knows reports whether a request or a notification is valid in the version of the
// side that sends it.
func (j *Judge) Knows(side translate.Side, text string) bool {
	m, err := parse(text)
	method, _ := m["method"].(string)
	schema := j.sides[side].Calls[method]
	return err == nil && (schema == nil || schema.Validate(m["params"]) == nil)
}

// Waiting returns the methods of the requests of a side that have no answer.
func (j *Judge) Waiting(side translate.Side) []string {
	return slices.Concat(slices.Collect(maps.Values(j.sides[side].asked))...)
}

// Gets validates what a side gets.
func (j *Judge) Gets(side translate.Side, text string) error {
	m, err := parse(text)
	if err != nil || m == nil || m["jsonrpc"] != "2.0" {
		return fmt.Errorf("no message: %s", text)
	}
	l := j.sides[side]
	method, isCall := m["method"].(string)
	schema, value := l.Calls[method], m["params"]
	if !isCall {
		id := key(m["id"])
		asked := l.asked[id]
		if len(asked) == 0 {
			return fmt.Errorf("an answer to no request: %s", text)
		}
		l.asked[id] = asked[1:]
		if m["error"] != nil {
			return nil
		}
		schema, value, method = l.Results[asked[0]], m["result"], asked[0]
	}
	if j.Of != nil && !j.Of(side, text) {
		return nil
	}
	if isCall && side == translate.Client && l.version == 1 && slices.Contains(cancels, method) {
		return fmt.Errorf("%s is a method of version 2", method)
	}
	if schema == nil {
		return nil // a method that the version does not know
	}
	if l.version == 1 && strings.HasPrefix(updateKind(m), "_") {
		return nil // the schema has no place for them
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("not valid in %s: %s: %w", l.Name, text, err)
	}
	if side == translate.Client {
		return l.foreign(value, method)
	}
	return nil
}

// key tells the ids 1 and "1" apart.
func key(id any) string { return fmt.Sprintf("%T %[1]v", id) }

func parse(text string) (map[string]any, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	m, _ := v.(map[string]any)
	return m, nil
}

func updateKind(m map[string]any) string {
	params, _ := m["params"].(map[string]any)
	update, _ := params["update"].(map[string]any)
	kind, _ := update["sessionUpdate"].(string)
	return kind
}

// cancels are methods that only version 2 has.
var cancels = []string{"tool_call/cancel", "terminal/cancel"}

// foreignMembers are the members that a client must not get, by its version: only
// the other version has them. The schemas let them pass as what is yet to come.
var foreignMembers = [...][]string{
	1: {"configId", "groupId", "methodId", "changes", "patch", "availableCommands", "subject", "replayFrom", "background", "state"},
	2: {"modes", "models", "oldText", "newText", "group", "agentCapabilities", "agentInfo"},
}

// foreign returns an error if a value that the client gets has a word of the other
// version.
func (l listener) foreign(value any, within string) error {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			if err := l.foreign(e, within); err != nil {
				return err
			}
		}
	case map[string]any:
		if l.isExcepted(v) {
			return nil
		}
		for name, member := range v {
			if slices.Contains([]string{"_meta", "rawInput", "rawOutput", "data", "requestedSchema"}, name) {
				continue
			}
			if l.isForeign(name, member, within) {
				return fmt.Errorf("%s in %s is only in version %d: %v", name, within, 3-l.version, member)
			}
			if err := l.foreign(member, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isExcepted reports whether an object has the same members in both versions.
func (l listener) isExcepted(v map[string]any) bool {
	return l.version == 1 && v["sessionUpdate"] == "subagent_update"
}

func (l listener) isForeign(name string, value any, within string) bool {
	if l.version == 1 {
		switch {
		case name == "availableCommands" && within == "update", name == "state" && strings.HasPrefix(within, "auth/status"):
			return false
		}
	} else {
		switch {
		case name == "id" && (within == "configOptions" || within == "authMethods"):
			return true
		case name == "sessionUpdate" && (value == "tool_call" || value == "current_mode_update"):
			return true
		}
	}
	return slices.Contains(foreignMembers[l.version], name)
}
