package markdown

// listPoints returns what the names above say about the lists of a section. A
// good name counts for the sections right below it only if there is just one:
// if there are several, the list of each is only a part.
func (s *section) listPoints() int {
	sign := s.sign
	if sign == forSteps || sign == forWork {
		for ; s.counts() || s.own == neutral; s = s.parent {
			if s.parent.siblings > 1 {
				return 0
			}
		}
	}
	return sign.points()
}

// addLists adds the lists that are not inside another list. Ordered lists whose
// numbers run on are one list.
func (o *outline) addLists() {
	first := len(o.all)
	var last *candidate // the last ordered list
	next := int32(0)    // the number that continues it
	for _, l := range o.lists {
		switch {
		case len(l.items) == 0:
		case !l.ordered:
			o.add(bullets, l.items[0].section.listPoints(), l.items)
		default:
			if last == nil || l.start != next || l.start <= 1 {
				last = o.add(ordered, 2+l.items[0].section.listPoints(), nil)
			}
			last.lines = append(last.lines, l.items...)
			next = l.start + int32(len(l.items))
		}
	}
	for _, c := range o.all[first:] {
		if c.spansSections() {
			c.points += 4
		}
	}
}

// spansSections reports whether the lines are in several sections.
func (c *candidate) spansSections() bool {
	return c.lines[0].section != c.lines[len(c.lines)-1].section
}
