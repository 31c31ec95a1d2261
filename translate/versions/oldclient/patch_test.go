package oldclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/sourcegraph/go-diff/diff"

	"acp-plan-proxy/transport/rawjson"
)

func TestPatches(t *testing.T) {
	const header = "diff --git /a /a\n--- /a\n+++ /a\n"
	diff := func(path, before, after string) string {
		return `{"type":"diff","path":"` + path + `","oldText":"` + before + `","newText":"` + after + `"}`
	}
	for _, c := range []struct{ name, patch, want string }{
		{"nothing", " \n\t", ``},
		{"no patch", "hello\n", "unreadable"},
		{"no hunks", "diff --git /a /b\nrename from /a\nrename to /b\n", ``},
		{"headers of hunks that say other or nothing", header + "@@ -1,9 +1 @@ func f\n x\n@@\n-y\n+z\n", diff("/a", "x", "x") + "," + diff("/a", "y", "z")},
		{"a hunk without lines", header + "@@ -1 +1 @@\n@@ -2 +2 @@\n-x\n", diff("/a", "x", "")},
		{"carriage returns", strings.ReplaceAll(header+"@@ -1 +1 @@\n-x\\r\n+y", "\n", "\r\n") + "\r", diff("/a", `x\\r`, "y")},
		{"carriage returns, also at the ends of the text", strings.ReplaceAll(header+"@@ -1 +1 @@\n-x\r\n+x\n", "\n", "\r\n"), diff("/a", `x\r`, "x")},
		{"carriage returns, but not on each line", "--- /a\r\n+++ /a\r\n@@ -1 +1 @@\r\n-x\r\n+x\n", diff("/a", `x\r`, "x")},
		{"line ends that change", header + "@@ -1,2 +1,2 @@\n-x\r\n-y\r\n+x\n+y\n", diff("/a", `x\r\ny\r`, `x\ny`)},
		{"a file whose lines end in carriage returns", header + "@@ -1,4 +1,3 @@\n x\r\n\r\n \r\n-y\r\n", diff("/a", `x\r\n\r\n\r\ny\r`, `x\r\n\r\n\r`)},
		{"a remark between the lines of a hunk", header + "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n@@ -9 +9 @@\n-z\n",
			diff("/a", "x", "y") + "," + diff("/a", "z", "")},
		{"a remark that says nothing", header + "@@ -1 +1 @@\n-x\n\\\n+y\n", diff("/a", "x", "y")},
		{"no carriage return", header + "@@ @@\n-\tx\\r\n", diff("/a", `\tx\\r`, "")},
		{"a file right after another", header + "@@ -1 +1 @@\n-x\n--- /b\n+++ /b\n@@ -1 +1 @@\n+y",
			diff("/a", "x", "") + `,{"type":"diff","path":"/b","newText":"y"}`},
		{"lines that look like a header", header + "@@ -1,2 +1 @@\n--- x\n+++ y\n z\n", diff("/a", `-- x\nz`, `++ y\nz`)},
		{"a line without a mark ends the file", header + "@@ -1 +1 @@\n-x\n\tz\n@@ -2 +2 @@\n-y\n", diff("/a", "x", "")},
		{"added and deleted", "--- /dev/null\n+++ /n\n@@ -0,0 +1 @@\n+x\n--- /o\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
			`{"type":"diff","path":"/n","newText":"x"},` + diff("/o", "x", "")},
		{"names in quotes, with times", "--- \"/\\303\\244 b\"\t2026-11-21\n+++ \"/\\303\\244 b\"\tnow\n@@ -1 +1 @@\n-x\n", diff("/ä b", "x", "")},
		{"half a header", "--- /a\n@@ -1 +1 @@\n", "unreadable"},
		{"more than the limit", "--- /a\n+++ /" + strings.Repeat("a", 1000) + strings.Repeat("\n@@ -1 +1 @@\n+", 100), "unreadable"},
	} {
		var d diffs
		items, _, ok := d.read(nil, rawjson.AppendEscaped(nil, []byte(c.patch)), nil, 2000)
		if got := joined(items); ok != (c.want != "unreadable") || ok && got != c.want {
			t.Errorf("%s: %s, %t, want %s", c.name, got, ok, c.want)
		}
	}
}

// joined returns what items of diffs are in a content.
func joined(items []item) string {
	var parts []string
	for _, i := range items {
		parts = append(parts, string(i.json))
	}
	return strings.Join(parts, ",")
}

