// Package recording reads recordings of conversations in all their forms, and follows
// what is said in them.
//
// [Parse] makes messages of lines: of the events that package trace writes, of lines
// of both ends with their directions, and of lines of messages alone. A [Follower] says
// of each message what only those before it tell: which end said it, which request it
// answers, in which session, version and turn it is. The bytes are read by package trace.
// Play needs both, timeline and judge a Follower; redact reads the lines of a recording as
// they are.
package recording

import (
	"bytes"
	"cmp"
	"strconv"
	"unicode/utf8"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Message is a message on a part of its way. Its raw members are parts of the line
// that it was read from.
type Message struct {
	trace.Event
	Text   []byte // the message as it was recorded; nil if the form is an event
	Offset int64  // of its line, set by [Messages]

	// A Follower sets these.
	Request *Request // of a request; of an answer that of the request, nil if it is not known
	Version int      // that its sender speaks, 0 if it is not known
	In      *Session // nil if it names none
	Turn    *Turn    // that is under way in its session, also if it begins or ends with the message
	Stop    string   // why the turn ends with the message, "" if it does not
}

// ToClient reports whether the message is on its way to the client.
func (m *Message) ToClient() bool { return m.From == trace.Agent || m.To == trace.Client }

// Called returns the method of a message, of an answer that of its request.
func (m *Message) Called() string {
	if m.Type == trace.Response && m.Request != nil {
		return m.Request.Method
	}
	return m.Method
}

// IsText reports whether the line is something other than a message.
func (m *Message) IsText() bool { return m.Method == trace.NotAMessage }

// Append appends the message as it is sent, without a newline.
func (m *Message) Append(dst []byte) []byte {
	if m.Text != nil {
		return append(dst, m.Text...)
	}
	return m.AppendMessage(dst)
}

// TextOf returns what the member that a path leads to says, "" if it is not a string.
func TextOf(object []byte, path ...string) string {
	text, _ := rawjson.TextOf(rawjson.Get(object, path...))
	return string(text)
}

// Permitted returns what a permission request is about, and its tool call: of version 2 it
// has a title of its own.
func Permitted(params []byte) (title string, call []byte) {
	if call = rawjson.Get(params, "toolCall"); call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	return cmp.Or(TextOf(params, "title"), TextOf(call, "title")), call
}

// Cut returns a text with at most so many characters.
func Cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// Parse returns the messages of a line, none if it has none. Of events only what one end has
// sent or got is read, if seen is one: what the proxy has made of that for the other end is not.
func Parse(line []byte, seen trace.Component) []Message {
	_, rest := jsonrpc.CutStray(bytes.TrimSpace(line))
	if len(rest) > 0 && rest[0] == '{' {
		if e, ok := readEvent(rest); ok {
			return event(e, seen)
		}
		if found, ok := directed(rest); ok {
			return found
		}
	}
	return messages(rest)
}

// readEvent reads a line as an event. Most other lines lack "from".
func readEvent(line []byte) (trace.Event, bool) {
	if !bytes.Contains(line, []byte(`"from"`)) {
		return trace.Event{}, false
	}
	e := trace.ReadLine(line, 0)
	return e, e.Type != "" && e.From != "" && e.To != ""
}

// event returns the message of an event, if it is seen.
func event(e trace.Event, seen trace.Component) []Message {
	m := Message{Event: e}
	if !m.SeenBy(seen) || e.Type != trace.Notification && e.ID == nil || e.Type != trace.Response && e.Method == "" {
		return nil
	}
	return []Message{m}
}

// SeenBy reports whether a side (the client or the agent) sent or received the message, and
// makes the other side its peer: the proxy's own messages then come from there. Every
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

func across(end trace.Component) trace.Component {
	if end == trace.Client {
		return trace.Agent
	}
	return trace.Client
}

// directed returns the messages of a line whose direction was recorded beside it. It is
// false for another line.
func directed(text []byte) (found []Message, ok bool) {
	o, _ := rawjson.ReadObject(nil, text)
	direction, ok := o.Text("dir")
	if !ok {
		return nil, false
	}
	from := map[string]trace.Component{"c2a": trace.Client, "a2c": trace.Agent}[string(direction)]
	said, ok := o.Text("line")
	if !ok || from == "" {
		return nil, true
	}
	if found = messages(said); len(found) == 0 && from == trace.Agent && len(said) > 0 {
		found = []Message{{Event: trace.Event{Type: trace.Notification, Method: trace.NotAMessage}, Text: said}}
	}
	ms, _ := strconv.ParseFloat(string(o.Get("t")), 64)
	for i := range found {
		m := &found[i]
		m.Seconds, m.From, m.To = ms/1000, from, across(from)
	}
	return found, true
}

// messages returns the messages in a line: one, or a batch.
func messages(line []byte) (found []Message) {
	line = bytes.TrimSpace(line)
	values := [][]byte{line}
	if len(line) > 0 && line[0] == '[' {
		values, _ = rawjson.ReadArray(nil, line)
	}
	for _, value := range values {
		if m, ok := message(value); ok {
			found = append(found, m)
		}
	}
	return found
}

func message(text []byte) (Message, bool) {
	var c rawjson.Cursor
	var j jsonrpc.Message
	c.Reset(text)
	if j.Read(&c, text, nil); !c.End() {
		return Message{}, false
	}
	m := Message{Text: bytes.TrimSpace(text)}
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
		return Message{}, false
	}
	return m, true
}
