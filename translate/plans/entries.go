package plans

import (
	"bytes"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// A span is where a value stands in a text; the zero span is that of no value.
type span struct{ start, end int }

func (s span) of(text []byte) []byte { return text[s.start:s.end] }

// isString reports whether the value is a JSON string.
func (s span) isString(text []byte) bool { return s.end > 0 && text[s.start] == '"' }

// unquoted returns the value of a JSON string.
func (s span) unquoted(text []byte) []byte { return rawjson.Unquote(s.of(text)) }

// next reads the value that is next in c and returns where it stands; the zero
// span if it is cut short or otherwise no JSON.
func next(c *rawjson.Cursor) span {
	start := c.Offset()
	c.Skip()
	if c.Err() != nil {
		return span{}
	}
	return span{start, c.Pos()}
}

// stringSpan is next for a string; it passes over any other value and returns
// the zero span.
func stringSpan(c *rawjson.Cursor) span { return spanOf(c, '"') }

// spanOf is stringSpan for any kind of value, as rawjson.Cursor.Kind has it.
func spanOf(c *rawjson.Cursor, kind byte) span {
	if c.Kind() != kind {
		c.Skip()
		return span{}
	}
	return next(c)
}

// An entry is one step of a plan, by where it stands in the text of a message.
type entry struct {
	span
	content  span // of a JSON string; zero if there is none
	priority span // of any value
	status   span // of any value
	badMeta  bool // its _meta is neither an object nor null, which all drafts demand

	// usual tells that the entry has all it should have in version 1. One that
	// was not read by usualEntry may have so too.
	usual bool
}

// readEntries reads the array that is next in c, which walks text, into dst. It
// reports false, and passes over the value, if it is no array. Of a longer array
// it keeps one entry more than MaxEntries.
func readEntries(c *rawjson.Cursor, text []byte, dst []entry) ([]entry, bool) {
	if c.Kind() != '[' {
		c.Skip()
		return dst, false
	}
	for more := c.Array(); more; more = c.NextElement() {
		if len(dst) > MaxEntries {
			c.Skip()
			continue
		}
		e, ok := usualEntry(text, c.Offset())
		if ok {
			c.SkipTo(e.end)
		} else {
			e = readEntry(c)
		}
		dst = append(dst, e)
	}
	return dst, true
}

// readEntry reads the entry that is next in c, which may be any value.
func readEntry(c *rawjson.Cursor) entry {
	if c.Kind() != '{' {
		return entry{span: next(c)}
	}
	e := entry{span: span{start: c.Offset()}}
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "content":
			e.content = stringSpan(c)
		case "priority":
			e.priority = next(c)
		case "status":
			e.status = next(c)
		case "_meta":
			kind := c.Kind()
			e.badMeta = kind != '{' && kind != 'n'
			c.Skip()
		default:
			c.Skip()
		}
	}
	e.end = c.Pos()
	return e
}

// usualEntry reads the entry at text[start:] if it is written as nearly all
// are: with nothing but the members that it should have, each once, with values
// of version 1, and no white space between. It reports false otherwise, which
// says nothing of the entry. Entries are most of what there is to read in plans,
// and this takes half the time of readEntry.
func usualEntry(text []byte, start int) (e entry, ok bool) {
	const longestMember = len(`"status":"in_progress"`)
	if start == len(text) || text[start] != '{' {
		return e, false
	}
	e.start = start
	for i := start + 1; len(text)-i > longestMember; i++ {
		var n int
		rest := text[i:]
		switch {
		case string(rest[:11]) == `"content":"` && e.content.end == 0:
			e.content.start = i + 10
			if i, ok = rawjson.StringEnd(text, i+11); !ok || i == len(text) {
				return e, false
			}
			e.content.end = i
		case string(rest[:12]) == `"priority":"` && e.priority.end == 0:
			i += 11
			switch rest = rest[11:]; {
			case string(rest[:8]) == `"medium"`:
				n = 8
			case string(rest[:6]) == `"high"`:
				n = 6
			case string(rest[:5]) == `"low"`:
				n = 5
			default:
				return e, false
			}
			e.priority = span{i, i + n}
		case string(rest[:10]) == `"status":"` && e.status.end == 0:
			i += 9
			switch rest = rest[9:]; {
			case string(rest[:9]) == `"pending"`:
				n = 9
			case string(rest[:11]) == `"completed"`:
				n = 11
			case string(rest[:13]) == `"in_progress"`:
				n = 13
			default:
				return e, false
			}
			e.status = span{i, i + n}
		default:
			return e, false
		}
		i += n
		switch text[i] {
		case ',':
		case '}':
			e.end = i + 1
			e.usual = true
			return e, e.content.end > 0 && e.priority.end > 0 && e.status.end > 0
		default:
			return e, false
		}
	}
	return e, false
}

