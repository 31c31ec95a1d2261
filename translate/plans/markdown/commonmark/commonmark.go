// Package commonmark parses the structure of a markdown text: the blocks of CommonMark and the
// tables of GFM. It returns the plain text of a block without its inline syntax, and renders a
// text as HTML.
//
// Its callers display a few lines of a text. It therefore parses the blocks in one pass into a
// flat slice, and resolves inline syntax only on request. Both take time linear in the length
// of the text. Parsers that build a tree take 100 to 250 ms and as many MB for a MiB of short
// list items.
package commonmark

import (
	"bytes"
	"iter"
)

// A Kind is the kind of a block.
type Kind uint8

const (
	Root Kind = iota // the text itself, always the first block
	Quote
	List    // the blocks in it are items
	Item    // of a list
	Heading // underlined or with number signs
	Paragraph
	Table // with a line for each row
	Code  // indented or fenced
	HTML
	Break // thematic
)

// A Block is a part of a text.
type Block struct {
	Kind      Kind
	Level     uint8 // of a Heading, 1 to 6
	Marker    byte  // of a List: '-', '*' or '+', or of an ordered one '.' or ')'
	Parent    int32 // the index of the block that contains it
	Number    int32 // of an Item of an ordered list
	firstLine int32 // into Document.lines
	lineCount int32
}

// Ordered reports whether a List is ordered.
func (b *Block) Ordered() bool { return b.Marker == '.' || b.Marker == ')' }

// A Document is a parsed text.
type Document struct {
	// Blocks are in the order of the text, each after its parent.
	Blocks []Block

	source []byte
	lines  []span
}

// A span is a part of the source.
type span struct{ start, end int32 }

// maxNesting limits the lists, items and quotes around a block. Deeper marks are text. The time for a
// line is proportional to the number of containers around it.
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
		p.parseLine(start, end)
		start = next
	}
	return d
}

// Raw returns the source of a block with text, without the marks and the indentation of the
// blocks around it.
func (d *Document) Raw(block int) []byte {
	b := &d.Blocks[block]
	if b.lineCount == 1 {
		return d.Start(block)
	}
	var raw []byte
	for i, line := range d.lines[b.firstLine : b.firstLine+b.lineCount] {
		if i > 0 {
			raw = append(raw, '\n')
		}
		raw = append(raw, d.text(line)...)
	}
	return raw
}

// Start returns the source of the first line of a block with text.
func (d *Document) Start(block int) []byte { return d.text(d.lines[d.Blocks[block].firstLine]) }

// Lines returns the number of lines of a block.
func (d *Document) Lines(block int) int { return int(d.Blocks[block].lineCount) }

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

// ItemBox returns the status in the box of an item whose first paragraph is the block. It returns ""
// if the block is not the first paragraph of an item, or has no box.
func (d *Document) ItemBox(block int) string {
	if block == len(d.Blocks) || d.Blocks[block].Kind != Paragraph || int(d.Blocks[block].Parent) != block-1 ||
		d.Blocks[block-1].Kind != Item {
		return ""
	}
	return Box(d.Raw(block))
}

// Rows returns the rows of a table, each with its index and the source of its cells. Row 0 is
// the header. The slice of cells is valid until the next row.
func (d *Document) Rows(table int) iter.Seq2[int, [][]byte] {
	return func(yield func(row int, cells [][]byte) bool) {
		b := &d.Blocks[table]
		var cells [][]byte
		for row, line := range d.lines[b.firstLine : b.firstLine+b.lineCount] {
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
