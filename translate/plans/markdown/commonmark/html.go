package commonmark

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendHTML appends the text as HTML for any page. It draws headings, paragraphs, lists
// with boxes, quotes, tables, code, and in a line bold type and code spans. Everything
// else is shown as it was written: the HTML has no markup of the text and no links.
// Headings are paragraphs, because they are not those of the page. Characters that are
// invisible, or that reorder others, are spelled out. data-at is the offset of an
// element's text in the source, in UTF-16 units.
func (d *Document) AppendHTML(dst []byte) []byte {
	w := htmlWriter{doc: d, out: dst}
	for i := 1; i < len(d.Blocks); i++ {
		w.close(d.Blocks[i].Parent)
		w.block(int32(i))
	}
	w.close(-1)
	return w.out
}

// An htmlWriter writes a document as HTML.
type htmlWriter struct {
	doc  *Document
	out  []byte
	open []element
	box  int32 // the length of the box at the start of the next text

	at, units int // an offset in the source, in bytes and in UTF-16 units
}

// An element is an open container and its closing tags.
type element struct {
	block int32
	end   string
}

// close closes the containers that are not, and do not hold, a block.
func (w *htmlWriter) close(block int32) {
	for last := len(w.open) - 1; last >= 0 && w.open[last].block > block; last-- {
		w.write(w.open[last].end)
		w.open = w.open[:last]
	}
}

func (w *htmlWriter) write(markup string) { w.out = append(w.out, markup...) }

// push opens a container.
func (w *htmlWriter) push(block int32, tag, attributes string) {
	w.write("<" + tag + attributes + ">")
	w.open = append(w.open, element{block, "</" + tag + ">"})
}

func (w *htmlWriter) block(i int32) {
	d, b := w.doc, &w.doc.Blocks[i]
	lines := d.lines[b.first : b.first+b.lines]
	switch {
	case b.Kind == Quote:
		w.push(i, "blockquote", "")
	case b.Kind == List && b.Ordered():
		w.push(i, "ol", ` start="`+strconv.Itoa(int(d.Blocks[i+1].Number))+`"`)
	case b.Kind == List:
		w.push(i, "ul", "")
	case b.Kind == Item:
		w.item(i)
	case b.Kind == Table:
		w.table(lines)
	case b.Kind == Break:
		w.write("<hr>")
	case len(lines) == 0:
	case b.Kind == Heading:
		w.text("p", ` class="heading level`+strconv.Itoa(int(b.Level))+`"`, lines...)
	case b.Kind == Code && b.Level == 0:
		w.code(lines)
	case b.Kind == Code:
		w.code(lines[1:])
	default:
		w.text("p", "", lines...)
	}
}

// item opens an item of a list. A box at its start is the status of a task.
func (w *htmlWriter) item(i int32) {
	d := w.doc
	if int(i)+1 < len(d.Blocks) {
		b := &d.Blocks[i+1]
		if b.Parent == i && b.Kind == Paragraph {
			if status := Box(d.text(d.lines[b.first])); status != "" {
				w.box = int32(boxLength)
				w.push(i, "li", ` class="task `+status+`"`)
				w.write(`<span class="spoken">` + strings.ReplaceAll(status, "_", " ") + ": </span>")
				w.push(i, "div", "")
				return
			}
		}
	}
	w.push(i, "li", "")
}

// text writes an element with the text of lines.
func (w *htmlWriter) text(tag, attributes string, lines ...span) {
	var raw []byte
	for n, line := range lines {
		if n == 0 {
			line.start += w.box
			w.box = 0
			w.begin(tag, attributes, line)
		} else {
			raw = append(raw, '\n')
		}
		raw = append(raw, w.doc.text(line)...)
	}
	w.inline(raw)
	w.write("</" + tag + ">")
}

// begin opens an element whose text begins with a line.
func (w *htmlWriter) begin(tag, attributes string, line span) {
	for w.at < int(line.start) {
		c, size := utf8.DecodeRune(w.doc.source[w.at:])
		w.at += size
		w.units += utf16.RuneLen(c)
	}
	w.write("<" + tag + attributes + ` data-at="` + strconv.Itoa(w.units) + `">`)
}

func (w *htmlWriter) code(lines []span) {
	w.write("<pre>")
	for n, line := range lines {
		if n == 0 {
			w.begin("code", "", line)
		} else {
			w.write("\n")
		}
		w.escape(w.doc.text(line))
	}
	if len(lines) > 0 {
		w.write("</code>")
	}
	w.write("</pre>")
}

func (w *htmlWriter) table(lines []span) {
	w.write(`<div class="table" tabindex="0" role="group" aria-label="table"><table>`)
	columns := len(appendCells(nil, w.doc.text(lines[0])))
	for n, line := range lines {
		tag := "td"
		switch n {
		case 0:
			tag = "th"
		case 1:
			continue // the row of delimiters
		}
		w.write("<tr>")
		text := w.doc.text(line)
		cells := appendCells(nil, text)
		for _, cell := range cells[:min(len(cells), columns)] {
			start := line.start
			if len(cell) > 0 {
				start += int32(cap(text) - cap(cell)) // a cell is a part of the line
			}
			w.text(tag, "", span{start, start + int32(len(cell))})
		}
		w.write("</tr>")
	}
	w.write("</table></div>")
}

// inline writes a text with its code spans and its bold type.
func (w *htmlWriter) inline(raw []byte) {
	plain := 0 // the start of the text that is not yet written
	for i := 0; i < len(raw); {
		run := runLength(raw[i:])
		end := 0
		if raw[i] == '`' || raw[i] == '*' && run == 2 {
			end = closing(raw, i, run)
		}
		if end == 0 {
			i += run
			continue
		}
		w.escape(raw[plain:i])
		inner := raw[i+run : i+end]
		if raw[i] == '`' {
			w.write("<code>")
			w.escape(inner)
			w.write("</code>")
		} else {
			w.write("<strong>")
			w.inline(inner)
			w.write("</strong>")
		}
		i += end + run
		plain = i
	}
	w.escape(raw[plain:])
}

// escape writes text. It spells out characters that a reader would not see, or that
// reorder the text around them. Emoji need the zero-width joiner.
func (w *htmlWriter) escape(text []byte) {
	for _, c := range string(text) {
		switch {
		case c == '&':
			w.write("&amp;")
		case c == '<':
			w.write("&lt;")
		case c == '>':
			w.write("&gt;")
		case c != '\t' && c != '\n' && c != '\u200d' && !unicode.Is(unicode.Prepended_Concatenation_Mark, c) &&
			unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			w.write(fmt.Sprintf("⟨U+%04X⟩", c))
		default:
			w.out = utf8.AppendRune(w.out, c)
		}
	}
}
