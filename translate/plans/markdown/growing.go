package markdown

import (
	"bytes"
	"hash/crc32"
)

// A Growth is what is known of a text that is being written: how much of it has been
// read, and which of its lines are shown. The zero Growth knows nothing.
type Growth struct {
	length int // of the whole lines that have been read
	sum    uint32
	shown  identity // of the lines that are shown
	whole  identity // of those that are shown once the text is complete
}

// Complete returns the Growth of a text that is shown as the whole text that it is.
func (g Growth) Complete() Growth {
	g.shown = g.whole
	return g
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

// RenderGrowing is Render for a text that may still be written on. If source goes on
// from the text that g is about, the list that is shown stays, and grows, until another
// is clearly better: something else speaks for it. What nothing speaks for waits until
// the text is complete; a text that comes in one piece may be, so of such a text only a
// single paragraph or heading waits. Whatever is shown, Later is what the text shows if
// it is complete.
func RenderGrowing(source []byte, g Growth) (Rendering, Growth) {
	grows := g.length > 0 && len(source) >= g.length && crc32.ChecksumIEEE(source[:g.length]) == g.sum
	if !grows {
		g = Growth{}
	}
	g.length = bytes.LastIndexByte(source, '\n') + 1
	g.sum = crc32.ChecksumIEEE(source[:g.length])
	r, o := read(source)
	if o == nil {
		g.shown = identity{weight: outright}
		g.whole = g.shown
		return r, g
	}
	ch := o.choose()
	show := o.inert(ch, g.shown, grows)
	g.whole = g.shown
	var whole []Entry
	if es := o.entries(ch.candidate); len(es) > 0 {
		whole, g.whole = es, o.identify(ch.candidate, ch.weight)
	}
	switch {
	case show.form == noForm:
		r.Unclear, r.Later = len(whole) > 0 || r.Unclear, whole
		return r, g
	case o.same(show, ch.candidate):
		r.Entries, g.shown = whole, g.whole
	default:
		r.Entries, r.Later = o.entries(show), whole
		g.shown = o.identify(show, o.weigh(show))
	}
	r.Unclear = r.Unclear && len(r.Entries) == 0
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

// same reports whether two candidates have the same lines.
func (o *outline) same(a, b candidate) bool {
	if a.form != b.form || len(a.lines) != len(b.lines) {
		return false
	}
	for i, l := range a.lines {
		if l != b.lines[i] {
			return false
		}
	}
	return true
}
