package commonmark

import "bytes"

// delimiterRow returns the number of columns of a row of table delimiters, 0 for any other row.
// A row of dashes alone has none: it underlines a heading, or is text.
func delimiterRow(row []byte) (columns int) {
	if len(bytes.Trim(row, "|:- \t\r")) > 0 || !bytes.ContainsAny(row, "|:") {
		return 0
	}
	delimiters := appendCells(nil, row)
	for _, d := range delimiters {
		d = bytes.TrimSuffix(bytes.TrimPrefix(d, []byte(":")), []byte(":"))
		if len(d) == 0 || len(bytes.Trim(d, "-")) > 0 {
			return 0
		}
	}
	return len(delimiters)
}

// appendCells appends the trimmed cells of a row of a table. An escaped pipe does not end a
// cell.
func appendCells(cells [][]byte, row []byte) [][]byte {
	row = bytes.TrimPrefix(bytes.Trim(row, " \t\r"), []byte("|"))
	start := 0
	for i, b := range row {
		if b == '|' && (i == 0 || row[i-1] != '\\') {
			cells = append(cells, bytes.Trim(row[start:i], " \t"))
			start = i + 1
		}
	}
	if start < len(row) {
		cells = append(cells, bytes.Trim(row[start:], " \t"))
	}
	return cells
}
