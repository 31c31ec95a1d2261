package oldagent

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/transport/rawjson"
)

func TestAbsolute(t *testing.T) {
	for _, test := range []struct{ cwd, file, want string }{
		{"/p", "a", "/p/a"}, {"/p/", "./a/../b", "/p/b"}, {"/p", "/q/../r", "/q/../r"}, {"", "a", "a"}, {"p", "a", "a"},
		{`C:\p`, "a/b", `C:\p\a\b`}, {`C:\p\`, `.\a`, `C:\p\a`}, {`C:\p`, `D:\a`, `D:\a`}, {`C:\p`, "D:/a", "D:/a"}, {`\\host\p`, "a", `\\host\p\a`},
	} {
		if got := absolute(test.cwd, test.file); got != test.want {
			t.Errorf("%s in %s is %s, want %s", test.file, test.cwd, got, test.want)
		}
	}
}

func TestQuotePath(t *testing.T) {
	for file, want := range map[string]string{
		"/a b~": "/a b~", "/a\"b": `"/a\"b"`, `/a\b`: `"/a\\b"`, "/a\tb": `"/a\tb"`, "/a\nb": `"/a\nb"`, "/a\rb": `"/a\rb"`,
		"/\x01": `"/\001"`, "/\x7f": `"/\177"`, "/ä": `"/\303\244"`,
	} {
		if got := quotePath(file); got != want {
			t.Errorf("%q is %s, want %s", file, got, want)
		}
	}
}

// git applies the patches, and what it makes of the old text is the new one.
func TestPatchesApply(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		bridgetest.Skip(t, err)
	}
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
		var w versions.Writer
		x, _ := sideOf(rawjson.AppendQuoted(nil, before))
		y, _ := sideOf(rawjson.AppendQuoted(nil, after))
		writePatch(&w, "modify", "file", x, y)
		p := string(rawjson.Unquote([]byte(`"` + string(w.Out) + `"`)))
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

// TestSpelling compares two texts. In JSON one of them has an unusual spelling.
func TestSpelling(t *testing.T) {
	usual := func(text string) []byte { return rawjson.AppendQuoted(nil, text) }
	short := func(text string) []byte {
		return []byte(strings.NewReplacer(`\u000c`, `\f`, `\u0008`, `\b`).Replace(string(usual(text))))
	}
	goes := func(text string) []byte { // as Go writes it
		quoted, _ := json.Marshal(text)
		return quoted
	}
	ascii := func(text string) []byte { // as Python writes it, and slashes as PHP does
		return []byte(strings.NewReplacer("ä", `\u00e4`, "/", `\/`).Replace(string(short(text))))
	}
	patch := func(x, y []byte) string {
		var w versions.Writer
		diffItem(&w, rawjson.Object{}.Set("path", []byte(`"/f"`)).Set("oldText", x).Set("newText", y))
		var item struct{ Patch struct{ Text string } }
		if err := json.Unmarshal(w.Out, &item); err != nil {
			t.Fatal(err)
		}
		return item.Patch.Text
	}
	for _, line := range []string{"<", "ä", "a/b", "\b", "\f", "\t\r\x00"} {
		before, after := line+"\nx", line+"\ny\n"
		want := patch(usual(before), usual(after))
		if !strings.HasSuffix(want, " "+line+"\n-x\n\\ No newline at end of file\n+y\n") {
			t.Fatal(want)
		}
		spellings := []func(string) []byte{usual, short, goes, ascii}
		for i, x := range spellings {
			for j, y := range spellings {
				if got := patch(x(before), y(after)); got != want {
					t.Errorf("spellings %d and %d: %q, want %q", i, j, got, want)
				}
			}
		}
	}
}

func TestUnreadable(t *testing.T) {
	runCases(t, []testCase{
		{"what is neither a request nor an answer is dropped or refused", nil, []step{
			client(`5 _a {},"method":"_b"`, toC(`5 ! {"code":-32600,"message":"Invalid request"}`)).Losing("unreadable message"),
			agent(`5 _a {},"method":"_b"`, toA(`5 ! {"code":-32600,"message":"Invalid request"}`)).Losing("unreadable message"),
		}},
		{"initialize comes once", nil, []step{
			client(`5 initialize {"protocolVersion":2}`, toC(`5 ! {"code":-32600,"message":"initialize may only be requested once per connection"}`)),
		}},
		{"requests about a session name it", nil, []step{
			client(`5 session/prompt {}`, toC(`5 ! {"code":-32602,"message":"Invalid params: no sessionId"}`)),
			client(`5 session/new []`, toC(`5 ! {"code":-32602,"message":"Invalid params: no object"}`)),
		}},
	})
}
