package commonmark

import (
	"bytes"
)

// htmlTag is an opening or closing tag.
const htmlTag = `^<(?:[A-Za-z][A-Za-z0-9-]*(?:[ \t\r\n]+[A-Za-z_:][A-Za-z0-9_.:-]*` +
	`(?:[ \t\r\n]*=[ \t\r\n]*(?:[^ \t\r\n"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*[ \t\r\n]*/?|` +
	`/[A-Za-z][A-Za-z0-9-]*[ \t\r\n]*)>`

var startsTag = pattern{text: htmlTag}

// tagLength returns the length of the opening or closing tag that s starts with, 0 if it
// starts with none.
func tagLength(s []byte) int {
	name := bytes.TrimPrefix(s[1:], []byte("/"))
	end := 0
	for end < len(name) && isLetter(name[end]) {
		end++
	}
	if end > 0 && end < len(name) && name[end] == '>' { // as most have no attributes
		return len(s) - len(name) + end + 1
	}
	return len(startsTag.find(s))
}

// htmlBlocks says what an HTML block begins and ends with. Those without an end end with
// a blank line.
var htmlBlocks = [...]struct{ start, end pattern }{
	{start: pattern{text: `(?i)^<(?:pre|script|style|textarea)(?:[ \t\r>]|$)`}, end: pattern{text: `(?i)</(?:pre|script|style|textarea)>`}},
	{start: pattern{text: `^<!--`}, end: pattern{text: `-->`}},
	{start: pattern{text: `^<\?`}, end: pattern{text: `\?>`}},
	{start: pattern{text: `^<!\[CDATA\[`}, end: pattern{text: `]]>`}},
	{start: pattern{text: `^<![A-Za-z]`}, end: pattern{text: `>`}},
	{start: pattern{text: `(?i)^</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|` +
		`dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|` +
		`iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|` +
		`tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[ \t\r]|/?>|$)`}},
	// Any other tag that is alone on its line. It does not end a paragraph.
	{start: pattern{text: htmlTag + `[ \t\r]*$`}},
}

// startsHTML reports whether the line starts an HTML block, and notes what ends it.
func (p *parser) startsHTML() bool {
	for i := range htmlBlocks {
		b := &htmlBlocks[i]
		if b.start.find(p.rest()) != nil && (p.leaf != inParagraph || i < len(htmlBlocks)-1) {
			if p.htmlEnd = nil; b.end.text != "" {
				p.htmlEnd = &b.end
			}
			return true
		}
	}
	return false
}

// commentLength returns the length of the comment that s starts with, 0 if it starts with
// none.
func (t *inline) commentLength(s []byte) int {
	if t.unclosedComment || !bytes.HasPrefix(s, []byte("<!--")) {
		return 0
	}
	const open, end = "<!", "-->" // "<!-->" is a comment
	length := bytes.Index(s[len(open):], []byte(end))
	if length < 0 {
		t.unclosedComment = true
		return 0
	}
	return len(open) + length + len(end)
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
