package markdown

import (
	"bytes"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
)

// An outline holds the sections of a text with their lists, tables and paragraphs, in the
// order of the text. It omits quotes and code.
type outline struct {
	doc        *commonmark.Document
	sections   []*section // the first is the text itself
	lists      []*list    // the outermost
	items      []element  // of all lists
	tables     []*element
	paragraphs []*element
	top        *section     // the section of the plan as a whole, see findTop
	tasks      []Entry      // the tasks in XML
	candidates []*candidate // all candidates except the checklist
}

// An element is a possible step: a heading, an item of a list, a paragraph, or a table, whose rows
// are possible steps.
type element struct {
	kind    elementKind
	block   int32    // -1 if an item has no text
	section *section // the section that contains it; of a heading its own
	boxes   tally    // boxes inside of the item, or in the section; without the item's own

	// Of an item.
	list *list
	mark string // the status in the item's box, "" without a box
}

type elementKind uint8

const (
	aHeading elementKind = iota
	anItem
	aParagraph
	aTable
)

// boldLevel is the level of a section whose heading is a line in bold type.
const boldLevel = 7

// A section is a heading with the blocks below it, or the text itself.
type section struct {
	element
	parent   *section
	children []*section
	level    int8 // 0 the text itself, 1 to 6, boldLevel
	ownHint  hint // hint of its own heading
	hint     hint // hint of the nearest heading that is not neutral: its own, or one above
	inRun    bool // the section is numbered, and most of the numbered sections beside it contain boxes
	hasList  bool // the section has lists
	name     string
	number   number

	planChildren   int // number of children that may be parts of the plan
	checklistCount int // number of boxes of the plan's own checklist in the section and below
}

// isStep reports whether its number makes the section a step, whatever its heading says: "Phase 6:
// Verification" is a step.
func (s *section) isStep() bool { return s.number.isUnit() || s.inRun }

// isBelow reports whether a section is below one of the others, at any level.
func (s *section) isBelow(others map[*section]bool) bool {
	for s = s.parent; s != nil; s = s.parent {
		if others[s] {
			return true
		}
	}
	return false
}

// A list holds the items of a list that have text.
type list struct {
	isOrdered bool
	parent    *element // the item that contains the list, or nil
	inBox     bool     // an item around the list has a box
	start     int32    // the number of its first item
	hint      hint     // of the line before the list, such as "Risks:"
	items     []*element
	boxCount  int // number of items with a box
}

// A tally counts boxes.
type tally struct{ done, doing, all int32 }

func (t tally) plus(o tally) tally { return tally{t.done + o.done, t.doing + o.doing, t.all + o.all} }

// newOutline reads the outline of a text.
func newOutline(source []byte) *outline {
	doc := commonmark.Parse(source)
	items := 0
	for i := range doc.Blocks {
		if doc.Blocks[i].Kind == commonmark.Item {
			items++
		}
	}
	root := &section{}
	root.section = root
	// items is never reallocated: list.parent and container.item point into it.
	o := &outline{doc: doc, sections: []*section{root}, items: make([]element, 0, items), top: root}
	r := reader{outline: o, current: root, open: make([]container, 1, 8)}
	for i := 1; i < len(doc.Blocks); i++ {
		r.read(i)
	}
	o.findTop()
	o.countBoxes()
	o.classify()
	return o
}

// findTop finds the section of the plan as a whole: that of the only heading of level 1, if it is the
// first heading, or only headings precede it. Without such a heading, it is the text itself.
func (o *outline) findTop() {
	found := 0
	for i, s := range o.sections {
		if s.level != 1 {
			continue
		}
		if found++; found > 1 {
			o.top = o.sections[0]
		} else if i == 1 || int(s.block) == i {
			o.top = s
		}
	}
}

// A reader reads the blocks of a document in their order.
type reader struct {
	*outline
	current *section
	open    []container
}

// A container is an open list or item.
type container struct {
	block int32
	list  *list
	item  *element
}

