package commonmark

import (
	"bytes"
	"strconv"
)

// A mark is what an item of a list starts with.
type mark struct {
	marker byte
	number int32
	width  int // of the mark itself, in bytes
}

// listMark returns the mark of an item that the line starts with. If the line
// would end a paragraph, the mark has to be one that can.
func (p *parser) listMark() (m mark, ok bool) {
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
	ends := len(bytes.TrimSpace(after)) > 0 && (m.number == 1 || m.width == 1)
	return m, (len(after) == 0 || isSpace(after[0])) && (ends || !p.isInside())
}

// addItem opens an item, and also a list if the item does not go into the open
// list.
func (p *parser) addItem(m mark) {
	p.closeUnmatched()
	last := p.open[len(p.open)-1]
	if last.kind != List || p.doc.Blocks[last.block].Marker != m.marker {
		p.pushContainer(List, 0).Marker = m.marker
	}
	before := p.indent
	p.skipTo(p.next + m.width)
	// Spaces after the mark are part of it, up to four of them.
	spaces := p.indent
	if p.blank || spaces >= 5 {
		spaces = 1
	}
	p.skipColumns(spaces)
	p.pushContainer(Item, before+m.width+spaces).Number = m.number
}
