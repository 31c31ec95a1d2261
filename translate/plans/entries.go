package plans

import (
	"bytes"
	"cmp"

	"acp-plan-proxy/transport/rawjson"
)

// A span is where a value is in a text; the zero span means that the value is
// missing.
type span struct{ start, end int }

// there reports whether there is a value.
func (s span) there() bool { return s.end > 0 }

func (s span) of(text []byte) []byte { return text[s.start:s.end] }

// isString reports whether the value is a JSON string.
func (s span) isString(text []byte) bool { return s.there() && text[s.start] == '"' }

// unquoted returns what a JSON string says.
func (s span) unquoted(text []byte) []byte { return rawjson.Unquote(s.of(text)) }

// next reads the value that is next in c and returns where it is; the zero span
// if it is cut short or otherwise not JSON.
func next(c *rawjson.Cursor) span {
	start := c.Offset()
	c.Skip()
	if c.Err() != nil {
		return span{}
	}
	return span{start, c.Pos()}
}

// spanOf is next for values of one kind, as rawjson.Cursor.Kind has it. It passes
// over any other value and returns the zero span.
func spanOf(c *rawjson.Cursor, kind byte) span {
	if c.Kind() != kind {
		c.Skip()
		return span{}
	}
	return next(c)
}

// An entry is one step of a plan, by where it is in the text of a message.
type entry struct {
	span
	content  span // a JSON string; zero if it is missing
	priority span // any value
	status   span // any value
	badMeta  bool // its _meta is neither an object nor null, which all drafts demand

	// usual tells that the entry has all it should have in version 1. An entry
	// that readUsual did not read may have all of that too.
	usual bool
}

// readEntries reads the array that is next in c, which walks text, into dst. It
// passes over a value that is not an array. Of an array longer than maxEntries it
// keeps one entry more than that.
func readEntries(c *rawjson.Cursor, text []byte, dst []entry) []entry {
	if c.Kind() != '[' {
		c.Skip()
		return dst
	}
	for more := c.Array(); more; more = c.NextElement() {
		if len(dst) > maxEntries {
			c.Skip()
			continue
		}
		dst = append(dst, entry{})
		if e := &dst[len(dst)-1]; e.readUsual(text, c.Offset()) {
			c.SkipTo(e.end)
		} else {
			*e = readEntry(c)
		}
	}
	return dst
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
			e.content = spanOf(c, '"')
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

// readUsual reads the entry at text[start:] if it is written as nearly all are:
// it has only the members that it should have, each once, with values of version
// 1, and no white space between. Otherwise it reports false, and the entry may be
// anything. Entries are most of what there is to read in plans, and this takes
// half the time of readEntry.
//
// It looks at a window of text, an array, so that the compiler checks that each
// comparison is inside it.
func (e *entry) readUsual(text []byte, start int) bool {
	const (
		content  = `"content":"`
		priority = `"priority":`
		status   = `"status":`
		window   = len(status+`"in_progress"`) + 1 // the longest member, and what follows it
	)
	if start == len(text) || text[start] != '{' {
		return false
	}
	e.start = start
	for i := start + 1; len(text)-i >= window; i++ {
		at := (*[window]byte)(text[i:])
		switch {
		case string(at[:len(content)]) == content && !e.content.there():
			e.content.start = i + len(content) - 1
			end, ok := rawjson.StringEnd(text, i+len(content))
			if !ok || end == len(text) {
				return false
			}
			e.content.end, i = end, end
		case string(at[:len(priority)]) == priority && !e.priority.there():
			e.priority.start = i + len(priority)
			switch {
			case string(at[len(priority):len(priority+`"medium"`)]) == `"medium"`:
				i += len(priority + `"medium"`)
			case string(at[len(priority):len(priority+`"high"`)]) == `"high"`:
				i += len(priority + `"high"`)
			case string(at[len(priority):len(priority+`"low"`)]) == `"low"`:
				i += len(priority + `"low"`)
			default:
				return false
			}
			e.priority.end = i
		case string(at[:len(status)]) == status && !e.status.there():
			e.status.start = i + len(status)
			switch {
			case string(at[len(status):len(status+`"pending"`)]) == `"pending"`:
				i += len(status + `"pending"`)
			case string(at[len(status):len(status+`"completed"`)]) == `"completed"`:
				i += len(status + `"completed"`)
			case string(at[len(status):len(status+`"in_progress"`)]) == `"in_progress"`:
				i += len(status + `"in_progress"`)
			default:
				return false
			}
			e.status.end = i
		default:
			return false
		}
		switch text[i] {
		case ',':
		case '}':
			e.end, e.usual = i+1, true
			return e.content.there() && e.priority.there() && e.status.there()
		default:
			return false
		}
	}
	return false
}

// valid reports whether a client shows the entry as it is; fixed tells that the
// client knows only the three statuses and priorities of version 1.
func (e *entry) valid(text []byte, fixed bool) bool {
	if e.usual {
		return true
	}
	if !e.content.there() || e.badMeta || !e.priority.isString(text) || !e.status.isString(text) {
		return false
	}
	return !fixed || known(e.priority.unquoted(text), &priorities) != "" && known(e.status.unquoted(text), &statuses) != ""
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

var (
	priorities = [...]string{high, medium, low}
	statuses   = [...]string{pending, inProgress, completed}
)

// known returns s as one of the values of version 1, "" if it is none of them.
func known(s []byte, of *[3]string) string {
	for _, value := range of {
		if string(s) == value {
			return value
		}
	}
	return ""
}

// mapped is for a client that does not show the entry as it is. It returns the
// priority and the status that the client gets, and a note for the end of the
// content that keeps what the status said.
func (e *entry) mapped(text []byte, fixed bool) (priority, status, note string) {
	priority, status = medium, pending
	if e.priority.isString(text) {
		if p := e.priority.unquoted(text); !fixed {
			priority = string(p)
		} else {
			priority = cmp.Or(known(p, &priorities), medium)
		}
	}
	if !e.status.isString(text) {
		return priority, status, ""
	}
	s := e.status.unquoted(text)
	switch as := known(s, &statuses); {
	case !fixed:
		return priority, string(s), ""
	case as != "":
		return priority, as, ""
	case string(s) == "cancelled":
		status = completed
	}
	if s = bytes.TrimPrefix(s, []byte("_")); len(s) > 0 {
		note = " (" + string(s) + ")"
	}
	return priority, status, note
}
