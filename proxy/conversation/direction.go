package conversation

import (
	"bytes"
	"io"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

var newline = []byte{'\n'}

// A direction is the [transport.Inspector] of the lines from one side. Its scanner selects
// the lines that concern a stage, and the conversation translates them.
type direction struct {
	side translate.Side
	c    *Conversation

	// handle writes the translation of a message to s. [Translate] sets another function.
	handle func(m *jsonrpc.Message, s *slot)

	scanner scan.Scanner
	onEnd   func() // called by Rest at the end of the line; set with the verdicts Follow and Drop
	cursor  rawjson.Cursor
	reader  jsonrpc.ParamsReader
	msg     jsonrpc.Message
	slot    slot
}

// newDirection returns the inspector of the lines from a side.
func newDirection(c *Conversation, side translate.Side) *direction {
	return &direction{
		side: side, c: c, reader: new(plans.Params), slot: slot{to: side.Other()},
		handle: func(m *jsonrpc.Message, s *slot) { c.translateLine(side, m, s) },
		scanner: scan.Scanner{
			Filter:      &c.filters[side],
			HoldsStrays: side == translate.Agent && c.options.Stray == StrayLog,
		},
	}
}

// relay relays the lines of src.
func (d *direction) relay(src io.Reader) error {
	relay := transport.Relay{Src: src, Dst: d.c.outlets[d.side.Other()], Inspector: d, MaxLine: d.c.options.MaxMessage}
	return relay.Run()
}

// Inspect implements [transport.Inspector].
func (d *direction) Inspect(line []byte) transport.Verdict {
	verdict := d.scanner.Scan(line)
	switch verdict {
	case transport.More:
		return verdict
	case transport.Follow:
		if !d.scanner.HasHead() {
			d.onEnd = func() { d.c.passHead(d.side, d.head(), true) }
			return verdict
		}
		verdict = transport.Pass
		if !d.c.passHead(d.side, d.head(), false) {
			verdict = transport.Hold
		}
	}
	d.scanner.Reset()
	return verdict
}

// head returns the head of the line as a message.
func (d *direction) head() *jsonrpc.Message {
	text := d.scanner.Head.Message()
	d.cursor.Reset(text)
	d.read(text)
	return &d.msg
}

// readHead collects the head of a line from its beginning.
func (d *direction) readHead(beginning []byte) {
	d.scanner.Head.Reset()
	d.scanner.Head.Add(beginning)
}

// Oversize implements [transport.Inspector].
func (d *direction) Oversize(beginning []byte) transport.Verdict {
	d.scanner.Reset()
	if d.scanner.HoldsStrays && jsonrpc.IsStray(beginning) {
		message := jsonrpc.BehindStray(beginning)
		if message == nil {
			d.noteStray(translate.LossStrayLine, "the agent wrote a line to stdout that is no message and longer than --max-message; it is not forwarded", beginning)
			d.onEnd = func() {}
			return transport.Drop
		}
		beginning = message
	}
	verdict := d.c.oversize(d.side, beginning)
	if verdict == transport.Drop {
		d.readHead(beginning)
		d.onEnd = d.refuseTooLong
	}
	return verdict
}

// Rest implements [transport.Inspector].
func (d *direction) Rest(piece []byte, end bool) {
	d.scanner.Head.Add(piece)
	if end {
		d.onEnd()
		d.scanner.Reset()
	}
}

// Pause implements [transport.Inspector]. After its initialize, the client's lines wait for the
// agent's response. Responses do not wait, because the agent may send requests before it answers.
// A peer's lines also wait while the peer does not read the responses to them.
func (d *direction) Pause(line []byte) <-chan struct{} {
	if d.side == translate.Client {
		if held := d.c.clientGate(); held != nil {
			d.cursor.Reset(line)
			d.read(line)
			if !d.cursor.End() || !d.msg.IsResponse() {
				return held
			}
		}
	}
	return d.c.outlets[d.side].AnswersRead()
}

// Rewrite implements [transport.Inspector].
func (d *direction) Rewrite(line []byte) ([]byte, bool) {
	d.scanner.Reset()
	if d.scanner.HoldsStrays && line[0] != '{' {
		if text, rest := jsonrpc.CutStray(line); len(text) > 0 {
			return d.rewriteStray(text, rest), true
		}
	}
	return d.rewrite(line)
}

// rewriteStray logs stray text, which begins a line, and returns the translation of the rest of the
// line, a message or nothing.
func (d *direction) rewriteStray(text, rest []byte) []byte {
	if len(rest) == 0 {
		d.noteStray(translate.LossStrayLine, "the agent wrote a line to stdout that is no message; it is not forwarded", text)
		return nil
	}
	d.noteStray(translate.LossStrayText, "the agent wrote text to stdout in front of a message; the message is forwarded without it", text)
	if replacement, changed := d.rewrite(rest); changed {
		return replacement
	}
	return rest
}

// noteStray logs text of the agent that is no message, and reports it as dropped to the observer.
func (d *direction) noteStray(kind translate.LossKind, detail string, text []byte) {
	const maxText = 1 << 10 // the log cuts it further
	loss := translate.Loss{Kind: kind, Detail: detail}
	d.c.losses.Note(loss, "text", string(bytes.Trim(text[:min(len(text), maxText)], " \t\r\n")))
	d.c.observer.event(d.side, false, Event{Action: plans.Drop, In: text, Lost: []translate.Loss{loss}})
}

// rewrite is Rewrite for a line without stray text.
func (d *direction) rewrite(line []byte) ([]byte, bool) {
	d.cursor.Reset(line)
	isBatch := d.cursor.Kind() == '['
	d.read(line)
	if isBatch || !d.cursor.End() {
		return nil, d.handleUnreadable(line)
	}
	s := &d.slot
	s.out = rawjson.Reuse(s.out)
	s.begin(line, d.msg.Start, d.msg.End)
	d.handle(&d.msg, s)
	if s.passes() {
		return nil, false
	}
	return s.out, true
}

// read reads the message at the cursor. Without a bridge it also reads the message's plan, except
// during a handshake: a bridge may be inserted before the stages receive the message.
func (d *direction) read(line []byte) {
	if d.c.discovering.Load() || d.c.joined.Load() {
		d.msg.Read(&d.cursor, line, nil)
	} else {
		d.msg.Read(&d.cursor, line, d.reader)
	}
}

// handleUnreadable forwards a line that is not a message, such as a batch, and returns false.
// A bridge cannot convert the line: with one, handleUnreadable refuses it and returns true.
func (d *direction) handleUnreadable(line []byte) bool {
	if !d.c.joined.Load() {
		d.c.observer.event(d.side, false, Event{Action: plans.Forward, In: line, Out: line})
		return false
	}
	d.readHead(line)
	d.refuseUnreadable(line)
	return true
}
