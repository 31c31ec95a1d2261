package plans

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
)

// randomOptions and randomClient turn any number into options and a client.

func randomOptions(n uint32) Options {
	return Options{
		SyntheticID: []string{"main", "p", ""}[n%3],
		Markdown:    []Markdown{MarkdownEntries, MarkdownBoth, MarkdownDrop}[n>>8%3],
		Files:       []Files{FilesRead, FilesLink, FilesDrop}[n>>12%3],
		ReadFile:    func(path string) ([]byte, error) { return []byte("- [x] " + path), nil },
	}
}

func randomClient(n uint32) capabilities.Client {
	version := n % 3
	if version == 0 {
		return capabilities.Client{}
	}
	return capabilities.Client{
		Shows:    capabilities.Plan | capabilities.Shows(n>>2),
		PlanID:   1 + capabilities.PlanID(n>>10)%(1<<capabilities.PlanIDMembers-1),
		Version2: version == 2,

		PlanCards: n>>20%2 == 1,
	}
}

// FuzzTranslate sends the lines of any text as updates of two sessions.
func FuzzTranslate(f *testing.F) {
	conversation := strings.Join([]string{
		items("p", todo("A"), `{"content":"B","status":"cancelled"}`),
		legacyPlan(todo("A"), `{"content":"B","priority":"x","_meta":1}`),
		markdownUpdate("m", `# T\n- [ ] A`), fileUpdate("f", "/t/plan.md"), custom(`"content":"x","entries":[]`),
		removed("p"), `{"sessionUpdate":"plan_removed","entries":[],"plan":{}}`, legacyPlan(),
		`{"toolCall":{"kind":"switch_mode","content":[{"content":{"text":"- [ ] A"}}]},"options":[{"optionId":"a","kind":"allow_once"}]}`,
	}, "\n")
	for _, client := range []uint32{0, 1, 1 | 0xff<<2, 2 | 0xff<<2, 1 | 1<<10 | uint32(capabilities.Items)<<2} {
		f.Add([]byte(conversation), uint32(0), client)
	}
	f.Fuzz(func(t *testing.T, text []byte, options, client uint32) {
		p := newPeer(randomOptions(options), randomClient(client))
		for i, line := range strings.Split(string(text), "\n") {
			session := "st"[i%2 : i%2+1]
			if !json.Valid([]byte(line)) {
				p.read(line) // must not panic
				continue
			}
			if params := strings.TrimSpace(line); strings.HasPrefix(params, `{"toolCall"`) {
				for _, m := range slices.Concat(p.permission("7", session, params), p.choose("7", "a")) {
					if !json.Valid([]byte(m)) {
						t.Fatalf("%s leads to %s", line, m)
					}
				}
			}
			line = strings.Trim(line, " \t\r")
			if i%7 == 6 {
				defer p.load(session)(i%2 == 0)
			}
			if _, err := p.send(session, line); err != nil {
				t.Fatal(err)
			}
		}
	})
}
