package commonmark

import "bytes"

// A parser reads the blocks of a text line by line, as the appendix "A parsing
// strategy" of the CommonMark specification has it: each line goes on with some
// of the blocks that are open, may open others, and what is left of it is text.
type parser struct {
	doc   *Document
	open  []container // the containers that are open, from the root on
	leaf  leaf
	block int // the index of the leaf that is open

	// Of a leaf that is a code or HTML block.
	fence       byte
	fenceLength int
	fenceIndent int
	htmlEnd     htmlEnd

	wasBlank bool // the line before was blank
	cursor
}

// A container is a block that can hold others.
type container struct {
	kind   Kind
	block  int32
	indent int // of an Item: how far its contents are indented
}

// A leaf is what the innermost open block is, if it holds text.
type leaf uint8

const (
	noLeaf leaf = iota
	inParagraph
	inTable
	inFence
	inIndentedCode
	inHTML
)

// line reads the line from start to end.
func (p *parser) line(start, end int) {
	p.cursor = cursor{source: p.doc.source[:end], pos: start}
	p.findText()
	// If several blank lines follow each other, the first has closed what they
	// close.
	if p.blank && p.wasBlank {
		if p.leaf == inFence || p.leaf == inIndentedCode {
			p.addSpan(end, end)
		}
		return
	}
	p.wasBlank = p.blank

	matched := p.matchContainers()
	all := matched == len(p.open)
	if all && p.goOn() {
		return
	}
	opened := p.openBlocks(matched, all)
	if opened.done {
		return
	}
	if p.blank {
		if !opened.some {
			p.closeTo(matched, all)
		}
		if p.leaf == inParagraph || p.leaf == inTable {
			p.closeLeaf()
		}
		return
	}
	if !all && !opened.some && p.leaf == inParagraph { // a lazy line
		p.addLine()
		return
	}
	if !opened.some {
		p.closeTo(matched, all)
	}
	p.addText()
}

// matchContainers goes through the open containers as far as the line goes on
// with them, and returns how many these are.
func (p *parser) matchContainers() int {
	for i := 1; i < len(p.open); i++ {
		switch c := &p.open[i]; {
		case c.kind == Quote:
			if !p.quoteMark() {
				return i
			}
		case c.kind == Item && p.blank:
			// An item may start with one blank line, not two.
			if int(c.block) == len(p.doc.Blocks)-1 {
				return i
			}
		case c.kind == Item:
			if p.indent < c.indent {
				return i
			}
			p.skipColumns(c.indent)
		}
	}
	return len(p.open)
}

// goOn reports whether the line, which is in all of the open containers, belongs
// to the code or HTML block that is open, and takes it in.
func (p *parser) goOn() bool {
	switch p.leaf {
	case inFence:
		if p.indent <= 3 && p.isClosingFence() {
			p.leaf = noLeaf
		} else {
			p.addCode(p.fenceIndent)
		}
		return true
	case inIndentedCode:
		if p.indent >= 4 || p.blank {
			p.addCode(4)
			return true
		}
		p.leaf = noLeaf
	case inHTML:
		if p.blank && p.htmlEnd == endsBlank {
			p.closeLeaf()
			return false
		}
		p.addLine()
		if p.htmlEnd.in(p.rest()) {
			p.closeLeaf()
		}
		return true
	}
	return false
}

// opened says what openBlocks did: some blocks were opened, and the line is done.
type opened struct{ some, done bool }

