package patches

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sourcegraph/go-diff/diff"

	"acp-plan-proxy/transport/rawjson"
)

func escaped(text string) []byte { return rawjson.AppendEscaped(nil, text) }

func TestReader(t *testing.T) {
	const header = "diff --git /a /a\n--- /a\n+++ /a\n"
	for _, c := range []struct {
		name, patch, hunks string // see hunksOf
	}{
		{"nothing", "", ``},
		{"no patch", "hello", `broken`},
		{"a rename", "diff --git /a /b\nrename from /a\nrename to /b\n", ``},
		{"hunks", header + "@@ -1 +1 @@\n-x\n+y\n@@\n z\n", `/a|x|y; /a|z|z`},
		{"a new file", "--- /dev/null\n+++ /a\n@@ @@\n+x\n+\n", `/a|-|x\n`},
		{"a new file with a line of before", "--- /dev/null\n+++ /a\n@@ @@\n x\n+y\n", `/a|-|x\ny`},
		{"a file without a name after", "--- /a\n+++ \n@@ @@\n-x\n", `/a|x|`},
		{"a file that goes", "--- /a\n+++ /dev/null\n@@ @@\n-x\n", `/a|x|`},
		{"only new lines", header + "@@ @@\n+x\n", `/a|-|x`},
		{"an empty line", header + "@@ @@\n\n+x\n", `/a||\nx`},
		{"a hunk of a patch that breaks later", header + "@@ @@\n-x\n--- /b\n@@ @@\n", `/a|x\n-- /b|`},
		{"headers of hunks that say other or nothing", header + "@@ -1,9 +1 @@ func f\n x\n@@\n-y\n+z\n", `/a|x|x; /a|y|z`},
		{"a hunk without lines", header + "@@ -1 +1 @@\n@@ -2 +2 @@\n-x\n", `/a|x|`},
		{"carriage returns", strings.ReplaceAll(header+"@@ @@\n-x\\r\n+y", "\n", "\r\n") + "\r", `/a|x\\r|y`},
		{"carriage returns, also at the ends of the text", strings.ReplaceAll(header+"@@ @@\n-x\r\n+x\n", "\n", "\r\n"), `/a|x\r|x`},
		{"carriage returns, but not on each line", "--- /a\r\n+++ /a\r\n@@ @@\r\n-x\r\n+x\n", `/a|x\r|x`},
		{"a file whose lines end in carriage returns", header + "@@ @@\n x\r\n\r\n \r\n-y\r\n", `/a|x\r\n\r\n\r\ny\r|x\r\n\r\n\r`},
		{"a remark between the lines of a hunk", header + "@@ @@\n-x\n\\ No newline at end of file\n+y\n@@ @@\n-z\n", `/a|x|y; /a|z|`},
		{"a remark that says nothing", header + "@@ @@\n-x\n\\\n+y\n", `/a|x|y`},
		{"a file right after another", header + "@@ @@\n-x\n--- /b\n+++ /b\n@@ @@\n+y", `/a|x|; /b|-|y`},
		{"lines that look like a header", header + "@@ @@\n--- x\n+++ y\n z\n", `/a|-- x\nz|++ y\nz`},
		{"a line without a mark ends the file", header + "@@ @@\n-x\n\tz\n@@ @@\n-y\n", `/a|x|`},
		{"names in quotes, with times", "--- \"/\\303\\244 b\"\t2026-11-21\n+++ \"/\\303\\244 b\"\tnow\n@@ @@\n-x\n", `/ä b|x|`},
		{"half a header", header + "@@ @@\n-x\nhello\n--- /b\n@@ @@\n", `/a|x|; broken`},
	} {
		hunks, ok := hunksOf(escaped(c.patch))
		if !ok {
			hunks = append(hunks, "broken")
		}
		if got := strings.Join(hunks, "; "); got != c.hunks {
			t.Errorf("%s: %s, want %s", c.name, got, c.hunks)
		}
	}
}

// hunksOf reads a patch. A hunk is its path, the lines before, - if there are none, and
// the lines after.
func hunksOf(patch []byte) (hunks []string, ok bool) {
	var r Reader
	for r.Reset(patch); r.Next(); {
		before := string(r.Hunk.Before)
		if r.Hunk.Before == nil {
			before = "-"
		}
		hunks = append(hunks, r.Hunk.Path+"|"+before+"|"+string(r.Hunk.After))
	}
	return hunks, r.OK()
}

