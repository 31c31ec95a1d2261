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
			on(removed("f"), rewrite(legacyPlan())),
			on(legacyPlan(todo("B")), forward),
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(legacyPlan(todo("B"), todo("[plan.md] AAA")))),
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
			on(removed("f"), rewrite(legacyPlan())),
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(fileUpdate("f", "plan.md"), rewrite(legacyPlan(todo("[p] A"), todo("[plan.md] Plan: plan.md")))),
		},
	}, {
		name:    "drop: nothing is shown, and nothing is read",
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesDrop, nil }),
		steps:   []step{on(fileUpdate("f", "file:///t/plan.md"), drop)},
	}, {
		name:    "a client that shows markdown gets the text and the path",
		client:  newClient,
		options: with(files),
		steps: []step{
			on(`{"sessionUpdate":"plan_update","plan":{"_meta":{"a":1.0},"path":1,"uri" : "file:///t/plan.md","x":[ ],"type":"file","content":"c", "planId":"f"},"y":1}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"_meta":{"a":1.0},"content":"# Title\n\n- [x] A\n","path":"/t/plan.md","x":[ ],"type":"markdown", "planId":"f"},"y":1}`)),
			on(fileUpdate("f", "/t/empty.md"), rewrite(pathUpdate("f", "", "/t/empty.md"))),
			on(items("f", todo("A")), forward),
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(pathUpdate("f", `# Title\n\n- [x] A\n`, "/t/plan.md"))),
			on(markdownUpdate("f", "A"), forward),
			on(removed("f"), forward),
			on(`{"sessionUpdate":"plan_update","plan":{"planId":"f","uri":"/t/empty.md"}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"f","content":"","path":"/t/empty.md"}}`)),
		},
	}, {
		name:    "a file that cannot be read is a link, with the path if it is one of this machine",
		client:  v2Client,
		options: with(files),
		steps: []step{
			on(fileUpdate("f", "file:///t/a%20[b].md"), rewrite(pathUpdate("f", `[a \\[b\\].md](file:///t/a%20[b].md)`, "/t/a [b].md")).warned("a directory")),
			on(fileUpdate("f", "/t/a (b).md"), rewrite(pathUpdate("f", `[a (b).md](`+here("file:///t/")+`a%20%28b%29.md)`, "/t/a (b).md")).warned("a directory")),
			on(fileUpdate("f", "file://host/t/plan.md"), rewrite(markdownUpdate("f", "[plan.md](file://host/t/plan.md)")).warned("another host")),
			on(fileUpdate("f", "https://example.org/plan.md"), rewrite(markdownUpdate("f", "[plan.md](https://example.org/plan.md)")).warned("scheme")),
			on(fileUpdate("f", "docs/plan.md"), rewrite(markdownUpdate("f", "[plan.md](docs/plan.md)")).warned("relative")),
		},
	}, {
		name:    "link: always the link, and nothing is read",
		client:  opsClient,
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesLink, nil }),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(withBoth(pathUpdate("f", "[plan.md]("+here("file:///t/plan.md")+")", "/t/plan.md"), "f"))),
		},
	}, {
		name:    "drop: what the id showed is removed",
		client:  v2Client,
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesDrop, nil }),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), drop),
			on(markdownUpdate("f", "A"), forward),
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(removed("f"))),
		},
	}, {
		name:    "a client that lists file gets what the agent has sent",
		client:  client("items,markdown,file,removed", "planId", 2),
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesDrop, nil }),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), forward),
			on(fileUpdate("f", "/t/a b.md"), forward),
			on(fileUpdate("f", "plan.md"), forward),
			on(removed("f"), forward),
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

// A longer text than longestText is read up to there, to the end of a line.
func TestMarkdownTooLong(t *testing.T) {
	const tasks = `- [ ] A\n- [ ] B`
	for blank, want := range map[int]int{longestText - 20: 2, longestText - 10: 1, longestText: 0} {
		p := newPeer(defaults(), legacyClient)
		got := mustSend(t, p, "s", markdownUpdate("m", strings.Repeat(`\n`, blank)+tasks))
		if p.result.Entries != want || (len(got.Warnings) > 0) != (want < 2) {
			t.Errorf("after %d blank lines: %d entries, want %d; warnings %v", blank, p.result.Entries, want, got.Warnings)
		}
	}
}

// TestFilePath tells which uris name a file of this machine, on each system.
func TestFilePath(t *testing.T) {
	for _, c := range filePaths {
		path, err := filePath(c.uri)
		if path != c.path || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("filePath(%q) = %q, %v", c.uri, path, err)
		}
	}
}
