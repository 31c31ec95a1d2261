package markdown

import (
	"bytes"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
)

// An outline is what a text consists of, as far as steps can be in it: sections,
// and in them lists, tables and paragraphs. Quotes and code are left out.
// Everything is in the order of the text.
type outline struct {
	doc        *commonmark.Document
	sections   []*section // the first is the text itself
	lists      []*list    // those in no other list
	items      []line     // of all lists
	tables     []*line
	paragraphs []*line
	title      *section     // its heading is the title of the text; the text itself if none is
	tasks      []Entry      // named in XML
	all        []*candidate // groups of lines that may be the steps, except the checklist
}

// A line is what may be a step: a heading, an item of a list, a paragraph, or a table,
// whose rows may be.
type line struct {
	kind    lineKind
	block   int32    // -1 if an item has no text
	section *section // the one that it is in; of a heading its own
	boxes   tally    // in it, or in the section below it; its own one not included

	// Of an item.
	list *list
	mark string // the status that its box says, "" without a box
}

type lineKind uint8

const (
	aHeading lineKind = iota
	anItem
	aParagraph
	aTable
)

// boldLevel is the level of a section whose heading is a line in bold type.
const boldLevel = 7

// A section is a heading and what is below it, or the text itself.
type section struct {
	line
	parent   *section
	children []*section
	level    int8 // 0 the text itself, 1 to 6, boldLevel
	own      sign // of its own name
	sign     sign // of the nearest name that says anything, its own or one above
	inRun    bool // it is one of numbered siblings, and most of these hold boxes
	isMixed  bool // it has lists or tables
	name     string
	number   number

	siblings  int // how many of its children are parts of the plan side by side
	checklist int // boxes of the plan's own checklist in it and the sections below
}

// counts reports whether the name only says which step it is. Its words then do
// not count against it: "Phase 6: Verification" is a step.
func (s *section) counts() bool { return s.number.isUnit() || s.inRun }

// isBelow reports whether a section is somewhere below one of others.
func (s *section) isBelow(others map[*section]bool) bool {
	for s = s.parent; s != nil; s = s.parent {
		if others[s] {
			return true
		}
	}
	return false
}

// A list is a list, with its items that have text.
type list struct {
	ordered bool
	parent  *line // the item that it is in
	inBox   bool  // an item that it is in has a box
	start   int32 // the number of its first item
	items   []*line
	boxes   int // how many of its items have one
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
	o := &outline{doc: doc, sections: []*section{root}, items: make([]line, 0, items), title: root}
	r := reader{outline: o, current: root, open: make([]container, 1, 8)}
	for i := 1; i < len(doc.Blocks); i++ {
		r.read(i)
	}
	o.findTitle()
	o.count()
	o.sign()
	return o
}

// findTitle takes the only heading of level 1 for the title, if no section comes before
// it, or nothing but their headings.
func (o *outline) findTitle() {
	found := 0
	for i, s := range o.sections {
		if s.level != 1 {
			continue
		}
		if found++; found > 1 {
			o.title = o.sections[0]
		} else if i == 1 || int(s.block) == i {
			o.title = s
		}
	}
}

// A reader goes through the blocks of a document.
type reader struct {
	*outline
	current *section
	open    []container
}

// A container is a list or an item that is being read.
type container struct {
	block int32
	list  *list
	item  *line
}

