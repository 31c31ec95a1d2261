// Package commonmark reads the structure of a markdown text: CommonMark's
// blocks and GFM's tables, and the plain text of a block, without its inline
// syntax. It also draws a text as HTML.
//
// It is a parser for a program that shows a few lines of a text and forwards
// the rest: it reads the blocks in one pass into a flat slice, and resolves
// inline syntax only in blocks whose text is asked for. The time that both take
// grows with the length of the text and with nothing else. Parsers that build a
// tree take 100 to 250 ms and as many MB for a MiB of short list items.
//
// Tests compare it with a general parser.
package commonmark

import (
	"bytes"
	"iter"
)

// A Kind says what a block is.
type Kind uint8

const (
	Root      Kind = iota // the text itself, always the first block
	Quote                 // a block quote
	List                  // a list; the blocks in it are items
	Item                  // an item of a list
	Heading               // a heading, underlined or with number signs
	Paragraph             // a paragraph
	Table                 // a table, whose lines are its rows
	Code                  // an indented or fenced code block
	HTML                  // an HTML block
	Break                 // a thematic break
)

// A Block is a part of a text.
type Block struct {
	Kind   Kind
	Level  uint8 // of a Heading, 1 to 6
	Marker byte  // of a List: '-', '*' or '+', or of an ordered one '.' or ')'
	Parent int32 // the index of the block that it is in
	Number int32 // of an Item of an ordered list
	first  int32 // into Document.lines
	lines  int32
}

// Ordered reports whether a List is ordered.
func (b *Block) Ordered() bool { return b.Marker == '.' || b.Marker == ')' }

// A Document is a text that has been parsed. Its methods use buffers of its
// own: only one goroutine may use it at a time.
type Document struct {
	// Blocks are in the order of the text, each after the one that it is in.
	Blocks []Block

	source []byte
	lines  []span
}

// A span is a part of the source.
type span struct{ start, end int32 }

// maxNesting is how many lists, items and quotes may enclose a block. The
// marks of a list or quote deeper than that are text. Every line of a text
// costs a step for each block that it is in.
const maxNesting = 32

// Parse parses source, which must be valid UTF-8 of less than 2 GiB. The
// document retains it and does not change it.
func Parse(source []byte) *Document {
	d := &Document{source: source}
	lines := bytes.Count(source, []byte("\n")) + 1
	d.Blocks, d.lines = make([]Block, 0, lines+8), make([]span, 0, lines+8)
	p := parser{doc: d}
	p.add(Root)
	p.open = append(p.open, container{})
	for start := 0; start < len(source); {
		end := start + bytes.IndexByte(source[start:], '\n')
		next := end + 1
		if end < start {
			end, next = len(source), len(source)
		}
		p.line(start, end)
		start = next
	}
	p.closeLeaf()
	return d
}

// Raw returns the text of a heading, paragraph or HTML block as it is written,
// without the marks and the indentation of the blocks that it is in.
func (d *Document) Raw(block int) []byte {
	b := &d.Blocks[block]
	if b.lines == 1 {
		return d.text(d.lines[b.first])
	}
	var raw []byte
	for i, line := range d.lines[b.first : b.first+b.lines] {
		if i > 0 {
			raw = append(raw, '\n')
		}
		raw = append(raw, d.text(line)...)
	}
	return raw
}

// Lines returns how many lines a block's text has.
func (d *Document) Lines(block int) int { return int(d.Blocks[block].lines) }

// boxLength is the length of a box.
const boxLength = len("[ ]")

// Box returns the status in the box at the start of a text: "pending", "in_progress" or
// "completed", "" without a box.
func Box(text []byte) string {
	if len(text) < boxLength || text[0] != '[' || text[2] != ']' || len(text) > boxLength && !isSpace(text[boxLength]) {
		return ""
	}
	switch text[1] {
	case ' ', '\t':
		return "pending"
	case 'x', 'X':
		return "completed"
	case '-', '~', '/', '>': // GFM does not know these
		return "in_progress"
	}
	return ""
}

// ItemBox returns the status in the box of an item whose first paragraph is the block, ""
// if it is not, or there is no box.
func (d *Document) ItemBox(block int) string {
	if block == len(d.Blocks) || d.Blocks[block].Kind != Paragraph || int(d.Blocks[block].Parent) != block-1 ||
		d.Blocks[block-1].Kind != Item {
		return ""
	}
	return Box(d.Raw(block))
}

// Rows returns the rows of a table, each with its number and its cells as they are
// written. The first, 0, is the header. Cells are valid until the next row.
func (d *Document) Rows(table int) iter.Seq2[int, [][]byte] {
	return func(yield func(row int, cells [][]byte) bool) {
		b := &d.Blocks[table]
		var cells [][]byte
		for row, line := range d.lines[b.first : b.first+b.lines] {
			if row == 1 {
				continue // the row of delimiters
			}
			cells = appendCells(cells[:0], d.text(line))
			if !yield(row, cells) {
				return
			}
		}
	}
}

func (d *Document) text(s span) []byte { return d.source[s.start:s.end] }
