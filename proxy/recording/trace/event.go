package trace

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"acp-plan-proxy/transport/rawjson"
)

// The types of events.
const (
	Request      = "request"
	Response     = "response"
	Notification = "notification"
)

// NotAMessage is the method of a notification that represents a line which is not a JSON-RPC message.
// The params are the line, as a string if the line is not JSON.
const NotAMessage = "(not a message)"

// maxText limits the recorded part of a line that is not JSON, in bytes.
const maxText = 4 << 10

// writeEvents writes the event of each message in text, one per line.
func (w *Writer) writeEvents(from, to Component, of int, text []byte) {
	for line := range bytes.Lines(text) {
		message := bytes.TrimSpace(line)
		c := &w.cursor
		c.Reset(message)
		switch c.Skip(); {
		case len(message) == 0:
		case c.End():
			c.Reset(message)
			w.writeMessage(from, to, of, message)
		default:
			w.writeText(from, to, of, bytes.TrimRight(line, "\r\n"))
		}
	}
}

// members are the members of an event. session is nil if the message has none.
type members struct {
	eventType           string
	of                  int    // 0 if the event has none
	id, method, session []byte // raw JSON
	content             []byte // params or payload, as raw JSON
	isError             bool
}

// writeMessage writes the event of text, a JSON value that w.cursor is about to read.
func (w *Writer) writeMessage(from, to Component, of int, text []byte) {
	m := &w.message
	m.Read(&w.cursor, text, nil)
	r := members{eventType: Notification, id: m.ID, method: m.MethodSpan.Of(text), session: m.SessionSpan.Of(text), content: m.Params.Of(text)}
	switch {
	case m.Method != nil && m.ID != nil:
		r.eventType = Request
	case m.Method != nil:
	case m.ID != nil && m.Failed() && m.Error.Present():
		r.eventType, r.content, r.isError = Response, m.Error.Of(text), true
	case m.ID != nil && m.Result.Present():
		r.eventType, r.content = Response, m.Result.Of(text)
	default:
		r = notAMessage(text)
	}
	r.of = w.pending.track(from, to, r.eventType, r.id, w.number+1)
	if of != 0 {
		r.of = of
	}
	w.writeEvent(from, to, r)
}

// writeText writes the event of a line that is not JSON.
func (w *Writer) writeText(from, to Component, of int, text []byte) {
	if len(text) > maxText {
		text = append(bytes.Clone(text[:maxText]), "…"...)
	}
	r := notAMessage(rawjson.AppendQuoted(nil, text))
	r.of = of
	w.writeEvent(from, to, r)
}

func notAMessage(content []byte) members {
	return members{eventType: Notification, method: rawjson.AppendQuoted(nil, NotAMessage), content: content}
}

// writeEvent writes an event as one line of UTF-8. Only the first event has began; responses have
// no method, protocol and session.
func (w *Writer) writeEvent(from, to Component, r members) {
	b := &w.out
	start := len(b.Out)
	w.number++
	b.Out = append(b.Out, '{') // the Builder would put a comma between events
	b.StringMember("type", []byte(r.eventType))
	b.Name("ts")
	b.Out = strconv.AppendFloat(b.Out, w.now, 'f', 6, 64)
	if w.began != nil {
		b.StringMember("began", w.began)
		w.began = nil
	}
	if r.eventType != Response {
		protocol := "acp"
		if string(r.method) == `"mcp/message"` {
			protocol = "mcp"
		}
		b.StringMember("protocol", []byte(protocol))
	}
	b.StringMember("from", []byte(from))
	b.StringMember("to", []byte(to))
	if r.eventType != Notification {
		b.Member("id", r.id)
	}
	if r.eventType == Response {
		b.Member("is_error", strconv.AppendBool(nil, r.isError))
		b.Member("payload", r.content)
	} else {
		b.Member("method", r.method)
		b.Member("session", r.session)
		b.Member("params", orNull(r.content))
	}
	if r.of != 0 {
		b.Member("of", strconv.AppendInt(nil, int64(r.of), 10))
	}
	w.writeLosses()
	for i, c := range b.Out[start:] {
		if c == '\n' || c == '\r' { // between two tokens: strings contain no line breaks
			b.Out[start+i] = ' '
		}
	}
	if !utf8.Valid(b.Out[start:]) {
		// Other readers refuse the whole file for one such byte.
		b.Out = append(b.Out[:start], bytes.ToValidUTF8(b.Out[start:], []byte("\uFFFD"))...)
	}
	b.Out = append(b.Out, '}', '\n')
}

func orNull(value []byte) []byte {
	if value == nil {
		return []byte("null")
	}
	return value
}