// FuzzPatch takes any text for a git patch. If go-diff can read it too, it must say
// the same.
func FuzzPatch(f *testing.F) {
	for _, patch := range []string{
		"diff --git /a /a\n--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\\ No newline at end of file\n",
		"diff --git /a /b\nsimilarity index 90%\nrename from /a\nrename to /b\n--- /a\n+++ /b\n@@ -1 +1 @@ func x\n-x\n+y\ndiff --git /n /n\nnew file mode 100644\n--- /dev/null\n+++ /n\n@@ -0,0 +1 @@\n+x\n",
		"diff --git \"/\\303\\244\" \"/\\303\\244\"\ndeleted file mode 100644\n--- \"/\\303\\244\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
		"diff --git /b /b\nBinary files /b and /b differ\n", "--- a\n+++ b\n@@ @@\n", "diff --git \"\\", "",
		"--- /a\r\n+++ /a\r\n@@ -1 +1 @@\r\n-x\\r\r\n+y\r\n", "--- /a\n+++ /a\n@@ -1 +1 @@\n-x\r\n+x\n",
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\nhello\n@@ -2 +2 @@\n-x\n+y\n",
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n\tfoo\n", "\t\n", "--- /a\n@@ -1 +1 @@\n+x\n",
	} {
		f.Add([]byte(patch))
	}
	noName := regexp.MustCompile(`(?m)^(---|\+\+\+)\s*$`)
	onlyCR := regexp.MustCompile(`(?m)^\r$`)
	f.Fuzz(func(t *testing.T, patch []byte) {
		if !utf8.Valid(patch) || noName.Match(patch) || onlyCR.Match(patch) {
			return // JSON strings are valid; go-diff loses hunks of files without a name, and lines that are only a carriage return
		}
		patch = bytes.Clone(patch) // what the fuzzer gives must not be written to
		if !bytes.HasSuffix(patch, []byte("\n")) {
			patch = append(patch, '\n')
		}
		// Another file follows, because go-diff overlooks lines at the very end.
		last := "diff --git /z /z\n--- /z\n+++ /z\n@@ -1 +1 @@\n-x\n+y\n"
		crlf := bytes.Count(patch, []byte("\n")) == bytes.Count(patch, []byte("\r\n"))
		if crlf {
			last = strings.ReplaceAll(last, "\n", "\r\n")
		}
		patch = append(patch, last...)
		var d diffs
		limit := 8*len(patch) + maxID
		items, _, ok := d.read(nil, rawjson.AppendEscaped(nil, patch), nil, limit)
		text := joined(items)
		var spelled []byte // each byte of ASCII as \u00…
		for _, r := range string(patch) {
			if r < utf8.RuneSelf {
				spelled = fmt.Appendf(spelled, `\u%04x`, r)
			} else {
				spelled = utf8.AppendRune(spelled, r)
			}
		}
		if again, _, sure := d.read(nil, spelled, nil, limit); ok && (!sure || text != joined(again)) {
			t.Fatalf("%q: %s, and in another spelling %s", patch, text, joined(again))
		}
		if len(text) > limit {
			if ok {
				t.Fatalf("%d bytes become %d", len(patch), len(text))
			}
			return
		}
		got := "[" + text + "]"
		want, readable := hunksOf(patch, diff.ParseOptions{KeepCR: !crlf})
		var diffs []diffItem
		if err := json.Unmarshal([]byte(got), &diffs); err != nil {
			t.Fatalf("%q has %s: %v", patch, got, err)
		}
		if difference := cmp.Diff(want, diffs, cmpopts.EquateEmpty(), cmpopts.IgnoreSliceElements(diffItem.isEmpty)); ok && readable && difference != "" {
			t.Errorf("%q: %s", patch, difference)
		}
	})
}

// A diffItem is a diff of version 1.
type diffItem struct {
	Path, NewText string
	OldText       *string
}

// isEmpty reports whether no text is on either side. Of such hunks go-diff has
// some and not others.
func (d diffItem) isEmpty() bool { return d.NewText == "" && (d.OldText == nil || *d.OldText == "") }

// hunksOf returns the diffs of a patch as go-diff reads it.
func hunksOf(patch []byte, o diff.ParseOptions) (items []diffItem, ok bool) {
	files, err := diff.ParseMultiFileDiffOptions(patch, o)
	if err != nil || len(files) == 0 && len(bytes.TrimSpace(patch)) > 0 && !bytes.Contains(patch, []byte("diff --git ")) {
		return nil, false
	}
	for _, f := range files {
		path := f.NewName
		if path == "/dev/null" || path == "" {
			path = f.OrigName
		}
		for _, h := range f.Hunks {
			var before, after []string
			for line := range strings.SplitSeq(strings.TrimSuffix(string(h.Body), "\n"), "\n") {
				rest := line[min(1, len(line)):]
				if line == "" || line[0] == ' ' || line[0] == '-' {
					before = append(before, rest)
				}
				if line == "" || line[0] == ' ' || line[0] == '+' {
					after = append(after, rest)
				}
			}
			item := diffItem{Path: path, NewText: strings.Join(after, "\n")}
			if text := strings.Join(before, "\n"); before != nil && f.OrigName != "/dev/null" {
				item.OldText = &text
			}
			items = append(items, item)
		}
	}
	return items, true
}
