// Package terminal has the colours that the program draws with.
package terminal

// A Color is an ANSI escape sequence that begins a colour or a weight.
type Color string

// The colours in use. The zero Color leaves text as it is.
const (
	Bold   Color = "\x1b[1m"
	Dim    Color = "\x1b[2m"
	Red    Color = "\x1b[31m"
	Green  Color = "\x1b[32m"
	Yellow Color = "\x1b[33m"
	Cyan   Color = "\x1b[36m"

	reset = "\x1b[0m"
)

// A Painter paints text, or leaves it as it is if it is false.
type Painter bool

// Paint returns text in a colour.
func (p Painter) Paint(c Color, text string) string {
	if !p || c == "" {
		return text
	}
	return string(c) + text + reset
}
