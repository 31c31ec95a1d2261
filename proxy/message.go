package proxy

import (
	"strconv"

	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/rawjson"
)

// The methods the proxy has business with.
const (
	methodInitialize = "initialize"
	methodUpdate     = "session/update"
	methodLoad       = "session/load"
	methodResume     = "session/resume"
	methodClose      = "session/close"
	methodDelete     = "session/delete"
)

// A rpcMessage is what the proxy reads of one JSON-RPC message, by where it
// stands in a line. It is valid as long as the line is.
type rpcMessage struct {
	id      []byte // raw JSON; nil if there is none
	method  []byte // unquoted; nil if there is none
	answers bool   // it has a member result or error
	result  []byte // raw JSON; nil if there is none
	failed  bool   // its error is not null
	session []byte // params.sessionId, unquoted; nil if there is none
	params  struct{ start, end int }
	replays bool // params.replayFrom is there
	update  plans.Update

	// ambiguous tells that one of the members that say what the message is
	// stands twice, or that it has those of a request and those of a response.
	// Parsers disagree on such a message, so it is left alone.
	ambiguous bool
}

// read reads the value that is next in c, which walks text. Errors in the JSON
// are left in c.
func (m *rpcMessage) read(c *rawjson.Cursor, text []byte) {
	m.update.Reset()
	*m = rpcMessage{update: m.update}
	if c.Kind() != '{' {
		c.Skip()
		return
	}
	var methods, paramses int
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "id":
			m.id = c.Value()
		case "method":
			methods++
			m.method = stringValue(c)
		case "params":
			paramses++
			m.params.start = c.Offset()
			m.readParams(c, text)
			m.params.end = c.Pos()
		case "result":
			m.answers = true
			m.result = c.Value()
		case "error":
			m.answers = true
			m.failed = c.Kind() != 'n'
			c.Skip()
		default:
			c.Skip()
		}
	}
	m.ambiguous = m.ambiguous || methods > 1 || paramses > 1 || m.answers && methods+paramses > 0
}

func (m *rpcMessage) readParams(c *rawjson.Cursor, text []byte) {
	if c.Kind() != '{' {
		c.Skip()
		return
	}
	var sessions, updates int
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "sessionId":
			sessions++
			m.session = stringValue(c)
		case "update":
			updates++
			m.update.Read(c, text)
		case "replayFrom":
			m.replays = c.Kind() != 'n'
			c.Skip()
		default:
			c.Skip()
		}
	}
	m.ambiguous = m.ambiguous || sessions > 1 || updates > 1
}

// stringValue reads a value and returns what it says if it is a string.
func stringValue(c *rawjson.Cursor) []byte {
	if c.Kind() != '"' {
		c.Skip()
		return nil
	}
	raw := c.Value()
	if raw == nil {
		return nil
	}
	return rawjson.Unquote(raw)
}

// isPlan reports whether the message is a notification that concerns a plan.
func (m *rpcMessage) isPlan() bool {
	return string(m.method) == methodUpdate && m.id == nil && !m.ambiguous && m.update.Kind() != ""
}

// isResponse reports whether the message is a response. A request by the agent
// can have the same id as one by the client; it is none.
func (m *rpcMessage) isResponse() bool {
	return !m.ambiguous && m.id != nil && (m.result != nil || m.failed)
}

// requestID returns the id in a form in which equal ids are equal strings,
// however they are spelled, and "" if there is none.
func (m *rpcMessage) requestID() string {
	switch {
	case m.id == nil:
		return ""
	case m.id[0] == '"':
		return `"` + string(rawjson.Unquote(m.id))
	}
	id := string(m.id)
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		if f, err := strconv.ParseFloat(id, 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return id
}
