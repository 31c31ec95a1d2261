package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy/terminal"
)

const width = 80

// A screen writes the demo's output. After an error, which it keeps, it writes
// nothing more.
type screen struct {
	terminal.Painter
	w   io.Writer
	err error
}

func (s *screen) println(text string) {
	if s.err == nil {
		_, s.err = fmt.Fprintln(s.w, strings.TrimRight(text, " "))
	}
}

func (s *screen) label(text string) { s.println("  " + s.Paint(terminal.Bold, text)) }

func (s *screen) intro(client string) {
	can := map[string]string{
		"legacy": `knows only the session update "plan"`,
		"ops":    "advertises plan operations (protocol version 1)",
		"v2":     "speaks protocol version 2",
	}[client]
	s.println("A scripted agent behind acp-plan-proxy, in front of an editor that\n" + can + ".")
}

func (s *screen) step(number int, title string) {
	head := fmt.Sprintf("── %d. %s ", number, title)
	s.println("")
	s.println(s.Paint(terminal.Bold, head+strings.Repeat("─", width-utf8.RuneCountInString(head))))
}

// message shows an update, broken into lines between members and entries.
func (s *screen) message(label string, update json.RawMessage) {
	s.label(label)
	for _, line := range breakJSON(string(update), width-4) {
		s.println("    " + s.Paint(terminal.Dim, line))
	}
}

// breakJSON breaks a JSON text into lines of at most limit characters. A line
// ends behind the last comma between members or entries, or else at the last
// space.
func breakJSON(text string, limit int) []string {
	var lines []string
	for utf8.RuneCountInString(text) > limit {
		head := text[:len(string([]rune(text)[:limit]))]
		end := max(strings.LastIndex(head, `,"`), strings.LastIndex(head, ",{")) + 1
		if end == 0 {
			end = strings.LastIndexByte(head, ' ') + 1
		}
		if end == 0 {
			end = len(head)
		}
		lines = append(lines, text[:end])
		text = text[end:]
	}
	return append(lines, text)
}

// bar draws a plan's title and how much of it is done.
func (s *screen) bar(title string, entries []entry) {
	const cells = 20
	done := 0
	for _, e := range entries {
		if e.Status == "completed" {
			done++
		}
	}
	full := 0
	if len(entries) > 0 {
		full = cells * done / len(entries)
	}
	s.println(fmt.Sprintf("    %s %s%s %d of %d", title,
		s.Paint(terminal.Green, strings.Repeat("█", full)), s.Paint(terminal.Dim, strings.Repeat("░", cells-full)), done, len(entries)))
}

// entry draws one entry: its status, its text, and its priority if that is
// not medium.
func (s *screen) entry(e entry) {
	mark, color := "○", terminal.Color("")
	switch e.Status {
	case "completed":
		mark, color = "✓", terminal.Green
	case "in_progress":
		mark, color = "▸", terminal.Yellow
	case "cancelled":
		mark, color = "✗", terminal.Dim
	}
	text := "    " + s.Paint(color, mark) + " " + e.Content
	if e.Priority != "medium" {
		text += s.Paint(terminal.Dim, "  "+e.Priority)
	}
	s.println(text)
}
