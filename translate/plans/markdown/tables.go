package markdown

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
)

// A column describes a column of a table.
type column struct {
	isSteps   bool // its name is one for steps
	isStatus  bool // it is the first with a name for statuses
	bareCount int  // number of cells without words
	length    int  // bytes of its plain text, without the name
}

// columns returns the columns of a table and the number of its rows.
func (o *outline) columns(t *element) (columns []column, rows int) {
	hasStatus := false
	for row, cells := range o.doc.Rows(int(t.block)) {
		if row == 0 {
			columns = make([]column, len(cells))
			for i, name := range cells {
				g := lookUp(string(name)).groups
				isStatus := g&statusWords != 0 && !hasStatus
				hasStatus = hasStatus || isStatus
				columns[i] = column{isSteps: !isStatus && g&(stepsWords|groupsWords|tasksWords) != 0, isStatus: isStatus}
			}
			continue
		}
		rows++
		for i, cell := range cells[:min(len(cells), len(columns))] {
			columns[i].length += len(commonmark.Plain(cell))
			if len(bytes.Trim(cell, "*0123456789. #")) <= 1 {
				columns[i].bareCount++
			}
		}
	}
	return columns, rows
}

// longest returns the column with the longest text among those that match, -1 if none does.
func longest(columns []column, matches func(c column) bool) int {
	best := -1
	for i, c := range columns {
		if matches(c) && (best < 0 || c.length > columns[best].length) {
			best = i
		}
	}
	return best
}

// addTable adds the rows of a table with a column of steps. If most cells of that
// column are numbers, the column with the longest text has the steps.
func (o *outline) addTable(t *element) {
	columns, count := o.columns(t)
	isSteps := func(c column) bool { return c.isSteps }
	if count < 2 || len(columns) < 2 || !slices.ContainsFunc(columns, isSteps) {
		return
	}
	steps := slices.IndexFunc(columns, func(c column) bool { return c.isSteps && 2*c.bareCount <= count })
	if steps < 0 {
		steps = longest(columns, func(c column) bool { return !c.isSteps && !c.isStatus && 2*c.bareCount <= count })
	}
	if steps < 0 {
		return
	}
	c := o.add(rowsLayout, t.section.hint.points(), []*element{t})
	c.column, c.status = steps, slices.IndexFunc(columns, func(c column) bool { return c.isStatus })
	if c.status >= 0 {
		c.points += trackingPoints
	}
}

// appendRows appends the entries of the rows of a table.
func (o *outline) appendRows(es []Entry, c *candidate) []Entry {
	for row, cells := range o.doc.Rows(int(c.start())) {
		if row == 0 || c.column >= len(cells) {
			continue
		}
		e := Entry{commonmark.Plain(cells[c.column]), pending}
		if 0 <= c.status && c.status < len(cells) {
			if status := statusOf(string(cells[c.status])); status != "" {
				e.Status = status
			}
		}
		es = append(es, e)
	}
	return es
}
