package judge

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/redact"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
)

// drafts are compiled once for all tests.
var drafts schema.Drafts

// judged judges the lines of a recording in any form. It returns the reason for each message.
func judged(recorded []byte) (reasons []string) {
	j := Judge{&drafts}
	var follower recording.Follower
	for line := range bytes.Lines(recorded) {
		if m := recording.Parse(line, ""); m != nil {
			follower.Follow(m)
			reasons = append(reasons, j.Judge(m))
		}
	}
	return reasons
}

// redacted returns the recording without private data.
func redacted(t *testing.T, recorded []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := redact.New().Copy(&out, bytes.NewReader(recorded)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A section is a recording in a file of testdata, with the reasons that are wanted.
type section struct {
	name     string
	lines    []string
	recorded []byte
	want     []string
	unjudged string // by a [Linter]
}

func sections(t testing.TB, file string) (all []section) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		var s section
		var b bytes.Buffer
		w := trace.New(&b, slog.New(slog.DiscardHandler))
		name, body, _ := strings.Cut(part, "\n")
		for line := range strings.Lines(strings.TrimSpace(body)) {
			text, reason, _ := strings.Cut(strings.TrimSpace(line), " => ")
			if text == "unjudged" {
				s.unjudged = reason
				continue
			}
			s.lines, s.want = append(s.lines, text), append(s.want, reason)
			route, message, _ := strings.Cut(text, " ")
			if route[0] == '{' {
				b.WriteString(text + "\n")
				continue
			}
			from, to, _ := strings.Cut(route, ">")
			if to == "" {
				to = map[string]string{"client": "agent", "agent": "client"}[from]
			}
			if update, ok := strings.CutPrefix(message, "update "); ok {
				message = `{"method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
			}
			w.Message(component(from), component(to), []byte(message))
		}
		s.name, s.recorded = name, b.Bytes()
		all = append(all, s)
	}
	return all
}

func component(name string) trace.Component {
	return trace.Component(strings.ToUpper(name[:1]) + name[1:])
}

// TestReasons checks the reasons, and that redacted valid messages are valid.
func TestReasons(t *testing.T) {
	for _, s := range sections(t, "reasons.txt") {
		t.Run(s.name, func(t *testing.T) {
			got := judged(s.recorded)
			if d := diff.Diff(s.want, got); d != "" {
				t.Errorf("want (-), got (+):\n%s\n%s", d, strings.Join(s.lines, "\n"))
			}
			if d := diff.Diff(got, judged(redacted(t, s.recorded))); d != "" && strings.Join(s.want, "") == "" {
				t.Errorf("redacted (+):\n%s", d)
			}
		})
	}
}

// TestEnormous checks that messages beyond the limits are not judged.
func TestEnormous(t *testing.T) {
	plan := func(entries int, text string) string {
		return `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","title":"` + text + `","entries":[` + strings.Repeat(`{},`, entries-1) + `{}]}}}`
	}
	for _, test := range []struct {
		message  string
		isJudged bool
	}{
		{plan(maxValues/2-100, ""), true},
		{plan(maxValues/2+1, ""), false},
		{plan(1, strings.Repeat("x", maxText-1000)), true},
		{plan(1, strings.Repeat("x", maxText)), false},
	} {
		begun := `{"id":0,"method":"initialize","params":{"protocolVersion":1}}` + "\n" + `{"id":0,"result":{"protocolVersion":1}}` + "\n"
		if got := judged([]byte(begun + test.message))[2]; (got != "") != test.isJudged || len(got) > 200 {
			t.Errorf("%d bytes: %.300q", len(test.message), got)
		}
	}
}

// FuzzJudge judges any recording twice.
func FuzzJudge(f *testing.F) {
	for _, s := range slices.Concat(sections(f, "reasons.txt"), sections(f, "rules.txt")) {
		f.Add(s.recorded)
	}
	f.Fuzz(func(t *testing.T, recorded []byte) {
		first := judged(recorded)
		if d := diff.Diff(first, judged(recorded)); d != "" {
			t.Error(d)
		}
		linted, _ := lint(t, recorded)
		for _, f := range linted {
			first = append(first, f.Text)
		}
		for _, reason := range first {
			if len(reason) > 2000 {
				t.Errorf("a reason of %d bytes: %s", len(reason), reason)
			}
		}
	})
}
