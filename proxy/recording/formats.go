// Package recording reads recordings of conversations in every format, and relates their messages
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

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Message is a message between two of client, proxy and agent. Its raw JSON shares the memory of the
// line.
type Message struct {
	trace.Event
	Original []byte // the message as it was sent; nil for an event of a trace, and for text

	Offset, End int64 // of the line in the recording, set by [Messages]

	// A Follower sets the following fields and, in Event, Session and a missing direction.
	Request      *Request // of a request itself, or the one that a response answers; nil if unknown
	Version      int      // the protocol version of the sender, 0 if unknown
	SessionState *Session // nil if the message has no session
	Turn         *Turn    // the turn that runs in the session, or that the message begins or ends; nil between turns
	Stop         string   // the stop reason if the message ends the turn
}

// A File is an open recording.
type File struct {
	Name string
	*io.SectionReader
	BuiltIn []byte // the text of a recording that is part of the program, otherwise nil
}

// ToClient reports whether the message travels towards the client.
func (m *Message) ToClient() bool { return m.From == trace.Agent || m.To == trace.Client }

// CalledMethod returns the method of a message. That of a response is the method of its request.
func (m *Message) CalledMethod() string {
	if m.Type == trace.Response && m.Request != nil {
		return m.Request.Method
	}
	return m.Method
}

// IsText reports whether the line is text in place of a message.
func (m *Message) IsText() bool { return m.Method == trace.NotAMessage }

// Append appends the message without a newline.
func (m *Message) Append(dst []byte) []byte {
	if m.Original != nil {
		return append(dst, m.Original...)
	}
	return m.AppendMessage(dst)
}

// ReadPermission returns the title and the tool call of a permission request. In version 2 the request
// has a title of its own.
func ReadPermission(params []byte) (title string, call []byte) {
	if call = rawjson.Get(params, "toolCall"); call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	return cmp.Or(rawjson.StringAt(params, "title"), rawjson.StringAt(call, "title")), call
}

// PlanID returns the id of a plan. Of the members that have the id in the drafts, the first that is not
// null counts. Without one, PlanID returns "".
func PlanID(object []byte) string {
	for i := range capabilities.PlanIDMembers {
		if id := rawjson.Get(object, capabilities.PlanIDMember(i)); !rawjson.IsNull(id) {
			return rawjson.StringAt(id)
		}
	}
	return ""
}

// Parse returns the message of a line, or nil. If side is not "", Parse ignores the events of
// messages that side neither sent nor received: the translations for the other side.
func Parse(line []byte, side trace.Component) *Message {
	_, rest := jsonrpc.CutStray(bytes.TrimSpace(line))
	if rawjson.IsObject(rest) {
		if e, ok := ReadEvent(rest); ok {
			return messageOf(e, side)
		}
		if m, ok := parseDirected(rest); ok {
			return m
		}
	}
	return parseMessage(rest)
}

// ReadEvent parses an event of a trace. ok is false if the line is none.
func ReadEvent(line []byte) (e trace.Event, ok bool) {
	if !bytes.Contains(line, []byte(`"from"`)) { // most lines of other recordings
		return e, false
	}
	e = trace.ReadLine(line, 0)
	return e, e.Type != "" && e.From != "" && e.To != ""
}

// messageOf returns the message of an event as side saw it. It returns nil if side did not see it, or
// if the event is incomplete.
func messageOf(e trace.Event, side trace.Component) *Message {
	m := &Message{Event: e}
	if !m.ReplaceProxy(side) || e.Type != trace.Notification && e.ID == nil || e.Type != trace.Response && e.Method == "" {
		return nil
	}
	return m
}

// ReplaceProxy makes the message one between side and its peer, as side saw it: the proxy counts as
// the peer. It returns false if side neither sent nor received the message. If side is "", it returns
// true and changes nothing.
func (m *Message) ReplaceProxy(side trace.Component) bool {
	switch side {
	case "":
	case m.From:
		m.To = peerOf(side)
	case m.To:
		m.From = peerOf(side)
	default:
		return false
	}
	return true
}

// peerOf returns the other one of client and agent.
func peerOf(side trace.Component) trace.Component {
	if side == trace.Client {
		return trace.Agent
	}
	return trace.Client
}

// parseDirected returns the message of a line with a recorded direction, or nil if the line has no
// message. ok is false for a line without a direction.
func parseDirected(text []byte) (m *Message, ok bool) {
	o := rawjson.Members(text)
	direction, ok := o.Text("dir")
	if !ok {
		return nil, false
	}
	from := map[string]trace.Component{"c2a": trace.Client, "a2c": trace.Agent}[string(direction)]
	line, ok := o.Text("line")
	if !ok || from == "" {
		return nil, true
	}
	if m = parseMessage(line); m == nil {
		if len(line) == 0 {
			return nil, true
		}
		m = &Message{Event: trace.Event{Type: trace.Notification, Method: trace.NotAMessage, Params: rawjson.AppendQuoted(nil, line)}}
	}
	ms, _ := strconv.ParseFloat(string(o.Get("t")), 64)
	m.Seconds, m.From, m.To = ms/1000, from, peerOf(from)
	return m, true
}

// parseMessage returns the message that a text consists of, or nil.
func parseMessage(text []byte) *Message {
	var cursor rawjson.Cursor
	var parsed jsonrpc.Message
	cursor.Reset(text)
	parsed.Read(&cursor, text, nil)
	if !cursor.End() {
		return nil
	}
	m := &Message{Original: bytes.TrimSpace(text)}
	m.ID, m.Method, m.Session, m.Params = parsed.ID, string(parsed.Method), string(parsed.Session), parsed.Params.Of(text)
	switch {
	case parsed.IsRequest():
		m.Type = trace.Request
	case parsed.IsNotification():
		m.Type = trace.Notification
	case parsed.IsResponse() && (parsed.Result.Present() || parsed.Error.Present()):
		m.Type, m.Payload, m.IsError = trace.Response, parsed.Result.Of(text), parsed.Failed()
		if m.IsError {
			m.Payload = parsed.Error.Of(text)
		}
	default:
		return nil
	}
	return m
}
