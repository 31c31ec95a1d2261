package commonmark

import "bytes"

// A parser parses the blocks of a text line by line, by the appendix "A parsing strategy" of the
// CommonMark specification: each line continues some of the open blocks and may open other blocks;
// the rest of the line is text.
type parser struct {
	doc     *Document
	open    []container // the open containers, outermost first
	matched int         // number of open containers that the line continues
	leaf    leaf
	block   int // the index of the open leaf

	// For a leaf that is a code or HTML block.
	fence       []byte
	fenceIndent int
	inComment   bool // the HTML block ends with "-->", not with a blank line

	cursor
}

// A container is an open block that can contain others.
type container struct {
	kind   Kind
	block  int32
	indent int // of the content of an Item, in columns
}

// A leaf is the state of the innermost open block with text.
type leaf uint8

const (
	noLeaf leaf = iota
	inParagraph
	inTable
	inFence
	inIndentedCode
	inHTML
)

// parseLine parses the line from start to end.
func (p *parser) parseLine(start, end int) {
	p.cursor = cursor{source: p.doc.source[:end], pos: start}
	p.findText()
	p.matched = p.matchContainers()
	if p.matched == len(p.open) && p.continueLeaf() {
		return
	}
	for p.openContainer() {
	}
	switch {
	case p.blank:
		p.closeUnmatched()
		p.leaf = noLeaf
	case p.openLeaf():
	case p.matched < len(p.open) && p.leaf == inParagraph: // a lazy line
		p.addLine()
	default:
		p.closeUnmatched()
		p.addText()
	}
}

