package v1client

import (
	"encoding/json"
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// TestDiffMeta reads a patch with a _meta: each diff has it, if it is an object.
func TestDiffMeta(t *testing.T) {
	const hunk = `@@ -1 +1 @@\n-x\n`
	for meta, want := range map[string]int{`{"k":1}`: 3, `[1]`: 0} {
		shown := make(map[string]bool)
		var w shapes.Writer
		if !writePatch(&w, shown, []byte(`--- /a\n+++ /a\n`+hunk+hunk+`--- /b\n+++ /b\n`+hunk), []byte(meta)) || len(shown) != 2 || !shown["/a"] || !shown["/b"] {
			t.Errorf("the files are %v", shown)
		}
		if n := strings.Count(string(w.Out), `"_meta":{"k":1}`); n != want {
			t.Errorf("%d diffs have the _meta in %s", n, w.Out)
		}
	}
}

// TestDescribedChanges describes the changes that no diff shows.
func TestDescribedChanges(t *testing.T) {
	const patch, described = `--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\n`, "Modified `/a`"
	for text, want := range map[string]bool{patch: false, patch + `hello\n--- /b\n@@`: true} {
		var w shapes.Writer
		writeDiff(&w, rawjson.Members([]byte(`{"changes":[{"operation":"modify","path":"/a"}],"patch":{"format":"git_patch","text":"`+text+`"}}`)))
		if got := strings.Contains(string(w.Out), described); got != want {
			t.Errorf("%s: described: %t, in %s", text, got, w.Out)
		}
	}
}

// TestReadPatch reads patches. A hunk is shown as its path, the lines before, - if there are
// none, and the lines after.
func TestReadPatch(t *testing.T) {
	const header, at = "diff --git /a /a\n--- /a\n+++ /a\n", "@@ -1 +1 @@\n"
	for _, c := range []struct{ name, patch, hunks string }{
		{"nothing", "", ``},
		{"no patch", "hello", `text`},
		{"a rename", "diff --git /a /b\nrename from /a\nrename to /b\n", ``},
		{"hunks", header + "@@ -1 +1 @@\n-x\n+y\n" + at + " z\n", `/a|x|y; /a|z|z`},
		{"a new file", "--- /dev/null\n+++ /a\n" + at + "+x\n+\n", `/a|-|x\n`},
		{"a new file with a line of before", "--- /dev/null\n+++ /a\n" + at + " x\n+y\n", `/a|-|x\ny`},
		{"a file that goes", "--- /a\n+++ /dev/null\n" + at + "-x\n", `/a|x|`},
		{"only new lines", header + at + "+x\n", `/a|-|x`},
		{"an empty line", header + at + "\n+x\n", `/a||\nx`},
		{"numbers that are wrong", header + "@@ -1,9 +1 @@ func f\n x\n" + at + "-y\n+z\n", `/a|x|x; /a|y|z`},
		{"a hunk before the header", at + "-x\n" + header + at + "-y\n", `/a|y|`},
		{"a hunk without numbers", header + "@@ @@\n-x\n", `/a|x|`},
		{"a hunk without lines", header + at + "@@ -2 +2 @@\n-x\n", `/a|x|`},
		{"carriage returns", strings.ReplaceAll(header+at+"-x\r\n+x\n", "\n", "\r\n"), `/a|x\r\r|x\r`},
		{"a file whose lines end in carriage returns", header + at + " x\r\n-y\r\n", `/a|x\r\ny\r|x\r`},
		{"a line without its last newline", header + at + "-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n", `/a|x|y`},
		{"a file right after another", header + at + "-x\n--- /b\n+++ /b\n" + at + "+y", `/a|x|; /b|-|y`},
		{"lines that look like a header", header + at + "--- x\n+++ y\n z\n", `/a|-- x\nz|++ y\nz`},
		{"a hunk behind a line without a mark", header + at + "-x\n\tz\n" + at + "-y\n", `/a|x|`},
		{"a file without a name after", "--- /a\n+++ \n" + at + "-x\n", `/a|x|`},
		{"names in quotes", "--- \"/\\303\\244 b\"\n+++ \"/\\303\\244 b\"\n" + at + "-x\n", `/ä b|x|`},
		{"half a header", header + at + "-x\nhello\n--- /b\n" + at, `text`},
	} {
		if got := hunksOf(t, c.patch); got != c.hunks {
			t.Errorf("%s: %q, want %q", c.name, got, c.hunks)
		}
	}
}

// hunksOf returns the hunks of a patch in the form of TestReadPatch.
func hunksOf(t *testing.T, patch string) string {
	var w shapes.Writer
	w.Array()
	if !writePatch(&w, make(map[string]bool), rawjson.AppendEscaped(nil, patch), nil) {
		return "text"
	}
	w.EndArray()
	var diffs []struct {
		Path, NewText string
		OldText       *string
	}
	if err := json.Unmarshal(w.Out, &diffs); err != nil {
		t.Fatal(err)
	}
	var hunks []string
	for _, d := range diffs {
		before := "-"
		if d.OldText != nil {
			before = *d.OldText
		}
		hunks = append(hunks, strings.ReplaceAll(d.Path+"|"+before+"|"+d.NewText, "\n", `\n`))
	}
	return strings.ReplaceAll(strings.Join(hunks, "; "), "\r", `\r`)
}

// FuzzReadPatch reads any text as a patch. Unless the text is no patch, each hunk that removes a line x
// becomes a diff.
func FuzzReadPatch(f *testing.F) {
	for _, patch := range []string{
		"diff --git /a /a\n--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\\ No newline at end of file\n",
		"diff --git /a /b\nsimilarity index 90%\nrename from /a\nrename to /b\n--- /a\n+++ /b\n@@ -1 +1 @@ func x\n-x\n+y\ndiff --git /n /n\nnew file mode 100644\n--- /dev/null\n+++ /n\n@@ -0,0 +1 @@\n+x\n",
		"diff --git /b /b\nBinary files /b and /b differ\n", "--- a\n+++ b\n@@ @@\n", "diff --git \"\\", "",
		"--- /a\r\n+++ /a\r\n@@ -1 +1 @@\r\n-x\\r\r\n+y\r\n", "Only in /a: b\n@@ -1 +1 @@\n-x\n",
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\nhello\n@@ -2 +2 @@\n-x\n+y\n",
	} {
		f.Add(patch)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		if got := hunksOf(t, patch); got != "text" && strings.Count(got, "|") < 2*strings.Count(patch, "\n@@ -1 +1 @@\n-x\n") {
			t.Errorf("%q: %q", patch, got)
		}
	})
}
