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
	sections   []section // the first is the text itself
	lists      []list
	items      []item
	tables     []leaf
	paragraphs []leaf
	title      int     // the section whose heading is the title of the text, 0 if none is
	name       string  // the text of the first heading
	tasks      []Entry // named in XML
	allDone    bool    // a status line above the first section says so
}

// boldLevel is the level of a section whose heading is a line in bold type.
const boldLevel = 7

// A section is a heading and what is below it, or the text itself.
type section struct {
	parent   int32
	block    int32
	level    int8 // 0 the text itself, 1 to 6, boldLevel
	own      sign // of its own name
	sign     sign // of the nearest name that says anything, its own or one above
	inRun    bool // it is one of numbered siblings, and most of these hold boxes
	hasTable bool
	hasList  bool
	name     string
	number   number

	firstChild, lastChild, next int32 // other sections, 0 if there are none
	siblings                    int32 // how many of its children are parts of the plan side by side
	boxes                       tally // in it and the sections below
	checklist                   int32 // boxes of the plan's own checklist in it and the sections below
}

// counts reports whether the name only says which step it is. Its words then do
// not count against it: "Phase 6: Verification" is a step.
func (s *section) counts() bool { return s.number.isUnit() || s.inRun }

// A list is a list, with its items. A list inside another list belongs to an
// item.
type list struct {
	ordered bool
	top     bool // it is in no other list
	section int32
	start   int32 // the number of its first item
	first   int32 // its first item
	last    int32 // its last item; items of inner lists are between them
	count   int32
	boxes   int32 // how many of its items have one

	// goesOn tells that it goes on with the list before it: only paragraphs that say
	// nothing else is coming divide the two.
	goesOn bool
}

// An item is an item of a list.
type item struct {
	list   int32
	parent int32  // the item that its list is in, -1 if none
	block  int32  // its text, -1 if it has none
	mark   string // the status that its box says, "" without a box
	inBox  bool   // an item that it is in has a box
	boxes  tally  // in it, its own one included
}

// A leaf is a table or a paragraph.
type leaf struct{ section, block int32 }

// A tally counts boxes.
type tally struct{ done, doing, all int32 }

func (t *tally) add(o tally) {
	t.done, t.doing, t.all = t.done+o.done, t.doing+o.doing, t.all+o.all
}

// newOutline reads the outline of a text.
func newOutline(source []byte) *outline {
	o := &outline{doc: commonmark.Parse(source)}
	count := [commonmark.Break + 1]int{}
	for i := range o.doc.Blocks {
		count[o.doc.Blocks[i].Kind]++
	}
	o.sections = make([]section, 1, 1+count[commonmark.Heading])
	o.lists = make([]list, 0, count[commonmark.List])
	o.items = make([]item, 0, count[commonmark.Item])
	r := reader{outline: o, of: make([]int32, len(o.doc.Blocks))}
	for i := 1; i < len(o.doc.Blocks); i++ {
		r.read(i)
	}
	// The only heading of level 1 is the title, if no section comes before it,
	// or nothing but their headings.
	if t := r.levelOne; r.levelOnes == 1 && (t == 1 || o.sections[t].block == t) {
		o.title = int(t)
	}
	o.count()
	o.sign()
	o.readDone()
	return o
}

// A reader goes through the blocks of a document.
type reader struct {
	*outline
	current   int32   // the section that it is in
	of        []int32 // the index of the list or item that a block is, from 1 on
	levelOne  int32   // the section of the last heading of level 1
	levelOnes int     // how many of these there are
	before    int32   // the list that the next one may go on with, from 1 on; 0 if none is
}

// read handles a block. Those in quotes are left out.
func (r *reader) read(i int) {
	b := &r.doc.Blocks[i]
	top, within := b.Parent == 0, r.of[b.Parent]
	if r.before > 0 && top && b.Kind != commonmark.List && (b.Kind != commonmark.Paragraph || r.isBoldLine(i) || r.announces(i)) {
		r.before = 0
	}
	switch {
	case b.Kind == commonmark.List && (top || within > 0):
		l := list{ordered: b.Ordered(), top: top, section: r.current, first: int32(len(r.items))}
		l.goesOn = top && r.before > 0 && r.lists[r.before-1].ordered == l.ordered
		r.lists = append(r.lists, l)
		r.of[i] = int32(len(r.lists))
		if top {
			r.before = r.of[i]
		}
		r.sections[r.current].hasList = true
	case b.Kind == commonmark.Item && within > 0:
		r.addItem(within-1, r.of[r.doc.Blocks[b.Parent].Parent]-1, b.Number)
		r.of[i] = int32(len(r.items))
	case !top && within > 0 && (b.Kind == commonmark.Paragraph || b.Kind == commonmark.Heading):
		r.addItemText(within-1, i)
	case !top:
	case b.Kind == commonmark.Heading:
		r.current = r.open(r.current, int8(b.Level), i)
		if b.Level == 1 {
			r.levelOne = r.current
			r.levelOnes++
		}
	case b.Kind == commonmark.Paragraph && r.isBoldLine(i):
		r.current = r.open(r.current, boldLevel, i)
	case b.Kind == commonmark.Paragraph && r.doc.Lines(i) > 0:
		r.paragraphs = append(r.paragraphs, leaf{r.current, int32(i)})
	case b.Kind == commonmark.Table:
		r.tables = append(r.tables, leaf{r.current, int32(i)})
		r.sections[r.current].hasTable = true
	case b.Kind == commonmark.HTML:
		r.tasks = appendXMLTasks(r.tasks, r.doc.Raw(i))
	}
}