// valid reports whether a client shows the entry as it is; fixed
// tells that the client knows only the three statuses and priorities of version 1.
func (e *entry) valid(text []byte, fixed bool) bool {
	if e.usual {
		return true
	}
	if e.content.end == 0 || e.badMeta || !e.priority.isString(text) || !e.status.isString(text) {
		return false
	}
	return !fixed || fixedPriority(e.priority.unquoted(text)) != "" && fixedStatus(e.status.unquoted(text)) != ""
}

// The three statuses and priorities that version 1 of the protocol has.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"

	high   = "high"
	medium = "medium"
	low    = "low"
)

func fixedPriority(s []byte) string {
	switch string(s) {
	case high:
		return high
	case medium:
		return medium
	case low:
		return low
	}
	return ""
}

func fixedStatus(s []byte) string {
	switch string(s) {
	case pending:
		return pending
	case inProgress:
		return inProgress
	case completed:
		return completed
	}
	return ""
}

// mapped returns what a client that does not show the entry as it is gets for
// its priority and status, and what is added to the content to keep what the
// status said.
func (e *entry) mapped(text []byte, fixed bool) (priority, status, note string) {
	priority, status = medium, pending
	if e.priority.isString(text) {
		if p := e.priority.unquoted(text); !fixed {
			priority = string(p)
		} else if known := fixedPriority(p); known != "" {
			priority = known
		}
	}
	if e.status.isString(text) {
		s := e.status.unquoted(text)
		if !fixed {
			status = string(s)
		} else if known := fixedStatus(s); known != "" {
			status = known
		} else {
			if string(s) == "cancelled" {
				status = completed
			}
			if s = bytes.TrimPrefix(s, []byte("_")); len(s) > 0 {
				note = " (" + string(s) + ")"
			}
		}
	}
	return priority, status, note
}

// An entryList is the inside of an array of entries: the text between its
// brackets, and where in it the content of each entry begins, behind the quote.
type entryList struct {
	text     []byte
	contents []int
	open     int // how many entries are not completed
}

func (l *entryList) reset() { *l = entryList{text: l.text[:0], contents: l.contents[:0]} }

// set makes l a copy of from, in its own memory.
func (l *entryList) set(from *entryList) {
	if cap(l.text) > 4*len(from.text)+4096 || cap(l.contents) > 4*len(from.contents)+512 {
		*l = entryList{}
	}
	l.text = append(l.text[:0], from.text...)
	l.contents = append(l.contents[:0], from.contents...)
	l.open = from.open
}

// take makes l what from is, whose own content is undefined from then on. The
// two swap their memory, unless from has much more than it needs.
func (l *entryList) take(from *entryList) {
	if cap(from.text) > 4*len(from.text)+4096 || cap(from.contents) > 4*len(from.contents)+512 {
		l.set(from)
	} else {
		*l, *from = *from, *l
	}
}

func (l *entryList) countOpen(status string) {
	if status != completed {
		l.open++
	}
}

func (l *entryList) comma() {
	if len(l.text) > 0 {
		l.text = append(l.text, ',')
	}
}