// matchContainers skips the marks and the indentation of the open containers that the line
// continues, and returns their number.
func (p *parser) matchContainers() int {
	for i := 1; i < len(p.open); i++ {
		switch c := &p.open[i]; {
		case c.kind == Quote:
			if !p.skipQuoteMark() {
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

// continueLeaf adds the line, which is in all open containers, to the open code or HTML block. It
// returns false if the line does not belong to such a block.
func (p *parser) continueLeaf() bool {
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
		if p.blank && !p.inComment {
			p.leaf = noLeaf
			return false
		}
		p.addHTML()
		return true
	}
	return false
}

// openContainer opens the quote or item at the start of the line, if there is one.
func (p *parser) openContainer() bool {
	if p.blank || p.indent > 3 {
		return false
	}
	if p.source[p.next] == '>' && p.mayNest(0) {
		p.pushContainer(Quote, 0)
		p.skipQuoteMark()
		return true
	}
	if p.isBreak() {
		return false
	}
	m, ok := p.readMark()
	if ok = ok && p.mayNest(m.marker); ok {
		p.addItem(m)
	}
	return ok
}

// openLeaf opens the block at the start of the line. It returns false for a paragraph or a table.
func (p *parser) openLeaf() bool {
	if p.indent > 3 {
		if p.leaf == inParagraph {
			return false
		}
		p.addBlock(Code)
		p.leaf = inIndentedCode
		p.addCode(4)
		return true
	}
	switch c := p.source[p.next]; {
	case c == '#' && p.atxLevel() > 0:
		p.addHeading(p.atxLevel())
	case (c == '`' || c == '~') && p.isFence():
		p.addFence()
	case c == '<' && p.startsHTML():
		p.addBlock(HTML)
		p.leaf, p.inComment = inHTML, p.startsComment()
		p.addHTML()
	case (c == '=' || c == '-') && p.mayContinue() && p.isUnderline():
		p.makeHeading()
	case p.isBreak():
		p.addBlock(Break)
	default:
		return false
	}
	return true
}

// mayContinue reports whether the line may continue the open paragraph: the line continues all of
// the paragraph's containers.
func (p *parser) mayContinue() bool { return p.leaf == inParagraph && p.matched == len(p.open) }

// mayNest reports whether the nesting allows a quote, if marker is 0, or an item of a list with that
// marker. An item of the open list is always allowed.
func (p *parser) mayNest(marker byte) bool {
	last := &p.open[p.matched-1]
	return p.matched <= maxNesting || last.kind == List && p.doc.Blocks[last.block].Marker == marker
}

// closeUnmatched closes the containers that the line does not continue, with their leaf.
func (p *parser) closeUnmatched() {
	if p.matched < len(p.open) {
		p.leaf = noLeaf
		p.open = p.open[:p.matched]
	}
}

// add appends a block.
func (p *parser) add(kind Kind) *Block {
	d := p.doc
	b := Block{Kind: kind, firstLine: int32(len(d.lines))}
	if len(p.open) > 0 {
		b.Parent = p.open[len(p.open)-1].block
	}
	d.Blocks = append(d.Blocks, b)
	p.block = len(d.Blocks) - 1
	return &d.Blocks[p.block]
}

// addBlock appends a block and closes the open leaf. A block that is no item also closes the
// open list.
func (p *parser) addBlock(kind Kind) *Block {
	p.closeUnmatched()
	p.leaf = noLeaf
	if last := len(p.open) - 1; p.open[last].kind == List && kind != Item {
		p.open = p.open[:last]
	}
	return p.add(kind)
}

// pushContainer appends a container and opens it.
func (p *parser) pushContainer(kind Kind, indent int) *Block {
	b := p.addBlock(kind)
	p.open = append(p.open, container{kind, int32(p.block), indent})
	p.matched = len(p.open)
	return b
}

// addLine appends the rest of the line to the open leaf.
func (p *parser) addLine() { p.addSpan(p.next, len(p.source)) }

// addCode appends the line to the open code block, without its indentation.
func (p *parser) addCode(indent int) {
	p.skipColumns(indent)
	p.addSpan(p.pos, len(p.source))
}

// addHTML appends the rest of the line to the open HTML block, and closes a complete comment.
func (p *parser) addHTML() {
	p.addLine()
	if p.inComment && bytes.Contains(p.rest(), []byte("-->")) {
		p.leaf = noLeaf
	}
}

// addSpan appends a part of the source, without white space at its end, to the open leaf.
func (p *parser) addSpan(start, end int) {
	d := p.doc
	for end > start && isSpace(d.source[end-1]) {
		end--
	}
	d.lines = append(d.lines, span{int32(start), int32(end)})
	d.Blocks[p.block].lineCount++
}

// addText appends the rest of the line to the open paragraph or table, or opens a paragraph.
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

// startsTable reports whether the line is the delimiter row of a table. The last line of the
// open paragraph is the header.
func (p *parser) startsTable() bool {
	columns := delimiterRow(p.rest())
	if columns == 0 || p.indent > 3 {
		return false
	}
	header := p.doc.text(p.doc.lines[len(p.doc.lines)-1])
	return len(appendCells(nil, header)) == columns
}

// openTable opens a table, and moves its header out of the paragraph.
func (p *parser) openTable() {
	d := p.doc
	d.Blocks[p.block].lineCount--
	header := d.lines[len(d.lines)-1]
	p.add(Table)
	p.leaf = inTable
	p.addSpan(int(header.start), int(header.end))
}

// makeHeading turns the open paragraph into a heading.
func (p *parser) makeHeading() {
	b := &p.doc.Blocks[p.block]
	b.Kind, b.Level = Heading, 1
	if p.source[p.next] == '-' {
		b.Level = 2
	}
	p.leaf = noLeaf
}

// startsHTML reports whether the line starts an HTML block: a comment, or a line of tags
// outside of a paragraph.
func (p *parser) startsHTML() bool {
	line := bytes.TrimRight(p.rest(), " \t\r")
	return p.startsComment() || p.leaf != inParagraph && len(line) > 2 && line[len(line)-1] == '>' &&
		(isLetter(line[1]) || line[1] == '/') && !bytes.Contains(line, []byte("://"))
}

func (p *parser) startsComment() bool { return bytes.HasPrefix(p.rest(), []byte("<!--")) }

// atxLevel returns the level of the heading in the line, 0 if the line is no heading.
func (p *parser) atxLevel() int {
	line := p.rest()
	level := runLength(line)
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

// isFence reports whether the line, which begins with ` or ~, starts a fenced code block.
func (p *parser) isFence() bool {
	line := p.rest()
	length := runLength(line)
	return length >= 3 && (line[0] == '~' || bytes.IndexByte(line[length:], '`') < 0)
}

func (p *parser) addFence() {
	p.fence = p.rest()[:runLength(p.rest())]
	p.fenceIndent = p.indent
	p.addBlock(Code)
	p.leaf = inFence
}

func (p *parser) isClosingFence() bool {
	line := p.rest()
	return bytes.HasPrefix(line, p.fence) && len(bytes.TrimSpace(line[runLength(line):])) == 0
}

// isUnderline reports whether the line, which begins with = or -, underlines a heading.
func (p *parser) isUnderline() bool {
	line := p.rest()
	return len(bytes.Trim(line[runLength(line):], " \t\r")) == 0
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
