package commonmark

import "bytes"

// A cursor is a position in a line, with its column. A tab extends to the next multiple of four
// columns.
type cursor struct {
	source []byte // up to the end of the line
	pos    int
	column int // of pos; more if a part of a tab was skipped

	// The text after pos:
	next   int // the first byte that is not a space or tab
	indent int // its distance from pos, in columns
	blank  bool
}

// rest returns the line from the first byte that is not a space or tab.
func (c *cursor) rest() []byte { return c.source[c.next:] }

// findText finds the text after pos.
func (c *cursor) findText() {
	column := c.column
	c.next = c.pos
	for ; c.next < len(c.source); c.next++ {
		if b := c.source[c.next]; b == ' ' {
			column++
		} else if b == '\t' {
			column += 4 - column%4
		} else {
			break
		}
	}
	c.indent = column - c.column
	c.blank = c.next == len(c.source) || c.source[c.next] == '\r' && len(bytes.TrimSpace(c.source[c.next:])) == 0
}

// skipColumns skips at most count columns of spaces and tabs.
func (c *cursor) skipColumns(count int) {
	target := c.column + min(count, c.indent)
	for c.column < target {
		width := 1
		if c.source[c.pos] == '\t' {
			width = 4 - c.column%4
		}
		if c.column+width > target { // the target is inside of a tab
			c.column = target
			break
		}
		c.column += width
		c.pos++
	}
	c.indent -= min(count, c.indent)
}

// skipTo moves to pos, which is at or after next.
func (c *cursor) skipTo(pos int) {
	c.column += c.indent + pos - c.next
	c.pos = pos
	c.findText()
}

// skipQuoteMark skips the mark of a quote, if there is one, and reports whether it did.
func (c *cursor) skipQuoteMark() bool {
	if c.indent > 3 || c.blank || c.source[c.next] != '>' {
		return false
	}
	c.skipTo(c.next + 1)
	c.skipColumns(1)
	return true
}
