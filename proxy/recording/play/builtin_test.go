package play

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/proxy/recording/trace"
)

// builtinNames returns the names in the list of built-in recordings.
func builtinNames(t *testing.T) (names []string) {
	t.Helper()
	for line := range strings.Lines(List()) {
		name, about, _ := strings.Cut(line, " ")
		names = append(names, name)
		if strings.TrimSpace(about) == "" {
			t.Errorf("%s has no description", name)
		}
	}
	files, err := builtinFiles.ReadDir("builtin")
	if err != nil || len(files) != len(names)+1 {
		t.Errorf("%d files for %d names, %v", len(files), len(names), err)
	}
	return names
}

// TestBuiltin checks that each built-in recording is short and has no finding of lint, and that it
// can be repeated.
func TestBuiltin(t *testing.T) {
	for _, name := range builtinNames(t) {
		text := Builtin(name)
		if n := bytes.Count(text, []byte{'\n'}); n == 0 || n >= maxLines {
			t.Errorf("%s has %d lines", name, n)
		}
		rules := judge.Rules()
		if strings.HasPrefix(name, "cursor-") { // version 1 does not have its methods
			rules = rules[1:]
		}
		var findings strings.Builder
		found, err := judge.Report(&findings, bytes.NewReader(text), judge.Options{Side: "both", Rules: rules})
		if found > 0 || err != nil {
			t.Errorf("%s: %s%v", name, &findings, err)
		}
		p := testPlayer(t, trace.Agent, string(text))
		p.agent.builtin = text
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
		alike := func(turn string) string {
			return regexp.MustCompile(`(sess|turn|ask|played)[-_]\d+`).ReplaceAllString(turn, "$1")
		}
		if len(first) == 0 || alike(first) != alike(other) || alike(first) != alike(again) {
			t.Errorf("%s: the first turn is\n%s\nin another session\n%s\nagain\n%s", name, first, other, again)
		}
		if !strings.Contains(first, `"stopReason"`) {
			t.Errorf("%s does not end:\n%s", name, first)
		}
	}
}
