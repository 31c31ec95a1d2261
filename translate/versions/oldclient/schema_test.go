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
)

// shared returns a folder of what the tests need and the repository does not
// have.
func shared(t testing.TB, folder string) string {
	t.Helper()
	dir := sharedPath(folder)
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

func sharedPath(folder string) string {
	root := os.Getenv("ACP_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	return filepath.Join(root, "protocol", folder)
}

// A judge checks what leaves the bridge against the schemas: what the client
// gets against the schema of version 1, what the agent gets against the schema
// of version 2.
type judge [2]*schemas

// schemas are the schemas of one version, by method.
type schemas struct {
	version  string
	requests map[string]*jsonschema.Schema
	results  map[string]*jsonschema.Schema
	asked    map[string]string // the methods of the requests that the side waits for, by id
}

// compiled is the judge of all tests: to read the schemas takes a while.
var compiled judge

func newJudge(t testing.TB) judge {
	dir := shared(t, "schema")
	if compiled[0] == nil {
		compiled = judge{readSchemas(t, filepath.Join(dir, "v1.unstable.json")), readSchemas(t, filepath.Join(dir, "v2.unstable.json"))}
	}
	compiled.reset()
	return compiled
}

// judgeIfHere returns a judge, or one that lets everything pass if the schemas
// are not here.
func judgeIfHere(t testing.TB) judge {
	if os.Getenv("ACP_PLAN_PROXY_TEST_REQUIRE") == "" {
		if _, err := os.Stat(sharedPath("schema")); err != nil {
			return judge{}
		}
	}
	return newJudge(t)
}

func readSchemas(t testing.TB, path string) *schemas {
	t.Helper()
	s := &schemas{version: filepath.Base(path), requests: make(map[string]*jsonschema.Schema), results: make(map[string]*jsonschema.Schema)}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(path, document); err != nil {
		t.Fatal(err)
	}
	for name, def := range document.(map[string]any)["$defs"].(map[string]any) {
		method, ok := def.(map[string]any)["x-method"].(string)
		if !ok {
			continue
		}
		schema, err := compiler.Compile(path + "#/$defs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "Response") {
			s.results[method] = schema
		} else if s.requests[method] == nil || strings.HasSuffix(name, "Request") {
			s.requests[method] = schema
		}
	}
	return s
}

// reset forgets what was asked.
func (j judge) reset() {
	for _, s := range j {
		s.asked = make(map[string]string)
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
	if j[side] == nil {
		return true
	}
	m, err := parse(text)
	method, ok := m["method"].(string)
	if err != nil || !ok {
		return err == nil
	}
	if _, ok := m["id"]; ok {
		j[side].asked[fmt.Sprintf("%T %[1]v", m["id"])] = method
	}
	schema := j[side].requests[method]
	return schema == nil || schema.Validate(m["params"]) == nil
}

// gets validates what a side gets.
func (j judge) gets(side translate.Side, text string) error {
	m, err := parse(text)
	if err != nil || m == nil || m["jsonrpc"] != "2.0" {
		return fmt.Errorf("no message: %s", text)
	}
	s := j[side]
	method, isCall := m["method"].(string)
	schema, value := s.requests[method], m["params"]
	if !isCall {
		id := fmt.Sprintf("%T %[1]v", m["id"])
		asked, ok := s.asked[id]
		if !ok {
			return fmt.Errorf("an answer to no request: %s", text)
		}
		delete(s.asked, id)
		if m["error"] != nil {
			return nil
		}
		schema, value = s.results[asked], m["result"]
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
		return fmt.Errorf("not valid in %s: %s: %w", s.version, text, err)
	}
	if side == translate.Client {
		return newMembers(value, "")
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
				!(name == "availableCommands" && within == "update") {
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
	if j[0] == nil {
		return nil
	}
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
