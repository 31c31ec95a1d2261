package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
)

// minScore is the score below which a candidate is only a fallback.
const minScore = 1

// choose returns the candidate with the plan's steps: the plan's own checklist, or else the candidate
// with the highest score, the first in the text if there are several. If that score is below
// minScore, it returns any checklist, or else a fallback, or nil.
func (o *outline) choose() *candidate {
	o.findCandidates()
	own := o.checklist(false)
	var best *candidate
	for _, c := range o.candidates {
		if best == nil || c.score() > best.score() || c.score() == best.score() && c.start() < best.start() {
			best = c
		}
	}
	switch {
	case own != nil && (best == nil || !o.replaces(best, own)):
		return own
	case best != nil && (best.score() >= minScore || o.isPlanHere(best)):
		return best
	}
	return cmp.Or(o.checklist(true), o.lastResort(), best)
}

// isPlanHere reports whether the position of a candidate outweighs a low score. This is so for the
// paragraphs of a section of steps or work, and for a list or table directly below the title.
func (o *outline) isPlanHere(c *candidate) bool {
	first := c.elements[0]
	return c.layout == paragraphsLayout || first.kind != aHeading && o.isTop(first.section)
}

// replaces reports whether c has the steps of the plan, rather than the boxes of its checklist.
func (o *outline) replaces(c, own *candidate) bool {
	if len(own.elements) <= 2 && len(c.elements) >= 3 && c.score() >= 5 {
		return true // a stray box or two, beside three numbered headings or better
	}
	if c.layout != unitsLayout {
		return false
	}
	inUnits := map[*section]bool{}
	hasUnboxed := false
	for _, e := range c.elements {
		inUnits[e.section] = true
		hasUnboxed = hasUnboxed || e.boxes.all == 0
	}
	allOutside, anyInSteps, anyOpen := true, false, false
	for _, e := range own.elements {
		allOutside = allOutside && !inUnits[e.section] && !e.section.isBelow(inUnits)
		anyInSteps = anyInSteps || e.section.hint == forSteps
		anyOpen = anyOpen || o.entry(own, e).Status != completed
	}
	if allOutside {
		return !anyInSteps && len(c.elements) >= 3 // the boxes concern something else
	}
	return !anyOpen && hasUnboxed // the boxes are the completed part
}

// lastResort returns the fallback of a text: the headings below its title, if there are two or more,
// else the first paragraphs, else the rows of the first table, else a single heading, else nil.
func (o *outline) lastResort() *candidate {
	top := o.top
	if children := o.sections[0].children; len(children) == 1 {
		top = children[0]
	}
	var steps []*element
	for _, s := range top.children {
		if s.ownHint <= forWork || s.isStep() {
			steps = append(steps, &s.element)
		}
	}
	if len(steps) < 2 {
		if prose := o.firstParagraphs(); len(prose) > 0 {
			return &candidate{layout: paragraphsLayout, elements: prose}
		}
		for _, t := range o.tables {
			columns, _ := o.columns(t)
			if i := longest(columns, func(c column) bool { return c.length > 0 }); i >= 0 {
				return &candidate{layout: rowsLayout, elements: []*element{t}, column: i, status: -1}
			}
		}
	}
	if len(steps) > 0 {
		return &candidate{layout: headingsLayout, elements: steps}
	}
	return nil
}

// firstParagraphs returns at most mostParagraphs paragraphs of the first section with paragraphs. It
// omits paragraphs that end with a colon, and the first line of an incomplete table.
func (o *outline) firstParagraphs() (prose []*element) {
	for _, p := range o.paragraphs {
		if p.section != o.paragraphs[0].section || len(prose) == mostParagraphs {
			break
		}
		if raw := o.raw(p); raw[0] != '|' && !bytes.HasSuffix(raw, []byte(":")) {
			prose = append(prose, p)
		}
	}
	return prose
}

// isFallback reports whether nothing suggests that the elements are steps.
func (c *candidate) isFallback() bool {
	kind := c.elements[0].kind
	return kind == aParagraph || kind == aHeading && c.layout == headingsLayout && c.points < minScore
}

// entries returns the entries of a candidate. It omits those without a letter or digit.
func (o *outline) entries(c *candidate) []Entry {
	es := make([]Entry, 0, len(c.elements))
	for _, e := range c.elements {
		if e.kind == aTable {
			es = o.appendRows(es, c)
		} else {
			es = append(es, o.entry(c, e))
		}
	}
	return slices.DeleteFunc(es, func(e Entry) bool { return !strings.ContainsFunc(e.Content, isLetterOrDigit) })
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// entry returns the entry of an element of c that is not a table.
func (o *outline) entry(c *candidate, from *element) Entry {
	e := Entry{Status: pending}
	if from.kind == aHeading {
		e.Content = from.section.name
	} else {
		e.Content = commonmark.Plain(o.raw(from))
	}
	if from.kind != aParagraph {
		e.Status = o.status(from, c.parts[from])
	}
	return e
}
