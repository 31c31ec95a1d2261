package markdown

import (
	"bytes"
	"unicode/utf8"
)

// appendTable appends the rows of a table that has a column of steps.
func (o *outline) appendTable(cs []candidate, i int32) []candidate {
	t := &o.tables[i]
	steps, status := o.columns(int(t.block))
	if steps < 0 {
		return cs
	}
	points := o.sections[t.section].sign.points()
	if status >= 0 {
		points += 4
	}
	count := o.doc.Lines(int(t.block)) - 2
	return append(cs, candidate{
		form: rows, points: points, size: size(count), lines: []line{{ofTable, i}}, column: int32(steps), status: int32(status),
	})
}

// columns returns which column of a table holds steps and which their statuses,
// -1 if none does. Where the column that is named for steps only numbers them,
// the steps are in the one with the most text.
func (o *outline) columns(block int) (steps, status int) {
	steps, status = -1, -1
	var named []bool
	var bare, length []int // cells that say nothing, letters of text
	count := 0
	for cells := range o.doc.Rows(block) {
		if named == nil {
			named, bare, length = make([]bool, len(cells)), make([]int, len(cells)), make([]int, len(cells))
			for c, cell := range cells {
				g := find(string(head(cell))).groups
				if g&statusWords != 0 && status < 0 {
					status = c
				} else {
					named[c] = g&(stepsWords|groupsWords|tasksWords) != 0
				}
			}
			continue
		}
		count++
		for c, cell := range cells[:min(len(cells), len(named))] {
			length[c] += utf8.RuneCountInString(o.doc.Plain(cell))
			if len(bytes.Trim(cell, "*0123456789. #")) <= 1 {
				bare[c]++
			}
		}
	}
	if count < 2 || len(named) < 2 {
		return -1, -1
	}
	anyNamed := false
	for c := range named {
		if named[c] {
			anyNamed = true
			if 2*bare[c] <= count && steps < 0 {
				steps = c
			}
		}
	}
	if !anyNamed || steps >= 0 {
		return steps, status
	}
	for c := range named {
		if !named[c] && c != status && 2*bare[c] <= count && (steps < 0 || length[c] > length[steps]) {
			steps = c
		}
	}
	return steps, status
}

// widest returns the column of a table with the most text.
func (o *outline) widest(block int) (column int) {
	var length []int
	header := true
	for cells := range o.doc.Rows(block) {
		if header {
			length, header = make([]int, len(cells)), false
			continue
		}
		for c, cell := range cells[:min(len(cells), len(length))] {
			length[c] += utf8.RuneCountInString(o.doc.Plain(cell))
		}
	}
	column = -1
	for c := range length {
		if length[c] > 0 && (column < 0 || length[c] > length[column]) {
			column = c
		}
	}
	return column
}

// rowEntries calls yield with the entries of the rows of a table.
func (o *outline) rowEntries(block, column, status int) func(yield func(Entry) bool) {
	return func(yield func(Entry) bool) {
		header := true
		for cells := range o.doc.Rows(block) {
			if header || column >= len(cells) {
				header = false
				continue
			}
			e := Entry{o.doc.Plain(cells[column]), pending}
			if 0 <= status && status < len(cells) {
				if said := statusOf(string(cells[status])); said != "" {
					e.Status = said
				}
			}
			if !yield(e) {
				return
			}
		}
	}
}
