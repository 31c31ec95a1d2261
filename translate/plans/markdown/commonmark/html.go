package commonmark

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// HTML returns the text as HTML for any page. It renders headings, paragraphs, lists with
// boxes, quotes, tables, code blocks, bold type and code spans. All other text is escaped:
// the HTML has no markup of the text and no links. Headings are paragraphs, because the page
// has its own. Invisible characters, and characters that reorder others, are spelled out. data-at is the offset of an element's text in the
// source, in UTF-16 units.
func (d *Document) HTML() []byte {
	w := htmlWriter{Document: d}
	for i := 1; i < len(d.Blocks); i++ {
		w.block(i)
	}
	w.close(-1)
	return w.out
}

// An htmlWriter writes a document as HTML.
type htmlWriter struct {
	*Document
	out  []byte
	open []element

	at, units int // an offset in the source, in bytes and in UTF-16 units
}

// An element is an open container and its tag.
type element struct {
	block int
	tag   string
}

func (w *htmlWriter) printf(format string, args ...any) { w.out = fmt.Appendf(w.out, format, args...) }

// push opens the element of a container.
func (w *htmlWriter) push(block int, tag, attributes string) {
	w.printf("<%s%s>", tag, attributes)
	w.open = append(w.open, element{block, tag})
}

// close closes the elements of the containers that do not contain the children of a block.
func (w *htmlWriter) close(parent int) {
	for last := len(w.open) - 1; last >= 0 && w.open[last].block > parent; last-- {
		w.printf("</%s>", w.open[last].tag)
		w.open = w.open[:last]
	}
}

func (w *htmlWriter) block(i int) {
	b := &w.Blocks[i]
	w.close(int(b.Parent))
	text := w.Raw(i)
	switch {
	case b.Kind == Quote:
		w.push(i, "blockquote", "")
	case b.Kind == List && b.Ordered():
		w.push(i, "ol", fmt.Sprintf(` start="%d"`, w.Blocks[i+1].Number))
	case b.Kind == List:
		w.push(i, "ul", "")
	case b.Kind == Item:
		w.item(i)
	case b.Kind == Break:
		w.printf("<hr>")
	case len(text) == 0:
	case b.Kind == Table:
		w.table(i)
	case b.Kind == Code:
		w.text("pre", ` dir="ltr"`, w.start(i), text)
	case b.Kind == Heading:
		w.text("p", fmt.Sprintf(` class="heading level%d"`, b.Level), w.start(i), text)
	case w.ItemBox(i) != "":
		w.text("p", "", w.start(i)+boxLength, text[boxLength:])
	default:
		w.text("p", "", w.start(i), text)
	}
}

// start returns the offset of a block's text in the source.
func (w *htmlWriter) start(block int) int { return int(w.lines[w.Blocks[block].first].start) }

// item opens an item of a list. A box at its start is the status of a task.
func (w *htmlWriter) item(i int) {
	status := w.ItemBox(i + 1)
	if status == "" {
		w.push(i, "li", "")
		return
	}
	w.push(i, "li", fmt.Sprintf(` class="task %s"`, status))
	w.printf(`<span class="spoken">%s: </span>`, strings.ReplaceAll(status, "_", " "))
	w.push(i, "div", "")
}

func (w *htmlWriter) table(i int) {
	w.printf(`<div class="table" tabindex="0" role="group" aria-label="table"><table>`)
	tag := "th"
	for _, cells := range w.Rows(i) {
		w.printf("<tr>")
		for _, cell := range cells {
			w.text(tag, "", cap(w.source)-cap(cell), cell) // a cell is a part of the source
		}
		w.printf("</tr>")
		tag = "td"
	}
	w.printf("</table></div>")
}

// text writes an element with text that begins at an offset in the source.
func (w *htmlWriter) text(tag, attributes string, at int, text []byte) {
	if len(text) > 0 {
		w.units += len(utf16.Encode([]rune(string(w.source[w.at:at]))))
		w.at = at
	}
	w.element(tag, fmt.Sprintf(`%s data-at="%d"`, attributes, w.units), text)
}

// element writes an element. In code, inline syntax is text.
func (w *htmlWriter) element(tag, attributes string, text []byte) {
	w.printf("<%s%s>", tag, attributes)
	if tag == "pre" || tag == "code" {
		w.escape(text)
	} else {
		w.inline(text)
	}
	w.printf("</%s>", tag)
}

// inline writes a text with its code spans and its bold type.
func (w *htmlWriter) inline(text []byte) {
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
			w.escape(text[plain:i])
			w.element(tag, "", text[i+run:i+end])
			plain = i + end + run
		}
		i += end + run
	}
	w.escape(text[plain:])
}

// escape writes text. It spells out invisible characters, and those that reorder the text
// around them. Emoji need the zero-width joiner.
func (w *htmlWriter) escape(text []byte) {
	for _, c := range html.EscapeString(string(text)) {
		if c != '\t' && c != '\n' && c != '\u200d' && !unicode.Is(unicode.Prepended_Concatenation_Mark, c) &&
			unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			w.printf("⟨U+%04X⟩", c)
		} else {
			w.out = utf8.AppendRune(w.out, c)
		}
	}
}
