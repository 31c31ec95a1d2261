package plans

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestGrowingMarkdown streams each of the golden plans, cut anywhere: once the
// client shows entries of it, it shows some until the end, and at the end it
// shows the entries of the whole text.
func TestGrowingMarkdown(t *testing.T) {
	names, err := filepath.Glob("markdown/testdata/plans/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source := string(archive.Files[0].Data)
		growing, alone := newPeer(defaults(), legacyClient), newPeer(defaults(), legacyClient)
		shown := ""
		for end := range len(source) + 1 {
			entries := markdownEntries(t, growing, source[:end])
			if shown != "" && entries == "" {
				t.Errorf("%s: the list %s goes away at %q", filepath.Base(name), shown, source[:end])
			}
			shown = entries
		}
		if want := markdownEntries(t, alone, source); want != "" && shown != want {
			t.Errorf("%s: %s at the end, alone %s", filepath.Base(name), shown, want)
		}
	}
}

// markdownEntries sends a text as a markdown plan and returns the entries that
// the client gets, "" if none.
func markdownEntries(t *testing.T, p *peer, text string) string {
	t.Helper()
	content, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.send("s", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":`+string(content)+`}}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Updates) == 0 {
		return ""
	}
	_, entries, _ := strings.Cut(got.Updates[0], `"entries":`)
	return strings.TrimSuffix(strings.TrimSuffix(entries, "}"), "[]")
}

// TestUnclearMarkdown tells what a text that shows nothing leaves of what its plan
// has shown.
func TestUnclearMarkdown(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "a text that grows keeps its entries",
		steps: []step{
			on(markdownUpdate("p", `Plan`), rewrite(legacyPlan(todo("Plan")))),
			on(markdownUpdate("p", `Plan\n===`), rewrite(legacyPlan(todo("Plan")))),
			on(markdownUpdate("p", `Plan\n===\n- A`), rewrite(legacyPlan(todo("A")))),
		},
	}, {
		name: "an empty text has none",
		steps: []step{
			on(markdownUpdate("p", `- A`), rewrite(legacyPlan(todo("A")))),
			on(markdownUpdate("p", ` \n`), rewrite(legacyPlan())),
		},
	}, {
		name: "another text has none of them",
		steps: []step{
			on(markdownUpdate("p", `# One\n- A`), rewrite(legacyPlan(todo("A")))),
			on(markdownUpdate("p", `# Two`), rewrite(legacyPlan())),
		},
	}, {
		name: "entries that the agent sent are not the text's",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(markdownUpdate("p", `# One`), rewrite(legacyPlan())),
		},
	}})
}
