// Package markdown finds the steps of a plan in a markdown text: the lines that a careful
// reader would copy into a panel of a few lines. It is pure and keeps no state.
//
// # The rule
//
// An outline (outline.go) divides the text into sections with lists, tables and paragraphs. A
// line in bold type is a heading, too. The heading of a section classifies its content as
// steps ("Steps", "Implementation order"), as context ("Background", "Risks"), as checks
// ("Verification") or as later work ("Future work"). The nearest classified heading counts.
// The words are in words.txt. A heading may have a number: with a word for groups of steps
// ("Phase 3"), with a word for steps ("Task 3"), or without a word ("3.").
//
//  1. The steps are the to-dos in front matter, or the tasks named in XML.
//  2. Else the steps are the plan's own checklist (boxes.go): all boxes except in checks and in
//     later work. A box inside another box, or "2.1" after "2", counts only for the status of
//     the outer step. If the boxes are below "Task N" headings, or if there are more than 25
//     boxes, the headings above them are the steps: a few numbered headings that contain most of
//     the boxes, or else the nearest headings, at the lowest level that has few of them.
//  3. Else the steps are the candidate with the most points (candidates.go), the first in the
//     text if there are several: runs of numbered headings, sibling headings, lists, tables with
//     a column of steps, paragraphs. The layout, the section and the number of entries give points.
//     Such a candidate can replace a checklist of one or two boxes, a checklist outside of all
//     phases, and a completed checklist beside open phases (choose.go).
//  4. Else, if no candidate has enough points, the steps are any checklist, the headings below
//     the title, the first paragraphs, or the rows of a table.
//
// If there are more than 50 steps, the last entry stands for those beyond the first 49.
//
// A step takes its status from its box, from a mark beside it ("✅", "(done)", "🔄"), or from all
// boxes below it (status.go).
package markdown

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// A Rendering holds the entries of a markdown plan.
type Rendering struct {
	Title   string // the text of the first heading
	Entries []Entry

	// Fallback reports that the entries are headings or paragraphs, because the text has no
	// steps. The rest of a growing text may have steps.
	Fallback bool
}

// An Entry is one entry of a plan.
type Entry struct {
	Content string // one line of plain text, never empty
	Status  string // pending, in_progress or completed
}

// Render returns the entries of a plan. It parses source as CommonMark with the tables, task
// lists and strikethrough of GFM. Code, quotes and HTML yield no entries.
//
// Source may be truncated or invalid UTF-8. Contents are valid UTF-8 without control
// characters, with single spaces between words. Emphasis, links and images are resolved; code
// spans keep their backticks. Time and memory are linear in the length of source.
//
// Render is safe for concurrent use. It neither changes nor retains source.
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
	if len(r.Entries) == 0 {
		if c := o.choose(); c != nil {
			r.Entries = o.entries(c)
			r.Fallback = c.isFallback()
		}
	}
	r.Entries = shorten(r.Entries)
	return r
}

// shorten replaces the entries beyond a number by one entry with their common status.
func shorten(entries []Entry) []Entry {
	const most = 50
	if len(entries) <= most {
		return entries
	}
	var others tally
	for _, e := range entries[most-1:] {
		others = others.plus((&element{mark: e.Status}).box())
	}
	return append(entries[:most-1], Entry{fmt.Sprintf("… and %d more", others.all), others.rollUp()})
}
