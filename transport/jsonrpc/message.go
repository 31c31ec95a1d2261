// Package jsonrpc reads JSON-RPC 2.0 messages without decoding them.
//
// A [Message] locates the parts of a message in the text of its line. It knows JSON-RPC and the
// members that all methods of the Agent Client Protocol share: in params a sessionId, an update with
// a content, and _meta. [Calls] translates request ids, and [CutStray] separates messages from other
// text.
package jsonrpc

import (
	"crypto/sha256"
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// A Span is a range of a text. The zero value is an absent part.
type Span struct{ Start, End int }

// Present reports whether the part exists.
func (s Span) Present() bool { return s.End > 0 }

// Of returns the part of text, sharing its memory, or nil if it is absent.
func (s Span) Of(text []byte) []byte {
	if !s.Present() {
		return nil
	}
	return text[s.Start:s.End]
}

// A Message is a JSON-RPC message as a set of references to Text. It is valid as long as
// Text is.
type Message struct {
	Text []byte // a line
	Span        // the message in Text

	ID      []byte // raw JSON; nil if it is missing
	Method  []byte // unquoted; nil if it is missing
	Params  Span
	Result  Span
	Error   Span   // present even if null, see Failed
	Session []byte // params.sessionId, unquoted; nil if it is absent or not a string
	Update  Span   // params.update
	Meta    Span   // params._meta

	Reader ParamsReader // the reader of the params, may be nil

	// Members are the members of params.update, Content those of its content. Non-objects
	// have none. With a ParamsReader that reads the update, Content is empty.
	Members, Content rawjson.Object

	// MethodSpan and SessionSpan are the positions of the two strings, with quotes. Each is
	// valid unless its string is nil.
	MethodSpan, SessionSpan Span

	// Ambiguous means that id, method, params, sessionId or update is repeated, or that the
	// message has members of a request and of a response. Parsers disagree on such a message,
	// so it is neither a request nor a response.
	Ambiguous bool

	BadMethod bool // the method is not a string
	Versioned bool // the member jsonrpc exists
	HasOthers bool // members other than those of JSON-RPC exist

	failed bool // the error is not null
}

// A ParamsReader reads members of params while Message.Read reads the message.
type ParamsReader interface {
	// Reset discards the state of the previous message.
	Reset()

	// ReadMember receives the member of params whose value is next in c. It consumes the
	// value and returns true, or returns false.
	ReadMember(name []byte, c *rawjson.Cursor, text []byte) bool

	// Members appends the members of the last update to buf.
	Members(buf rawjson.Object) rawjson.Object
}

// MessageOf reads a line.
func MessageOf(line []byte) (m Message) {
	var c rawjson.Cursor
	c.Reset(line)
	m.Read(&c, line, nil)
	return m
}

// Read reads the value that is next in c, a cursor on text, and reuses the memory of m.
// JSON errors are reported by c. A value that is not an object becomes a message without
// parts. reader, which may be nil, receives the members of params except sessionId.
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
	var idCount, methodCount, paramsCount, outcomeCount int
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "id":
			idCount++
			m.ID = c.Value()
		case "method":
			methodCount++
			m.Method, m.MethodSpan = stringAt(c)
			m.BadMethod = m.Method == nil
		case "params":
			paramsCount++
			m.Params.Start = c.Offset()
			m.readParams(c, text, reader)
			m.Params.End = c.Pos()
		case "result":
			outcomeCount++
			m.Result = valueSpan(c)
		case "error":
			outcomeCount++
			m.failed = c.Kind() != 'n'
			m.Error = valueSpan(c)
		case "jsonrpc":
			m.Versioned = true
			c.Skip()
		default:
			m.HasOthers = true
			c.Skip()
		}
	}
	m.End = c.Pos()
	m.Ambiguous = m.Ambiguous || idCount > 1 || methodCount > 1 || paramsCount > 1 || outcomeCount > 0 && methodCount+paramsCount > 0
}

// scratch returns the memory of o for reuse, or nil if it is large.
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
	var sessionCount, updateCount int
	for more := c.Object(); more; more = c.NextMember() {
		name := c.Name()
		if string(name) == "sessionId" {
			sessionCount++
			m.Session, m.SessionSpan = stringAt(c)
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
			updateCount++
			m.Update = Span{start, c.Pos()}
		case string(name) == "_meta":
			m.Meta = Span{start, c.Pos()}
		}
	}
	m.Ambiguous = m.Ambiguous || sessionCount > 1 || updateCount > 1
}

func valueSpan(c *rawjson.Cursor) Span {
	start := c.Offset()
	c.Skip()
	return Span{start, c.Pos()}
}

// stringAt reads the value that is next in c. It returns the value unquoted and its position, or nil if
// the value is not a string.
func stringAt(c *rawjson.Cursor) ([]byte, Span) {
	start := c.Offset()
	text, ok := rawjson.TextOf(c.Value())
	if !ok {
		return nil, Span{}
	}
	return text, Span{start, c.Pos()}
}

// Failed reports whether the message has a non-null error, or is a response without a
// result.
func (m *Message) Failed() bool { return m.failed || !m.Result.Present() && m.IsResponse() }

// IsRequest reports whether the message has a method and an id.
func (m *Message) IsRequest() bool { return !m.Ambiguous && m.Method != nil && m.ID != nil }

// IsNotification reports whether the message has a method and no id.
func (m *Message) IsNotification() bool { return !m.Ambiguous && m.Method != nil && m.ID == nil }

// IsResponse reports whether the message has an id and no method. Neither a result nor an
// error is required: JSON.stringify omits an undefined result.
func (m *Message) IsResponse() bool {
	return !m.Ambiguous && m.ID != nil && m.Method == nil && !m.BadMethod && !m.Params.Present()
}

// An ID identifies a request. Different spellings of an id have equal IDs, except -0 and 0. So have
// numbers beyond int64 with the same nearest float64. The zero value is the ID of a message without an
// id.
type ID string

// IDOf returns the ID of a raw id, "" for nil. A long id is replaced by its digest.
func IDOf(raw []byte) ID {
	const short = 256
	id := canonical(raw)
	if len(id) > short {
		sum := sha256.Sum256([]byte(id))
		return ID("#" + string(sum[:])) // no JSON value begins with #
	}
	return id
}

func canonical(raw []byte) ID {
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

// isShortInteger reports whether raw consists of digits only, few enough for an int64.
func isShortInteger(raw []byte) bool {
	for _, b := range raw {
		if b < '0' || b > '9' {
			return false
		}
	}
	return len(raw) < 19
}