// read adds a block to the outline. It skips blocks inside of quotes.
func (r *reader) read(i int) {
	b := &r.doc.Blocks[i]
	for r.open[len(r.open)-1].block > b.Parent {
		r.open = r.open[:len(r.open)-1]
	}
	outer := r.open[len(r.open)-1]
	if outer.block != b.Parent {
		return
	}
	isOutermost := b.Parent == 0
	switch {
	case b.Kind == commonmark.List:
		l := &list{isOrdered: b.Ordered(), parent: outer.item, start: r.doc.Blocks[i+1].Number}
		if isOutermost {
			if r.doc.Blocks[i-1].Kind == commonmark.Paragraph {
				l.hint = leadHint(commonmark.Plain(r.doc.Raw(i - 1)))
			}
			r.lists = append(r.lists, l)
			r.current.hasList = true
		} else {
			l.inBox = outer.item.mark != "" || outer.item.list.inBox
		}
		r.open = append(r.open, container{int32(i), l, nil})
	case b.Kind == commonmark.Item:
		r.items = append(r.items, element{kind: anItem, block: -1, section: r.current, list: outer.list})
		r.open = append(r.open, container{int32(i), nil, &r.items[len(r.items)-1]})
	case !isOutermost && (b.Kind == commonmark.Paragraph || b.Kind == commonmark.Heading):
		r.addItemText(outer.item, i)
	case !isOutermost:
	case b.Kind == commonmark.Heading:
		r.addSection(int8(b.Level), i)
	case b.Kind == commonmark.Paragraph && r.isBoldLine(i):
		r.addSection(boldLevel, i)
	case b.Kind == commonmark.Paragraph && r.doc.Lines(i) > 0:
		// A link definition is not text.
		if text := r.doc.Start(i); text[0] != '[' || !bytes.Contains(text, []byte("]: ")) {
			r.paragraphs = append(r.paragraphs, &element{kind: aParagraph, block: int32(i), section: r.current})
		}
	case b.Kind == commonmark.Table:
		r.tables = append(r.tables, &element{kind: aTable, block: int32(i), section: r.current})
	case b.Kind == commonmark.HTML:
		r.tasks = appendXMLTasks(r.tasks, r.doc.Raw(i))
	}
}

// addSection adds a section with the block as its heading.
func (r *reader) addSection(level int8, block int) {
	parent := r.current
	for parent.level >= level {
		parent = parent.parent
	}
	name := commonmark.Plain(r.doc.Raw(block))
	s := &section{parent: parent, level: level, name: name, number: numberOf(name)}
	s.element = element{kind: aHeading, block: int32(block), section: s}
	parent.children = append(parent.children, s)
	r.sections = append(r.sections, s)
	r.current = s
}

// isBoldLine reports whether a paragraph is a heading: one line that starts in bold type and
// contains no other syntax.
func (o *outline) isBoldLine(block int) bool {
	if o.doc.Lines(block) != 1 {
		return false
	}
	raw := o.doc.Raw(block)
	if len(raw) < 5 || !bytes.HasPrefix(raw, []byte("**")) && !bytes.HasPrefix(raw, []byte("__")) {
		return false
	}
	end := bytes.Index(raw[2:], raw[:2])
	return end > 0 && raw[2] != ' ' && !bytes.ContainsAny(raw[2+end+2:], "*_`[<")
}

// addItemText makes the block the text of the item, if it has none yet.
func (o *outline) addItemText(it *element, block int) {
	if it.block >= 0 || o.doc.Lines(block) == 0 {
		return
	}
	it.block = int32(block)
	it.list.items = append(it.list.items, it)
	if it.mark = o.doc.ItemBox(block); it.mark != "" {
		it.list.boxCount++
	}
}

// raw returns the source of an element, without its box.
func (o *outline) raw(e *element) []byte {
	raw := o.doc.Raw(int(e.block))
	if e.mark != "" {
		raw = raw[len("[ ]"):]
	}
	return raw
}

// countBoxes counts the boxes inside of each item and section.
func (o *outline) countBoxes() {
	for i := len(o.items) - 1; i >= 0; i-- {
		it := &o.items[i]
		outer := it.list.parent
		if outer == nil {
			outer = &it.section.element
		}
		outer.boxes = outer.boxes.plus(it.boxes).plus(it.box())
	}
	for i := len(o.sections) - 1; i > 0; i-- {
		s := o.sections[i]
		s.parent.boxes = s.parent.boxes.plus(s.boxes)
	}
}

// classify sets the hints of the sections.
func (o *outline) classify() {
	for _, parent := range o.sections {
		numberedCount, boxedCount := 0, 0
		for _, s := range parent.children {
			if s.number.numbering == plain {
				numberedCount++
				if s.boxes.all > 0 {
					boxedCount++
				}
			}
		}
		for _, s := range parent.children {
			s.inRun = numberedCount >= 2 && 2*boxedCount > numberedCount && s.number.numbering == plain
			s.hint = parent.hint
			if s == o.top {
				continue
			}
			s.ownHint = hintOf(s.name)
			if !s.isStep() && s.ownHint != neutral {
				s.hint = s.ownHint
			}
			if s.number.isUnit() || s.ownHint <= forWork {
				parent.planChildren++
			}
		}
	}
}

// isTop reports whether a section is the text itself or the section of the plan as a whole.
func (o *outline) isTop(s *section) bool { return s.parent == nil || s == o.top }
