package markdown

import (
	"bytes"
	"slices"
)

// A Growth is which lines are shown of a text that is being written. The zero Growth is
// that of a text that has not been rendered.
type Growth struct {
	begun bool     // the text has been rendered, and was not complete
	shown identity // of the lines that are shown
}

// An identity tells chosen lines from others in a text that grows: what has been
// written stays, so lines that start with the same block are the same.
type identity struct {
	form   form
	kind   lineKind
	level  int8  // of headings
	start  int32 // the block
	weight weight
}

// clearlyBetter is how many points more a candidate needs to take the place of one of
// the same weight: more than the size of a list is worth when it has begun and when it
// is complete.
const clearlyBetter = 4

// RenderGrowing is Render for a text that may still be written on. With the Growth of a
// text that source goes on from, the list that is shown stays, and grows, until another
// is clearly better: something else speaks for it. What nothing speaks for waits until
// the text is complete, and so does a last line without an end: it may be half of one. A
// text that comes in one piece may be complete, so of such a text only a single paragraph
// or heading waits. [RenderWhole] is for a text that is complete.
func RenderGrowing(source []byte, g Growth) (Rendering, Growth) {
	grows, hasWords := g.begun, bytes.ContainsFunc(source, isLetterOrDigit)
	if grows {
		source = source[:bytes.LastIndexByte(source, '\n')+1]
	}
	g.begun = true
	r, o := read(source)
	if o == nil {
		g.shown = identity{weight: outright}
		return r, g
	}
	ch := o.choose()
	if show := o.inert(ch, g.shown, grows); show.form != noForm {
		if r.Entries = o.entries(show); len(r.Entries) > 0 {
			weight := ch.weight
			if show.form != ch.form || !slices.Equal(show.lines, ch.lines) {
				weight = o.weigh(show)
			}
			g.shown = o.identify(show, weight)
		}
	}
	r.Unclear = hasWords && len(r.Entries) == 0
	return r, g
}

// RenderWhole is Render with the Growth of a text that was complete, and may be written on
// all the same. What is written then may come in one piece.
func RenderWhole(source []byte) (r Rendering, g Growth) {
	r, o := read(source)
	if o == nil {
		g.shown = identity{weight: outright}
		return r, g
	}
	ch := o.choose()
	if r.Entries = o.entries(ch.candidate); len(r.Entries) > 0 {
		r.Unclear = false
		g.shown = o.identify(ch.candidate, ch.weight)
	}
	return r, g
}

// inert returns what is to be shown of a text that may grow on, a candidate without form
// if what is shown is to stay as it is.
func (o *outline) inert(ch choice, shown identity, grows bool) candidate {
	if shown == (identity{}) {
		single := len(ch.lines) == 1 && (ch.lines[0].kind == ofParagraph || ch.lines[0].kind == ofSection)
		if ch.weight == forWant && (grows || single) {
			return candidate{}
		}
		return ch.candidate
	}
	heir := o.heir(ch, shown)
	weight := shown.weight
	if heir.form != noForm {
		weight = max(weight, o.weigh(heir))
	}
	switch {
	case ch.form == noForm || ch.weight > weight:
		return ch.candidate
	case shown.form == checklist && ch.form != checklist && ch.boxes.form != noForm && ch.weight >= named:
		return ch.candidate // it goes before the boxes
	case heir.form != noForm && ch.weight == weight && weight < boxed && ch.score() >= heir.score()+clearlyBetter:
		return ch.candidate
	case heir.form == noForm && ch.weight > forWant && ch.weight >= weight:
		return ch.candidate // what was shown is something else now
	case len(heir.lines) > mostBoxes && len(ch.lines) < len(heir.lines) && ch.weight > forWant:
		return ch.candidate // what was shown is too long now
	}
	return heir
}

// heir returns what the lines that are shown have become, a candidate without form if
// nothing has.
func (o *outline) heir(ch choice, shown identity) (heir candidate) {
	if shown.form == checklist && ch.boxes.form != noForm {
		switch {
		case shown.kind == ofItem:
		case ch.form == checklist && ch.lines[0].kind == ofSection && o.start(ch.candidate) == shown.start:
			return ch.candidate
		default:
			return o.groupsAt(shown.level)
		}
		if ch.boxes.lines[0].kind == ofItem {
			return ch.boxes
		}
		return candidate{}
	}
	for _, c := range append(ch.all, ch.candidate) {
		if c.form == shown.form && c.lines[0].kind == shown.kind && o.start(c) == shown.start &&
			(heir.form == noForm || c.score() > heir.score()) {
			heir = c
		}
	}
	return heir
}

// groupsAt returns the headings of a level in which there are boxes of the plan's own
// checklist, if they are few.
func (o *outline) groupsAt(level int8) candidate {
	c := candidate{form: checklist}
	for i := range o.sections {
		if s := &o.sections[i]; s.level == level && s.checklist > 0 {
			c.lines = append(c.lines, line{ofSection, int32(i)})
		}
	}
	if len(c.lines) == 0 || len(c.lines) > mostHeadings {
		return candidate{}
	}
	return c
}

func (o *outline) identify(c candidate, w weight) identity {
	id := identity{form: c.form, kind: c.lines[0].kind, start: o.start(c), weight: w}
	if id.kind == ofSection {
		id.level = o.sections[c.lines[0].index].level
	}
	return id
}