// openBlocks opens the blocks that start in the line. matched is the number of
// containers that the line is in, all of the open ones or not.
func (p *parser) openBlocks(matched int, all bool) (o opened) {
	// opening closes what a new block ends, once.
	opening := func() {
		if !o.some {
			p.closeTo(matched, all)
			p.closeLeaf()
			o.some = true
		}
	}
	for !p.blank {
		paragraph := !o.some && p.leaf == inParagraph // also a lazy one
		inside := paragraph && all
		if p.indent >= 4 {
			if paragraph {
				return o
			}
			opening()
			p.addBlock(Code)
			p.leaf = inIndentedCode
			p.addCode(4)
			o.done = true
			return o
		}
		start := p.next
		switch c := p.source[start]; {
		case c == '>' && p.mayNest(o, matched, 0):
			opening()
			p.quoteMark()
			p.pushContainer(Quote, 0)
			o.some = true
			continue
		case c == '#' && p.atxLevel() > 0:
			opening()
			p.addHeading(p.atxLevel())
		case (c == '`' || c == '~') && p.isFence():
			opening()
			p.addFence()
		case c == '<' && p.startsHTML(paragraph) > 0:
			end := p.startsHTML(paragraph)
			opening()
			p.addBlock(HTML)
			p.leaf, p.htmlEnd = inHTML, end
			p.addLine()
			if end.in(p.rest()) {
				p.closeLeaf()
			}
		case (c == '=' || c == '-') && inside && p.isUnderline():
			if !p.underline() {
				return o
			}
		case p.isBreak():
			opening()
			p.addBlock(Break)
		default:
			m, ok := p.listMark(inside)
			if !ok || !p.mayNest(o, matched, m.marker) {
				return o
			}
			opening()
			p.addItem(m)
			continue
		}
		o.done = true
		return o
	}
	return o
}

// mayNest reports whether another container may be opened: a quote, or an item, which may
// go into the list that is open.
func (p *parser) mayNest(o opened, matched int, marker byte) bool {
	if o.some {
		matched = len(p.open)
	}
	last := &p.open[matched-1]
	return matched <= maxNesting || last.kind == List && p.doc.Blocks[last.block].Marker == marker
}

// closeTo closes the containers from the count-th on, and the leaf with them;
// all says that there are none.
func (p *parser) closeTo(count int, all bool) {
	if !all {
		p.closeLeaf()
		p.open = p.open[:count]
	}
}

// closeLeaf closes the open leaf.
func (p *parser) closeLeaf() {
	if p.leaf == inParagraph {
		p.takeDefinitions()
	}
	p.leaf = noLeaf
}

// add appends a block.
func (p *parser) add(kind Kind) *Block {
	d := p.doc
	b := Block{Kind: kind, first: int32(len(d.lines))}
	if len(p.open) > 0 {
		b.Parent = p.open[len(p.open)-1].block
	}
	d.Blocks = append(d.Blocks, b)
	p.block = len(d.Blocks) - 1
	return &d.Blocks[p.block]
}

// addBlock is add for anything but an item: it ends an open list.
func (p *parser) addBlock(kind Kind) *Block {
	if last := len(p.open) - 1; p.open[last].kind == List {
		p.open = p.open[:last]
	}
	return p.add(kind)
}

func (p *parser) pushContainer(kind Kind, indent int) *Block {
	b := p.addBlock(kind)
	p.open = append(p.open, container{kind, int32(p.block), indent})
	return b
}

// addLine appends the rest of the line to the open leaf.
func (p *parser) addLine() {
	p.addSpan(p.next, len(p.source))
}

// addCode appends the line to the open code block, without its indentation.
func (p *parser) addCode(indent int) {
	p.skipColumns(indent)
	p.addSpan(p.pos, len(p.source))
}

func (p *parser) addSpan(start, end int) {
	d := p.doc
	for end > start && isSpace(d.source[end-1]) {
		end--
	}
	b := &d.Blocks[p.block]
	if b.lines == 0 {
		b.first = int32(len(d.lines))
	}
	d.lines = append(d.lines, span{int32(start), int32(end)})
	b.lines++
}

// addText adds the rest of the line to the open paragraph or table, or starts a
// paragraph with it.
func (p *parser) addText() {
	switch p.leaf {
	case inTable:
		p.addLine()
	case inParagraph:
		if p.startsTable() {
			p.openTable()
		}
		p.addLine()
	default:
		p.addBlock(Paragraph)
		p.leaf = inParagraph
		p.addLine()
	}
}

// startsTable reports whether the line is the row of delimiters below the header
// that the paragraph ends with.
func (p *parser) startsTable() bool {
	columns := delimiterRow(p.rest())
	if columns == 0 || p.indent > 3 {
		return false
	}
	header := p.doc.text(p.doc.lines[len(p.doc.lines)-1])
	return len(appendCells(nil, header)) == columns
}

