// Package markdown picks the entries of a plan from a markdown text.
//
// It is pure: text in, entries out.
package markdown

import (
	"bufio"
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	htmlrenderer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// The statuses of an entry.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
)

// A Rendering is what a markdown plan shows as entries.
type Rendering struct {
	Title   string // the text of the first heading that has any
	Entries []Entry
	Done    bool // there are task-list items and every one is completed
}

// An Entry is one entry of a plan.
type Entry struct {
	Content string // one line of plain text, never empty
	Status  string // pending, in_progress or completed
}

// A markdownRule is one way to find the entries of a plan. The first in this
// order that finds any decides.
type markdownRule int

const (
	taskItems markdownRule = iota
	stepHeadings
	orderedItems // of top-level lists
	bulletItems  // of top-level lists
	sectionHeadings
	paragraphs // at top level
	markdownRules
)

// Render reads source as CommonMark with GFM task lists, tables and
// strikethrough, and picks the entries. Front matter, code, tables, quotes and
// HTML make none.
//
// Any source is accepted, also one that is cut short or is not UTF-8. Contents
// are valid UTF-8 without control characters, white space collapsed. Time and
// memory grow with the length of source only, whatever is in it.
//
// It keeps nothing between calls, may be called from several goroutines, and
// neither changes nor retains source.
func Render(source []byte) Rendering {
	source = bytes.ToValidUTF8(source, []byte(string(utf8.RuneError)))
	source = bytes.TrimPrefix(source, []byte("\ufeff"))
	p := &markdownPlan{source: singleBlankLines(source[frontMatterLength(source):])}
	p.html = bufio.NewWriter(&p.rendered)
	p.collect(newMarkdownParser().Parse(text.NewReader(p.source)))

	r := Rendering{Title: p.title}
	for _, r.Entries = range p.found {
		if len(r.Entries) > 0 {
			break
		}
	}
	r.Done = len(p.found[taskItems]) > 0
	for _, task := range p.found[taskItems] {
		r.Done = r.Done && task.Status == completed
	}
	return r
}

// frontMatterLength returns the length of the YAML or TOML front matter that
// source starts with, 0 if none. Front matter without an end, as in a plan that
// is still being written, is taken to reach to the first blank line.
func frontMatterLength(source []byte) int {
	first, rest, _ := bytes.Cut(source, []byte("\n"))
	fence := string(bytes.TrimRight(first, " \t\r"))
	separator := ":"
	switch fence {
	case "---":
	case "+++":
		separator = "="
	default:
		return 0
	}

	// A thematic break looks the same; only the key that follows tells.
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	key, _, found := bytes.Cut(line, []byte(separator))
	key = bytes.TrimRight(key, " \t")
	if !found || len(key) == 0 || bytes.ContainsFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	}) {
		return 0
	}

	length, toBlank := len(first)+1, len(source)
	for line := range bytes.Lines(rest) {
		length += len(line)
		switch string(bytes.TrimRight(line, " \t\r\n")) {
		case fence:
			return length
		case "":
			toBlank = min(toBlank, length)
		}
	}
	return toBlank
}

// markdownPlan gathers what each rule finds in a parsed document.
type markdownPlan struct {
	source     []byte
	title      string
	belowTitle bool // a level-1 heading was seen
	found      [markdownRules][]Entry

	html     *bufio.Writer // into rendered
	rendered bytes.Buffer
}

// collect gathers from the blocks inside parent, quoted ones left out.
func (p *markdownPlan) collect(parent ast.Node) {
	top := parent.Kind() == ast.KindDocument
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			p.collectHeading(n)
		case *ast.Paragraph:
			if top {
				p.add(paragraphs, p.text(n), pending)
			}
		case *ast.List:
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				content, mark := p.item(item)
				if mark != nil {
					p.add(taskItems, content, mark.status)
				}
				if top && n.IsOrdered() {
					p.add(orderedItems, content, pending)
				} else if top {
					p.add(bulletItems, content, pending)
				}
				p.collect(item)
			}
		}
	}
}

