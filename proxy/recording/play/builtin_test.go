package play

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/translate/schema"
)

// builtinNames returns the names in the list of built-in recordings.
func builtinNames(t *testing.T) (names []string) {
	t.Helper()
	for line := range strings.Lines(List()) {
		name, about, _ := strings.Cut(line, " ")
		if names = append(names, name); strings.TrimSpace(about) == "" {
			t.Errorf("%s has no description", name)
		}
	}
	files, err := builtin.ReadDir("builtin")
	if err != nil || len(files) != len(names)+1 {
		t.Errorf("%d files for %d names, %v", len(files), len(names), err)
	}
	return names
}

// TestBuiltin checks that each built-in recording is short, valid by a schema of its
// version, and can be repeated.
func TestBuiltin(t *testing.T) {
	j := judge.Judge{Drafts: new(schema.Drafts)}
	for _, name := range builtinNames(t) {
		text := Builtin(name)
		if n := bytes.Count(text, []byte{'\n'}); n == 0 || n >= maxLines {
			t.Errorf("%s has %d lines", name, n)
		}
		var f recording.Follower
		number := 0
		for line := range bytes.Lines(text) {
			number++
			for _, m := range recording.Parse(line, "") {
				f.Follow(&m)
				if reason := j.Judge(&m); reason != "" && !strings.HasPrefix(m.Called(), "cursor/") {
					t.Errorf("%s:%d: %s", name, number, reason)
				}
			}
		}
		p, err := open(name, "Agent", Options{Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		pass := Local{p}.Pass
		turn := func(session string) string {
			out := string(pass(fmt.Appendf(nil, `{"id":"p","method":"session/prompt","params":{"sessionId":%q}}`, session)))
			asked := regexp.MustCompile(`"id":"(ask|played)-[0-9]+"`)
			for said := out; asked.MatchString(said); out += said {
				said = string(pass([]byte("{" + asked.FindString(said) + `,"result":{}}`)))
			}
			return out
		}
		hello := string(pass([]byte(`{"id":0,"method":"initialize","params":{"protocolVersion":1}}`)))
		one := string(pass([]byte(`{"id":1,"method":"session/new","params":{"cwd":"/tmp"}}`)))
		two := string(pass([]byte(`{"id":2,"method":"session/new","params":{"cwd":"/tmp"}}`)))
		first, other, again := turn("sess_1"), turn("sess_2"), turn("sess_1")
		if !strings.Contains(hello, `"protocolVersion"`) || !strings.Contains(one, `"sess_1"`) || !strings.Contains(two, `"sess_2"`) {
			t.Errorf("%s: %s%s%s", name, hello, one, two)
		}
		same := func(turn string) string {
			return regexp.MustCompile(`(sess|turn|ask|played)[-_]\d+`).ReplaceAllString(turn, "$1")
		}
		if len(first) == 0 || same(first) != same(other) || same(first) != same(again) {
			t.Errorf("%s: the first turn is\n%s\nin another session\n%s\nagain\n%s", name, first, other, again)
		}
		if !strings.Contains(first, `"stopReason"`) {
			t.Errorf("%s does not end:\n%s", name, first)
		}
	}
}
