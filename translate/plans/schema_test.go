package plans

import (
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/schema"
	"acp-plan-proxy/translate/schematest"
)

// TestSchemas validates every rewritten update against the schema of the client. The schemas
// have parsers skip invalid entries; a validator does not, so there must be none.
func TestSchemas(t *testing.T) {
	type pair struct {
		schema string
		client capabilities.Client
	}
	pairs := []pair{
		{"v1.unstable", legacyClient},
		{"v1.unstable", newClient},
		{"v1.unstable", client("items,markdown", capabilities.PlanIDNew, 1)},
		{"v1.unstable.2026-06-05", oldClient},
		{"v1.unstable.2026-05-27", opsClient},
		{"v2", client("items", 0, 2)},
		{"v2.unstable", client("items,removed", 0, 2)},
	}
	for _, d := range capabilities.Drafts() {
		if d.Schema != "" {
			pairs = append(pairs, pair{d.Schema, clientOf(d)})
		}
	}
	for _, c := range pairs {
		t.Run(c.schema+" "+c.client.String(), func(t *testing.T) {
			draft := schematest.Draft(t, c.schema)
			agents(t, func(t *testing.T, a *agent) {
				// Version 2 clients receive unknown values unchanged, so the agent
				// must send valid ones.
				a.isStrict = c.client.Version2
				o := defaults()
				o.Files = FilesLink
				p := newPeer(o, c.client)
				for range 120 {
					validateNext(t, draft, a, p)
				}
			})
		})
	}
}

// clientOf returns a client that supports a draft.
func clientOf(d capabilities.Draft) capabilities.Client {
	var r capabilities.Request
	var s capabilities.Settings
	if d.Capability != "" {
		r, _ = capabilities.ReadRequest([]byte(`{"clientCapabilities":{"` + d.Capability + `":{}}}`))
	}
	return s.Client(r, capabilities.Result{Version: d.Version})
}

// validateNext sends a random update, and validates the result.
func validateNext(t *testing.T, draft *schema.Draft, a *agent, p *peer) {
	t.Helper()
	var updates []string
	switch a.IntN(4) {
	case 0:
		updates = []string{a.removal(pick(a, ids[1:]...)), `{"sessionUpdate":"plan_removed"}`}
	case 1:
		strict := *a
		strict.isStrict = true
		entries, _ := strict.list()
		a.entryCount = strict.entryCount
		updates = []string{a.update("", entries), a.update("p", entries)}
	default:
		update, _ := a.next(pick(a, ids...))
		updates = []string{update}
	}
	for _, update := range updates {
		for _, written := range mustSend(t, p, "s", update).Updates {
			params, err := schematest.Parse(`{"sessionId":"s","update":` + written + `}`)
			if err != nil {
				t.Fatal(err)
			}
			if faults := draft.CheckCall(&schema.Call{Method: "session/update", ToClient: true, Params: params}); faults != nil {
				t.Fatalf("%s became %s: %s", update, written, faults.Reason())
			}
		}
	}
}