// add appends an entry whose values are given, content being plain text.
func (l *entryList) add(content, status string) {
	l.comma()
	l.text = append(l.text, `{"content":"`...)
	l.contents = append(l.contents, len(l.text))
	l.text = rawjson.AppendEscaped(l.text, content)
	l.text = append(l.text, `","priority":"medium","status":"`...)
	l.text = append(l.text, status...)
	l.text = append(l.text, `"}`...)
	l.countOpen(status)
}

// addFrom appends the entries that stand in text, mapped to what the client
// knows. It returns how many were skipped because they have no content, and
// whether all were valid as they are.
func (l *entryList) addFrom(text []byte, entries []entry, fixed bool) (skipped int, valid bool) {
	valid = true
	size := 0
	for i := range entries {
		if e := &entries[i]; e.content.end > 0 {
			size += e.end - e.start + 1
		}
	}
	l.text = slices.Grow(l.text, size)
	for i := range entries {
		e := &entries[i]
		if e.content.end == 0 {
			valid = false
			skipped++
			continue
		}
		l.comma()
		if e.valid(text, fixed) {
			l.contents = append(l.contents, len(l.text)+e.content.start-e.start+1)
			l.text = append(l.text, e.of(text)...)
			if string(e.status.of(text)) != `"completed"` {
				l.open++ // if it is, and is spelled with escapes, that does no harm
			}
		} else {
			valid = false
			l.addMapped(text, e, fixed)
		}
	}
	return skipped, valid
}

// addMapped appends an entry with its values edited in place, so that members
// the proxy does not know stay. Of a content that stands twice the last counts,
// as in most parsers.
func (l *entryList) addMapped(text []byte, e *entry, fixed bool) {
	priority, status, note := e.mapped(text, fixed)
	edit := rawjson.Edit(l.text, text, e.start)
	content := 0
	var c rawjson.Cursor
	c.Reset(e.of(text))
	for more := c.Object(); more; more = c.NextMember() {
		name := c.Name()
		value := next(&c)
		start, end := e.start+value.start, e.start+value.end
		switch string(name) {
		case "content":
			if start != e.content.start {
				break
			}
			edit.CopyTo(start + 1)
			content = len(edit.Out)
			edit.CopyTo(end - 1)
			edit.Out = rawjson.AppendEscaped(edit.Out, note)
		case "priority":
			edit.Cut(start, end)
			edit.Out = rawjson.AppendQuoted(edit.Out, priority)
		case "status":
			edit.Cut(start, end)
			edit.Out = rawjson.AppendQuoted(edit.Out, status)
		case "_meta":
			if e.badMeta {
				edit.Replace(start, end, "null")
			}
		}
	}
	edit.CopyTo(e.end - 1)
	if e.priority.end == 0 {
		edit.Out = rawjson.AppendQuoted(append(edit.Out, `,"priority":`...), priority)
	}
	if e.status.end == 0 {
		edit.Out = rawjson.AppendQuoted(append(edit.Out, `,"status":`...), status)
	}
	l.text = edit.Finish(e.end)
	l.contents = append(l.contents, content)
	l.countOpen(status)
}

// same reports whether two lists have the same entries: contents, priorities
// and statuses, in order. Other members and the spelling do not count.
func (l *entryList) same(other *entryList) bool {
	if len(l.contents) != len(other.contents) {
		return false
	}
	if bytes.Equal(l.text, other.text) {
		return true
	}
	a, aText := l.reread()
	b, bText := other.reread()
	for i := range a {
		x, y := &a[i], &b[i]
		if !bytes.Equal(x.content.unquoted(aText), y.content.unquoted(bText)) ||
			!bytes.Equal(x.priority.unquoted(aText), y.priority.unquoted(bText)) ||
			!bytes.Equal(x.status.unquoted(aText), y.status.unquoted(bText)) {
			return false
		}
	}
	return true
}

func (l *entryList) reread() ([]entry, []byte) {
	text := slices.Concat([]byte("["), l.text, []byte("]"))
	var c rawjson.Cursor
	c.Reset(text)
	entries, _ := readEntries(&c, text, nil)
	return entries, text
}
