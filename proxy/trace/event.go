package trace

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/transport/rawjson"
)

// The types of events.
const (
	Request      = "request"
	Response     = "response"
	Notification = "notification"
)

// NotAMessage is the method of the notification that takes the place of a line
// which is not a JSON-RPC message. Its params are the line, as a string if it is
// not JSON.
const NotAMessage = "(not a message)"

// maxText is how much is recorded of a line that is not JSON.
const maxText = 4 << 10

// appendEvents appends the events of all messages in text to dst: usually one,
// or a batch, or several with white space or commas between them.
func (t *Writer) appendEvents(dst []byte, from, to Component, text []byte) []byte {
	const between = " \t\r\n,"
	for text = bytes.TrimLeft(text, between); len(text) > 0; text = bytes.TrimLeft(text, between) {
		c := &t.cursor
		c.Reset(text)
		if c.Skip(); c.Err() != nil {
			return t.appendText(dst, from, to, text)
		}
		value := text[:c.Pos()]
		text = text[c.Pos():]
		// Two values need something between them: 1true is not JSON.
		if len(text) > 0 && strings.IndexByte(between, text[0]) < 0 {
			return t.appendText(dst, from, to, text)
		}
		c.Reset(value)
		if c.Kind() != '[' {
			dst = t.appendEvent(dst, from, to, value)
			continue
		}
		for more := c.Array(); more; more = c.NextElement() {
			dst = t.appendEvent(dst, from, to, value)
		}
	}
	return dst
}

// appendEvent appends the event of the value that is next in t.cursor, which
// walks text.
func (t *Writer) appendEvent(dst []byte, from, to Component, text []byte) []byte {
	m := &t.message
	m.Read(&t.cursor, text, nil)
	h := head{from: from, to: to, id: m.ID, method: m.MethodAt.Of(text), session: m.SessionAt.Of(text)}
	line := len(dst)
	switch {
	case m.Method != nil && m.ID != nil:
		h.kind = Request
		dst = appendMember(t.appendHead(dst, h), "params", m.Params.Of(text))
	case m.Method != nil:
		h.kind = Notification
		dst = appendMember(t.appendHead(dst, h), "params", m.Params.Of(text))
	case m.ID != nil && m.Failed():
		h.kind = Response
		dst = appendMember(t.appendHead(dst, h), "is_error", []byte("true"))
		dst = appendMember(dst, "payload", m.Error.Of(text))
	case m.ID != nil && m.Result.Present():
		h.kind = Response
		dst = appendMember(t.appendHead(dst, h), "is_error", []byte("false"))
		dst = appendMember(dst, "payload", m.Result.Of(text))
	default:
		dst = t.appendHead(dst, notAMessage(from, to))
		dst = appendMember(dst, "params", m.Span.Of(text))
	}
	return appendEnd(dst, line)
}

// appendText appends the event of a text that is not JSON.
func (t *Writer) appendText(dst []byte, from, to Component, text []byte) []byte {
	text = bytes.TrimRight(text, "\r\n")
	line := len(dst)
	dst = t.appendHead(dst, notAMessage(from, to))
	if len(text) > maxText {
		text = append(bytes.Clone(text[:maxText]), "…"...)
	}
	dst = appendMember(dst, "params", rawjson.AppendQuoted(nil, text))
	return appendEnd(dst, line)
}

// A head is what an event says before its params or payload.
type head struct {
	kind                string
	from, to            Component
	id, method, session []byte // raw JSON; session is nil if the message names none
}

// notAMessage returns the head of an event for a line that is not a message.
func notAMessage(from, to Component) head {
	return head{kind: Notification, from: from, to: to, method: rawjson.AppendQuoted(nil, NotAMessage)}
}

// appendHead appends the members before params or payload. Only responses have
// no method, no protocol and no session.
func (t *Writer) appendHead(dst []byte, h head) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, h.kind...)
	dst = append(dst, `","ts":`...)
	dst = strconv.AppendFloat(dst, t.now, 'f', 6, 64)
	if h.kind != Response {
		protocol := `"acp"`
		if string(h.method) == `"mcp/message"` {
			protocol = `"mcp"`
		}
		dst = appendMember(dst, "protocol", []byte(protocol))
	}
	dst = append(dst, `,"from":"`...)
	dst = append(dst, h.from...)
	dst = append(dst, `","to":"`...)
	dst = append(dst, h.to...)
	dst = append(dst, '"')
	if h.kind != Notification {
		dst = appendMember(dst, "id", h.id)
	}
	if h.kind != Response {
		dst = appendMember(dst, "method", h.method)
		if h.session != nil {
			dst = appendMember(dst, "session", h.session)
		}
	}
	return dst
}

func appendMember(dst []byte, name string, value []byte) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	if value == nil {
		return append(dst, "null"...)
	}
	return append(dst, value...)
}

// appendEnd ends the event that begins at dst[line:] and makes sure that it is
// one line of UTF-8.
func appendEnd(dst []byte, line int) []byte {
	for i, b := range dst[line:] {
		if b == '\n' || b == '\r' { // between two tokens: in a string they are escaped
			dst[line+i] = ' '
		}
	}
	if !utf8.Valid(dst[line:]) {
		// Other readers refuse the whole file for one such byte.
		dst = append(dst[:line], bytes.ToValidUTF8(dst[line:], []byte("\uFFFD"))...)
	}
	return append(dst, '}', '\n')
}
