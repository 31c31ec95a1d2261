// Package recording reads recordings of conversations in all their forms, and follows
// what is said in them.
//
// A [Parser] makes messages of lines: of the events that package trace writes, of lines
// of both ends with their directions, and of lines of messages alone. A [Follower] says
// of each message what only those before it tell: which end said it, which request it
// answers, in which session, version and turn it is. The bytes are read by package trace.
// Play needs both, timeline and judge a Follower; redact and [proxy.Replay] read the
// events of a trace as they are.
package recording

import (
	"bytes"
	"strconv"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Message is a message on a part of its way. Its raw members are parts of the line
// that it was read from.
type Message struct {
	trace.Event
	Text []byte // the message as it was recorded; nil if the form is an event
	Part int    // its place in the batch

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

// IsText reports whether it is a line that is no message.
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

// A Parser reads lines. The zero value reads all events. The messages of a line are
// valid until the next one is read.
type Parser struct {
	// Seen is an end, and only what it has sent or got is read: what the proxy has made
	// of that for the other end is not.
	Seen trace.Component

	cursor  rawjson.Cursor
	message jsonrpc.Message
	found   []Message
}

// Parse returns the messages of a line, none if it has none.
func (p *Parser) Parse(line []byte) []Message {
	p.found = p.found[:0]
	_, rest := jsonrpc.CutStray(bytes.TrimSpace(line))
	switch {
	case len(rest) == 0:
	case rest[0] == '[':
		p.messages(rest)
	default:
		if e, ok := p.readEvent(rest); ok {
			p.event(e)
		} else if !p.directed(rest) {
			p.messages(rest)
		}
	}
	return p.found
}

// readEvent reads a line as an event. Most that are none have no "from".
func (p *Parser) readEvent(line []byte) (trace.Event, bool) {
	if !bytes.Contains(line, []byte(`"from"`)) {
		return trace.Event{}, false
	}
	e, err := trace.ReadLine(line, 0)
	return e, err == nil && e.From != "" && e.To != ""
}

// event reads an event, if its messages are seen.
func (p *Parser) event(e trace.Event) {
	switch p.Seen {
	case "":
	case e.From:
		e.To = across(p.Seen)
	case e.To:
		e.From = across(p.Seen)
	default:
		return
	}
	if e.Type != trace.Notification && e.ID == nil || e.Type != trace.Response && e.Method == "" {
		return
	}
	p.found = append(p.found, Message{Event: e})
}

func across(end trace.Component) trace.Component {
	if end == trace.Client {
		return trace.Agent
	}
	return trace.Client
}

// directed reads a line whose direction was recorded beside it.
func (p *Parser) directed(text []byte) bool {
	o, _ := rawjson.ReadObject(nil, text)
	direction, ok := o.Text("dir")
	if !ok {
		return false
	}
	from := map[string]trace.Component{"c2a": trace.Client, "a2c": trace.Agent}[string(direction)]
	said, ok := o.Text("line")
	if !ok || from == "" {
		return true
	}
	if p.messages(said); len(p.found) == 0 && from == trace.Agent && len(said) > 0 {
		p.found = append(p.found, Message{Event: trace.Event{Type: trace.Notification, Method: trace.NotAMessage}, Text: said})
	}
	ms, _ := strconv.ParseFloat(string(o.Get("t")), 64)
	for i := range p.found {
		m := &p.found[i]
		m.Seconds, m.From, m.To = ms/1000, from, across(from)
	}
	return true
}

// messages reads a message, or a batch.
func (p *Parser) messages(line []byte) {
	line = bytes.TrimSpace(line)
	values := [][]byte{line}
	if len(line) > 0 && line[0] == '[' {
		values, _ = rawjson.ReadArray(nil, line)
	}
	for i, value := range values {
		if m, ok := p.one(value); ok {
			m.Part = i
			p.found = append(p.found, m)
		}
	}
}

func (p *Parser) one(text []byte) (Message, bool) {
	c, j := &p.cursor, &p.message
	c.Reset(text)
	if j.Read(c, text, nil); !c.End() {
		return Message{}, false
	}
	m := Message{Text: bytes.TrimSpace(text)}
	m.ID, m.Method, m.Session, m.Params = j.ID, string(j.Method), string(j.Session), j.Params.Of(text)
	switch {
	case j.IsRequest():
		m.Type = trace.Request
	case j.IsNotification():
		m.Type = trace.Notification
	case j.IsResponse():
		m.Type, m.Payload, m.IsError = trace.Response, j.Result.Of(text), j.Failed()
		if m.IsError {
			m.Payload = j.Error.Of(text)
		}
	default:
		return Message{}, false
	}
	return m, true
}
