package view

import (
	"regexp"
	"strings"
	"testing"
)

// TestDocumentHasTexts checks that a document contains the HTML of every text that it shows.
func TestDocumentHasTexts(t *testing.T) {
	in := func(update string) string { return updateLine(1, "Agent", "Client", update) }
	chunk := func(to, text string) string {
		return updateLine(1, "Agent", to, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+text+`"}}`)
	}
	for _, test := range []struct {
		name  string
		lines []string
		want  string // the texts
	}{
		{"plan", []string{in(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"**a**"}}`)}, "a"},
		{"tool call", []string{in(`{"sessionUpdate":"tool_call","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"**a**"}}]}`)}, "a"},
		{"prompt", []string{`{"type":"request","ts":1,"from":"Client","to":"Agent","id":1,"method":"session/prompt","session":"s","params":{"prompt":[{"type":"text","text":"**a**"},{"type":"text","text":"b"}]}}`}, "a|a b"},
		{"permission", []string{`{"type":"request","ts":1,"from":"Agent","to":"Client","id":1,"method":"session/request_permission","session":"s","params":{"description":"**a**"}}`}, "a"},
		{"chunks", []string{chunk("Client", "**a"), chunk("Proxy", "b**"), chunk("Client", " c**")}, "ab c**|a c"},
		{"twice", []string{in(`{"sessionUpdate":"agent_message","content":{"type":"text","text":"**a**"}}`), in(`{"sessionUpdate":"agent_message","content":{"type":"text","text":"**a**"}}`)}, "a"},
		{"no markdown", []string{in(`{"sessionUpdate":"agent_message","content":{"type":"text","text":"a b"}}`)}, ""},
		{"a file", []string{`{"type":"request","ts":1,"from":"Agent","to":"Client","id":1,"method":"fs/write_text_file","session":"s","params":{"content":"**a**"}}`}, ""},
	} {
		var page strings.Builder
		if err := (Recording{File: recordLines(t, test.lines...)}).HTML(&page); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, made := range regexp.MustCompile(`(?m)^\["html","[^"]+","(.*)"]$`).FindAllStringSubmatch(page.String(), -1) {
			text := regexp.MustCompile(`\\u003c.*?\\u003e`).ReplaceAllString(made[1], " ")
			got = append(got, strings.Join(strings.Fields(text), " "))
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestLongProse draws the start of a long text, with a note.
func TestLongProse(t *testing.T) {
	long := string(htmlOf(strings.Repeat("word\n\n", maxProse)))
	if !strings.HasSuffix(long, "</p><p class=\"more\">The text goes on; it is shown in whole as text.</p>") || len(long) > 10*maxProse {
		t.Errorf("%d bytes, which end with %q", len(long), long[len(long)-100:])
	}
}
