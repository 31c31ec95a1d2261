package plans

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilePlans pins what the package documentation says of files. How a file is
// read is up to the caller.
func TestFilePlans(t *testing.T) {
	files := func(o *Options) {
		o.ReadFile = func(path string) ([]byte, error) {
			switch strings.TrimPrefix(filepath.ToSlash(path), "C:") {
			case "/t/plan.md":
				return []byte("# Title\n\n- [x] A\n"), nil
			case "/t/empty.md":
				return nil, nil
			}
			return nil, errors.New("it is a directory")
		}
	}
	link := func(uri string) outcome { return rewrite(legacyPlan(todo("Plan: " + uri))) }
	doneA := strings.Replace(todo("A"), "pending", "completed", 1)
	reads := 0
	runCases(t, legacyClient, []testCase{{
		name:    "read: rendered as markdown",
		options: with(files),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(legacyPlan(doneA))),
			on(fileUpdate("f", "file:\\/\\/localhost/%74/plan.md"), rewrite(legacyPlan(doneA))),
			on(fileUpdate("f", "/t/plan.md"), rewrite(legacyPlan(doneA))),
			on(fileUpdate("f", "file:///t/empty.md"), rewrite(legacyPlan())),
		},
	}, {
		name: "read again at every update",
		options: with(func(o *Options) {
			o.ReadFile = func(string) ([]byte, error) { reads++; return []byte("- " + strings.Repeat("A", reads)), nil }
		}),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(legacyPlan(todo("A")))),
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(legacyPlan(todo("AA")))),
			on(legacyPlan(todo("B")), rewrite(legacyPlan(todo("[plan.md] AA"), todo("B")))),
		},
	}, {
		name:    "anything else: one entry that names it, and a warning",
		options: with(files),
		steps: []step{
			on(fileUpdate("f", "file:///t"), link("file:///t").warned("a directory")),
			on(fileUpdate("f", "file://host/t/plan.md"), link("file://host/t/plan.md").warned("another host")),
			on(fileUpdate("f", "https://example.org/plan.md"), link("https://example.org/plan.md").warned("scheme")),
			on(fileUpdate("f", "plan.md"), link("plan.md").warned("relative")),
			on(fileUpdate("f", ""), link("").warned("relative")),
		},
	}, {
		name:    "link: always that entry, and nothing is read",
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesLink, nil }),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), link("file:///t/plan.md")),
			on(fileUpdate("f", "plan.md"), link("plan.md")),
			on(items("p", todo("A")), rewrite(legacyPlan(todo("[plan.md] Plan: plan.md"), todo("[p] A")))),
		},
	}, {
		name:    "drop: nothing is shown, and nothing is read",
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesDrop, nil }),
		steps:   []step{on(fileUpdate("f", "file:///t/plan.md"), drop)},
	}, {
		name:    "a client that shows files reads them itself",
		client:  newClient,
		options: with(func(o *Options) { o.ReadFile = nil }),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), forward),
			on(fileUpdate("f", "/t/plan.md"), forward),
		},
	}, {
		name:   "a bare path is spelled as a file: URI towards version 2",
		client: v2Client,
		steps: []step{
			on(`{"sessionUpdate":"plan_update","plan":{"uri" : "\/t/a b.md","type":"file", "_meta":{},"planId":"f"}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"uri" : "file:///t/a%20b.md","type":"file", "_meta":{},"planId":"f"}}`)),
			on(fileUpdate("f", "file:///t/plan.md"), forward),
			on(custom(`"uri":"/t/plan.md"`), forward),
		},
	}, {
		name:   "what is no URI and cannot be spelled as one is a link towards version 2",
		client: v2Client,
		steps: []step{
			on(fileUpdate("f", "plan.md"), rewrite(items("f", todo("Plan: plan.md"))).warned(`plan file "plan.md" is shown as a link: a relative path`)),
			on(fileUpdate("f", ""), rewrite(items("f", todo("Plan: "))).warned("relative")),
			on(fileUpdate("f", "#a"), rewrite(items("f", todo("Plan: #a"))).warned("relative")),
			on(fileUpdate("f", "docs/a:b.md"), rewrite(items("f", todo("Plan: docs/a:b.md"))).warned("relative")),
			on(fileUpdate("f", ":x"), rewrite(items("f", todo("Plan: :x"))).warned("not a valid URI")),
			on(`{"sessionUpdate":"plan_update","plan":{"uri" : "plan.md","type":"file", "_meta":{},"planId":"f"}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"entries":[`+todo("Plan: plan.md")+`],"type":"items", "_meta":{},"planId":"f"}}`).warned("relative")),
			on(fileUpdate("f", "x+y-z.1:"), forward),
			on(fileUpdate("f", "file:///t/a b.md"), forward),
			on(removed("f"), forward),
		},
	}, {
		name:    "the same with --files=link",
		client:  v2Client,
		options: with(func(o *Options) { o.Files = FilesLink }),
		steps:   []step{on(fileUpdate("f", "plan.md"), rewrite(items("f", todo("Plan: plan.md"))))},
	}, {
		name:    "the same with --files=drop",
		client:  v2Client,
		options: with(func(o *Options) { o.Files = FilesDrop }),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), forward),
			on(fileUpdate("f", "plan.md"), rewrite(removed("f"))),
			on(fileUpdate("f", "plan.md"), drop),
		},
	}})
}

