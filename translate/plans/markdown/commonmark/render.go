package commonmark

import (
	"bytes"
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A part is what inline syntax makes of a part of a text.
type part struct {
	kind        partKind
	at          int    // where it begins, or ends
	start, end  int    // of its text, unless it is emphasis
	destination []byte // of a link
}

type partKind uint8

const (
	ends partKind = iota // what began last
	emphasis
	strong
	strike
	link
	image
	codeSpan
	address
	tag // of HTML
)

// maxNestedParts is how many parts of a line may be in each other. What is deeper is
// drawn as its text.
const maxNestedParts = 12

// AppendHTML appends the text as HTML that can be put into any page. It has no markup
// but its own: what the text has is shown as it is written, and characters that would
// not be seen, or that reorder others, are spelled out. Only addresses of http, https,
// mailto and file are links; the address is shown behind the text of a link, and an
// image is its description. Headings are paragraphs, since they are not those of the
// page. data-at says where in the text an element begins, in UTF-16 units.
func (d *Document) AppendHTML(dst []byte) []byte {
	r := renderer{doc: d, out: dst}
	for i := 1; i < len(d.Blocks); i++ {
		for len(r.open) > 0 && r.open[len(r.open)-1].block > d.Blocks[i].Parent {
			r.close()
		}
		r.block(int32(i))
	}
	for len(r.open) > 0 {
		r.close()
	}
	return r.out
}

// A renderer draws a document.
type renderer struct {
	doc   *Document
	out   []byte
	open  []opened // the containers that are open
	boxed bool     // the paragraph to be drawn has lost its box

	at, units int // a place in the source, and the same in UTF-16 units
}

// An opened is a container, and what ends it.
type opened struct {
	block int32
	end   string
}

func (r *renderer) write(text string) { r.out = append(r.out, text...) }

// begin writes the tag of an element whose text begins at a place in the source.
func (r *renderer) begin(tag string, at int) {
	for r.at < at {
		c, size := utf8.DecodeRune(r.doc.source[r.at:])
		r.at += size
		r.units += utf16.RuneLen(c)
	}
	r.write("<" + tag + ` data-at="` + strconv.Itoa(r.units) + `">`)
}

func (r *renderer) block(i int32) {
	d, b := r.doc, &r.doc.Blocks[i]
	lines := d.lines[b.first : b.first+b.lines]
	switch b.Kind {
	case Quote:
		r.push(i, "<blockquote>", "</blockquote>")
	case List:
		first := d.Blocks[i+1].Number // of the first item
		switch {
		case !b.Ordered():
			r.push(i, "<ul>", "</ul>")
		case first != 1:
			r.push(i, `<ol start="`+strconv.Itoa(int(first))+`">`, "</ol>")
		default:
			r.push(i, "<ol>", "</ol>")
		}
	case Item:
		r.item(i)
	case Heading:
		r.leaf(`p class="heading level`+strconv.Itoa(int(b.Level))+`"`, lines)
	case Paragraph:
		if len(lines) > 0 {
			r.leaf("p", lines)
		}
	case Table:
		r.table(lines)
	case Code:
		r.code(b.Level > 0, lines)
	case HTML:
		r.begin("p", int(lines[0].start))
		r.out = appendText(r.out, string(d.Raw(int(i))))
		r.write("</p>")
	case Break:
		r.write("<hr>")
	}
}

func (r *renderer) push(block int32, tag, end string) {
	r.write(tag)
	r.open = append(r.open, opened{block, end})
}

func (r *renderer) close() {
	last := len(r.open) - 1
	r.write(r.open[last].end)
	r.open = r.open[:last]
}

// item begins an item. A box at its beginning says how far a task is.
func (r *renderer) item(i int32) {
	d := r.doc
	if int(i)+1 < len(d.Blocks) {
		if b := &d.Blocks[i+1]; b.Parent == i && b.Kind == Paragraph && b.lines > 0 {
			if status := Box(d.text(d.lines[b.first])); status != "" {
				r.push(i, `<li class="task `+status+`"><span class="spoken">`+strings.ReplaceAll(status, "_", " ")+": </span><div>", "</div></li>")
				r.boxed = true
				return
			}
		}
	}
	r.push(i, "<li>", "</li>")
}

// leaf draws a paragraph of the text in lines.
func (r *renderer) leaf(tag string, lines []span) {
	var raw []byte
	var breaks []int
	start := int(lines[0].start)
	if r.boxed {
		start = int(lines[0].end) - len(bytes.TrimLeft(r.doc.text(lines[0])[boxLength:], " \t"))
		r.boxed = false
	}
	r.begin(tag, start)
	for k, line := range lines {
		if k > 0 {
			raw = append(raw, '\n')
			if end := int(lines[k-1].end); bytes.HasPrefix(r.doc.source[end:], []byte("  ")) {
				breaks = append(breaks, len(raw)-1)
			}
		}
		raw = append(raw, r.doc.source[max(start, int(line.start)):max(start, int(line.end))]...)
	}
	r.text(raw, breaks)
	r.write("</p>")
}

func (r *renderer) code(fenced bool, lines []span) {
	language := ""
	if fenced {
		language, _, _ = strings.Cut(strings.TrimSpace(string(r.doc.text(lines[0]))), " ")
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1].start == lines[len(lines)-1].end {
		lines = lines[:len(lines)-1]
	}
	r.write("<pre>")
	if language != "" {
		r.write(`<span class="language">`)
		r.out = appendText(r.out, cut(language, 40))
		r.write("</span>")
	}
	if len(lines) > 0 {
		r.begin("code", int(lines[0].start))
	} else {
		r.write("<code>")
	}
	for k, line := range lines {
		if k > 0 {
			r.write("\n")
		}
		r.out = appendText(r.out, string(r.doc.text(line)))
	}
	r.write("</code></pre>")
}

func (r *renderer) table(lines []span) {
	var sides []string
	for _, cell := range appendCells(nil, r.doc.text(lines[1])) {
		side := ""
		switch {
		case bytes.HasPrefix(cell, []byte(":")) && bytes.HasSuffix(cell, []byte(":")) && len(cell) > 1:
			side = ` class="center"`
		case bytes.HasSuffix(cell, []byte(":")):
			side = ` class="end"`
		}
		sides = append(sides, side)
	}
	r.write(`<div class="table" tabindex="0" role="group" aria-label="table"><table><thead>`)
	r.row(lines[0], "th", sides)
	r.write("</thead><tbody>")
	for _, line := range lines[2:] {
		r.row(line, "td", sides)
	}
	r.write("</tbody></table></div>")
}

func (r *renderer) row(line span, tag string, sides []string) {
	r.write("<tr>")
	text := r.doc.text(line)
	cells := appendCells(nil, text)
	for i, cell := range cells[:min(len(cells), len(sides))] {
		at := int(line.start)
		if len(cell) > 0 {
			at += cap(text) - cap(cell) // a cell is a part of the line
		}
		r.begin(tag+sides[i], at)
		r.text(bytes.ReplaceAll(cell, []byte(`\|`), []byte("|")), nil)
		r.write("</" + tag + ">")
	}
	if missing := len(sides) - len(cells); missing > 0 {
		r.write("<" + tag + ` colspan="` + strconv.Itoa(missing) + `"></` + tag + ">")
	}
	r.write("</tr>")
}

// text draws inline text. breaks are line ends that break the line.
func (r *renderer) text(raw []byte, breaks []int) {
	t := &r.doc.inline
	t.resolve(r.doc, raw)
	slices.SortFunc(t.parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	parts := t.parts
	var open []string // what ends the parts that are open
	for i := 0; i < len(raw); {
		if len(parts) > 0 && parts[0].at == i {
			p := parts[0]
			parts = parts[1:]
			switch {
			case p.kind == ends:
				last := len(open) - 1
				r.write(open[last])
				open = open[:last]
			case p.kind >= codeSpan:
				i = r.whole(p)
				continue
			case len(open) < maxNestedParts:
				open = append(open, r.start(p))
			default:
				open = append(open, "")
			}
		}
		c, size := utf8.DecodeRune(raw[i:])
		switch {
		case c == '\n':
			broken := len(breaks) > 0 && breaks[0] == i
			if broken {
				breaks = breaks[1:]
			}
			if broken || i > 0 && raw[i-1] == '\\' && t.uses[i-1] == syntax {
				r.write("<br>")
			} else {
				r.write("\n")
			}
		case t.uses[i] == syntax:
		case c == '&' && t.uses[i] == content:
			var character string
			character, size = reference(raw[i:])
			r.out = appendText(r.out, character)
		default:
			r.out = appendText(r.out, string(raw[i:i+size]))
		}
		i += size
	}
}

// start begins a part, and returns what ends it.
func (r *renderer) start(p part) (end string) {
	switch p.kind {
	case link:
		target := plainDestination(p.destination)
		end = r.link(target)
		if text := r.doc.inline.text[p.start:p.end]; target != "" && string(text) != target {
			end += ` <span class="address">` + string(appendText(nil, cut(target, 200))) + "</span>"
		}
		return end
	case image:
		r.write(`<span class="image">`)
		return "</span>"
	}
	tag := [...]string{emphasis: "em>", strong: "strong>", strike: "del>"}[p.kind]
	r.write("<" + tag)
	return "</" + tag
}

// whole draws a part that has no others in it, and returns where it ends.
func (r *renderer) whole(p part) int {
	t := &r.doc.inline
	text := string(t.text[p.start:p.end])
	switch p.kind {
	case codeSpan:
		text = strings.ReplaceAll(text, "\n", " ")
		if inside := strings.TrimSuffix(strings.TrimPrefix(text, " "), " "); len(inside) == len(text)-2 && strings.Trim(text, " ") != "" {
			text = inside
		}
		r.write("<code>")
		r.out = appendText(r.out, text)
		r.write("</code>")
		return p.end + p.start - p.at
	case address:
		end := r.link(addressOf(text))
		r.out = appendText(r.out, text)
		r.write(end)
		return p.end + p.start - p.at // with the bracket that ends an autolink
	}
	if t.uses[p.start] == space {
		r.write("<br>")
	} else {
		r.out = appendText(r.out, text)
	}
	return p.end
}

// addressOf returns where an address in a text leads.
func addressOf(text string) string {
	switch {
	case strings.HasPrefix(text, "www."):
		return "http://" + text
	case !strings.Contains(text, ":"):
		return "mailto:" + text
	}
	return text
}

// link begins a link, and returns what ends it.
func (r *renderer) link(target string) (end string) {
	if !mayLink(target) {
		r.write(`<span class="link">`)
		return "</span>"
	}
	r.write(`<a class="link" target="_blank" rel="noopener noreferrer" href="` + html.EscapeString(target) + `">`)
	return "</a>"
}

// mayLink reports whether an address has a scheme that is known to do no harm.
func mayLink(target string) bool {
	scheme, _, found := strings.Cut(target, ":")
	if !found || strings.ContainsFunc(target, unseen) {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "file":
		return true
	}
	return false
}

// plainDestination returns the address in a destination as it is written.
func plainDestination(written []byte) string {
	if len(written) > 1 && written[0] == '<' {
		written = written[1 : len(written)-1]
	}
	var plain []byte
	for i := 0; i < len(written); i++ {
		switch c := written[i]; {
		case c == '\\' && i+1 < len(written) && isPunctuation(written[i+1]):
			i++
			plain = append(plain, written[i])
		case c == '&':
			character, length := reference(written[i:])
			plain = append(plain, character...)
			i += length - 1
		default:
			plain = append(plain, c)
		}
	}
	return string(plain)
}

// appendText appends a text with its markup escaped and with what would be unseen
// spelled out.
func appendText(dst []byte, text string) []byte {
	for _, c := range text {
		switch {
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '<':
			dst = append(dst, "&lt;"...)
		case c == '>':
			dst = append(dst, "&gt;"...)
		case unseen(c):
			hex := strings.ToUpper(strconv.FormatInt(int64(c), 16))
			dst = append(dst, "⟨U+"+strings.Repeat("0", max(0, 4-len(hex)))+hex+"⟩"...)
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return dst
}

// unseen reports whether a reader would not see a character, or whether it reorders the
// text around it. The zero-width joiner is not among them, because emoji need it.
func unseen(c rune) bool {
	if c == '\t' || c == '\n' || c == '\u200d' || unicode.Is(unicode.Prepended_Concatenation_Mark, c) {
		return false
	}
	return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
