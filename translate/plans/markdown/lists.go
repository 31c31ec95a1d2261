package markdown

// points returns the points for the line before the list, or for its section. The points of a heading
// for steps or work apply to the lists of a section below it only if neither that section nor one
// between them has siblings that may be parts of the plan. Otherwise the lists of the siblings are
// parts of one plan.
func (l *list) points() int {
	if l.hint != neutral {
		return l.hint.points()
	}
	s := l.items[0].section
	hint := s.hint
	if hint == forSteps || hint == forWork {
		for ; s.isStep() || s.ownHint == neutral; s = s.parent {
			if s.parent.planChildren > 1 {
				return 0
			}
		}
	}
	return hint.points()
}

// addLists adds the outermost lists. Ordered lists with consecutive numbers are one list.
func (o *outline) addLists() {
	first := len(o.candidates)
	var last *candidate // the last ordered list
	next := int32(0)    // its next number
	for _, l := range o.lists {
		switch {
		case len(l.items) == 0:
		case !l.isOrdered:
			o.add(bulletsLayout, l.points(), l.items)
		default:
			if last == nil || l.start != next || l.start <= 1 {
				last = o.add(orderedLayout, orderedPoints+l.points(), nil)
			}
			last.elements = append(last.elements, l.items...)
			next = l.start + int32(len(l.items))
		}
	}
	for _, c := range o.candidates[first:] {
		if c.elements[0].section != c.elements[len(c.elements)-1].section {
			c.points += spanningPoints
		}
	}
}
