package patches

import (
	"math/rand/v2"
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

func escaped(text string) []byte { return rawjson.AppendEscaped(nil, text) }

func TestReader(t *testing.T) {
	const header = "diff --git /a /a\n--- /a\n+++ /a\n"
	var r Reader
	for _, c := range []struct {
		name, patch string
		hunks       []string // path, lines before, lines after; - if there are none before
		broken      bool
	}{
		{"nothing", "", nil, false},
		{"no patch", "hello", nil, true},
		{"a rename", "diff --git /a /b\nrename from /a\nrename to /b\n", nil, false},
		{"hunks", header + "@@ -1 +1 @@\n-x\n+y\n@@\n z\n", []string{`/a|x|y`, `/a|z|z`}, false},
		{"a new file", "--- /dev/null\n+++ /a\n@@ @@\n+x\n+\n", []string{`/a|-|x\n`}, false},
		{"a new file with a line of before", "--- /dev/null\n+++ /a\n@@ @@\n x\n+y\n", []string{`/a|-|x\ny`}, false},
		{"a file without a name after", "--- /a\n+++ \n@@ @@\n-x\n", []string{`/a|x|`}, false},
		{"a file that goes", "--- /a\n+++ /dev/null\n@@ @@\n-x\n", []string{`/a|x|`}, false},
		{"only new lines", header + "@@ @@\n+x\n", []string{`/a|-|x`}, false},
		{"an empty line", header + "@@ @@\n\n+x\n", []string{`/a||\nx`}, false},
		{"a hunk of a patch that breaks later", header + "@@ @@\n-x\n--- /b\n@@ @@\n", []string{`/a|x\n-- /b|`}, false},
		{"half a header", header + "@@ @@\n-x\nhello\n--- /b\n@@ @@\n", []string{`/a|x|`}, true},
	} {
		var hunks []string
		for r.Reset(escaped(c.patch)); r.Next(); {
			h := r.Hunk
			before := string(h.Before)
			if h.Before == nil {
				before = "-"
			}
			hunks = append(hunks, h.Path+"|"+before+"|"+string(h.After))
		}
		if got, want := strings.Join(hunks, " "), strings.Join(c.hunks, " "); got != want || r.OK() == c.broken || r.Next() {
			t.Errorf("%s: %s, %t, want %s", c.name, got, r.OK(), want)
		}
	}
}

// What is written is read again. The texts are so short that one hunk has all.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		var b strings.Builder
		for range rng.IntN(5) {
			b.WriteString([]string{"a", "", "+b", "-", ` \n`, "\\", "ä\t\"", "c\r"}[rng.IntN(8)] + "\n")
		}
		return strings.TrimSuffix(b.String(), "\n") + strings.Repeat("\n", rng.IntN(2))
	}
	var r Reader
	for range 1000 {
		before, after := text(), text()
		if before == after {
			continue
		}
		patch := Append(nil, "modify", "/ä b", textOf(before), textOf(after))
		r.Reset(patch)
		if !r.Next() || r.Hunk.Path != "/ä b" || r.Next() || !r.OK() {
			t.Fatalf("%q and %q become %s", before, after, patch)
		}
		for _, side := range []struct {
			got  []byte
			want string
		}{{r.Hunk.Before, before}, {r.Hunk.After, after}} {
			if got := string(unescape(side.got)); got != strings.TrimSuffix(side.want, "\n") {
				t.Fatalf("%q and %q become %s: %q", before, after, patch, got)
			}
		}
	}
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
