// Package markdown picks the steps of a plan from a markdown text: the lines that
// a careful reader would copy into a panel of a few lines. It is pure: text in,
// entries out.
//
// # The rule
//
// The text is read as an outline (outline.go): sections with lists, tables and
// paragraphs. A line in bold type is the heading of a section too. The name of a
// section speaks for what is in it ("Steps", "Implementation order"), or against
// it: it tells about the work ("Background", "Risks"), says when the work is good
// ("Verification"), or is about what is put off ("Future work"). The nearest name
// above that says anything counts. The words are data, in words.txt. Headings may
// be counted: with a word for groups of steps ("Phase 3"), a word for steps
// ("Task 3"), any other word, or plainly ("3.").
//
//  1. To-dos in front matter, and tasks named in XML, are the steps.
//  2. Else the plan's own checklist is, if it has one (boxes.go): all boxes but
//     those for verification and those put off. Boxes in a box, and "2.1" after
//     "2", only say how far it is. If the boxes are in "Task N" headings, or are
//     more than 25, the headings above them are shown: a few numbered ones that
//     hold most of the boxes, or else the nearest, going up until they are few.
//  3. Else the candidate with the most points is (candidates.go), the first in the
//     text if there are several: runs of counted headings, headings side by
//     side, lists, tables with a column of steps, paragraphs. Points are for
//     the form, the name of the section and the number of entries. Such a
//     candidate goes before a checklist of one or two boxes, one outside of all
//     phases, and one that is done while other phases are not (choose.go).
//  4. Else, if no candidate has enough points: any checklist, the headings below
//     the title, the first paragraphs, the rows of a table.
//
// A status comes from the box, or from what is said next to the step ("✅",
// "(done)", "🔄"), or from all boxes below a heading (status.go).
package markdown

import (
	"bytes"
	"unicode/utf8"
)

// A Rendering is what a markdown plan shows as entries.
type Rendering struct {
	Title   string // the text of the first heading
	Entries []Entry

	// Fallback reports that the text has no steps so far: the entries are its
	// headings or paragraphs. More of the text may bring steps.
	Fallback bool
}

// An Entry is one entry of a plan.
type Entry struct {
	Content string // one line of plain text, never empty
	Status  string // pending, in_progress or completed
}

// Render picks the entries of a plan. It reads source as CommonMark with GFM's
// tables, task lists and strikethrough. Code, quotes and HTML make no entries.
//
// Any source is accepted, also one that is cut short or is not UTF-8. Contents
// are valid UTF-8 without control characters, with single spaces between words;
// emphasis, links and images are resolved, code spans keep their backticks. Time
// and memory grow with the length of source only, whatever is in it.
//
// It may be called from several goroutines, and neither changes nor retains source.
func Render(source []byte) (r Rendering) {
	source = bytes.ToValidUTF8(source, []byte(string(utf8.RuneError)))
	source = bytes.TrimPrefix(source, []byte("\ufeff"))
	front, text := cutFrontMatter(source)
	o := newOutline(text)
	for _, s := range o.sections {
		if s.level < boldLevel && r.Title == "" {
			r.Title = s.name
		}
	}
	if r.Entries = todosOf(front); len(r.Entries) == 0 {
		r.Entries = o.tasks
	}
	if len(r.Entries) > 0 {
		return r
	}
	if c := o.choose(); c != nil {
		r.Entries = o.entries(c)
		r.Fallback = c.isFallback()
	}
	return r
}
