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

// A message is what an event says of a JSON-RPC message: parts of its text. A
// part that the message lacks is nil. If it has a member twice, the last one
// counts, as it does for most parsers.
type message struct {
	id, method, params, result, failure []byte // raw JSON; failure is nil for null
	session                             []byte // params.sessionId, raw
}

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
	c := &t.cursor
	start := c.Offset()
	var m message
	if c.Kind() == '{' {
		m.read(c, text)
	} else {
		c.Skip()
	}

	line := len(dst)
	switch {
	case m.method != nil && m.id != nil:
		dst = t.appendHead(dst, Request, from, to, &m)
		dst = appendMember(dst, "params", m.params)
	case m.method != nil:
		dst = t.appendHead(dst, Notification, from, to, &m)
		dst = appendMember(dst, "params", m.params)
	case m.id != nil && m.failure != nil:
		dst = t.appendHead(dst, Response, from, to, &m)
		dst = appendMember(dst, "is_error", []byte("true"))
		dst = appendMember(dst, "payload", m.failure)
	case m.id != nil && m.result != nil:
		dst = t.appendHead(dst, Response, from, to, &m)
		dst = appendMember(dst, "is_error", []byte("false"))
		dst = appendMember(dst, "payload", m.result)
	default:
		m = message{method: rawjson.AppendQuoted(nil, NotAMessage)}
		dst = t.appendHead(dst, Notification, from, to, &m)
		dst = appendMember(dst, "params", text[start:c.Pos()])
	}
	return appendEnd(dst, line)
}

// appendText appends the event of a text that is not JSON.
func (t *Writer) appendText(dst []byte, from, to Component, text []byte) []byte {
	text = bytes.TrimRight(text, "\r\n")
	m := message{method: rawjson.AppendQuoted(nil, NotAMessage)}
	line := len(dst)
	dst = t.appendHead(dst, Notification, from, to, &m)
	if len(text) > maxText {
		text = append(bytes.Clone(text[:maxText]), "…"...)
	}
	dst = appendMember(dst, "params", rawjson.AppendQuoted(nil, text))
	return appendEnd(dst, line)
}

func (m *message) read(c *rawjson.Cursor, text []byte) {
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "id":
			m.id = c.Value()
		case "method":
			m.method = nil
			if kind := c.Kind(); kind == '"' {
				m.method = c.Value()
			} else {
				c.Skip()
			}
		case "params":
			m.readParams(c, text)
		case "result":
			m.result = c.Value()
		case "error":
			m.failure = nil
			if c.Kind() == 'n' {
				c.Skip()
			} else {
				m.failure = c.Value()
			}
		default:
			c.Skip()
		}
	}
}

func (m *message) readParams(c *rawjson.Cursor, text []byte) {
	m.session = nil
	if c.Kind() != '{' {
		m.params = c.Value()
		return
	}
	start := c.Offset()
	for more := c.Object(); more; more = c.NextMember() {
		if string(c.Name()) == "sessionId" && c.Kind() == '"' {
			m.session = c.Value()
		} else {
			c.Skip()
		}
	}
	m.params = text[start:c.Pos()]
}

// appendHead appends the members before params or payload. Only responses have
// no method, no protocol and no session.
func (t *Writer) appendHead(dst []byte, kind string, from, to Component, m *message) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","ts":`...)
	dst = strconv.AppendFloat(dst, t.seconds(), 'f', 6, 64)
	if kind != Response {
		protocol := `"acp"`
		if string(m.method) == `"mcp/message"` {
			protocol = `"mcp"`
		}
		dst = appendMember(dst, "protocol", []byte(protocol))
	}
	dst = append(dst, `,"from":"`...)
	dst = append(dst, from...)
	dst = append(dst, `","to":"`...)
	dst = append(dst, to...)
	dst = append(dst, '"')
	if kind != Notification {
		dst = appendMember(dst, "id", m.id)
	}
	if kind != Response {
		dst = appendMember(dst, "method", m.method)
		if m.session != nil {
			dst = appendMember(dst, "session", m.session)
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