func (p *markdownPlan) collectHeading(heading *ast.Heading) {
	content := p.text(heading)
	if p.title == "" {
		p.title = content
	}
	if isNumberedStep(content) {
		p.add(stepHeadings, content, pending)
	}
	if p.belowTitle {
		p.add(sectionHeadings, content, pending)
	}
	p.belowTitle = p.belowTitle || heading.Level == 1
}

func (p *markdownPlan) add(rule markdownRule, content, status string) {
	if content != "" {
		p.found[rule] = append(p.found[rule], Entry{content, status})
	}
}

// item returns the text of the first paragraph that is the item's own, and its
// task mark, nil if it has none.
func (p *markdownPlan) item(item ast.Node) (string, *taskMark) {
	for n := item.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindTextBlock || n.Kind() == ast.KindParagraph {
			mark, _ := n.FirstChild().(*taskMark)
			return p.text(n), mark
		}
	}
	return "", nil
}

// text returns the plain text of a block on one line.
func (p *markdownPlan) text(block ast.Node) string {
	p.rendered.Reset()
	p.write(block)
	p.html.Flush()
	return oneLine(html.UnescapeString(p.rendered.String()))
}

// oneLine returns s with each run of white space and control characters made
// one space, and none at the ends.
func oneLine(s string) string {
	s = strings.TrimSpace(s)
	done := true // as for most
	for i := range len(s) {
		done = done && ' ' <= s[i] && s[i] <= '~' && (s[i] != ' ' || s[i-1] != ' ')
	}
	if done {
		return s
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.Join(words, " ")
}

// write writes the text of an inline or of the inlines in a block as HTML:
// goldmark resolves escapes and character references only for that.
func (p *markdownPlan) write(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		htmlrenderer.DefaultWriter.Write(p.html, n.Value(p.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			p.html.WriteByte(' ')
		}
	case *ast.CodeSpan:
		htmlrenderer.DefaultWriter.RawWrite(p.html, p.codeSpan(n))
	case *ast.AutoLink:
		htmlrenderer.DefaultWriter.RawWrite(p.html, n.Label(p.source))
	case *ast.RawHTML:
		if tag := n.Segments.Value(p.source); strings.HasPrefix(strings.ToLower(string(tag)), "<br") {
			p.html.WriteByte(' ')
		}
	default:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			p.write(c)
		}
	}
}

// codeSpan returns a code span as it is written, backticks included.
func (p *markdownPlan) codeSpan(span *ast.CodeSpan) []byte {
	written := p.source[span.Pos():]
	ticks := written[:len(written)-len(bytes.TrimLeft(written, "`"))]
	inside := span.LastChild().(*ast.Text).Segment.Stop - span.Pos()
	end := inside + bytes.Index(written[inside:], ticks) + len(ticks)
	return written[:end]
}

// isNumberedStep reports whether a heading starts with a number or a numbered
// step: "1. Read", "2.1 Parse", "Step 3", "🚀 Phase 4 — Ship".
func isNumberedStep(heading string) bool {
	isSymbol := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	s := strings.TrimLeftFunc(heading, isSymbol)
	word := s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsLetter))]
	s = s[len(word):]
	if word != "" {
		switch strings.ToLower(word) {
		case "step", "phase", "stage", "milestone", "part", "task", "iteration", "sprint":
		default:
			return false
		}
		s = strings.TrimLeft(s, " #")
	}
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	if digits == "" || len(digits) > 3 {
		return false
	}
	s = s[len(digits):]
	sub := false
	for len(s) > 1 && s[0] == '.' && '0' <= s[1] && s[1] <= '9' {
		s, sub = strings.TrimLeft(s[1:], "0123456789"), true
	}
	after, size := utf8.DecodeRuneInString(s)
	if word != "" {
		return s == "" || !unicode.IsLetter(after) && !unicode.IsDigit(after)
	}
	switch after {
	case '.', ':', ')':
		// Not "10:30" or "3.x"; scripts without spaces need none here.
		next, _ := utf8.DecodeRuneInString(s[size:])
		return len(s) == size || next == ' ' || next >= utf8.RuneSelf
	case '：', '）', '．', '、':
		return true
	case ' ':
		dash, _ := utf8.DecodeRuneInString(s[size:])
		return sub || strings.ContainsRune("-–—", dash) && strings.HasPrefix(s[size+utf8.RuneLen(dash):], " ")
	}
	return false
}
