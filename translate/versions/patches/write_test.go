package patches

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/transport/rawjson"
)

func textOf(text string) []byte { return rawjson.AppendEscaped(nil, text) }

func TestQuoteName(t *testing.T) {
	for file, want := range map[string]string{
		"/a b~": "/a b~", "/a\"b": `"/a\"b"`, `/a\b`: `"/a\\b"`, "/a\tb": `"/a\tb"`, "/a\nb": `"/a\nb"`, "/a\rb": `"/a\rb"`,
		"/\x01": `"/\001"`, "/\x7f": `"/\177"`, "/ä": `"/\303\244"`,
	} {
		if got := quoteName(file); got != want {
			t.Errorf("%q is %s, want %s", file, got, want)
		}
	}
}

// git applies the patches to the old text and gets the new one.
func TestPatchesApply(t *testing.T) {
	needs.Program(t, "git")
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(strings.Repeat([]string{"a", `\n`, "\t\""}[r.IntN(3)], 1+r.IntN(2)) + "\n")
		}
		return strings.TrimSuffix(b.String(), "\n") + strings.Repeat("\n", r.IntN(2))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	for range 150 {
		before, after := text(), text()
		if before == "" || after == "" {
			continue // to git these are a new file and a deleted one
		}
		if before == after {
			continue
		}
		p := Unescape(Append(nil, "modify", "file", textOf(before), textOf(after)))
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		apply := exec.Command("git", "apply", "-p0", "--whitespace=nowarn", "-")
		apply.Dir, apply.Stdin = dir, strings.NewReader(p)
		if out, err := apply.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, p)
		}
		if got, _ := os.ReadFile(file); string(got) != after {
			t.Fatalf("%q became %q, want %q, by\n%s", before, got, after, p)
		}
	}
}

// A file that does not change has no patch, in any spelling; a new file and a deleted file
// have one side.
func TestAppend(t *testing.T) {
	spelled, _ := Inside([]byte(`"\u0061"`))
	for _, c := range []struct{ operation, want string }{
		{"modify", `diff --git /f /f\n`},
		{"add", `diff --git /f /f\nnew file mode 100644\n--- /dev/null\n+++ /f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n`},
		{"delete", `diff --git /f /f\ndeleted file mode 100644\n--- /f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n`},
	} {
		if got := string(Append(nil, c.operation, "/f", spelled, textOf("a"))); got != c.want {
			t.Errorf("%s: %s, want %s", c.operation, got, c.want)
		}
	}
}

// Changes with up to six lines between them are in one hunk.
func TestHunks(t *testing.T) {
	for between, want := range map[int]int{0: 1, 5: 1, 6: 1, 7: 2} {
		same := strings.Repeat("s\n", between)
		patch := string(Append(nil, "modify", "/f", textOf("a\n"+same+"b\n"), textOf("A\n"+same+"B\n")))
		if got := strings.Count(patch, "@@ -"); got != want {
			t.Errorf("%d lines between two changes: %d hunks in %s", between, got, patch)
		}
	}
}
