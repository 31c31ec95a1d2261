// Package recording reads recordings of conversations in every form, and relates their messages
// to each other.
//
// [Parse] parses a line: an event of package trace, a message with its direction, or a message
// alone. A [Follower] adds to each message the context from the messages before it: the sender,
// the request of a response, the session, the version and the turn. Package trace splits the
// file into lines.
package recording

import (
	"bytes"
	"cmp"
	"io"
	"strconv"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Message is a message between two of client, proxy and agent. Its raw members are parts of
// its line.
type Message struct {
	trace.Event
	Text []byte // the message itself; nil for an event

	Offset, End int64 // of its line, set by [Messages]

	// A Follower sets these, and Session of the event.
	Request *Request // the request itself, or that of a response; nil if unknown
	Version int      // of the sender, 0 if unknown
	In      *Session // nil if the message has no session
	Turn    *Turn    // the running turn of the session, including its first and last message
	Stop    string   // the stop reason if the message ends the turn
}

// A File is an open recording.
type File struct {
	Name string
	*io.SectionReader
	BuiltIn []byte // its text if it is part of the program, otherwise nil
}

// ToClient reports whether the message travels towards the client.
func (m *Message) ToClient() bool { return m.From == trace.Agent || m.To == trace.Client }

// Called returns the method of a message, for a response that of its request.
func (m *Message) Called() string {
	if m.Type == trace.Response && m.Request != nil {
		return m.Request.Method
	}
	return m.Method
}

// IsText reports whether the line is not a message.
func (m *Message) IsText() bool { return m.Method == trace.NotAMessage }

// Append appends the message without a newline.
func (m *Message) Append(dst []byte) []byte {
	if m.Text != nil {
		return append(dst, m.Text...)
	}
	return m.AppendMessage(dst)
}

// Permitted returns the title of a permission request, and its tool call. In version 2 the
// request has its own title.
func Permitted(params []byte) (title string, call []byte) {
	if call = rawjson.Get(params, "toolCall"); call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	return cmp.Or(rawjson.StringAt(params, "title"), rawjson.StringAt(call, "title")), call
}

// Parse returns the message of a line, nil if it has none. If seen is a side, Parse ignores the
// events that the side neither sent nor received: the translations for the other side.
func Parse(line []byte, seen trace.Component) *Message {
	_, rest := jsonrpc.CutStray(bytes.TrimSpace(line))
	if rawjson.IsObject(rest) {
		if e, ok := ReadEvent(rest); ok {
			return event(e, seen)
		}
		if m, ok := directed(rest); ok {
			return m
		}
	}
	return message(rest)
}

// ReadEvent parses an event of a trace. Most other lines do not contain "from".
func ReadEvent(line []byte) (trace.Event, bool) {
	if !bytes.Contains(line, []byte(`"from"`)) {
		return trace.Event{}, false
	}
	e := trace.ReadLine(line, 0)
	return e, e.Type != "" && e.From != "" && e.To != ""
}

// event returns the message of an event, nil for an incomplete one.
func event(e trace.Event, seen trace.Component) *Message {
	m := &Message{Event: e}
	if !m.SeenBy(seen) || e.Type != trace.Notification && e.ID == nil || e.Type != trace.Response && e.Method == "" {
		return nil
	}
	return m
}

// SeenBy reports whether a side (the client or the agent) sent or received the message, and
// makes the other side its peer, also of the proxy's own messages. Every
// message is seen by "".
func (m *Message) SeenBy(side trace.Component) bool {
	switch side {
	case "":
	case m.From:
		m.To = across(side)
	case m.To:
		m.From = across(side)
	default:
		return false
	}
	return true
}

func across(side trace.Component) trace.Component {
	if side == trace.Client {
		return trace.Agent
	}
	return trace.Client
}

// directed returns the message of a line with a recorded direction. ok is false for other lines.
func directed(text []byte) (m *Message, ok bool) {
	o := rawjson.Members(text)
	direction, ok := o.Text("dir")
	if !ok {
		return nil, false
	}
	from := map[string]trace.Component{"c2a": trace.Client, "a2c": trace.Agent}[string(direction)]
	said, ok := o.Text("line")
	if !ok || from == "" {
		return nil, true
	}
	if m = message(said); m == nil {
		if len(said) == 0 {
			return nil, true
		}
		m = &Message{Event: trace.Event{Type: trace.Notification, Method: trace.NotAMessage, Params: rawjson.AppendQuoted(nil, said)}}
	}
	ms, _ := strconv.ParseFloat(string(o.Get("t")), 64)
	m.Seconds, m.From, m.To = ms/1000, from, across(from)
	return m, true
}

// message returns the message in a text, nil if there is none.
func message(text []byte) *Message {
	var c rawjson.Cursor
	var j jsonrpc.Message
	c.Reset(text)
	if j.Read(&c, text, nil); !c.End() {
		return nil
	}
	m := &Message{Text: bytes.TrimSpace(text)}
	m.ID, m.Method, m.Session, m.Params = j.ID, string(j.Method), string(j.Session), j.Params.Of(text)
	switch {
	case j.IsRequest():
		m.Type = trace.Request
	case j.IsNotification():
		m.Type = trace.Notification
	case j.IsResponse() && (j.Result.Present() || j.Error.Present()):
		m.Type, m.Payload, m.IsError = trace.Response, j.Result.Of(text), j.Failed()
		if m.IsError {
			m.Payload = j.Error.Of(text)
		}
	default:
		return nil
	}
	return m
}
