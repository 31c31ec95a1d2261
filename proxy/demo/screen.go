package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy"
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

// paint returns a line in its colours.
func (s *screen) paint(line spans) string {
	var b strings.Builder
	for _, piece := range line {
		b.WriteString(s.Paint(piece.color, piece.text))
	}
	return b.String()
}

func (s *screen) heading(text string) {
	text = "── " + text + " "
	s.println("")
	s.println(s.Paint(terminal.Bold, text+strings.Repeat("─", max(0, width-utf8.RuneCountInString(text)))))
}

func (s *screen) label(text string) { s.println("  " + s.Paint(terminal.Bold, text)) }

// json shows messages, each under the label and broken into lines between members and
// entries.
func (s *screen) json(label string, messages ...string) {
	for _, m := range messages {
		s.label(label)
		for _, line := range breakJSON(m, width-4) {
			s.println("    " + s.Paint(terminal.Dim, line))
		}
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

// steps returns a function that shows what the agent sends, step by step, with what the
// client gets and the plans as an editor draws them.
func (s *screen) steps(steps []line) func(proxy.Event) {
	number := 0
	var shown editor
	return func(e proxy.Event) {
		title := ""
		if number < len(steps) {
			title = steps[number].title
		}
		number++
		s.heading(fmt.Sprintf("%d. %s", number, title))
		sent := update(e.In)
		s.json("agent sent", sent)
		if len(e.Out) == 0 {
			s.label("client got nothing")
		}
		for m := range bytes.Lines(e.Out) {
			got := update(m)
			if got == sent {
				s.label("client got the same")
			} else {
				s.json("client got", got)
			}
			shown.apply(got)
		}
		shown.draw(s)
	}
}

// update returns the update in a message, with the same path of the plan file on each
// machine.
func update(record []byte) string {
	var m message
	json.Unmarshal(record, &m)
	path := strings.ReplaceAll(filepath.FromSlash(planPath()), `\`, `\\`)
	return strings.NewReplacer(fileURI(planPath()), "file:///tmp/plan.md", path, "/tmp/plan.md").Replace(string(m.Params.Update))
}

// exchange shows a message and what left in its place. It leaves out messages that
// passed as they are, and those about the session, which tell nothing.
func (s *screen) exchange(e proxy.Event) {
	from, to := "agent", "client"
	if e.FromClient {
		from, to = to, from
	}
	in := spoken(e.In)
	var out []string
	for m := range bytes.Lines(e.Out) {
		out = append(out, hideID(spoken(m)))
	}
	switch {
	case strings.Contains(in, `"session/new"`) || strings.Contains(in, `"result":{"sessionId"`):
		return
	case len(out) == 1 && out[0] == in:
		if strings.Contains(in, `"initialize"`) {
			s.json(from+" sent, and the "+to+" got", in)
		}
		return
	}
	itself := len(out)
	if in != "" {
		itself = acknowledgement(out)
	}
	s.json(to+" got from the proxy itself", out[:itself]...)
	if in == "" {
		return
	}
	s.json(from+" sent", in)
	if itself == len(out) {
		s.label(to + " got nothing")
	}
	s.json(to+" got", out[itself:]...)
}

// spoken returns a message without what all messages have.
func spoken(message []byte) string {
	return strings.Replace(string(bytes.TrimSpace(message)), `"jsonrpc":"2.0",`, "", 1)
}

// acknowledgement returns how many of the messages tell the client that its prompt
// was taken. They leave with the agent's first message, or by themselves if that is
// late. The demo shows the same either way.
func acknowledgement(out []string) int {
	if len(out) == 0 || !strings.Contains(out[0], `"user_message"`) {
		return 0
	}
	return 1 + slices.IndexFunc(out, func(m string) bool { return strings.Contains(m, `"state":"running"`) })
}

// hideID removes the random part of the id that the proxy gives to a message.
func hideID(message string) string {
	const random = 26 // its length, at the end
	_, rest, _ := strings.Cut(message, `"messageId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if len(id) < random {
		return message
	}
	return strings.Replace(message, id[len(id)-random:], "RANDOM", 1)
}
