package scan

import (
	"bytes"

	"acp-plan-proxy/transport/rawjson"
)

// A member is an index of memberNames.
type member uint8

const (
	idMember member = iota
	methodMember
	paramsMember
	resultMember
	errorMember
	sessionMember
	updateMember
	kindMember
	callMember
	statusMember
	stateMember
	reasonMember
	otherMember
)

// memberNames are the members that identify a message.
var memberNames = [...]string{
	idMember: "id", methodMember: "method", paramsMember: "params", resultMember: "result", errorMember: "error",
	sessionMember: "sessionId", updateMember: "update",
	kindMember: "sessionUpdate", callMember: "toolCallId", statusMember: "status", stateMember: "state", reasonMember: "stopReason",
}

// memberOf returns the member of that name. The depth is 1 in the message, 2 in its params
// and 3 in the update.
func memberOf(depth int, name []byte) member {
	first := [...]member{1: idMember, 2: sessionMember, 3: kindMember, 4: otherMember}
	for m := first[depth]; m < first[depth+1]; m++ {
		if string(name) == memberNames[m] {
			return m
		}
	}
	return otherMember
}

// members is a set of members, with a bit for each.
type members uint16

// The members of the heads that filters select.
const (
	headOfResponse members = 1 << idMember
	headOfRequest  members = 1<<idMember | 1<<sessionMember
	headOfUpdate   members = 1<<methodMember | 1<<sessionMember | 1<<callMember | 1<<statusMember
)

const (
	// maxHeadValue bounds a value in a Head, in bytes.
	maxHeadValue = 1 << 10

	// maxHead limits the length of a Head in bytes. A line without repeated members stays
	// below it.
	maxHead = 16 << 10
)

// A Head collects the members that identify a message, from a line that is not read whole
// because it is too long, not JSON, or not needed. The zero value is ready for a line.
//
// These members are id, method, the session in params, and the kind, call, status, state and stop
// reason of an update. A result or an error is collected without its content. A Head omits objects,
// arrays and values longer than 1 KiB, so its size is bounded.
//
// A Head does not check the values that it skips. At the first error elsewhere it ignores the
// rest of the line. It ignores a byte order mark and any text after the message, and remains
// empty for a batch.
type Head struct {
	walker rawjson.Walker
	member member  // the member whose value is next
	seen   members // members whose values were read, or can no longer follow
	done   bool    // the rest of the line is ignored
	text   []byte  // the collected message without its closing braces
	rest   []byte  // the end of the last piece, from an incomplete token on
}

// Reset prepares h for another line.
func (h *Head) Reset() { *h = Head{text: h.text[:0], rest: rawjson.Reuse(h.rest)} }

// Add reads the next piece of the line.
func (h *Head) Add(piece []byte) {
	if h.done {
		return
	}
	text := piece
	if len(h.rest) > 0 {
		h.rest = append(h.rest, piece...)
		text = h.rest
	}
	h.read(text)
	end := min(h.walker.Pos, len(text))
	h.rest = append(h.rest[:0], text[end:]...)
	h.walker.Pos -= end
}

// Message returns the collected members as a message, valid until the next call. It is
// empty if the line does not begin as an object.
func (h *Head) Message() []byte {
	text := h.text
	for range h.walker.Depth {
		text = append(text, '}')
	}
	return text
}

// isComplete reports whether the rest of the line can add none of the needed members.
func (h *Head) isComplete(needed members) bool { return needed&^h.seen == 0 || h.done }

func (h *Head) read(text []byte) {
	for !h.done {
		switch h.walker.Next(text) {
		case rawjson.Partial:
			return
		case rawjson.Invalid:
			h.done = true
		case rawjson.NameRead:
			h.member = memberOf(h.walker.Depth, h.walker.Name)
		case rawjson.ValueNext:
			if !h.readValue(text) {
				return
			}
		case rawjson.ObjectEnd:
			h.text = append(h.text, '}')
			switch h.walker.Depth {
			case 2: // the end of the update
				h.seen |= headOfUpdate &^ (1<<methodMember | 1<<sessionMember)
			case 1: // the end of the params
				h.seen |= 1 << sessionMember
			case 0:
				h.done = true
			}
		}
	}
}

// readValue reads the next value in text. It returns false if the value has not arrived whole.
func (h *Head) readValue(text []byte) bool {
	first := text[h.walker.Pos]
	isContainer := first == '{' || first == '['
	switch {
	case h.walker.Depth == 0:
		h.readFirstByte(first)
		return true
	case h.member == otherMember:
	case h.member == resultMember:
		h.appendMember([]byte("null"))
	case h.member == errorMember:
		h.appendMember([]byte("{}"))
	case h.member == paramsMember || h.member == updateMember:
		if first == '{' && len(h.text) < maxHead {
			h.appendMember([]byte("{"))
			h.walker.Enter()
			return true
		}
	case isContainer && h.member == methodMember:
		h.appendMember([]byte(`""`))
	case !isContainer:
		return h.readScalar(text)
	}
	h.seen |= 1 << h.member
	h.walker.Skip(text)
	return true
}

// readFirstByte processes the first byte of a line.
func (h *Head) readFirstByte(b byte) {
	switch {
	case b == '{':
		h.text = append(h.text, b)
		h.walker.Enter()
	case bytes.IndexByte([]byte("\xef\xbb\xbf"), b) >= 0: // of a byte order mark
		h.walker.Pos++
	default:
		h.done = true
	}
}

// readScalar is readValue for a string, number or literal. It records a method that is not a string
// as an empty string. It omits a number or literal at the end of the line, which may be truncated.
func (h *Head) readScalar(text []byte) bool {
	raw, ok := h.walker.Scalar(text, maxHeadValue)
	if !ok {
		return false
	}
	h.seen |= 1 << h.member
	var c rawjson.Cursor
	c.Reset(raw)
	c.Skip()
	isString := len(raw) > 0 && raw[0] == '"'
	isTruncated := !isString && raw != nil && text[h.walker.Pos] == '\n'
	switch valid := c.End() && !isTruncated; {
	case h.member == methodMember && !(valid && isString):
		h.appendMember([]byte(`""`))
	case valid:
		h.appendMember(raw)
	}
	return true
}

// appendMember adds the current member with a value, unless the Head is too long.
func (h *Head) appendMember(value []byte) {
	if len(h.text) >= maxHead {
		return
	}
	if h.text[len(h.text)-1] != '{' {
		h.text = append(h.text, ',')
	}
	h.text = append(append(append(append(h.text, '"'), memberNames[h.member]...), `":`...), value...)
}
