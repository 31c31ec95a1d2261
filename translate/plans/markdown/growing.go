package markdown

import "bytes"

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
	level  int8  // of headings, 0 of other lines
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
	hasWords := bytes.ContainsFunc(source, isLetterOrDigit)
	if g.begun {
		source = source[:bytes.LastIndexByte(source, '\n')+1]
	}
	r, shown := render(source, func(o *outline, best, boxes *candidate) *candidate { return o.inert(best, boxes, g) })
	if len(r.Entries) > 0 {
		g.shown = shown
	}
	r.Unclear = hasWords && len(r.Entries) == 0
	g.begun = true
	return r, g
}

// RenderWhole is Render with the Growth of a text that was complete, and may still be
// written on. What is written then may come in one piece.
func RenderWhole(source []byte) (Rendering, Growth) {
	r, shown := render(source, func(_ *outline, best, _ *candidate) *candidate { return best })
	return r, Growth{shown: shown}
}

// inert returns what is to be shown of a text that may grow on, nil if what is shown is to
// stay as it is.
func (o *outline) inert(best, boxes *candidate, g Growth) *candidate {
	shown := g.shown
	if best == nil {
		return nil
	}
	if shown == (identity{}) {
		single := len(best.lines) == 1 && (best.lines[0].kind == aParagraph || best.lines[0].kind == aHeading)
		if best.weight == forWant && (g.begun || single) {
			return nil
		}
		return best
	}
	heir := o.heir(best, boxes, shown)
	weight := shown.weight
	if heir != nil {
		weight = max(weight, heir.weight)
	}
	switch {
	case best.weight > weight,
		shown.form == checklist && best.form != checklist && boxes != nil && best.weight >= named, // it goes before the boxes
		heir == nil && best.weight > forWant && best.weight >= weight,                             // what was shown is something else now
		heir != nil && best.weight == weight && weight < boxed && best.score() >= heir.score()+clearlyBetter,
		heir != nil && len(heir.lines) > mostBoxes && len(best.lines) < len(heir.lines) && best.weight > forWant: // what was shown is too long now
		return best
	}
	return heir
}

// heir returns what the lines that are shown have become, nil if nothing has.
func (o *outline) heir(best, boxes *candidate, shown identity) (heir *candidate) {
	if shown.form == checklist && boxes != nil {
		switch {
		case shown.level == 0 && boxes.weight == boxed:
			return boxes
		case shown.level == 0:
			return nil
		case best.weight == grouped && best.start() == shown.start:
			return best
		}
		return o.groupsAt(shown.level)
	}
	for _, c := range append(o.all, best) {
		if c.form == shown.form && c.start() == shown.start && (heir == nil || c.score() > heir.score()) {
			heir = c
		}
	}
	return heir
}

// groupsAt returns the headings of a level in which there are boxes of the plan's own
// checklist, if they are few.
func (o *outline) groupsAt(level int8) *candidate {
	c := &candidate{form: checklist, weight: grouped}
	for _, s := range o.sections {
		if s.level == level && s.checklist > 0 {
			c.lines = append(c.lines, &s.line)
		}
	}
	if len(c.lines) == 0 || len(c.lines) > mostHeadings {
		return nil
	}
	return c
}

func (c *candidate) identify() identity {
	first := c.lines[0]
	id := identity{form: c.form, start: first.block, weight: c.weight}
	if first.kind == aHeading {
		id.level = first.section.level
	}
	return id
}