// TestMarkdownOption pins --markdown.
func TestMarkdownOption(t *testing.T) {
	text := func(o *Options) { o.Markdown = MarkdownText }
	runCases(t, legacyClient, []testCase{{
		name:    "text: one entry, the markdown as it is",
		options: with(text),
		steps: []step{
			on(markdownUpdate("m", `Do *A*,\n\tthen \"B\"\u0021`), rewrite(legacyPlan(todo(`Do *A*,\n\tthen \"B\"!`)))),
			on(markdownUpdate("m", `\n `), rewrite(legacyPlan())),
			on(markdownUpdate("m", ``), drop),
		},
	}, {
		name:    "text: completed when every task in it is",
		options: with(text),
		steps: []step{
			on(markdownUpdate("m", `- [x] A\n- [ ] B`), rewrite(legacyPlan(todo(`- [x] A\n- [ ] B`)))),
			on(markdownUpdate("m", `- [x] A`), rewrite(legacyPlan(strings.Replace(todo(`- [x] A`), "pending", "completed", 1)))),
		},
	}, {
		name:    "text: so are files",
		options: with(func(o *Options) { text(o); o.ReadFile = func(string) ([]byte, error) { return []byte("- A"), nil } }),
		steps:   []step{on(fileUpdate("f", "file:///t"), rewrite(legacyPlan(todo(`- A`))))},
	}, {
		name: "drop: no markdown plan, also of an unknown type, but a file plan has its own option",
		options: with(func(o *Options) {
			o.Markdown, o.ReadFile = MarkdownDrop, func(string) ([]byte, error) { return []byte("- A"), nil }
		}),
		steps: []step{
			on(markdownUpdate("m", "- A"), drop),
			on(custom(`"content":"- A"`), drop),
			on(fileUpdate("f", "file:///t"), rewrite(legacyPlan(todo("A")))),
		},
	}, {
		name:    "a client that shows markdown gets it",
		client:  newClient,
		options: with(func(o *Options) { o.Markdown = MarkdownDrop }),
		steps:   []step{on(markdownUpdate("m", "- A"), forward)},
	}})
}

// A longer text than maxMarkdown is read up to there, to the end of a line.
func TestMarkdownTooLong(t *testing.T) {
	const tasks = `- [ ] A\n- [ ] B`
	for blank, want := range map[int]int{maxMarkdown - 20: 2, maxMarkdown - 10: 1, maxMarkdown: 0} {
		p := newPeer(defaults(), legacyClient)
		p.read(markdownUpdate("m", strings.Repeat(`\n`, blank)+tasks))
		r := p.translator.FromAgent([]byte("s"), &p.update)
		if r.Entries != want || (len(r.Losses) > 0) != (want < 2) {
			t.Errorf("after %d blank lines: %d entries, want %d; warnings %q", blank, r.Entries, want, r.Losses)
		}
	}
}
