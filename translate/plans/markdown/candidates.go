package markdown

import "strings"

// A candidate is a group of elements that may be the plan's steps.
type candidate struct {
	layout     layout
	points     int // for the layout and the section
	sizePoints int // points for the number of entries
	elements   []*element
	parts      map[*element]tally // of a checklist: boxes of joined items

	// Of a table: the columns of the steps and of the statuses, -1 if there is none.
	column, status int
}

func (c *candidate) score() int { return c.points + c.sizePoints }

// start returns the first block of a candidate.
func (c *candidate) start() int32 { return c.elements[0].block }

// A layout is the kind of elements of a candidate.
type layout uint8

const (
	checklistLayout layout = iota
	unitsLayout
	headingsLayout
	orderedLayout
	bulletsLayout
	rowsLayout
	paragraphsLayout
)

// Points of the layouts. A candidate below minScore is only a fallback: unnumbered headings directly
// below the title, a list of two items.
const (
	unitPoints      = 9 // more than an ordered list of steps, which may be the details of a unit
	taggedPoints    = 5
	numberedPoints  = 3  // more than an ordered list in the same section
	chapterPoints   = -4 // in place of numberedPoints: the chapters of a document, not steps
	topPoints       = -3 // of unnumbered headings directly below the title: usually aspects of the plan
	orderedPoints   = 2
	spanningPoints  = 4  // in addition, if the numbers of a list continue in other sections
	trackingPoints  = 4  // of a table with statuses; a table without them loses to an ordered list
	paragraphPoints = -3 // less than any other layout for steps or work
)

// points returns the points for a section. A list or table of context does not reach minScore, unless
// it has spanningPoints or trackingPoints.
func (h hint) points() int {
	return [...]int{neutral: 0, forSteps: 5, forWork: 2, forContext: -4, forChecks: -7, forLater: -8}[h]
}

// pointsForSize returns the points for a number of entries. Most plans have a few.
func pointsForSize(n int) int {
	switch {
	case n <= 1:
		return -4
	case n == 2, 15 < n && n <= 25:
		return 0
	case n <= 15:
		return 2
	}
	return -3
}

const (
	mostBoxes      = 25 // entries of a checklist whose boxes are the entries
	mostHeadings   = 16 // headings that are entries in place of boxes
	mostParagraphs = 25 // paragraphs of a text without steps
)

// findCandidates finds the candidates, except the checklist.
func (o *outline) findCandidates() {
	o.addUnits()
	o.addTagged()
	for _, s := range o.sections {
		o.addSiblings(s)
	}
	o.addLists()
	for _, t := range o.tables {
		o.addTable(t)
	}
	o.addParagraphs()
	for _, c := range o.candidates {
		switch n := len(c.elements); {
		case c.layout == rowsLayout:
			c.sizePoints = pointsForSize(o.doc.Lines(int(c.start())) - 2)
		case c.layout != paragraphsLayout:
			c.sizePoints = pointsForSize(n)
		}
	}
}

// add adds a candidate.
func (o *outline) add(layout layout, points int, elements []*element) *candidate {
	c := &candidate{layout: layout, points: points, elements: elements}
	o.candidates = append(o.candidates, c)
	return c
}

// addUnits adds the runs of units: "Phase 1", "Phase 2".
func (o *outline) addUnits() {
	// A heading "Task 1" below "Files" or "Verification" repeats a task of the plan.
	inPlan := map[number]bool{}
	for _, s := range o.sections {
		if s.number.isUnit() && s.parent.hint <= forWork {
			inPlan[s.number] = true
		}
	}
	// The word may change within a run: "Step 2", "Phase 3".
	type key struct {
		level int8
		word  string
	}
	var runs [][]*element
	indexes := map[key]int{}
	before, last := o.sections[0], key{}
	for _, s := range o.sections {
		if !s.number.isUnit() || s.parent.hint == forLater || s.parent.hint > forWork && inPlan[s.number] {
			continue
		}
		if before.parent != s.parent || before.level != s.level || before.number.int() != s.number.int()-1 {
			last = key{s.level, s.number.word}
		}
		before = s
		index, ok := indexes[last]
		if !ok {
			index = len(runs)
			indexes[last] = index
			runs = append(runs, nil)
		}
		runs[index] = append(runs[index], &s.element)
	}
	inRun := map[*section]bool{}
	for _, run := range runs {
		for _, e := range run {
			inRun[e.section] = len(run) > 1
		}
	}
	for _, run := range runs {
		first := run[0].section
		if !inRun[first] || first.isBelow(inRun) {
			continue
		}
		parentHint := first.parent.hint
		if parentHint == forContext {
			parentHint = neutral
		}
		o.add(unitsLayout, unitPoints+parentHint.points(), run)
	}
}

// addTagged adds the headings with a tag for a file: "[NEW] main.go".
func (o *outline) addTagged() {
	var tagged []*element
	for _, s := range o.sections[1:] {
		if above := s.parent.hint; isTagged(s.name) && above != forChecks && above != forLater {
			tagged = append(tagged, &s.element)
		}
	}
	if len(tagged) >= 2 {
		o.add(headingsLayout, taggedPoints, tagged)
	}
}

// isTagged reports whether a name starts with a word in brackets and capitals.
func isTagged(name string) bool {
	tag, after, ok := strings.Cut(name, "] ")
	return ok && after != "" && len(tag) > 3 && tag[0] == '[' && strings.Trim(tag[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// addSiblings adds the headings directly below a section: those with a plain number if there are
// several, else all of them.
func (o *outline) addSiblings(parent *section) {
	var numbered, all []*element
	chapterCount := 0
	for _, s := range parent.children {
		if s.number.numbering == plain {
			numbered = append(numbered, &s.element)
			if s.ownHint == forContext || s.ownHint == forSteps || s.ownHint == forLater {
				chapterCount++
			}
		}
		isAside := s.level == boldLevel && parent.level != boldLevel && s.number.numbering == unnumbered && s.ownHint == neutral
		if (s.ownHint <= forWork || s.number.isUnit()) && !isAside {
			all = append(all, &s.element)
		}
	}
	points := 0
	if !o.isTop(parent) {
		points = parent.hint.points()
	}
	switch {
	case len(numbered) >= 2:
		if !numbered[0].section.number.isFirst() {
			return
		}
		layoutPoints := numberedPoints
		if 3*chapterCount > len(numbered) {
			layoutPoints = chapterPoints
		}
		o.add(headingsLayout, points+layoutPoints, numbered)
	case len(all) >= 2:
		if o.isTop(parent) {
			points = topPoints
		}
		o.add(headingsLayout, points, all)
	}
}

// addParagraphs adds the paragraphs of each section of steps or work that contains only paragraphs.
func (o *outline) addParagraphs() {
	var c *candidate
	for i, p := range o.paragraphs {
		s := p.section
		if s.hint != forSteps && s.hint != forWork || s.hasList || len(s.children) > 0 {
			continue
		}
		if i == 0 || o.paragraphs[i-1].section != s {
			c = o.add(paragraphsLayout, s.hint.points()+paragraphPoints, nil)
		}
		c.elements = append(c.elements, p)
	}
}
