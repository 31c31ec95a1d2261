// Package terminal colours and wraps text, and lays out tables.
package terminal

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Color is an ANSI escape sequence that begins a colour or a weight.
type Color string

// The colours in use.
const (
	Plain  Color = ""
	Bold   Color = "\x1b[1m"
	Dim    Color = "\x1b[2m"
	Red    Color = "\x1b[31m"
	Green  Color = "\x1b[32m"
	Yellow Color = "\x1b[33m"
	Cyan   Color = "\x1b[36m"

	reset = "\x1b[0m"
)

// A Painter colours text if it is true.
type Painter bool

// Paint returns text in a colour.
func (p Painter) Paint(c Color, text string) string {
	if !p || c == "" {
		return text
	}
	return string(c) + text + reset
}

// Printable returns text with every character spelled out that could act on a terminal, is
// invisible, or reorders the text around it, for example as ⟨U+001B⟩. Many emoji contain the
// zero width joiner.
func Printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != utf8.RuneError && (unicode.IsPrint(r) || r == '\u200d') {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// Wrap breaks a text at spaces into lines of at most width characters; 0 means any width. A
// longer word has a line of its own.
func Wrap(text string, width int) (lines []string) {
	if width == 0 {
		width = math.MaxInt
	}
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// Hang returns a label and a text that is wrapped behind it, in lines of at most width
// characters; 0 means any width.
func Hang(label, text string, width int) string {
	indent := utf8.RuneCountInString(label)
	if width > 0 {
		width = max(1, width-indent)
	}
	return label + strings.Join(Wrap(text, width), "\n"+strings.Repeat(" ", indent))
}
