package commonmark

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A run is one of '*', '_' or '~' characters that may open or close emphasis.
type run struct {
	start, end int // what is left of it
	char       byte
	opens      bool
	closes     bool
	length     int // of the whole run
	before     int // the index of the run before that may still open emphasis
}

// addRun adds the run of delimiters at i.
func (t *inline) addRun(i int) int {
	char, length := t.text[i], runLength(t.text[i:])
	before, _ := utf8.DecodeLastRune(t.text[:i])
	after, _ := utf8.DecodeRune(t.text[i+length:])
	spaceBefore, spaceAfter := i == 0 || unicode.IsSpace(before), i+length == len(t.text) || unicode.IsSpace(after)
	punctBefore, punctAfter := isPunct(before), isPunct(after)
	left := !spaceAfter && (!punctAfter || spaceBefore || punctBefore)
	right := !spaceBefore && (!punctBefore || spaceAfter || punctAfter)
	r := run{start: i, end: i + length, char: char, opens: left, closes: right, length: length, before: len(t.runs) - 1}
	switch {
	case char == '_':
		r.opens = left && (!right || punctBefore)
		r.closes = right && (!left || punctAfter)
	case char == '~' && length > 2:
		return length
	}
	t.runs = append(t.runs, r)
	return length
}

func isPunct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// resolveRuns resolves the emphasis between the runs from the bottom-th on.
func (t *inline) resolveRuns(bottom int) {
	// For each kind of closing run: no opening run is left before that index.
	var floor [18]int
	for i := range floor {
		floor[i] = bottom
	}
	for c := bottom; c < len(t.runs); c++ {
		closer := &t.runs[c]
		for closer.closes && closer.start < closer.end {
			kind := closer.kind()
			o := closer.before
			for o >= floor[kind] && !t.runs[o].matches(closer) {
				o = t.runs[o].before
			}
			if o < floor[kind] {
				floor[kind] = closer.before + 1
				break
			}
			t.match(&t.runs[o], closer)
			closer.before = o
			if t.runs[o].start == t.runs[o].end {
				closer.before = t.runs[o].before
			}
		}
		if c+1 < len(t.runs) && (!closer.opens || closer.start == closer.end) {
			t.runs[c+1].before = closer.before
		}
	}
}

// kind numbers the kinds of closing runs that differ in what opens them.
func (r *run) kind() int {
	kind := 3*strings.IndexByte("*_~", r.char) + r.length%3
	if r.opens {
		kind += 9
	}
	return kind
}

// matches reports whether r opens what closer closes.
func (r *run) matches(closer *run) bool {
	if r.char != closer.char {
		return false
	}
	if r.char == '~' {
		return r.length == closer.length
	}
	return !r.closes && !closer.opens || (r.length+closer.length)%3 != 0 || r.length%3 == 0
}

// match takes the delimiters of a pair out of the text.
func (t *inline) match(opener, closer *run) {
	count := 1
	if opener.end-opener.start >= 2 && closer.end-closer.start >= 2 {
		count = 2
	}
	t.use(syntax, opener.end-count, opener.end)
	t.use(syntax, closer.start, closer.start+count)
	kind := emphasis
	switch {
	case opener.char == '~':
		kind = strike
	case count == 2:
		kind = strong
	}
	t.parts = append(t.parts, part{kind: kind, at: opener.end - count}, part{kind: ends, at: closer.start})
	opener.end -= count
	closer.start += count
}
