package markdown

import (
	"strings"
)

// A candidate is a group of lines that may be the plan's steps.
type candidate struct {
	form   form
	points int // for what the lines are and where
	size   int // points for how many there are
	lines  []line
	parts  map[int32]tally // of a checklist: boxes that belong to other items

	// Of a table: which columns hold the steps and their statuses, -1 if none.
	column, status int32
}

func (c *candidate) score() int { return c.points + c.size }

// A form is what kind of lines a candidate has.
type form uint8

const (
	noForm form = iota
	checklist
	units
	headings
	ordered
	bullets
	rows
	paragraphs
)

// A line is one line of the text: the heading of a section, the text of an item,
// a paragraph, or a row of a table.
type line struct {
	kind  lineKind
	index int32
}

type lineKind uint8

const (
	ofSection lineKind = iota
	ofItem
	ofParagraph
	ofTable // all the rows of it
)

func lines(kind lineKind, indexes []int32) []line {
	ls := make([]line, len(indexes))
	for i, index := range indexes {
		ls[i] = line{kind, index}
	}
	return ls
}

// points returns what the name of a section is worth.
func (s sign) points() int {
	return [...]int{neutral: 0, forSteps: 5, forWork: 2, forContext: -4, forChecks: -7, forLater: -8}[s]
}