// FuzzReader takes any text for a git patch. If go-diff can read it too, it must say
// the same.
func FuzzReader(f *testing.F) {
	for _, patch := range []string{
		"diff --git /a /a\n--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\\ No newline at end of file\n",
		"diff --git /a /b\nsimilarity index 90%\nrename from /a\nrename to /b\n--- /a\n+++ /b\n@@ -1 +1 @@ func x\n-x\n+y\ndiff --git /n /n\nnew file mode 100644\n--- /dev/null\n+++ /n\n@@ -0,0 +1 @@\n+x\n",
		"diff --git \"/\\303\\244\" \"/\\303\\244\"\ndeleted file mode 100644\n--- \"/\\303\\244\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
		"diff --git /b /b\nBinary files /b and /b differ\n", "--- a\n+++ b\n@@ @@\n", "diff --git \"\\", "",
		"--- /a\r\n+++ /a\r\n@@ -1 +1 @@\r\n-x\\r\r\n+y\r\n", "--- /a\n+++ /a\n@@ -1 +1 @@\n-x\r\n+x\n",
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\nhello\n@@ -2 +2 @@\n-x\n+y\n",
		"--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n\tfoo\n", "\t\n", "--- /a\n@@ -1 +1 @@\n+x\n",
	} {
		f.Add(patch)
	}
	noName := regexp.MustCompile(`(?m)^(---|\+\+\+)\s*$`)
	onlyCR := regexp.MustCompile(`(?m)^\r$`)
	header := regexp.MustCompile(`(?m)^@@ -\d{1,9}(,\d{1,9})? \+\d{1,9}(,\d{1,9})? @@`)
	f.Fuzz(func(t *testing.T, patch string) {
		if !utf8.ValidString(patch) || noName.MatchString(patch) || onlyCR.MatchString(patch) {
			return // JSON strings are valid; go-diff loses hunks of files without a name, and lines that are only a carriage return
		}
		// Another file follows, because go-diff overlooks lines at the very end.
		patch = strings.TrimSuffix(patch, "\n") + "\n"
		last := "diff --git /z /z\n--- /z\n+++ /z\n@@ -1 +1 @@\n-x\n+y\n"
		crlf := strings.Count(patch, "\n") == strings.Count(patch, "\r\n")
		if crlf {
			last = strings.ReplaceAll(last, "\n", "\r\n")
		}
		patch += last
		got, ok := hunksOf(escaped(patch))
		var spelled []byte // each byte of ASCII as \u00…
		for _, r := range patch {
			if r < utf8.RuneSelf {
				spelled = fmt.Appendf(spelled, `\u%04x`, r)
			} else {
				spelled = utf8.AppendRune(spelled, r)
			}
		}
		if again, sure := hunksOf(spelled); ok && (!sure || !slices.Equal(got, again)) {
			t.Fatalf("%q: %q, and in another spelling %q", patch, got, again)
		}
		isEmpty := func(hunk string) bool { // go-diff has some of these, and not others
			return strings.HasSuffix(hunk, "||") || strings.HasSuffix(hunk, "|-|")
		}
		want, readable := byGoDiff(patch, diff.ParseOptions{KeepCR: !crlf})
		want, got = slices.DeleteFunc(want, isEmpty), slices.DeleteFunc(got, isEmpty)
		readable = readable && len(header.FindAllString(patch, -1)) == strings.Count("\n"+patch, "\n@@")
		if ok && readable && !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", patch, got, want)
		}
	})
}

// byGoDiff is hunksOf for a patch as go-diff reads it.
func byGoDiff(patch string, o diff.ParseOptions) (hunks []string, ok bool) {
	files, err := diff.ParseMultiFileDiffOptions([]byte(patch), o)
	if err != nil || len(files) == 0 && strings.TrimSpace(patch) != "" && !strings.Contains(patch, "diff --git ") {
		return nil, false
	}
	for _, f := range files {
		path := f.NewName
		if path == none || path == "" {
			path = f.OrigName
		}
		for _, h := range f.Hunks {
			var before, after []string
			for line := range strings.SplitSeq(strings.TrimSuffix(string(h.Body), "\n"), "\n") {
				rest := string(escaped(line[min(1, len(line)):]))
				if line == "" || line[0] == ' ' || line[0] == '-' {
					before = append(before, rest)
				}
				if line == "" || line[0] == ' ' || line[0] == '+' {
					after = append(after, rest)
				}
			}
			text := "-"
			if before != nil && f.OrigName != none {
				text = strings.Join(before, newline)
			}
			hunks = append(hunks, path+"|"+text+"|"+strings.Join(after, newline))
		}
	}
	return hunks, true
}

// A Reader keeps nothing of a patch that is over, and little memory.
func TestForgets(t *testing.T) {
	var r Reader
	r.Reset(escaped("--- /a\n+++ /a\n@@ @@\n-" + strings.Repeat("x", 2*rawjson.MaxScratch) + "\n"))
	if !r.Next() {
		t.Fatal("no hunk")
	}
	if r.Reset(nil); r.Hunk.Path != "" || cap(r.before)+cap(r.after) > rawjson.MaxScratch || r.Next() || !r.OK() {
		t.Errorf("%d bytes are kept", cap(r.before)+cap(r.after))
	}
}
