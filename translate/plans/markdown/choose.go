package markdown

import (
	"bytes"
	"strings"
	"unicode"
)

// leastScore is what a candidate needs to be shown before the last resort.
const leastScore = 1

// A weight says what speaks for the lines that are chosen.
type weight uint8

const (
	forWant  weight = iota // nothing: they are shown for want of better
	likely                 // their form, their place or the name of their section
	named                  // their section is named for steps, or they are counted as steps are
	boxed                  // they are the plan's own checklist
	grouped                // they are headings in place of its boxes
	outright               // they are to-dos in front matter, or tasks in XML
)

// namedPoints are the least points, apart from those for its size, of a candidate that is
// named for steps.
const namedPoints = 5

// A choice is the lines that are chosen, and what they were chosen from.
type choice struct {
	candidate
	weight weight

	all   []candidate // without the checklist
	boxes candidate   // the plan's own checklist
}

// choose returns the candidate that is the plan's steps: its own checklist, else
// the one with the most points, the first in the text if there are several. If
// none has enough, any checklist will do, and then the last resort.
func (o *outline) choose() choice {
	ch := choice{all: o.candidates(), boxes: o.checklist(false)}
	var best candidate
	for _, c := range ch.all {
		if best.form == noForm || c.score() > best.score() || c.score() == best.score() && o.start(c) < o.start(best) {
			best = c
		}
	}
	if ch.boxes.form != noForm && !o.goesBefore(best, ch.boxes) {
		ch.candidate, ch.weight = ch.boxes, o.weigh(ch.boxes)
		return ch
	}
	if best.form == noForm || best.score() < leastScore && !o.isPlanHere(best) {
		if ch.candidate = o.checklist(true); ch.form != noForm {
			return ch
		}
		if ch.candidate = o.lastResort(); ch.form != noForm {
			return ch
		}
	}
	ch.candidate = best
	if best.form != noForm {
		ch.weight = o.weigh(best)
	}
	return ch
}

// weigh returns what speaks for a candidate, whatever its size.
func (o *outline) weigh(c candidate) weight {
	single := len(c.lines) == 1 && c.lines[0].kind == ofSection
	switch {
	case c.form == checklist && c.lines[0].kind == ofSection:
		return grouped
	case c.form == checklist:
		return boxed
	case c.form == paragraphs:
		return forWant
	case c.points >= namedPoints:
		return named
	case !single && (c.points >= leastScore || o.isPlanHere(c)):
		return likely
	}
	return forWant
}

// isPlanHere reports whether a candidate is where the plan is, few points or not:
// what a section about the work says, or a list or table right below the title.
func (o *outline) isPlanHere(c candidate) bool {
	switch first := c.lines[0]; first.kind {
	case ofItem:
		return o.isTop(o.sectionOf(first.index))
	case ofTable:
		return o.isTop(o.tables[first.index].section)
	}
	return c.form == paragraphs
}

// start returns the block that a candidate starts with.
func (o *outline) start(c candidate) int32 {
	first := c.lines[0]
	switch first.kind {
	case ofSection:
		return o.sections[first.index].block
	case ofItem:
		return o.items[first.index].block
	case ofParagraph:
		return o.paragraphs[first.index].block
	}
	return o.tables[first.index].block
}

// goesBefore reports whether c is the plan although it has a checklist.
func (o *outline) goesBefore(c, boxes candidate) bool {
	if len(boxes.lines) <= 2 && len(c.lines) >= 3 && c.score() >= 5 {
		return true // a stray box or two
	}
	if c.form != units {
		return false
	}
	in := map[int32]bool{}
	without := false
	for _, l := range c.lines {
		in[l.index] = true
		without = without || o.sections[l.index].boxes.all == 0
	}
	outside, named, open := 0, false, false
	for _, l := range boxes.lines {
		s := l.index
		if l.kind == ofItem {
			s = o.sectionOf(l.index)
		}
		if !in[s] && !o.isBelow(s, func(s int32) bool { return in[s] }) {
			outside++
		}
		named = named || o.sections[s].sign == forSteps
		open = open || o.entry(boxes, l).Status != completed
	}
	switch {
	case outside == len(boxes.lines):
		return !named && len(c.lines) >= 3 // the boxes are about something else
	case !open:
		return without // they are what is done already
	}
	return false
}