// size returns what a number of entries is worth: a plan has a few.
func size(n int) int {
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

// runSize is size for a run of numbered headings. One that has just begun stays
// when it grows.
func runSize(n int) int {
	if n == 1 {
		return 0
	}
	return size(n)
}

// Numbers of entries.
const (
	mostBoxes    = 25 // of a checklist that is shown box by box
	mostHeadings = 16 // that are shown in place of groups of boxes or for tasks in phases
)

// candidates returns the groups of lines that may be the steps, except the
// checklist.
func (o *outline) candidates() []candidate {
	var cs []candidate
	cs = o.appendUnits(cs)
	cs = o.appendTagged(cs)
	for i := range o.sections {
		cs = o.appendSiblings(cs, int32(i))
	}
	cs = o.appendLists(cs)
	cs = o.appendNumberedBullets(cs)
	for i := range o.tables {
		cs = o.appendTable(cs, int32(i))
	}
	return o.appendParagraphs(cs)
}

// A run identifies numbered headings that belong together.
type run struct {
	level int8
	word  string
}

// stem returns the start of a word, which its forms share.
func stem(word string) string {
	n := 0
	for i := range word {
		if n++; n > 4 {
			return word[:i]
		}
	}
	return word
}

// appendUnits appends the runs of headings that count the work: "Phase 1",
// "Phase 2".
func (o *outline) appendUnits(cs []candidate) []candidate {
	// A heading "Task 1" under "Files" or "Verification" tells about the task of
	// that number elsewhere in the plan.
	elsewhere := map[[2]string]bool{}
	for i := range o.sections {
		if s := &o.sections[i]; s.number.isUnit() && o.sections[s.parent].sign <= forWork {
			elsewhere[[2]string{stem(s.number.word), s.number.value}] = true
		}
	}
	runs := map[run][]int32{}
	var order []run
	before, runBefore := &o.sections[0], run{}
	for i := range o.sections {
		s := &o.sections[i]
		above := o.sections[s.parent].sign
		if !s.number.isUnit() || above == forLater ||
			above > forWork && elsewhere[[2]string{stem(s.number.word), s.number.value}] {
			continue
		}
		// Words may change while the numbers run on: "Step 2", "Phase 3".
		r := run{s.level, stem(s.number.word)}
		value := s.number.int()
		if before.parent == s.parent && before.level == s.level && before.number.int() == value-1 {
			r = runBefore
		}
		before, runBefore = s, r
		if runs[r] == nil {
			order = append(order, r)
		}
		runs[r] = append(runs[r], int32(i))
	}
	inRun := make([]bool, len(o.sections))
	for _, run := range runs {
		for _, i := range run {
			inRun[i] = len(run) > 1 || o.hasBegun(i)
		}
	}
	for _, r := range order {
		sections := runs[r]
		if len(sections) < 2 && !o.hasBegun(sections[0]) || o.isBelow(sections[0], func(s int32) bool { return inRun[s] }) {
			continue
		}
		if o.sections[sections[0]].number.numbering == groupUnit {
			for _, inner := range order {
				if o.areTasksOf(runs[inner], sections) {
					sections = runs[inner]
					break
				}
			}
		}
		above := o.sections[o.sections[sections[0]].parent].sign
		if above == forContext {
			above = neutral
		}
		cs = append(cs, candidate{form: units, points: 9 + above.points(), size: runSize(len(sections)), lines: lines(ofSection, sections)})
	}
	return cs
}

// isBelow reports whether a section is somewhere below a section that is in.
func (o *outline) isBelow(s int32, in func(int32) bool) bool {
	for s != 0 {
		s = o.sections[s].parent
		if in(s) {
			return true
		}
	}
	return false
}

// areTasksOf reports whether tasks are steps and each of the groups has some of
// them, not too many in all: then the tasks are the plan, not the groups.
func (o *outline) areTasksOf(tasks, groups []int32) bool {
	first := &o.sections[tasks[0]]
	if first.number.numbering != taskUnit || first.level <= o.sections[groups[0]].level || first.level == boldLevel ||
		len(tasks) > mostHeadings || len(tasks) <= len(groups) {
		return false
	}
	has := map[int32]bool{}
	for _, task := range tasks {
		for s := task; s != 0; s = o.sections[s].parent {
			has[s] = true
		}
	}
	for _, g := range groups {
		if !has[g] {
			return false
		}
	}
	return true
}

// appendTagged appends the headings that say what becomes of a file: "[NEW] a.go".
func (o *outline) appendTagged(cs []candidate) []candidate {
	var tagged []int32
	for i := range o.sections {
		s := &o.sections[i]
		if above := o.sections[s.parent].sign; isTagged(s.name) && above != forChecks && above != forLater {
			tagged = append(tagged, int32(i))
		}
	}
	if len(tagged) < 2 {
		return cs
	}
	return append(cs, candidate{form: headings, points: 5, size: size(len(tagged)), lines: lines(ofSection, tagged)})
}

// isTagged reports whether a name starts with a word in capitals in brackets.
func isTagged(name string) bool {
	tag, after, ok := strings.Cut(name, "] ")
	return ok && after != "" && len(tag) > 3 && tag[0] == '[' && strings.Trim(tag[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// appendSiblings appends the headings right below a section: those that are
// numbered with a word that they share, those that are numbered plainly, and all.
func (o *outline) appendSiblings(cs []candidate, parent int32) []candidate {
	if o.sections[parent].firstChild == 0 {
		return cs
	}
	var numbered, all []int32
	var byWord map[string][]int32
	var words []string
	chapters := 0
	for c := range o.children(parent) {
		s := &o.sections[c]
		switch s.number.numbering {
		case counted:
			if byWord == nil {
				byWord = map[string][]int32{}
			}
			word := stem(s.number.word)
			if byWord[word] == nil {
				words = append(words, word)
			}
			byWord[word] = append(byWord[word], c)
		case plain:
			numbered = append(numbered, c)
			if s.own == forContext || s.own == forSteps || s.own == forLater {
				chapters++
			}
		}
		aside := s.level == boldLevel && o.sections[parent].level != boldLevel && s.number.numbering == unnumbered && s.own == neutral
		if (s.own <= forWork || s.number.isUnit()) && !aside {
			all = append(all, c)
		}
	}
	points := 0
	if !o.isTop(parent) {
		points = o.sections[parent].sign.points()
	}
	for _, word := range words {
		if sections := byWord[word]; len(sections) >= 2 && o.sections[sections[0]].number.isFirst() {
			cs = append(cs, candidate{form: headings, points: 4 + points, size: size(len(sections)), lines: lines(ofSection, sections)})
		}
	}
	if len(numbered) >= 2 && o.sections[numbered[0]].number.isFirst() || len(numbered) == 1 && o.hasBegun(numbered[0]) {
		c := candidate{form: headings, points: 3 + points, size: runSize(len(numbered)), lines: lines(ofSection, numbered)}
		if 3*chapters > len(numbered) {
			c.points -= 7 // numbered chapters of a document
		}
		cs = append(cs, c)
	}
	if len(all) >= 2 && len(numbered) < 2 {
		if o.isTop(parent) {
			points = -3
		}
		cs = append(cs, candidate{form: headings, points: points, size: size(len(all)), lines: lines(ofSection, all)})
	}
	return cs
}

// appendParagraphs appends the paragraphs of each section that is about the work
// and has nothing else.
func (o *outline) appendParagraphs(cs []candidate) []candidate {
	for start := 0; start < len(o.paragraphs); {
		section := o.paragraphs[start].section
		end := start
		for end < len(o.paragraphs) && o.paragraphs[end].section == section {
			end++
		}
		s := &o.sections[section]
		if (s.sign == forSteps || s.sign == forWork) && !s.hasList && !s.hasTable && s.firstChild == 0 {
			c := candidate{form: paragraphs, points: s.sign.points() - 3}
			for i := start; i < end; i++ {
				c.lines = append(c.lines, line{ofParagraph, int32(i)})
			}
			cs = append(cs, c)
		}
		start = end
	}
	return cs
}

// hasBegun reports whether a heading is the first of a run that is still being
// written: it is what the text is in, and there is something below it, but no
// boxes, which would be the steps.
func (o *outline) hasBegun(i int32) bool {
	s := &o.sections[i]
	last := int32(len(o.sections) - 1)
	within := i == last || o.isBelow(last, func(above int32) bool { return above == i })
	return s.number.isFirst() && within && s.boxes.all == 0 && !o.isLast(s.block)
}
