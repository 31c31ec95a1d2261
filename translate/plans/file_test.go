package plans

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
)

// TestFilePlans tests the rules of the package documentation for files.
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
	reads := 0
	runCases(t, legacyClient, []testCase{{
		name:    "read: rendered as markdown",
		options: with(files),
		talk: `
			> file f: file:///t/plan.md
			< plan A (completed)
			> file f: file:\/\/localhost/%74/plan.md
			< plan A (completed)
			> file f: /t/plan.md
			< plan A (completed)
			> file f: file:///t/empty.md
			< plan`,
	}, {
		name: "read again at every update",
		options: with(func(o *Options) {
			o.ReadFile = func(string) ([]byte, error) { reads++; return []byte("- " + strings.Repeat("A", reads)), nil }
		}),
		talk: `
			> file f: file:///t/plan.md
			< plan A
			> file f: file:///t/plan.md
			< plan AA
			> removed f
			< plan
			> plan B
			< =
			> file f: file:///t/plan.md
			< plan B | [plan.md] AAA`,
	}, {
		name:    "an unreadable file or another URI: one entry that names it, and a warning",
		options: with(files),
		talk: `
			> file f: file:///t
			< plan Plan: file:///t
			! a directory
			> file f: file://host/t/plan.md
			< plan Plan: file://host/t/plan.md
			! another host
			> file f: https://example.org/plan.md
			< plan Plan: https://example.org/plan.md
			! neither
			> file f: plan.md
			< plan Plan: plan.md
			! neither
			> file f:
			< plan {"content":"Plan: ","priority":"medium","status":"pending"}
			! neither`,
	}, {
		name:    "link: always that entry, and nothing is read",
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesLink, nil }),
		talk: `
			> file f: file:///t/plan.md
			< plan Plan: file:///t/plan.md
			> file f: plan.md
			< plan Plan: plan.md
			> removed f
			< plan
			> items p: A
			< plan A
			> file f: plan.md
			< plan [p] A | [plan.md] Plan: plan.md`,
	}, {
		name:    "drop: nothing is shown, and nothing is read",
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesDrop, nil }),
		talk: `
			> file f: file:///t/plan.md`,
	}, {
		name:    "a client that shows markdown gets the text and the path",
		client:  newClient,
		options: with(files),
		talk: `
			> {"sessionUpdate":"plan_update","plan":{"_meta":{"a":1.0},"path":1,"uri" : "file:///t/plan.md","x":[ ],"type":"file","content":"c", "planId":"f"},"y":1}
			< {"sessionUpdate":"plan_update","plan":{"_meta":{"a":1.0},"content":"# Title\n\n- [x] A\n","path":"/t/plan.md","x":[ ],"type":"markdown", "planId":"f"},"y":1}
			> file f: /t/empty.md
			< markdown f /t/empty.md:
			> items f: A
			< =
			> file f: file:///t/plan.md
			< markdown f /t/plan.md: # Title\n\n- [x] A\n
			> markdown f: A
			< =
			> removed f
			< =
			> {"sessionUpdate":"plan_update","plan":{"planId":"f","uri":"/t/empty.md"}}
			< {"sessionUpdate":"plan_update","plan":{"planId":"f","content":"","path":"/t/empty.md","type":"markdown"}}`,
	}, {
		name:    "a file that cannot be read is a link, with the path if it is one of this machine",
		client:  v2Client,
		options: with(files),
		talk: `
			> file f: file:///t/a%20[b].md
			< {"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"f","content":"[a \\[b\\].md](file:///t/a%20[b].md)","path":"/t/a [b].md"}}
			! a directory
			> file f: /t/a (b).md
			< {"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"f","content":"[a (b).md](file:///t/a%20%28b%29.md)","path":"/t/a (b).md"}}
			! a directory
			> file f: file://host/t/plan.md
			< markdown f: [plan.md](file://host/t/plan.md)
			! another host
			> file f: https://example.org/plan.md
			< markdown f: [plan.md](https://example.org/plan.md)
			! neither
			> file f: docs/plan.md
			< markdown f: [plan.md](docs/plan.md)
			! neither`,
	}, {
		name:    "link: always the link, and nothing is read",
		client:  opsClient,
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesLink, nil }),
		talk: `
			> file f: file:///t/plan.md
			< markdown both f /t/plan.md: [plan.md](file:///t/plan.md)`,
	}, {
		name:    "drop: what the id showed is removed",
		client:  v2Client,
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesDrop, nil }),
		talk: `
			> file f: file:///t/plan.md
			> markdown f: A
			< =
			> file f: file:///t/plan.md
			< removed f`,
	}, {
		name:    "a client that lists file gets what the agent has sent",
		client:  client("items,markdown,file,removed", capabilities.PlanIDNew, 2),
		options: with(func(o *Options) { o.Files, o.ReadFile = FilesDrop, nil }),
		talk: `
			> file f: file:///t/plan.md
			< =
			> file f: /t/a b.md
			< =
			> file f: plan.md
			< =
			> removed f
			< =`,
	}})
}

// TestMarkdownOption tests --markdown.
func TestMarkdownOption(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "drop: no markdown plan, also of an unknown type, but a file plan has its own option",
		options: with(func(o *Options) {
			o.Markdown, o.ReadFile = MarkdownDrop, func(string) ([]byte, error) { return []byte("- A"), nil }
		}),
		talk: `
			> markdown m: - A
			> custom "content":"- A"
			> file f: file:///t
			< plan A`,
	}, {
		name:    "a client that shows markdown gets it",
		client:  newClient,
		options: with(func(o *Options) { o.Markdown = MarkdownDrop }),
		talk: `
			> markdown m: - A
			< =`,
	}})
}

// A text longer than longestText is read up to the last end of a line within the limit, if there is
// one.
func TestMarkdownTooLong(t *testing.T) {
	const tasks = `- [ ] A\n- [ ] B`
	for blank, want := range map[int]int{longestText - 20: 2, longestText - 10: 1, longestText: 0} {
		p := newPeer(defaults(), legacyClient)
		got := mustSend(t, p, "s", markdownUpdate("m", strings.Repeat(`\n`, blank)+tasks))
		if p.current.result.Entries != want || (len(got.Warnings) > 0) != (want < 2) {
			t.Errorf("after %d blank lines: %d entries, want %d; warnings %v", blank, p.current.result.Entries, want, got.Warnings)
		}
	}
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", markdownUpdate("m", strings.Repeat("a", longestText+1)))
	if p.current.result.Entries != 1 {
		t.Errorf("a single line: %d entries, want 1", p.current.result.Entries)
	}
}

// TestFilePath tests the URIs of files of this machine, on each system.
func TestFilePath(t *testing.T) {
	for _, c := range filePaths {
		path, err := filePath(c.uri)
		if path != c.path || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("filePath(%q) = %q, %v", c.uri, path, err)
		}
	}
}