// open adds the section whose heading is the block.
func (o *outline) open(current int32, level int8, block int) int32 {
	for o.sections[current].level >= level {
		current = o.sections[current].parent
	}
	name := o.doc.Plain(o.doc.Raw(block))
	if o.name == "" && level < boldLevel {
		o.name = name
	}
	s := section{parent: current, block: int32(block), level: level, name: name, number: numberOf(name)}
	i := int32(len(o.sections))
	if parent := &o.sections[current]; parent.lastChild == 0 {
		parent.firstChild, parent.lastChild = i, i
	} else {
		o.sections[parent.lastChild].next, parent.lastChild = i, i
	}
	o.sections = append(o.sections, s)
	return i
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

// announces reports whether a paragraph is the name of something else than the work:
// "Risks:".
func (o *outline) announces(block int) bool {
	const most = 2 // words of a name
	if o.doc.Lines(block) != 1 {
		return false
	}
	raw := o.doc.Raw(block)
	if !endsInColon(raw) || len(raw) > longestName {
		return false
	}
	name := string(raw)
	return find(name).words <= most && signOf(name) > forWork
}

// addItem adds an item to a list. parent is the item that the list is in.
func (o *outline) addItem(in, parent, number int32) {
	l := &o.lists[in]
	if int32(len(o.items)) == l.first {
		l.start = number
	}
	it := item{list: in, parent: parent, block: -1}
	if parent >= 0 {
		it.inBox = o.items[parent].inBox || o.items[parent].mark != ""
	}
	l.last = int32(len(o.items))
	o.items = append(o.items, it)
}

// addItemText notes the block as the text of the item, if it has none yet.
func (o *outline) addItemText(i int32, block int) {
	it := &o.items[i]
	if it.block >= 0 || o.doc.Lines(block) == 0 {
		return
	}
	it.block = int32(block)
	l := &o.lists[it.list]
	l.count++
	first := int(o.doc.Blocks[block].Parent) == block-1
	if mark := o.mark(o.doc.Raw(block)); first && mark != "" {
		it.mark = mark
		l.boxes++
	}
}

// itemText returns the text of an item as it is written, without its box.
func (o *outline) itemText(i int32) []byte {
	it := &o.items[i]
	if it.block < 0 {
		return nil
	}
	raw := o.doc.Raw(int(it.block))
	if it.mark != "" {
		raw = raw[len("[ ]"):]
	}
	return raw
}

// itemsOf calls yield with the items of a list that have text.
func (o *outline) itemsOf(l int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for i := o.lists[l].first; i <= o.lists[l].last; i++ {
			if o.items[i].list == l && o.items[i].block >= 0 && !yield(i) {
				return
			}
		}
	}
}

// count counts the boxes in each item and section.
func (o *outline) count() {
	for i := len(o.items) - 1; i >= 0; i-- {
		it := &o.items[i]
		switch it.mark {
		case pending:
			it.boxes.add(tally{all: 1})
		case inProgress:
			it.boxes.add(tally{doing: 1, all: 1})
		case completed:
			it.boxes.add(tally{done: 1, all: 1})
		}
		if it.parent >= 0 {
			o.items[it.parent].boxes.add(it.boxes)
		} else {
			o.sections[o.lists[it.list].section].boxes.add(it.boxes)
		}
	}
	for i := len(o.sections) - 1; i > 0; i-- {
		o.sections[o.sections[i].parent].boxes.add(o.sections[i].boxes)
	}
}

// sign sets what the names of the sections say.
func (o *outline) sign() {
	for i := range o.sections {
		run, withBoxes := 0, 0
		for c := range o.children(int32(i)) {
			if o.sections[c].number.numbering == plain {
				run++
				if o.sections[c].boxes.all > 0 {
					withBoxes++
				}
			}
		}
		for c := range o.children(int32(i)) {
			s := &o.sections[c]
			s.inRun = run >= 2 && 2*withBoxes > run && s.number.numbering == plain
			s.sign = o.sections[i].sign
			if int(c) == o.title {
				continue
			}
			s.own = signOf(s.name)
			if !s.counts() && s.own != neutral {
				s.sign = s.own
			}
			if s.number.isUnit() || s.own <= forWork {
				o.sections[i].siblings++
			}
		}
	}
}

// children calls yield with the sections right below one.
func (o *outline) children(i int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for c := o.sections[i].firstChild; c != 0; c = o.sections[c].next {
			if !yield(c) {
				return
			}
		}
	}
}

// isTop reports whether a section is the text itself or the one with the title.
func (o *outline) isTop(i int32) bool { return i == 0 || int(i) == o.title }
