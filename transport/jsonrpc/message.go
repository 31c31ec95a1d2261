// Package jsonrpc reads JSON-RPC 2.0 messages without decoding them.
//
// A [Message] locates the parts of a message in the text of its line. It knows JSON-RPC and
// the members that all of the Agent Client Protocol shares: in params a sessionId, an
// update with a content, and _meta. [Calls] translates request ids, and [CutStray]
// separates messages from other text.
package jsonrpc

import (
	"crypto/sha256"
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// A Span is a part of a text. The zero value means that the part is missing.
type Span struct{ Start, End int }

// Present reports whether the span is a part of a text.
func (s Span) Present() bool { return s.End > 0 }

// Of returns the part of text that s spans, nil if it spans none. It shares
// memory with text.
func (s Span) Of(text []byte) []byte {
	if !s.Present() {
		return nil
	}
	return text[s.Start:s.End]
}

// A Message is one JSON-RPC message, by where its parts are in Text. It is
// valid as long as Text is. Reading again into a Message reuses its memory.
type Message struct {
	Text []byte // a line
	Span        // of the message in Text

	ID      []byte // raw JSON; nil if it is missing
	Method  []byte // unquoted; nil if it is missing
	Params  Span
	Result  Span
	Error   Span   // present for null too, see Failed
	Session []byte // params.sessionId, unquoted; nil if it is absent or not a string
	Update  Span   // params.update
	Meta    Span   // params._meta

	Reader ParamsReader // what has read the params in the same pass; nil if nothing has

	// Members are the members of params.update, and Content the members of its
	// content, if these are objects. A ParamsReader that has read the update leaves
	// Content out.
	Members, Content rawjson.Object

	// MethodAt and SessionAt are where the two strings are, with their quotes.
	// They are not parts of Text where Method and Session are nil.
	MethodAt, SessionAt Span

	// Ambiguous: a member that says what the message is occurs twice, or the
	// message has members of a request and of a response. Parsers disagree on
	// such a message, so it is neither.
	Ambiguous bool

	BadMethod bool // there is a method, and it is not a string
	Versioned bool // it says which version of JSON-RPC it is
	Others    bool // it has members besides those of JSON-RPC

	failed bool
}

// A ParamsReader reads members of params in the same pass in which the message
// is read.
type ParamsReader interface {
	// Reset forgets what was read: another message comes.
	Reset()

	// ReadMember is offered the member of params whose value is next in c. If
	// it wants the value it consumes it and reports true.
	ReadMember(name []byte, c *rawjson.Cursor, text []byte) bool

	// Members appends the members of the update that it has read last to buf.
	Members(buf rawjson.Object) rawjson.Object
}

// MessageOf reads a line.
func MessageOf(line []byte) (m Message) {
	var c rawjson.Cursor
	c.Reset(line)
	m.Read(&c, line, nil)
	return m
}

// Read reads the value that is next in c, which walks text. Errors in the JSON
// are left in c. A value that is not an object is a message without any part.
// reader, which is optional, is offered the members of params except sessionId.
func (m *Message) Read(c *rawjson.Cursor, text []byte, reader ParamsReader) {
	*m = Message{Text: text, Reader: reader, Members: scratch(m.Members), Content: scratch(m.Content)}
	if reader != nil {
		reader.Reset()
	}
	m.Start = c.Offset()
	if c.Kind() != '{' {
		c.Skip()
		m.End = c.Pos()
		return
	}
	var ids, methods, paramses, answers int
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "id":
			ids++
			m.ID = c.Value()
		case "method":
			methods++
			m.Method, m.MethodAt = stringAt(c)
			m.BadMethod = m.Method == nil
		case "params":
			paramses++
			m.Params.Start = c.Offset()
			m.readParams(c, text, reader)
			m.Params.End = c.Pos()
		case "result":
			answers++
			m.Result = valueSpan(c)
		case "error":
			answers++
			m.failed = c.Kind() != 'n'
			m.Error = valueSpan(c)
		case "jsonrpc":
			m.Versioned = true
			c.Skip()
		default:
			m.Others = true
			c.Skip()
		}
	}
	m.End = c.Pos()
	m.Ambiguous = m.Ambiguous || ids > 1 || methods > 1 || paramses > 1 || answers > 0 && methods+paramses > 0
}

