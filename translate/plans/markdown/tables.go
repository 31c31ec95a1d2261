package markdown

import (
	"bytes"
	"unicode/utf8"
)

// addTable adds the rows of a table that has a column of steps.
func (o *outline) addTable(t *line) {
	steps, status := o.columns(int(t.block))
	if steps < 0 {
		return
	}
	points := t.section.sign.points()
	if status >= 0 {
		points += 4
	}
	c := o.add(rows, points, []*line{t})
	c.column, c.status = steps, status
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
				g := find(string(cell[:min(len(cell), longestNumber)])).groups
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

// appendRows appends the entries of the rows of a table.
func (o *outline) appendRows(es []Entry, c *candidate) []Entry {
	header := true
	for cells := range o.doc.Rows(int(c.start())) {
		if header || c.column >= len(cells) {
			header = false
			continue
		}
		e := Entry{o.doc.Plain(cells[c.column]), pending}
		if 0 <= c.status && c.status < len(cells) {
			if said := statusOf(string(cells[c.status])); said != "" {
				e.Status = said
			}
		}
		es = append(es, e)
	}
	return es
}
