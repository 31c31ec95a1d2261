package oldagent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

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
// gets against the schema of version 2, what the agent gets against the schema
// of version 1.
type judge struct {
	sides [2]*listener // the client, the agent
}

// A listener is a side of one version.
type listener struct {
	*schematest.Draft
	asked map[string]string // the methods of the requests that the side waits for, by id
}

func newJudge(t testing.TB) *judge {
	return &judge{[2]*listener{{Draft: schematest.Of(t, "v2.unstable")}, {Draft: schematest.Of(t, "v1.unstable")}}}
}

// reset forgets what was asked.
func (j *judge) reset() {
	for _, l := range j.sides {
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

// asks notes that a side sends a request to the bridge.
func (j *judge) asks(side int, text string) {
	m, err := parse(text)
	if err != nil || m["id"] == nil || m["method"] == nil {
		return
	}
	j.sides[side].asked[fmt.Sprintf("%T %[1]v", m["id"])], _ = m["method"].(string)
}

// sends validates a request that a side sends.
func (j *judge) sends(side int, text string) error {
	m, err := parse(text)
	method, _ := m["method"].(string)
	if schema := j.sides[side].Calls[method]; err == nil && schema != nil {
		return schema.Validate(m["params"])
	}
	return err
}

// gets validates what a side gets.
func (j *judge) gets(side int, text string) error {
	m, err := parse(text)
	if err != nil || m == nil {
		return fmt.Errorf("no message: %s", text)
	}
	l := j.sides[side]
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
		schema, value = l.Results[asked], m["result"]
	}
	if schema == nil {
		return nil // a method that the version does not know
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("not valid in %s: %s: %w", l.Name, text, err)
	}
	if side == 0 {
		return newNames(m)
	}
	return nil
}

// newNames returns an error if a message that a client of version 2 gets has
// a name of version 1: the schema lets them pass as names that are yet to come.
func newNames(m map[string]any) error {
	params, _ := m["params"].(map[string]any)
	update, _ := params["update"].(map[string]any)
	if kind, ok := update["sessionUpdate"].(string); ok && slices.Contains([]string{"tool_call", "current_mode_update"}, kind) {
		return fmt.Errorf("%s is an update of version 1", kind)
	}
	return oldMembers(m, "")
}

// oldMembers looks for members and words that only version 1 has.
func oldMembers(value any, within string) error {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			if err := oldMembers(e, within); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, member := range v {
			if name == "_meta" || name == "rawInput" || name == "rawOutput" || name == "data" || name == "requestedSchema" {
				continue
			}
			if slices.Contains([]string{"modes", "models", "oldText", "newText", "group", "agentCapabilities", "agentInfo"}, name) ||
				name == "id" && (within == "configOptions" || within == "authMethods") {
				return fmt.Errorf("%s in %s is a member of version 1", name, within)
			}
			if err := oldMembers(member, name); err != nil {
				return err
			}
		}
	}
	return nil
}
