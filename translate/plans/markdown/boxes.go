package markdown

import (
	"slices"
	"strings"
)

// checklist returns the plan's own checklist at the level to be shown, or a
// candidate without lines. Boxes of verification, or of what is put off, are not
// the plan's, unless all are taken.
func (o *outline) checklist(all bool) candidate {
	own := o.ownBoxes(all)
	if len(own) == 0 {
		return candidate{}
	}
	own, parts := o.joinParts(own)
	for i := range o.sections {
		o.sections[i].checklist = 0
	}
	for _, i := range own {
		o.sections[o.sectionOf(i)].checklist++
	}
	for i := len(o.sections) - 1; i > 0; i-- {
		o.sections[o.sections[i].parent].checklist += o.sections[i].checklist
	}
	if tasks := o.numberedAround(len(own)); len(tasks) > 0 && (o.areTasks(tasks) || o.areSmall(own)) {
		return candidate{form: checklist, lines: lines(ofSection, tasks)}
	}
	if len(own) > mostBoxes {
		if groups := o.groupsOf(own); len(groups) > 0 {
			return candidate{form: checklist, lines: lines(ofSection, groups)}
		}
	}
	return candidate{form: checklist, lines: lines(ofItem, own), parts: parts}
}

func (o *outline) sectionOf(item int32) int32 { return o.lists[o.items[item].list].section }

// ownBoxes returns the items of the plan's own checklists that are in no other
// box, or all such items. If most items of a list have boxes, its other items
// are steps too.
func (o *outline) ownBoxes(all bool) []int32 {
	if o.sections[0].boxes.all == 0 {
		return nil
	}
	own := make([]int32, 0, len(o.items))
	for i := range o.items {
		it := &o.items[i]
		l := &o.lists[it.list]
		if it.block < 0 || it.inBox || it.mark == "" && 2*l.boxes <= l.count {
			continue
		}
		if sign := o.sections[l.section].sign; !all && (sign == forChecks || sign == forLater) {
			continue
		}
		own = append(own, int32(i))
	}
	return own
}

// joinParts takes an item "2.1" for a part of the item "2" before it, and returns
// the items without such parts, and the boxes of the parts.
func (o *outline) joinParts(items []int32) (whole []int32, parts map[int32]tally) {
	wholes := map[string]bool{}
	numbers := make([]string, len(items))
	for n, i := range items {
		numbers[n], _ = cutDigits(strings.TrimLeft(string(head(o.itemText(i))), " *_"))
		if numbers[n] != "" && !strings.Contains(numbers[n], ".") {
			wholes[numbers[n]] = true
		}
	}
	if len(wholes) == 0 {
		return items, nil
	}
	parts = map[int32]tally{}
	last := ""
	for n, i := range items {
		number, _, isPart := strings.Cut(numbers[n], ".")
		if isPart && number == last {
			t := parts[whole[len(whole)-1]]
			t.add(o.items[i].boxes)
			parts[whole[len(whole)-1]] = t
			continue
		}
		last = numbers[n]
		whole = append(whole, i)
	}
	return whole, parts
}

// numberedAround returns the numbered headings of one level in which most of the
// count boxes are, a few of them; the finest level if there are several.
func (o *outline) numberedAround(count int) (best []int32) {
	for level := int8(1); level <= boldLevel; level++ {
		var run []int32
		boxes := 0
		for i := range o.sections {
			if s := &o.sections[i]; s.level == level && s.number.numbering != unnumbered {
				run = append(run, int32(i))
				boxes += int(s.checklist)
			}
		}
		if len(run) >= len(best) && 10*boxes >= 6*count && o.areFew(run) {
			best = run
		}
	}
	return best
}

// areFew reports whether sections are few enough to be shown for the boxes in
// them, and all have different names.
func (o *outline) areFew(sections []int32) bool {
	if len(sections) < 2 || len(sections) > mostHeadings {
		return false
	}
	names := map[string]bool{}
	for _, i := range sections {
		names[strings.ToLower(o.sections[i].name)] = true
	}
	return len(names) == len(sections)
}

// areTasks reports whether all of the headings count steps: "Task 1".
func (o *outline) areTasks(sections []int32) bool {
	return !slices.ContainsFunc(sections, func(i int32) bool { return o.sections[i].number.numbering != taskUnit })
}

// areSmall reports whether most of the boxes are steps of something: "Step 1".
func (o *outline) areSmall(items []int32) bool {
	small := 0
	for _, i := range items {
		if numberOf(string(head(o.itemText(i)))).numbering == taskUnit {
			small++
		}
	}
	return 2*small > len(items)
}

// groupsOf returns the headings in which many boxes are: numbered ones if there
// are such, else the nearest, and from there up until they are few.
func (o *outline) groupsOf(items []int32) []int32 {
	if numbered := o.numberedAround(len(items)); len(numbered) > 0 {
		return numbered
	}
	// There may be too many of them at every level, or some of the same name: even
	// so, headings say more than dozens of boxes.
	var fallback []int32
	near := make([]bool, len(o.sections))
	deepest := int8(0)
	for _, i := range items {
		s := o.sectionOf(i)
		if parent := o.sections[s].parent; o.sections[s].level == boldLevel && !o.isTop(parent) {
			s = parent // a heading names a group better than a line in bold type
		}
		near[s] = true
		deepest = max(deepest, o.sections[s].level)
	}
	for ; deepest > 0; deepest-- {
		var groups []int32
		for i := range near {
			if near[i] && i > 0 {
				groups = append(groups, int32(i))
			}
		}
		if o.areFew(groups) {
			return groups
		}
		if len(groups) >= 2 && 2*len(groups) <= len(items) {
			fallback = groups
		}
		for _, i := range groups {
			if o.sections[i].level == deepest {
				near[i] = false
				near[o.sections[i].parent] = !o.isTop(o.sections[i].parent)
			}
		}
	}
	return fallback
}
