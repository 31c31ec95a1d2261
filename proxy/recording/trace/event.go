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

// events writes the events of all messages in text: usually one, or a batch, or
// several with white space or commas between them.
func (t *Writer) events(from, to Component, text []byte) {
	const between = " \t\r\n,"
	for text = bytes.TrimLeft(text, between); len(text) > 0; text = bytes.TrimLeft(text, between) {
		c := &t.cursor
		c.Reset(text)
		if c.Skip(); c.Err() != nil {
			t.text(from, to, text)
			return
		}
		value := text[:c.Pos()]
		text = text[c.Pos():]
		// Two values need something between them: 1true is not JSON.
		if len(text) > 0 && strings.IndexByte(between, text[0]) < 0 {
			t.text(from, to, text)
			return
		}
		c.Reset(value)
		if c.Kind() != '[' {
			t.event(from, to, value)
			continue
		}
		for more := c.Array(); more; more = c.NextElement() {
			t.event(from, to, value)
		}
	}
}

// event writes the event of the value that is next in t.cursor, which walks text.
func (t *Writer) event(from, to Component, text []byte) {
	m := &t.message
	m.Read(&t.cursor, text, nil)
	h := head{from: from, to: to, id: m.ID, method: m.MethodAt.Of(text), session: m.SessionAt.Of(text)}
	start := len(t.out.Out)
	switch {
	case m.Method != nil && m.ID != nil:
		h.kind = Request
		t.head(h)
		t.member("params", m.Params.Of(text))
	case m.Method != nil:
		h.kind = Notification
		t.head(h)
		t.member("params", m.Params.Of(text))
	case m.ID != nil && m.Failed():
		h.kind = Response
		t.head(h)
		t.member("is_error", []byte("true"))
		t.member("payload", m.Error.Of(text))
	case m.ID != nil && m.Result.Present():
		h.kind = Response
		t.head(h)
		t.member("is_error", []byte("false"))
		t.member("payload", m.Result.Of(text))
	default:
		t.head(notAMessage(from, to))
		t.member("params", m.Span.Of(text))
	}
	t.end(start)
}

// text writes the event of a text that is not JSON.
func (t *Writer) text(from, to Component, text []byte) {
	text = bytes.TrimRight(text, "\r\n")
	if len(text) > maxText {
		text = append(bytes.Clone(text[:maxText]), "…"...)
	}
	start := len(t.out.Out)
	t.head(notAMessage(from, to))
	t.out.StringMember("params", text)
	t.end(start)
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

// head writes the members before params or payload. Only the first event says when the
// trace began, and only responses have no method, no
// protocol and no session.
func (t *Writer) head(h head) {
	b := &t.out
	b.Out = append(b.Out, '{') // the Builder would put a comma between events
	b.StringMember("type", []byte(h.kind))
	b.Name("ts")
	b.Out = strconv.AppendFloat(b.Out, t.now, 'f', 6, 64)
	if t.began != nil {
		b.StringMember("began", t.began)
		t.began = nil
	}
	if h.kind != Response {
		protocol := "acp"
		if string(h.method) == `"mcp/message"` {
			protocol = "mcp"
		}
		b.StringMember("protocol", []byte(protocol))
	}
	b.StringMember("from", []byte(h.from))
	b.StringMember("to", []byte(h.to))
	if h.kind != Notification {
		t.member("id", h.id)
	}
	if h.kind != Response {
		t.member("method", h.method)
		b.Member("session", h.session)
	}
}

// member writes a member, null if the value is nil.
func (t *Writer) member(name string, value []byte) { t.out.Member(name, orNull(value)) }

func orNull(value []byte) []byte {
	if value == nil {
		return []byte("null")
	}
	return value
}

// end ends the event that begins at start, and makes sure that it is one line of
// UTF-8.
func (t *Writer) end(start int) {
	t.losses()
	out := t.out.Out
	for i, b := range out[start:] {
		if b == '\n' || b == '\r' { // between two tokens: in a string they are escaped
			out[start+i] = ' '
		}
	}
	if !utf8.Valid(out[start:]) {
		// Other readers refuse the whole file for one such byte.
		out = append(out[:start], bytes.ToValidUTF8(out[start:], []byte("\uFFFD"))...)
	}
	t.out.Out = append(out, '}', '\n')
}