// lastResort returns what a text without a good candidate shows: the headings
// below its title, if there are some; else the paragraphs above them, else any
// headings, else the rows of its first table.
func (o *outline) lastResort() candidate {
	top := int32(o.title)
	if c := o.sections[0].firstChild; c != 0 && o.sections[c].next == 0 {
		top = c
	}
	below := candidate{form: headings}
	for s := range o.children(top) {
		if o.sections[s].own <= forWork || o.sections[s].counts() {
			below.lines = append(below.lines, line{ofSection, s})
		}
	}
	if len(below.lines) >= 2 {
		return below
	}
	prose, rest := o.firstParagraphs()
	if len(prose) > 0 {
		return candidate{form: paragraphs, lines: prose}
	}
	untitled := int(top) == len(o.sections)-1 // a title would have sections below it
	if len(rest) > 0 && untitled {
		return candidate{form: paragraphs, lines: rest}
	}
	for i := range o.tables {
		if column := o.widest(int(o.tables[i].block)); column >= 0 {
			return candidate{form: rows, lines: []line{{ofTable, int32(i)}}, column: int32(column), status: -1}
		}
	}
	if len(below.lines) > 0 && !o.isLast(o.start(below)) {
		return below
	}
	return candidate{}
}

// isLast reports whether nothing comes after a block, so far.
func (o *outline) isLast(block int32) bool { return int(block) == len(o.doc.Blocks)-1 }

// firstParagraphs returns the paragraphs of the first section that has any, as
// many as make sense: those that say something by themselves, and those that
// introduce something, or a value, as "**Goal:** …" does. It leaves out a
// paragraph that introduces something still missing, and a table without its
// second line.
func (o *outline) firstParagraphs() (prose, rest []line) {
	for i, p := range o.paragraphs {
		raw := o.doc.Raw(int(p.block))
		switch {
		case p.section != o.paragraphs[0].section || len(prose)+len(rest) == mostBoxes:
			return prose, rest
		case raw[0] == '|', endsInColon(raw) && o.isLast(p.block):
		case endsInColon(raw), isLabelled(raw):
			rest = append(rest, line{ofParagraph, int32(i)})
		default:
			prose = append(prose, line{ofParagraph, int32(i)})
		}
	}
	return prose, rest
}

// isLabelled reports whether a paragraph starts with a label in bold type.
func isLabelled(raw []byte) bool {
	if !bytes.HasPrefix(raw, []byte("**")) {
		return false
	}
	label, after, ok := bytes.Cut(raw[2:], []byte("**"))
	return ok && (endsInColon(label) || bytes.HasPrefix(after, []byte(":")) || bytes.HasPrefix(after, []byte("：")))
}

func endsInColon(raw []byte) bool {
	return bytes.HasSuffix(raw, []byte(":")) || bytes.HasSuffix(raw, []byte("："))
}

// entries returns the entries of a candidate.
func (o *outline) entries(c candidate) []Entry {
	es := make([]Entry, 0, len(c.lines))
	add := func(e Entry) {
		if hasWords(e.Content) {
			es = append(es, e)
		}
	}
	for _, l := range c.lines {
		if l.kind == ofTable {
			for e := range o.rowEntries(int(o.tables[l.index].block), int(c.column), int(c.status)) {
				add(e)
			}
			continue
		}
		add(o.entry(c, l))
	}
	return es
}

// hasWords reports whether a text has a letter or digit.
func hasWords(text string) bool { return strings.ContainsFunc(text, isLetterOrDigit) }

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// entry returns the entry of a line of c that is not a table.
func (o *outline) entry(c candidate, l line) (e Entry) {
	said := true
	switch l.kind {
	case ofSection:
		s := &o.sections[l.index]
		e = Entry{s.name, o.sectionStatus(l.index)}
		said = s.boxes.all > 0
	case ofItem:
		e = Entry{o.doc.Plain(o.itemText(l.index)), o.itemStatus(l.index, c.parts[l.index])}
		said = o.items[l.index].mark != ""
	case ofParagraph:
		e = Entry{o.doc.Plain(o.doc.Raw(int(o.paragraphs[l.index].block))), pending}
	}
	if o.allDone && !said && e.Status == pending {
		e.Status = completed
	}
	return e
}
