package plans

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"acp-plan-proxy/capabilities"
)

// schemas returns where the protocol's published schemas are. They are not part
// of the repository.
func schemas(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("ACP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "protocol", "schema")
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

// TestSchemas validates every update that the proxy writes against the schema
// of the client it writes for. The schemas tell parsers to skip invalid
// entries; a validator does not, so none may be there.
func TestSchemas(t *testing.T) {
	dir := schemas(t)
	for _, c := range []struct {
		schema string
		client capabilities.Client
	}{
		{"v1.json", legacyClient},
		{"v1.unstable.json", legacyClient},
		{"v1.unstable.json", opsClient},
		{"v1.unstable.json", newClient},
		{"v1.unstable.json", client("items,markdown", "planId", 1)},
		{"v1.unstable.2026-06-05.json", opsClient},
		{"v1.unstable.2026-06-05.json", oldClient},
		{"v1.unstable.2026-05-27.json", opsClient},
		{"v1.unstable.2026-05-27.json", oldClient},
		{"v2.json", v2Client},
		{"v2.json", client("items", "auto", 2)},
		{"v2.unstable.json", v2Client},
		{"v2.unstable.json", client("items,removed", "auto", 2)},
	} {
		t.Run(c.schema+" "+c.client.String(), func(t *testing.T) {
			notification := "SessionNotification"
			if c.client.AnyEntry {
				notification = "UpdateSessionNotification"
			}
			compiler := jsonschema.NewCompiler()
			compiler.AssertFormat() // version 2 clients reject a uri that is not one
			schema, err := compiler.Compile(filepath.Join(dir, c.schema) + "#/$defs/" + notification)
			if err != nil {
				t.Fatal(err)
			}
			agents(t, func(t *testing.T, a *agent) {
				// Unknown values in an agent's plan_update stay for version 2
				// clients; what the schema wants is up to the agent.
				a.strict = c.client.AnyEntry
				o := defaults()
				o.Files = FilesLink
				for _, o.Empty = range []Empty{EmptyUpdate, EmptyRemove} {
					for _, o.Merge = range []Merge{MergeAll, MergeLatest} {
						p := newPeer(o, c.client)
						for range 30 {
							validateNext(t, schema, a, p)
						}
					}
				}
			})
		})
	}
}

// validateNext lets the agent send what it likes and validates what is written.
func validateNext(t *testing.T, schema *jsonschema.Schema, a *agent, p *peer) {
	t.Helper()
	var updates []string
	switch a.IntN(4) {
	case 0:
		updates = []string{a.removal(pick(a, ids[1:]...)), `{"sessionUpdate":"plan_removed"}`}
	case 1:
		strict := *a
		strict.strict = true
		entries, _ := strict.list()
		a.entries = strict.entries
		updates = []string{a.update("", entries), a.update("p", entries)}
	default:
		update, _ := a.next(pick(a, ids...))
		updates = []string{update}
	}
	for _, update := range updates {
		for _, written := range mustSend(t, p, "s", update).Updates {
			message, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"sessionId":"s","update":` + written + `}`))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(message); err != nil {
				t.Fatalf("%s became %s: %v", update, written, err)
			}
		}
	}
}
