package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds that keep the time to parse a document proportional to its length.
const (
	// maxNesting is how many lists, list items and block quotes may enclose a
	// block; the marks of a list or quote deeper than that are read as text.
	// Every line costs a step for each block it is in.
	maxNesting = 32

	// maxText is how many bytes of a document a heading or paragraph may take
	// up for its emphasis, links, code spans and HTML to be resolved and link
	// definitions to be looked for; in a longer one they are text. goldmark is
	// quadratic in all of these.
	maxText = 4 << 10
)

// newMarkdownParser returns goldmark's parser of CommonMark with the task marks
// and strikethrough, bounded, and with as much of tables as tells where one is.
// These are here and not goldmark's own because importing its extensions costs
// every start of the program half a millisecond.
func newMarkdownParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(boundedContainer{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(boundedContainer{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(boundedDefinitions{}, 100),
			util.Prioritized(tableStarts{}, 200),
		),
		parser.WithInlineParsers(
			util.Prioritized(taskMarks{}, 0),
			util.Prioritized(boundedInline{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(boundedInline{parser.NewLinkParser()}, 200),
			util.Prioritized(boundedInline{parser.NewAutoLinkParser()}, 300),
			util.Prioritized(boundedInline{parser.NewRawHTMLParser()}, 400),
			util.Prioritized(boundedInline{parser.NewEmphasisParser()}, 500),
			util.Prioritized(boundedInline{strikethrough{}}, 500),
		),
	)
}

// singleBlankLines returns a copy of source with runs of blank lines shortened
// to one, which only code blocks could tell: goldmark's memory for a blank line
// grows with the lists it is in.
func singleBlankLines(source []byte) []byte {
	kept := make([]byte, 0, len(source))
	wasBlank := false
	for line := range bytes.Lines(source) {
		blank := util.IsBlank(line)
		if !blank || !wasBlank {
			kept = append(kept, line...)
		}
		wasBlank = blank
	}
	return kept
}

// boundedContainer opens no container deeper than maxNesting.
type boundedContainer struct{ parser.BlockParser }

func (b boundedContainer) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	// Asked inside a list, the list parser opens nothing and must run: it
	// takes back what the previous item left in the context.
	if _, ok := parent.(*ast.List); !ok {
		depth := 0
		for n := parent; n != nil; n = n.Parent() {
			if depth++; depth > maxNesting {
				return nil, parser.NoChildren
			}
		}
	}
	return b.BlockParser.Open(parent, reader, pc)
}

// isLong reports whether block exceeds maxText.
func isLong(block ast.Node) bool {
	lines := block.Lines()
	return lines.At(lines.Len()-1).Stop-lines.At(0).Start > maxText
}

// boundedDefinitions takes the link reference definitions off the head of a
// paragraph that is not long.
type boundedDefinitions struct{}

func (boundedDefinitions) Transform(paragraph *ast.Paragraph, reader text.Reader, pc parser.Context) {
	first := paragraph.Lines().At(0) // not yet trimmed
	if bytes.HasPrefix(util.TrimLeftSpace(first.Value(reader.Source())), []byte("[")) && !isLong(paragraph) {
		parser.LinkReferenceParagraphTransformer.Transform(paragraph, reader, pc)
	}
}

// boundedInline leaves the inline syntax of a long block alone.
type boundedInline struct{ parser.InlineParser }

func (b boundedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if isLong(parent) {
		return nil
	}
	return b.InlineParser.Parse(parent, block, pc)
}

func (b boundedInline) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := b.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// tableStarts ends a paragraph where a GFM table starts in it: at a row of
// cells with as many delimiters under it.
type tableStarts struct{}

func (tableStarts) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := paragraph.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		header, delimiters := lines.At(i-1), lines.At(i)
		columns := delimiterRow(delimiters.Value(source))
		if columns == 0 || len(cells(header.Value(source))) != columns {
			continue
		}
		lines.SetSliced(0, i-1)
		// Something must stand for the table: what comes first in a list item,
		// and whether that is empty, decides how the rest of it is read.
		parent, table := paragraph.Parent(), ast.NewThematicBreak()
		parent.InsertAfter(parent, paragraph, table)
		if i == 1 {
			parent.RemoveChild(parent, paragraph)
		}
		return
	}
}

// delimiterRow returns how many columns a row of table delimiters has, 0 if it
// is none. Nothing but dashes is none: where it could be one, it underlines a
// heading; elsewhere it is text.
func delimiterRow(row []byte) (columns int) {
	if indent, _ := util.IndentWidth(row, 0); indent > 3 {
		return 0
	}
	if len(bytes.Trim(row, "|:- \t\r\n")) > 0 || !bytes.ContainsAny(row, "|:") {
		return 0
	}
	delimiters := cells(row)
	for _, d := range delimiters {
		d = bytes.TrimPrefix(bytes.TrimSpace(d), []byte(":"))
		d = bytes.TrimSuffix(d, []byte(":"))
		if len(d) == 0 || len(bytes.Trim(d, "-")) > 0 {
			return 0
		}
	}
	return len(delimiters)
}

// cells splits a row of a table at its pipes, but for those that are escaped.
func cells(row []byte) (cells [][]byte) {
	row = bytes.TrimPrefix(bytes.Trim(row, " \t\r\n"), []byte("|"))
	start := 0
	for i, b := range row {
		if b == '|' && (i == 0 || row[i-1] != '\\') {
			cells = append(cells, row[start:i])
			start = i + 1
		}
	}
	if start < len(row) {
		cells = append(cells, row[start:])
	}
	return cells
}

// strikethrough takes away the tildes around text that is struck through.
type strikethrough struct{}

func (strikethrough) Trigger() []byte { return []byte{'~'} }

func (s strikethrough) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, s)
	if node == nil || node.OriginalLength > 2 || before == '~' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// strikethrough implements parser.DelimiterProcessor. To what is made of a
// plan, text struck through is emphasis like any other.

func (strikethrough) IsDelimiter(b byte) bool { return b == '~' }
func (strikethrough) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}
func (strikethrough) OnMatch(consumes int) ast.Node { return ast.NewEmphasis(consumes) }

// taskMarks reads the mark that a task-list item starts with: GFM's, and those
// in use for a task in progress.
type taskMarks struct{}

// A taskMark stands for the mark in the tree. To goldmark it is an empty string.
type taskMark struct {
	ast.String
	status string
}

func (taskMarks) Trigger() []byte { return []byte{'['} }

func (taskMarks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if parent.HasChildren() || parent.PreviousSibling() != nil || parent.Parent().Kind() != ast.KindListItem {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || line[2] != ']' || len(line) > 3 && !util.IsSpace(line[3]) {
		return nil
	}
	mark := &taskMark{}
	switch line[1] {
	case ' ', '\t':
		mark.status = pending
	case 'x', 'X':
		mark.status = completed
	case '-', '~', '/', '>':
		// GFM does not know these: where they are a link, they stay one.
		if _, ok := pc.Reference(string(line[1:2])); ok {
			return nil
		}
		mark.status = inProgress
	default:
		return nil
	}
	block.Advance(3)
	return mark
}