// read handles a block. Those in quotes are left out.
func (r *reader) read(i int) {
	b := &r.doc.Blocks[i]
	for r.open[len(r.open)-1].block > b.Parent {
		r.open = r.open[:len(r.open)-1]
	}
	in := r.open[len(r.open)-1]
	if in.block != b.Parent {
		return
	}
	top := b.Parent == 0
	switch {
	case b.Kind == commonmark.List:
		l := &list{ordered: b.Ordered(), parent: in.item, start: r.doc.Blocks[i+1].Number}
		if top {
			r.lists = append(r.lists, l)
			r.current.isMixed = true
		} else {
			l.inBox = in.item.mark != "" || in.item.list.inBox
		}
		r.open = append(r.open, container{int32(i), l, nil})
	case b.Kind == commonmark.Item:
		r.items = append(r.items, line{kind: anItem, block: -1, section: r.current, list: in.list})
		r.open = append(r.open, container{int32(i), nil, &r.items[len(r.items)-1]})
	case !top && (b.Kind == commonmark.Paragraph || b.Kind == commonmark.Heading):
		r.addItemText(in.item, i)
	case !top:
	case b.Kind == commonmark.Heading:
		r.addSection(int8(b.Level), i)
	case b.Kind == commonmark.Paragraph && r.isBoldLine(i):
		r.addSection(boldLevel, i)
	case b.Kind == commonmark.Paragraph && bytes.HasPrefix(r.doc.Raw(i), []byte("[")) && bytes.Contains(r.doc.Raw(i), []byte("]: ")):
		// A link definition is not text.
	case b.Kind == commonmark.Paragraph && r.doc.Lines(i) > 0:
		r.paragraphs = append(r.paragraphs, &line{kind: aParagraph, block: int32(i), section: r.current})
	case b.Kind == commonmark.Table:
		r.tables = append(r.tables, &line{kind: aTable, block: int32(i), section: r.current})
		r.current.isMixed = true
	case b.Kind == commonmark.HTML:
		r.tasks = appendXMLTasks(r.tasks, r.doc.Raw(i))
	}
}

// addSection adds the section whose heading is the block.
func (r *reader) addSection(level int8, block int) {
	parent := r.current
	for parent.level >= level {
		parent = parent.parent
	}
	name := commonmark.Plain(r.doc.Raw(block))
	s := &section{parent: parent, level: level, name: name, number: numberOf(name)}
	s.line = line{kind: aHeading, block: int32(block), section: s}
	parent.children = append(parent.children, s)
	r.sections = append(r.sections, s)
	r.current = s
}

// isBoldLine reports whether a paragraph is one line that starts in bold type,
// and has no other syntax after it: it is the heading of what follows.
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

// addItemText notes the block as the text of the item, if it has none yet.
func (o *outline) addItemText(it *line, block int) {
	if it.block >= 0 || o.doc.Lines(block) == 0 {
		return
	}
	it.block = int32(block)
	it.list.items = append(it.list.items, it)
	if it.mark = o.doc.ItemBox(block); it.mark != "" {
		it.list.boxes++
	}
}

// raw returns the text of a line as it is written, without its box.
func (o *outline) raw(l *line) []byte {
	raw := o.doc.Raw(int(l.block))
	if l.mark != "" {
		raw = raw[len("[ ]"):]
	}
	return raw
}

// head returns as much of the text of a line as says how it is numbered.
func (o *outline) head(l *line) string {
	raw := o.raw(l)
	return string(raw[:min(len(raw), longestNumber)])
}

// count counts the boxes in each item and section.
func (o *outline) count() {
	for i := len(o.items) - 1; i >= 0; i-- {
		it := &o.items[i]
		in := it.list.parent
		if in == nil {
			in = &it.section.line
		}
		in.boxes = in.boxes.plus(it.boxes).plus(it.box())
	}
	for i := len(o.sections) - 1; i > 0; i-- {
		s := o.sections[i]
		s.parent.boxes = s.parent.boxes.plus(s.boxes)
	}
}

// sign sets what the names of the sections say.
func (o *outline) sign() {
	for _, parent := range o.sections {
		run, withBoxes := 0, 0
		for _, s := range parent.children {
			if s.number.numbering == plain {
				run++
				if s.boxes.all > 0 {
					withBoxes++
				}
			}
		}
		for _, s := range parent.children {
			s.inRun = run >= 2 && 2*withBoxes > run && s.number.numbering == plain
			s.sign = parent.sign
			if s == o.title {
				continue
			}
			s.own = signOf(s.name)
			if !s.counts() && s.own != neutral {
				s.sign = s.own
			}
			if s.number.isUnit() || s.own <= forWork {
				parent.siblings++
			}
		}
	}
}

// isTop reports whether a section is the text itself or the one with the title.
func (o *outline) isTop(s *section) bool { return s.parent == nil || s == o.title }
