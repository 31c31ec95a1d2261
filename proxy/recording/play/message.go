package play

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A kind is what a message is.
type kind uint8

const (
	text kind = iota // a line outside of messages, which an agent has written all the same
	request
	answer
	notification
)

// A message is what one end said, or was told. Its parts are parts of the line that it
// was read from.
type message struct {
	at      place
	time    time.Duration // since the recording began; 0 if it has no times
	client  bool          // the client said it, or the proxy in its place
	sided   bool          // the recording tells who said it
	kind    kind
	id      []byte
	method  []byte
	session []byte // unquoted; nil if it names none
	params  []byte
	result  []byte // of an answer; the error if it has failed
	failed  bool
	event   *trace.Event // of a trace, otherwise nil
	line    []byte       // of anything else
}

// A place is where a message is in the recording. Key tells the messages of a batch
// apart, which have one line.
type place struct {
	start, size int64
	part        int64
	line        int // its number; 0 if it was not scanned
}

func (p place) key() int64    { return p.start + p.part }
func (p place) present() bool { return p.size > 0 }
func (p place) end() int64    { return p.start + p.size }

// append appends the message as it is sent, without a newline.
func (m *message) append(dst []byte) []byte {
	if m.event != nil {
		return m.event.AppendMessage(dst)
	}
	return append(dst, m.line...)
}

// A view says whose messages count in a trace: those that this component sent or got.
// What the proxy made of them for the other end is not its own.
type view trace.Component

// A parser reads the lines of a recording in all forms: events of package trace, the
// lines of both ends with their directions, and lines of messages.
type parser struct {
	view    view
	cursor  rawjson.Cursor
	message jsonrpc.Message
	read    []message
}

// parse returns the messages of a line, none if it has none that count. They are valid
// until the next call.
func (p *parser) parse(line []byte, start int64) []message {
	p.read = p.read[:0]
	at := place{start: start, size: int64(len(line))}
	_, rest := jsonrpc.CutStray(bytes.TrimSpace(line))
	if len(rest) == 0 {
		return nil
	}
	if rest[0] != '[' {
		var o outer
		if o.read(&p.cursor, rest) {
			p.event(&o, at)
			return p.read
		}
		if o.direction != nil && p.cursor.Err() == nil {
			p.directed(&o, at)
			return p.read
		}
	}
	p.messages(rest, at)
	return p.read
}

// outer are the members that tell what a line is.
type outer struct {
	event                    trace.Event
	kind, ts, from, to       bool
	direction, said, sinceMs []byte
}

// read reports whether the line is an event of a trace.
func (o *outer) read(c *rawjson.Cursor, line []byte) bool {
	c.Reset(line)
	if c.Kind() != '{' {
		return false
	}
	e := &o.event
	for more := c.Object(); more; more = c.NextMember() {
		name, kind := string(c.Name()), c.Kind()
		value := c.Value()
		if value == nil {
			return false
		}
		switch {
		case name == "ts" && kind == '0':
			e.Seconds, _ = strconv.ParseFloat(string(value), 64)
			o.ts = true
		case name == "t" && kind == '0':
			o.sinceMs = value
		case name == "id":
			e.ID = value
		case name == "params":
			e.Params = value
		case name == "payload":
			e.Payload = value
		case name == "is_error":
			e.IsError = kind == 't'
		case kind == '"':
			o.text(name, value)
		}
	}
	return c.End() && o.kind && o.ts && o.from && o.to
}

// text reads a member that is a string.
func (o *outer) text(name string, raw []byte) {
	e := &o.event
	switch name {
	case "type":
		e.Type, o.kind = string(rawjson.Unquote(raw)), true
	case "from":
		e.From, o.from = trace.Component(rawjson.Unquote(raw)), true
	case "to":
		e.To, o.to = trace.Component(rawjson.Unquote(raw)), true
	case "method":
		e.Method = string(rawjson.Unquote(raw))
	case "session":
		e.Session = string(rawjson.Unquote(raw))
	case "dir":
		o.direction = rawjson.Unquote(raw)
	case "line":
		o.said = raw
	}
}

// event reads an event of a trace, if it counts.
func (p *parser) event(o *outer, at place) {
	e := o.event
	us := trace.Component(p.view)
	if e.From != us && e.To != us {
		return
	}
	m := message{at: at, time: seconds(e.Seconds), sided: true, id: e.ID, params: e.Params, event: &e}
	m.client = (e.From == us) == (us == trace.Client)
	if e.Method != "" {
		m.method = []byte(e.Method)
	}
	if e.Session != "" {
		m.session = []byte(e.Session)
	}
	switch {
	case e.Method == trace.NotAMessage:
		m.method, m.params = nil, nil
	case e.Type == trace.Request && e.ID != nil && e.Method != "":
		m.kind = request
	case e.Type == trace.Response && e.ID != nil:
		m.kind, m.result, m.failed = answer, e.Payload, e.IsError
	case e.Type == trace.Notification && e.Method != "":
		m.kind = notification
	default:
		return
	}
	p.read = append(p.read, m)
}

// seconds returns a recorded time. A time that a recording cannot have counts as none.
func seconds(s float64) time.Duration {
	const year = 365 * 24 * 60 * 60
	if !(0 <= s && s < year) {
		return 0
	}
	return time.Duration(math.Round(s*1e6)) * time.Microsecond
}

// directed reads a line whose direction was recorded beside it.
func (p *parser) directed(o *outer, at place) {
	if o.said == nil || string(o.direction) != "c2a" && string(o.direction) != "a2c" {
		return
	}
	first := len(p.read)
	said := bytes.Clone(rawjson.Unquote(o.said))
	p.messages(said, at)
	ms, _ := strconv.ParseFloat(string(o.sinceMs), 64)
	client := string(o.direction) == "c2a"
	if len(p.read) == first && !client && len(said) > 0 {
		p.read = append(p.read, message{at: at, line: said})
	}
	for i := range p.read[first:] {
		m := &p.read[first+i]
		m.time, m.client, m.sided = seconds(ms/1000), client, true
	}
}

// messages reads a message, or a batch.
func (p *parser) messages(line []byte, at place) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	var values [][]byte
	if line[0] == '[' {
		values, _ = rawjson.ReadArray(nil, line)
	} else {
		values = [][]byte{line}
	}
	for i, value := range values {
		at.part = int64(i)
		if m, ok := p.single(value); ok {
			m.at = at
			p.read = append(p.read, m)
		}
	}
}

// single reads one message.
func (p *parser) single(line []byte) (message, bool) {
	c, j := &p.cursor, &p.message
	c.Reset(line)
	j.Read(c, line, nil)
	if !c.End() {
		return message{}, false
	}
	m := message{id: j.ID, method: j.Method, session: j.Session, params: j.Params.Of(line), line: bytes.TrimSpace(line)}
	switch {
	case j.IsRequest():
		m.kind = request
	case j.IsNotification():
		m.kind = notification
	case j.IsResponse():
		m.kind, m.result, m.failed = answer, j.Result.Of(line), j.Failed()
		if m.failed {
			m.result = j.Error.Of(line)
		}
	default:
		return message{}, false
	}
	return m, true
}

// textOf returns the text of a member, or nil.
func textOf(object []byte, path ...string) []byte {
	s, ok := rawjson.TextOf(rawjson.Get(object, path...))
	if !ok {
		return nil
	}
	return s
}
