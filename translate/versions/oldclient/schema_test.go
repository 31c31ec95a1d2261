package oldclient

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schematest"
)

// shared returns a folder of what the tests need and the repository does not
// have.
func shared(t testing.TB, folder string) string {
	t.Helper()
	root := os.Getenv("ACP_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir := filepath.Join(root, "protocol", folder)
	if _, err := os.Stat(dir); err != nil {
		skip(t, err)
	}
	return dir
}

// skip says why the test cannot run here. Where tests are required that is a
// failure.
func skip(t testing.TB, why error) {
	t.Helper()
	if os.Getenv("ACP_PLAN_PROXY_TEST_REQUIRE") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// A judge checks what leaves the bridge against the schemas: what the client
// gets against the schema of version 1, what the agent gets against the schema
// of version 2.
type judge [2]*listener // the client, the agent

// A listener is a side of one version.
type listener struct {
	*schematest.Draft
	asked map[string]string // the methods of the requests that the side waits for, by id
}

func newJudge(t testing.TB) judge {
	j := judge{{Draft: schematest.Of(t, "v1.unstable")}, {Draft: schematest.Of(t, "v2.unstable")}}
	j.reset()
	return j
}

// reset forgets what was asked.
func (j judge) reset() {
	for _, l := range j {
		l.asked = make(map[string]string)
	}
}

func parse(text string) (map[string]any, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	m, _ := v.(map[string]any)
	return m, nil
}

// asks notes that a side sends the bridge a request. It reports whether that is
// valid in its version.
func (j judge) asks(side translate.Side, text string) (valid bool) {
	m, err := parse(text)
	method, ok := m["method"].(string)
	if err != nil || !ok {
		return err == nil
	}
	if _, ok := m["id"]; ok {
		j[side].asked[fmt.Sprintf("%T %[1]v", m["id"])] = method
	}
	schema := j[side].Calls[method]
	return schema == nil || schema.Validate(m["params"]) == nil
}

// gets validates what a side gets.
func (j judge) gets(side translate.Side, text string) error {
	m, err := parse(text)
	if err != nil || m == nil || m["jsonrpc"] != "2.0" {
		return fmt.Errorf("no message: %s", text)
	}
	l := j[side]
	method, isCall := m["method"].(string)
	schema, value := l.Calls[method], m["params"]
	if !isCall {
		id := fmt.Sprintf("%T %[1]v", m["id"])
		asked, ok := l.asked[id]
		if !ok {
			return fmt.Errorf("an answer to no request: %s", text)
		}
		delete(l.asked, id)
		if m["error"] != nil {
			return nil
		}
		schema, value, method = l.Results[asked], m["result"], asked
	} else if side == translate.Client && slices.Contains([]string{"tool_call/cancel", "terminal/cancel"}, method) {
		return fmt.Errorf("%s is a method of version 2", method)
	}
	if schema == nil {
		return nil // a method that the version does not know
	}
	if kind := updateKind(m); strings.HasPrefix(kind, "_") {
		return nil
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("not valid in %s: %s: %w", l.Name, text, err)
	}
	if side == translate.Client {
		return newMembers(value, method)
	}
	return nil
}

func updateKind(m map[string]any) string {
	params, _ := m["params"].(map[string]any)
	update, _ := params["update"].(map[string]any)
	kind, _ := update["sessionUpdate"].(string)
	return kind
}

// newMembers returns an error if a message that a client of version 1 gets has
// a member that only version 2 has: the schema lets them pass.
func newMembers(value any, within string) error {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			if err := newMembers(e, within); err != nil {
				return err
			}
		}
	case map[string]any:
		if v["sessionUpdate"] == "subagent_update" {
			return nil // it has a state in both
		}
		for name, member := range v {
			if slices.Contains([]string{"_meta", "rawInput", "rawOutput", "data", "requestedSchema"}, name) {
				continue
			}
			if slices.Contains([]string{"configId", "groupId", "methodId", "changes", "patch", "availableCommands", "subject", "replayFrom", "background", "state"}, name) &&
				!(name == "availableCommands" && within == "update") && !(name == "state" && strings.HasPrefix(within, "auth/status")) {
				return fmt.Errorf("%s in %s is a member of version 2", name, within)
			}
			if err := newMembers(member, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// check validates what has left.
func (j judge) check(lines []string) error {
	for _, line := range lines {
		side := translate.Client
		if line[0] == 'A' {
			side = translate.Agent
		}
		if err := j.gets(side, line[2:]); err != nil {
			return err
		}
	}
	return nil
}
