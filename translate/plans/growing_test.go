package plans

import (
	"cmp"
	"slices"
	"testing"

	"acp-plan-proxy/capabilities"
)

// TestUnclearMarkdown tells what a text that shows nothing leaves of what its plan
// has shown.
func TestUnclearMarkdown(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "a text that grows keeps its entries",
		talk: `
			> markdown p: Plan\n===\n- A\n
			< plan A
			> markdown p: Plan\n===\n- A\n\nB
			< plan A
			> markdown p: Plan\n===\n- A\n\nB\n- [x] C\n
			< plan C (completed)`,
	}, {
		name: "a single paragraph waits",
		talk: `
			> markdown p: Plan
			> markdown p: Plan\n===
			> markdown p: Plan\n===\n- A\n
			< plan A`,
	}, {
		name: "a text that is repeated shows the same: what waits until it is complete, the whole after that",
		talk: `
			> markdown p: # T\n## Area\n
			> markdown p: # T\n## Area\n- Bread\n- Cheese\n- Dates
			> markdown p: # T\n## Area\n- Bread\n- Cheese\n- Dates
			turn
			> markdown p: # T\n## Area\n- Bread\n- Cheese\n- Dates
			< plan Bread | Cheese | Dates`,
	}, {
		name: "an empty text has none",
		talk: `
			> markdown p: - A
			< plan A
			> markdown p:  \n
			< plan`,
	}, {
		name: "another text has none of them",
		talk: `
			> markdown p: # One\n- A
			< plan A
			> markdown p: # Two
			< plan`,
	}, {
		name: "entries that the agent sent are not the text's",
		talk: `
			> items p: A
			< plan A
			> markdown p: # One
			< plan`,
	}})
}

// TestComplete tells what a client is shown when texts are complete that showed
// something else, or nothing, while they grew.
func TestComplete(t *testing.T) {
	message := func(session string, entries ...string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":` + legacyPlan(entries...) + `}}`
	}
	turn := func(p *peer) []string { return p.turn("s") }
	for _, tt := range []struct {
		name    string
		options *Options
		client  capabilities.Client
		updates []string
		ends    func(p *peer) []string
		want    []string
	}{
		{
			name: "a single paragraph, at the end of the turn or before a question", ends: turn,
			updates: []string{markdownUpdate("p", `Only words.`)}, want: []string{message("s", todo("Only words."))},
		}, {
			name:    "or at the agent's end",
			updates: []string{markdownUpdate("p", `Only words.`)}, want: []string{message("s", todo("Only words."))},
			ends: func(p *peer) []string { return p.ends() },
		}, {
			name:    "the turn of another session says nothing of it",
			updates: []string{markdownUpdate("p", `Only words.`)},
			ends:    func(p *peer) []string { return p.turn("t") },
		}, {
			name: "a list for which nothing speaks, in a text that has grown", ends: turn,
			updates: []string{markdownUpdate("p", `# T\n## Area\n`), markdownUpdate("p", `# T\n## Area\n- Bread\n- Cheese\n- Dates\n`)},
			want:    []string{message("s", todo("Bread"), todo("Cheese"), todo("Dates"))},
		}, {
			name: "what is shown of the whole text already is not said again", ends: turn,
			updates: []string{markdownUpdate("p", `# T\n`), markdownUpdate("p", `# T\n- B\n- C\n`)},
		}, {
			name: "a plan that has been removed is not shown", ends: turn,
			updates: []string{markdownUpdate("p", `Only words.`), removed("p")},
		}, {
			name: "nor one that has got other entries", ends: turn,
			updates: []string{markdownUpdate("p", `Only words.`), items("p", todo("A"))},
		}, {
			name: "beside other plans", ends: turn,
			updates: []string{items("q", todo("A")), markdownUpdate("p", `Only words.`)},
			want:    []string{message("s", todo("[q] A"), todo("[p] Only words."))},
		}, {
			name: "not where it has made room for a list", ends: turn,
			updates: []string{markdownUpdate("p", `Only words.`), items("q", todo("A"))},
		}, {
			name: "with the text behind it", ends: turn, options: with(func(o *Options) { o.Markdown = MarkdownBoth }),
			updates: []string{markdownUpdate("p", `Only words.`)},
			want: []string{message("s", todo("Only words.")),
				`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\nOnly words.\n\n"}}}}`},
		}, {
			name: "to a client of plan operations, nothing waits", ends: turn, client: newClient,
			updates: []string{markdownUpdate("p", `Only words.`)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(*cmp.Or(tt.options, with(func(*Options) {})), cmp.Or(tt.client, legacyClient))
			for _, update := range tt.updates {
				mustSend(t, p, "s", update)
			}
			got := tt.ends(p)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
			if again := tt.ends(p); len(again) > 0 {
				t.Errorf("and then %q", again)
			}
		})
	}
}
