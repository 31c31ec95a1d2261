package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// checklist returns the plan's own checklist, or nil. Its elements are the items with boxes, or the
// headings above them. Boxes of checks and of later work belong to the checklist only if all is set.
// It counts the checklist's boxes in each section.
func (o *outline) checklist(all bool) *candidate {
	own, parts := o.joinParts(o.ownBoxes(all))
	if len(own) == 0 {
		return nil
	}
	for _, s := range o.sections {
		s.checklistCount = 0
	}
	for _, it := range own {
		it.section.checklistCount++
	}
	for i := len(o.sections) - 1; i > 0; i-- {
		s := o.sections[i]
		s.parent.checklistCount += s.checklistCount
	}
	groups := o.numberedHeadings(len(own))
	switch many := len(own) > mostBoxes; {
	case many && len(groups) == 0:
		groups = o.nearestHeadings(own)
	case !many && !areTasks(groups):
		groups = nil
	}
	if len(groups) > 0 {
		return &candidate{layout: checklistLayout, elements: groups}
	}
	return &candidate{layout: checklistLayout, elements: own, parts: parts}
}

// ownBoxes returns the outermost items with boxes, of the plan's own checklist or of all lists.
// If most items of a list have boxes, it returns the other items of the list, too.
func (o *outline) ownBoxes(all bool) []*element {
	if o.sections[0].boxes.all == 0 {
		return nil
	}
	own := make([]*element, 0, len(o.items))
	for i := range o.items {
		it := &o.items[i]
		l, hint := it.list, it.section.hint
		if it.block < 0 || l.inBox || it.mark == "" && 2*l.boxCount <= len(l.items) || !all && (hint == forChecks || hint == forLater) {
			continue
		}
		own = append(own, it)
	}
	return own
}

// joinParts removes each item "2.1" that follows the item "2". It returns the remaining items, in
// the memory of items, and for each the boxes of its removed parts.
func (o *outline) joinParts(items []*element) (whole []*element, parts map[*element]tally) {
	whole = items[:0]
	last := ""
	for _, it := range items {
		head := bytes.TrimLeft(o.raw(it), " *_")
		digits := bytes.TrimRight(head[:len(head)-len(bytes.TrimLeft(head, "0123456789."))], ".")
		number, _, isPart := strings.Cut(string(digits), ".")
		if isPart && number != "" && number == last {
			if parts == nil {
				parts = map[*element]tally{}
			}
			owner := whole[len(whole)-1]
			parts[owner] = parts[owner].plus(it.boxes).plus(it.box())
			continue
		}
		last = number
		if isPart {
			last = ""
		}
		whole = append(whole, it)
	}
	return whole, parts
}

// numberedHeadings returns the numbered headings of a level, if they are few and their sections contain
// at least 60 % of the count boxes. It prefers the level with most of them, then the lowest.
func (o *outline) numberedHeadings(count int) (best []*element) {
	for level := int8(1); level <= boldLevel; level++ {
		var run []*element
		boxes := 0
		for _, s := range o.sections {
			if s.level == level && s.number.numbering != unnumbered {
				run = append(run, &s.element)
				boxes += s.checklistCount
			}
		}
		if len(run) >= len(best) && 10*boxes >= 6*count && areFew(run) {
			best = run
		}
	}
	return best
}

// areFew reports whether the number of headings suits a panel.
func areFew(headings []*element) bool {
	return 2 <= len(headings) && len(headings) <= mostHeadings
}

// areTasks reports whether all headings have a number with a word for steps: "Task 1".
func areTasks(headings []*element) bool {
	return !slices.ContainsFunc(headings, func(e *element) bool { return e.section.number.numbering != taskUnit })
}

// nearestHeadings returns the nearest headings above the items, at the lowest level with few such
// headings.
func (o *outline) nearestHeadings(items []*element) []*element {
	// Even many headings are clearer than dozens of boxes.
	var fallback []*element
	for level := int8(boldLevel); level > 0; level-- {
		var groups []*element
		for _, it := range items {
			if s := o.groupOf(it, level); s != nil {
				groups = append(groups, &s.element)
			}
		}
		groups = slices.Compact(groups)
		if areFew(groups) {
			return groups
		}
		if len(groups) >= 2 && 2*len(groups) <= len(items) {
			fallback = groups
		}
	}
	return fallback
}

// groupOf returns the section of an item at that level or above, or nil if the item is only below the
// title. It prefers a heading to a line in bold type below the heading.
func (o *outline) groupOf(it *element, level int8) *section {
	s := it.section
	for s.level > level || s.level == boldLevel && !o.isTop(s.parent) {
		s = s.parent
	}
	if o.isTop(s) && (s != it.section || s.parent == nil) {
		return nil
	}
	return s
}