// scratch returns the memory of an object after its use, unless the memory is large.
func scratch(o rawjson.Object) rawjson.Object {
	const most = 256 // members
	if cap(o) > most {
		return nil
	}
	return o[:0]
}

func (m *Message) readParams(c *rawjson.Cursor, text []byte, reader ParamsReader) {
	if c.Kind() != '{' {
		c.Skip()
		return
	}
	var sessions, updates int
	for more := c.Object(); more; more = c.NextMember() {
		name := c.Name()
		if string(name) == "sessionId" {
			sessions++
			m.Session, m.SessionAt = stringAt(c)
			continue
		}
		start := c.Offset()
		isUpdate := string(name) == "update"
		switch {
		case reader != nil && reader.ReadMember(name, c, text):
			if isUpdate {
				m.Members = reader.Members(m.Members[:0])
			}
		case isUpdate && c.Kind() == '{':
			m.Members, m.Content = c.MembersAnd("content", m.Members[:0], m.Content[:0])
		default:
			c.Skip()
		}
		switch {
		case isUpdate:
			updates++
			m.Update = Span{start, c.Pos()}
		case string(name) == "_meta":
			m.Meta = Span{start, c.Pos()}
		}
	}
	m.Ambiguous = m.Ambiguous || sessions > 1 || updates > 1
}

func valueSpan(c *rawjson.Cursor) Span {
	start := c.Offset()
	c.Skip()
	return Span{start, c.Pos()}
}

// StringValue reads the value that is next in c and returns what it says if it
// is a string, nil otherwise.
func StringValue(c *rawjson.Cursor) []byte {
	value, _ := stringAt(c)
	return value
}

// stringAt is StringValue, and tells where the string is.
func stringAt(c *rawjson.Cursor) ([]byte, Span) {
	start := c.Offset()
	text, ok := rawjson.TextOf(c.Value())
	if !ok {
		return nil, Span{}
	}
	return text, Span{start, c.Pos()}
}

// Failed reports whether the message has an error that is not null, or is a response
// without a result.
func (m *Message) Failed() bool { return m.failed || !m.Result.Present() && m.IsResponse() }

// IsRequest reports whether the message asks for an answer.
func (m *Message) IsRequest() bool { return !m.Ambiguous && m.Method != nil && m.ID != nil }

// IsNotification reports whether the message has a method and asks for no
// answer.
func (m *Message) IsNotification() bool { return !m.Ambiguous && m.Method != nil && m.ID == nil }

// IsResponse reports whether the message answers a request. It may have neither a result nor
// an error: JSON.stringify omits an undefined result. A request by the agent can have the
// same id as one by the client; it is not a response.
func (m *Message) IsResponse() bool {
	return !m.Ambiguous && m.ID != nil && m.Method == nil && !m.BadMethod && !m.Params.Present()
}

// An ID is the id of a request in a form in which equal ids are equal, however
// they are spelled. The zero value is the id of a message without one.
type ID string

// IDOf returns the id that the raw JSON value spells, "" for nil. An ID is short:
// it has the digest of a long one.
func IDOf(raw []byte) ID {
	const short = 256
	id := spelled(raw)
	if len(id) > short {
		sum := sha256.Sum256([]byte(id))
		return ID("#" + string(sum[:])) // no JSON begins so
	}
	return id
}

func spelled(raw []byte) ID {
	switch {
	case raw == nil:
		return ""
	case raw[0] == '"':
		return ID(`"` + string(rawjson.Unquote(raw)))
	case isShortInteger(raw):
		return ID(raw)
	}
	id := string(raw)
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		if f, err := strconv.ParseFloat(id, 64); err == nil {
			return ID(strconv.FormatFloat(f, 'f', -1, 64))
		}
	}
	return ID(id)
}

// isShortInteger reports whether raw consists of a few digits alone, as most ids do. No
// int64 overflows then.
func isShortInteger(raw []byte) bool {
	for _, b := range raw {
		if b < '0' || b > '9' {
			return false
		}
	}
	return len(raw) < 19
}
