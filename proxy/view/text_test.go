package view

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"acp-plan-proxy/proxy/terminal"
)

func TestText(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"demo", "testdata/demo.jsonl", `
     #       time  session  plan                  type      done   what became of it
                        S1 = demo
     6      0.500  S1       (no id)               plan      0/3    forwarded
     7      0.600  S1       (no id)               plan      1/3    forwarded
     8      0.700  S1       docs                  items     0/2    rewritten → plan, 5 entries
    10      0.800  S1       review                items     0/2    rewritten → plan, 7 entries
    12      0.900  S1       docs                  removed          rewritten → plan, 5 entries
    14      1.000  S1       design                markdown         rewritten → plan, 8 entries
    16      1.100  S1       notes                 file             rewritten → plan, 10 entries
    18      1.200  S1       design                removed          rewritten → plan, 7 entries
    20      1.300  S1       docs                  removed          dropped
    21      1.400  S1       (no id)               plan      3/3    rewritten → plan, 7 entries
`},
		{"conductor", "testdata/conductor.jsonl", `
     #       time  session  plan                  type      done   what became of it
                        S1 = s
     3      0.100  S1       (no id)               plan      0/1    Agent → Proxy(1)
                        S2 = t
     4      0.100  S2       b                     items     0/1    Agent → Proxy(1)
     5      0.100  S2       b                     items     0/1    Proxy(1) → Proxy(0)
     6      0.100  S1       (no id)               plan      0/1    Proxy(1) → Proxy(0)
     7      0.100  S2       (no id)               plan      0/1    Proxy(0) → Client
     8      0.100  S1       (no id)               plan      0/1    Proxy(0) → Client
     9      0.100  S1       zzz                   removed          Agent → Proxy(1)
    10      0.200  S1       (no id)               plan      0/1    Agent → Proxy(1)
    11      0.200  S1       (no id)               plan      0/1    Agent → Proxy(1)
    12      0.200  S1       (no id)               plan      0/1    Proxy(1) → Proxy(0)
    13      0.200  S1       (no id)               plan      0/1    Proxy(0) → Client
`},
		{"nothing", os.DevNull, "\nNo plan messages.\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Text(&out, tt.file, false); err != nil {
				t.Fatal(err)
			}
			if got := "\n" + out.String(); got != tt.want {
				t.Errorf("got%s", got)
			}
		})
	}
}

// TestTextCut cuts the demo's recording between the two events of a message, and
// in the second of them. The proxy did not drop the message.
func TestTextCut(t *testing.T) {
	whole, err := os.ReadFile("testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	const first = `     8      0.700  S1       docs                  items     0/2    `
	tests := []struct{ name, text, want string }{
		{"between", strings.Join(lines[:8], ""), first + "not known: the recording ends here\n"},
		{"in the second", strings.Join(lines[:8], "") + lines[8][:100], first + "not known: the next line could not be read\n1 line could not be read.\n"},
		{"and recorded on", strings.Join(lines[:8], "") + lines[8][:100] + "\n" + lines[6], first + "not known: the next line could not be read\n" +
			"    10      0.600  S1       (no id)               plan      1/3    forwarded\n1 line could not be read.\n"},
		{"dropped", strings.Join(lines[:8], "") + lines[0], first + "dropped\n"},
		{"said by the proxy", strings.Join(lines[:6], "") + lines[8], "     7      0.700  S1       (no id)               plan      1/5    Proxy → Client\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trace.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := Text(&out, path, false); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); !strings.HasSuffix(got, tt.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestTextHostile checks that a recording cannot act on a terminal.
func TestTextHostile(t *testing.T) {
	var out bytes.Buffer
	if err := Text(&out, hostileRecording(t), false); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%U is printed", r)
		}
	}
	if !strings.Contains(out.String(), "⟨U+001B⟩") || !strings.Contains(out.String(), "lines could not be read") {
		t.Errorf("printed:\n%s", out.String())
	}
	out.Reset()
	if err := Text(&out, "testdata/demo.jsonl", true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), terminal.Painter(true).Paint(terminal.Red, "dropped")) {
		t.Errorf("no colours:\n%s", out.String())
	}
	if err := Text(&out, filepath.Join(t.TempDir(), "missing"), false); err == nil {
		t.Error("no error for a missing file")
	}
}
