package plans

import (
	"cmp"
	"slices"
	"strings"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// skipValue skips the next value in c and returns its span, or the zero span if the value is not
// valid JSON.
func skipValue(c *rawjson.Cursor) jsonrpc.Span {
	start := c.Offset()
	c.Skip()
	if c.Err() != nil {
		return jsonrpc.Span{}
	}
	return jsonrpc.Span{Start: start, End: c.Pos()}
}

// An entry is the position of one entry of a plan in the text of a message.
type entry struct {
	jsonrpc.Span
	content  jsonrpc.Span // a JSON string; zero if it is missing
	priority jsonrpc.Span // any value
	status   jsonrpc.Span // any value

	// isUsual is set by readUsual: the entry is valid in version 1. Entries without it may be
	// valid, too.
	isUsual bool
}

// readEntries appends the entries of the next value in c to dst. A value that is not an array has
// none. The cursor reads text. readEntries stores maxEntries+1 entries at most and skips the rest.
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

// readEntry reads the next entry in c, which may be any value.
func readEntry(c *rawjson.Cursor) entry {
	if c.Kind() != '{' {
		return entry{Span: skipValue(c)}
	}
	e := entry{Span: jsonrpc.Span{Start: c.Offset()}}
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "content":
			isString := c.Kind() == '"'
			e.content = skipValue(c)
			if !isString {
				e.content = jsonrpc.Span{}
			}
		case "priority":
			e.priority = skipValue(c)
		case "status":
			e.status = skipValue(c)
		default:
			c.Skip()
		}
	}
	e.End = c.Pos()
	return e
}

// readUsual reads the entry at text[start:] if it has the form of nearly all entries: only the
// three members, each once, with values of version 1, and no white space between them. Otherwise it
// returns false. Plans consist mostly of entries: with readEntry alone, the translation of a plan
// takes about twice the time.
//
// It compares a window of the text. The window is an array, so the compiler omits bounds checks.
func (e *entry) readUsual(text []byte, start int) bool {
	const (
		content  = `"content":"`
		priority = `"priority":`
		status   = `"status":`
		window   = len(status+`"in_progress"`) + 1 // the longest member and the byte after it
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
			e.End, e.isUsual = i+1, true
			return e.content.Present() && e.priority.Present() && e.status.Present()
		default:
			return false
		}
	}
	return false
}

// isValid reports whether the client displays the entry unchanged. isV1 reports that the client
// knows only the three statuses and priorities of version 1.
func (e *entry) isValid(text []byte, isV1 bool) bool {
	if e.isUsual {
		return true
	}
	priority, hasPriority := rawjson.TextOf(e.priority.Of(text))
	status, hasStatus := rawjson.TextOf(e.status.Of(text))
	return e.content.Present() && hasPriority && hasStatus &&
		(!isV1 || slices.Contains(priorities, string(priority)) && slices.Contains(statuses, string(status)))
}

// The statuses and priorities of version 1 of the protocol.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"

	high   = "high"
	medium = "medium"
	low    = "low"
)

var (
	priorities = []string{high, medium, low}
	statuses   = []string{pending, inProgress, completed}
)

// mapped returns the priority and the status that the client receives for an entry that it cannot
// display unchanged. The note, to be appended to the content, contains an unknown status.
func (e *entry) mapped(text []byte, isV1 bool) (priority, status, note string) {
	p, _ := rawjson.TextOf(e.priority.Of(text))
	s, _ := rawjson.TextOf(e.status.Of(text))
	priority, status = cmp.Or(string(p), medium), cmp.Or(string(s), pending)
	if !isV1 {
		return priority, status, ""
	}
	if !slices.Contains(priorities, priority) {
		priority = medium
	}
	if slices.Contains(statuses, status) {
		return priority, status, ""
	}
	note = " (" + strings.TrimPrefix(status, "_") + ")"
	if status == "cancelled" {
		return priority, completed, note
	}
	return priority, pending, note
}
