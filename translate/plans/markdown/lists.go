package markdown

import (
	"unicode"
	"unicode/utf8"
)

// listSign returns what the names above say about the lists of a section. A
// good name counts for the sections right below it only if there is just one:
// if there are several, the list of each is only a part.
func (o *outline) listSign(i int32) sign {
	result := o.sections[i].sign
	if result != forSteps && result != forWork {
		return result
	}
	for s := &o.sections[i]; !s.counts() && s.own == neutral || s.counts(); s = &o.sections[s.parent] {
		if o.sections[s.parent].siblings > 1 {
			return neutral
		}
	}
	return result
}

// appendLists appends the lists that are not inside another list. Lists that only
// paragraphs divide are one list, and so are ordered lists whose numbers run on.
func (o *outline) appendLists(cs []candidate) []candidate {
	var next, section int32 // of the ordered list before: the number that would go on with it
	last := -1              // its candidate
	before := -1            // the candidate of the list before
	runsOn := map[int]bool{}
	first := len(cs)
	for i := range o.lists {
		l := &o.lists[i]
		if !l.top || l.count == 0 {
			if l.top {
				before = -1
			}
			continue
		}
		items := make([]line, 0, l.count)
		for it := range o.itemsOf(int32(i)) {
			items = append(items, line{ofItem, it})
		}
		points := o.listSign(l.section).points()
		switch {
		case l.goesOn && before >= 0:
			cs[before].lines = append(cs[before].lines, items...)
		case !l.ordered:
			before = len(cs)
			cs = append(cs, candidate{form: bullets, points: points, lines: items})
		case last >= 0 && l.start == next && l.start > 1:
			c := &cs[last]
			c.lines = append(c.lines, items...)
			runsOn[last] = runsOn[last] || l.section != section
			before = last
		default:
			last, before = len(cs), len(cs)
			cs = append(cs, candidate{form: ordered, points: points + 2, lines: items})
		}
		if l.ordered {
			next, section = l.start+l.count, l.section
		}
	}
	for i := first; i < len(cs); i++ {
		c := &cs[i]
		c.size = size(len(c.lines))
		if runsOn[i] {
			c.points += 4
		}
		if o.saysLittle(c.lines) {
			c.points -= 6
		}
	}
	return cs
}

// saysLittle reports whether most of the items are bare codes: "P1.1".
func (o *outline) saysLittle(items []line) bool {
	short := 0
	for _, it := range items {
		letters := 0
		for raw := o.itemText(it.index); len(raw) > 0 && letters < 4; {
			r, size := utf8.DecodeRune(raw)
			raw = raw[size:]
			if unicode.IsLetter(r) {
				letters++
				if isUnspaced(r) {
					letters++
				}
			}
		}
		if letters < 4 {
			short++
		}
	}
	return 2*short > len(items)
}

// appendNumberedBullets appends the bullets that are numbered in their text, also
// from section to section: "- **Issue 4**: …".
func (o *outline) appendNumberedBullets(cs []candidate) []candidate {
	next := -1
	var section int32
	sections := 0
	var c *candidate
	finish := func() {
		if c == nil {
			return
		}
		c.size = size(len(c.lines))
		c.points = 1 + o.sections[o.lists[o.items[c.lines[0].index].list].section].sign.points()
		if sections > 1 {
			c.points += 6
		}
		cs = append(cs, *c)
		c = nil
	}
	for i := range o.items {
		it := &o.items[i]
		l := &o.lists[it.list]
		if l.ordered || !l.top || it.block < 0 {
			continue
		}
		n := numberOf(string(head(o.itemText(int32(i)))))
		if !n.isUnit() || n.int() < 0 {
			continue
		}
		value := n.int()
		if value != next {
			finish()
		}
		if c == nil {
			c, sections, section = &candidate{form: bullets}, 1, l.section
		}
		if l.section != section {
			sections, section = sections+1, l.section
		}
		c.lines = append(c.lines, line{ofItem, int32(i)})
		next = value + 1
	}
	finish()
	return cs
}

// head returns as much of a text as says how it is numbered.
func head(text []byte) []byte { return text[:min(len(text), 64)] }
