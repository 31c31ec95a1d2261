package plans

import (
	"bytes"
	"cmp"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// next reads the value that is next in c and returns where it is; the zero span
// if it is cut short or otherwise not JSON.
func next(c *rawjson.Cursor) jsonrpc.Span {
	start := c.Offset()
	c.Skip()
	if c.Err() != nil {
		return jsonrpc.Span{}
	}
	return jsonrpc.Span{Start: start, End: c.Pos()}
}

// An entry is one step of a plan, by where it is in the text of a message.
type entry struct {
	jsonrpc.Span
	content  jsonrpc.Span // a JSON string; zero if it is missing
	priority jsonrpc.Span // any value
	status   jsonrpc.Span // any value
	badMeta  bool         // its _meta is neither an object nor null, which all drafts demand

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
			c.SkipTo(e.End)
		} else {
			*e = readEntry(c)
		}
	}
	return dst
}

// readEntry reads the entry that is next in c, which may be any value.
func readEntry(c *rawjson.Cursor) entry {
	if c.Kind() != '{' {
		return entry{Span: next(c)}
	}
	e := entry{Span: jsonrpc.Span{Start: c.Offset()}}
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "content":
			isString := c.Kind() == '"'
			if e.content = next(c); !isString {
				e.content = jsonrpc.Span{}
			}
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
	e.End = c.Pos()
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
	e.Start = start
	for i := start + 1; len(text)-i >= window; i++ {
		at := (*[window]byte)(text[i:])
		switch {
		case string(at[:len(content)]) == content && !e.content.Present():
			e.content.Start = i + len(content) - 1
			end, ok := rawjson.StringEnd(text, i+len(content))
			if !ok || end == len(text) {
				return false
			}
			e.content.End, i = end, end
		case string(at[:len(priority)]) == priority && !e.priority.Present():
			e.priority.Start = i + len(priority)
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
			e.priority.End = i
		case string(at[:len(status)]) == status && !e.status.Present():
			e.status.Start = i + len(status)
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
			e.status.End = i
		default:
			return false
		}
		switch text[i] {
		case ',':
		case '}':
			e.End, e.usual = i+1, true
			return e.content.Present() && e.priority.Present() && e.status.Present()
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
	priority, hasPriority := rawjson.TextOf(e.priority.Of(text))
	status, hasStatus := rawjson.TextOf(e.status.Of(text))
	return e.content.Present() && !e.badMeta && hasPriority && hasStatus &&
		(!fixed || known(priority, &priorities) != "" && known(status, &statuses) != "")
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

// known returns s if version 1 has that value, else "".
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
	status = pending
	if p, ok := rawjson.TextOf(e.priority.Of(text)); ok && !fixed {
		priority = string(p)
	} else {
		priority = cmp.Or(known(p, &priorities), medium)
	}
	s, ok := rawjson.TextOf(e.status.Of(text))
	switch as := known(s, &statuses); {
	case !ok:
		return priority, status, ""
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
