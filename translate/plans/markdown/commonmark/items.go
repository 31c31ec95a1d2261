package commonmark

import (
	"bytes"
	"strconv"
)

// A mark is the start of an item of a list.
type mark struct {
	marker byte
	number int32
	width  int // of the mark itself, in bytes
}

// readMark returns the mark of an item at the start of the line. Inside of a paragraph, only a bullet
// or the number 1, followed by text, starts an item.
func (p *parser) readMark() (m mark, ok bool) {
	line := p.rest()
	switch c := line[0]; {
	case c == '-' || c == '*' || c == '+':
		m = mark{marker: c, width: 1}
	case '0' <= c && c <= '9':
		const most = 9 // digits
		digits := len(line) - len(bytes.TrimLeft(line, "0123456789"))
		if digits > most || digits == len(line) || line[digits] != '.' && line[digits] != ')' {
			return mark{}, false
		}
		number, _ := strconv.Atoi(string(line[:digits]))
		m = mark{line[digits], int32(number), digits + 1}
	default:
		return mark{}, false
	}
	after := line[m.width:]
	mayInterrupt := len(bytes.TrimSpace(after)) > 0 && (m.number == 1 || m.width == 1)
	return m, (len(after) == 0 || isSpace(after[0])) && (mayInterrupt || !p.mayContinue())
}

// addItem opens an item, and a list if the item does not belong to the open one.
func (p *parser) addItem(m mark) {
	p.closeUnmatched()
	last := p.open[len(p.open)-1]
	if last.kind != List || p.doc.Blocks[last.block].Marker != m.marker {
		p.pushContainer(List, 0).Marker = m.marker
	}
	indent := p.indent
	p.skipTo(p.next + m.width)
	// Up to four spaces after the mark belong to it.
	spaces := p.indent
	if p.blank || spaces >= 5 {
		spaces = 1
	}
	p.skipColumns(spaces)
	p.pushContainer(Item, indent+m.width+spaces).Number = m.number
}
