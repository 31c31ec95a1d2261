package commonmark

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// HTML returns the text as HTML for any page. It renders headings, paragraphs, lists with boxes,
// quotes, tables, code blocks, bold type and code spans. All other text is escaped: tags and links
// in it have no effect. Headings are paragraphs, because the page has headings of its own.
// Invisible characters, and characters that reorder others, are spelled out. data-at is the offset
// of an element's text in the source, in UTF-16 units.
func (d *Document) HTML() []byte {
	h := htmlWriter{Document: d}
	for i := 1; i < len(d.Blocks); i++ {
		h.writeBlock(i)
	}
	h.close(-1)
	return h.out
}

// An htmlWriter writes a document as HTML.
type htmlWriter struct {
	*Document
	out  []byte
	open []element

	offset, units int // an offset in the source, in bytes and in UTF-16 units
}

// An element is an open container and its tag.
type element struct {
	block int
	tag   string
}

func (h *htmlWriter) printf(format string, args ...any) { h.out = fmt.Appendf(h.out, format, args...) }

// push opens the element of a container.
func (h *htmlWriter) push(block int, tag, attributes string) {
	h.printf("<%s%s>", tag, attributes)
	h.open = append(h.open, element{block, tag})
}

// close closes the open elements inside of the block parent, before its next child.
func (h *htmlWriter) close(parent int) {
	for last := len(h.open) - 1; last >= 0 && h.open[last].block > parent; last-- {
		h.printf("</%s>", h.open[last].tag)
		h.open = h.open[:last]
	}
}

func (h *htmlWriter) writeBlock(i int) {
	b := &h.Blocks[i]
	h.close(int(b.Parent))
	text := h.Raw(i)
	switch {
	case b.Kind == Quote:
		h.push(i, "blockquote", "")
	case b.Kind == List && b.Ordered():
		h.push(i, "ol", fmt.Sprintf(` start="%d"`, h.Blocks[i+1].Number))
	case b.Kind == List:
		h.push(i, "ul", "")
	case b.Kind == Item:
		h.writeItem(i)
	case b.Kind == Break:
		h.printf("<hr>")
	case len(text) == 0:
	case b.Kind == Table:
		h.writeTable(i)
	case b.Kind == Code:
		h.writeText("pre", ` dir="ltr"`, h.start(i), text)
	case b.Kind == Heading:
		h.writeText("p", fmt.Sprintf(` class="heading level%d"`, b.Level), h.start(i), text)
	case h.ItemBox(i) != "":
		h.writeText("p", "", h.start(i)+boxLength, text[boxLength:])
	default:
		h.writeText("p", "", h.start(i), text)
	}
}

// start returns the offset of a block's text in the source.
func (h *htmlWriter) start(block int) int { return int(h.lines[h.Blocks[block].firstLine].start) }

// writeItem opens an item of a list. A box at the start of the item is the status of a task.
func (h *htmlWriter) writeItem(i int) {
	status := h.ItemBox(i + 1)
	if status == "" {
		h.push(i, "li", "")
		return
	}
	h.push(i, "li", fmt.Sprintf(` class="task %s"`, status))
	h.printf(`<span class="spoken">%s: </span>`, strings.ReplaceAll(status, "_", " "))
	h.push(i, "div", "")
}

func (h *htmlWriter) writeTable(i int) {
	h.printf(`<div class="table" tabindex="0" role="group" aria-label="table"><table>`)
	tag := "th"
	for _, cells := range h.Rows(i) {
		h.printf("<tr>")
		for _, cell := range cells {
			h.writeText(tag, "", cap(h.source)-cap(cell), cell) // a cell is a part of the source
		}
		h.printf("</tr>")
		tag = "td"
	}
	h.printf("</table></div>")
}

// writeText writes an element with a text that begins at start in the source.
func (h *htmlWriter) writeText(tag, attributes string, start int, text []byte) {
	if len(text) > 0 {
		h.units += len(utf16.Encode([]rune(string(h.source[h.offset:start]))))
		h.offset = start
	}
	h.writeElement(tag, fmt.Sprintf(`%s data-at="%d"`, attributes, h.units), text)
}

// writeElement writes an element. In code, inline syntax is text.
func (h *htmlWriter) writeElement(tag, attributes string, text []byte) {
	h.printf("<%s%s>", tag, attributes)
	if tag == "pre" || tag == "code" {
		h.writeEscaped(text)
	} else {
		h.writeInline(text)
	}
	h.printf("</%s>", tag)
}

// writeInline writes a text with the code spans and the bold type in it.
func (h *htmlWriter) writeInline(text []byte) {
	plain := 0 // the start of the text that is not yet written
	for i := 0; i < len(text); {
		tag, run, end := "strong", runLength(text[i:]), 0
		if text[i] == '`' {
			tag = "code"
		}
		if tag == "code" || text[i] == '*' && run == 2 {
			end = closing(text, i, run)
		}
		if end > 0 {
			h.writeEscaped(text[plain:i])
			h.writeElement(tag, "", text[i+run:i+end])
			plain = i + end + run
		}
		i += end + run
	}
	h.writeEscaped(text[plain:])
}

// writeEscaped writes text. It spells out invisible characters, and those that reorder the text
// around them. Emoji need the zero-width joiner.
func (h *htmlWriter) writeEscaped(text []byte) {
	for _, c := range html.EscapeString(string(text)) {
		if c != '\t' && c != '\n' && c != '\u200d' && !unicode.Is(unicode.Prepended_Concatenation_Mark, c) &&
			unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			h.printf("⟨U+%04X⟩", c)
		} else {
			h.out = utf8.AppendRune(h.out, c)
		}
	}
}