// openTable makes a table of the last line of the paragraph.
func (p *parser) openTable() {
	d := p.doc
	b := &d.Blocks[p.block]
	p.leaf = inTable
	if b.lines == 1 {
		b.Kind = Table
		return
	}
	b.lines--
	header := d.lines[len(d.lines)-1]
	d.lines = d.lines[:len(d.lines)-1]
	p.leaf = inParagraph
	p.closeLeaf()
	p.add(Table)
	p.leaf = inTable
	p.addSpan(int(header.start), int(header.end))
}

// underline makes a heading of the open paragraph, and reports whether it could:
// link definitions cannot be underlined.
func (p *parser) underline() bool {
	p.takeDefinitions()
	b := &p.doc.Blocks[p.block]
	if b.lines == 0 {
		return false
	}
	b.Kind, b.Level = Heading, 1
	if p.source[p.next] == '-' {
		b.Level = 2
	}
	p.leaf = noLeaf
	return true
}

// takeDefinitions takes the link definitions off the head of the open paragraph.
// What is left may be without lines.
func (p *parser) takeDefinitions() {
	d := p.doc
	b := &d.Blocks[p.block]
	if b.lines == 0 || d.source[d.lines[b.first].start] != '[' {
		return
	}
	raw := d.Raw(p.block)
	for len(raw) > 0 && raw[0] == '[' {
		label, destination, length := linkDefinition(raw)
		if length == 0 {
			return
		}
		d.define(label, destination)
		lines := int32(bytes.Count(raw[:length], []byte("\n")))
		if length == len(raw) && raw[length-1] != '\n' {
			lines++
		}
		b.first, b.lines = b.first+lines, b.lines-lines
		raw = raw[length:]
	}
}

// atxLevel returns the level of the heading in the line, 0 if the line is not a
// heading.
func (p *parser) atxLevel() int {
	line := p.rest()
	level := len(line) - len(bytes.TrimLeft(line, "#"))
	if level > 6 || level < len(line) && !isSpace(line[level]) {
		return 0
	}
	return level
}

func (p *parser) addHeading(level int) {
	p.addBlock(Heading).Level = uint8(level)
	line := bytes.Trim(p.rest()[level:], " \t\r")
	start := len(p.source) - len(bytes.TrimLeft(p.rest()[level:], " \t\r"))
	if text := bytes.TrimRight(line, "#"); len(text) == 0 {
		line = nil
	} else if isSpace(text[len(text)-1]) {
		line = text
	}
	p.addSpan(start, start+len(line))
}

// isFence reports whether the line starts a fenced code block.
func (p *parser) isFence() bool {
	line := p.rest()
	after := bytes.TrimLeft(line, string(line[0]))
	return len(line)-len(after) >= 3 && (line[0] == '~' || bytes.IndexByte(after, '`') < 0)
}

func (p *parser) addFence() {
	line := p.rest()
	p.fence = line[0]
	p.fenceLength = len(line) - len(bytes.TrimLeft(line, string(line[0])))
	p.fenceIndent = p.indent
	p.addBlock(Code).Level = 1
	p.addSpan(p.next+p.fenceLength, len(p.source))
	p.leaf = inFence
}

func (p *parser) isClosingFence() bool {
	line := p.rest()
	after := bytes.TrimLeft(line, string(rune(p.fence)))
	return len(line)-len(after) >= p.fenceLength && len(bytes.TrimSpace(after)) == 0
}

// isUnderline reports whether the line underlines a heading.
func (p *parser) isUnderline() bool {
	line := bytes.TrimRight(p.rest(), " \t\r")
	return len(bytes.TrimLeft(line, string(line[0]))) == 0
}

// isBreak reports whether the line is a thematic break.
func (p *parser) isBreak() bool {
	line := p.rest()
	c, count := line[0], 0
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	for _, b := range line {
		if b == c {
			count++
		} else if !isSpace(b) {
			return false
		}
	}
	return count >= 3
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }
