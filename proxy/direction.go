package proxy

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A direction is the [transport.Inspector] of the lines that come from one
// side. Its scanner finds those that matter; the conversation says what becomes
// of them.
type direction struct {
	side     translate.Side
	c        *conversation
	observer observer
	// handle says what becomes of a message. The outcome is valid until the
	// next call.
	handle func(m *reading) outcome

	scanner jsonrpc.Scanner
	over    func()            // what follows when a line ends of which the rest is shown
	leave   func(part []byte) // lets leave a part of what a line becomes; nil if that has to be whole
	cursor  rawjson.Cursor
	msg     reading
	out     []byte
}

// newDirection returns the inspector of the lines from a side.
func newDirection(c *conversation, side translate.Side) *direction {
	return &direction{
		side: side, c: c, observer: newObserver(c.options),
		handle: func(m *reading) outcome { return c.from(side, m) },
		scanner: jsonrpc.Scanner{
			Filter: &c.filters.from[side],
			Strays: side == translate.Agent && c.options.Stray == StrayLog,
		},
	}
}

// Inspect implements [transport.Inspector].
func (d *direction) Inspect(line []byte) transport.Verdict {
	v := d.scanner.Scan(line)
	switch v {
	case transport.More:
		return v
	case transport.Follow:
		known := d.scanner.HasHead()
		d.scanner.Keep(line)
		if !known {
			d.over = func() { d.c.passed(d.side, d.kept()) }
			return v
		}
		if v = transport.Pass; !d.c.passes(d.side, d.kept()) {
			v = transport.Hold
		}
	}
	d.scanner.Reset()
	return v
}

// kept returns what is kept of the line that is scanned.
func (d *direction) kept() *reading {
	text := d.scanner.Kept()
	d.cursor.Reset(text)
	d.msg.read(&d.cursor, text)
	return &d.msg
}

// Oversize implements [transport.Inspector].
func (d *direction) Oversize(beginning []byte) transport.Verdict {
	d.scanner.Reset()
	if d.scanner.Strays && jsonrpc.IsStray(beginning) {
		message := jsonrpc.BehindStray(beginning)
		if message == nil {
			d.noteStray(translate.LossStrayLine, "the agent wrote a line to stdout that is no message and longer than --max-message; it is not passed on", beginning)
			d.over = func() {}
			return transport.Drop
		}
		beginning = message // and never noise
	}
	v := d.c.oversize(d.side, beginning)
	if v == transport.Drop {
		d.scanner.Keep(beginning)
		d.over = func() { d.c.carryOut(refuseTooLong(d.side, d.scanner.Kept())) }
	}
	return v
}

// Rest implements [transport.Inspector].
func (d *direction) Rest(piece []byte, end bool) {
	if d.scanner.Add(piece); end {
		d.over()
		d.scanner.Reset()
	}
}

// Pause implements [transport.Inspector]. What the client says behind its
// initialize waits until the agent has answered, except responses: the agent may
// ask before it answers. What a peer says waits while the peer does not read
// what it was answered before.
func (d *direction) Pause(line []byte) <-chan struct{} {
	if d.side == translate.Client {
		if held := d.c.holdsClient(); held != nil {
			d.cursor.Reset(line)
			if d.msg.read(&d.cursor, line); !d.cursor.End() || !d.msg.IsResponse() {
				return held
			}
		}
	}
	return d.unread()
}

// unread returns a channel that is closed when the peer has read what it was
// answered, nil if it has.
func (d *direction) unread() <-chan struct{} {
	if back := d.c.outlets[d.side]; back != nil {
		return back.Answered()
	}
	return nil
}

// Rewrite implements [transport.Inspector].
func (d *direction) Rewrite(line []byte, leave func(part []byte)) ([]byte, bool) {
	d.leave = leave
	d.scanner.Reset()
	if d.scanner.Strays {
		if text, rest := jsonrpc.CutStray(line); len(text) > 0 {
			return d.takeOff(text, rest), true
		}
	}
	return d.rewrite(line)
}

// takeOff takes off the text in front of a message, or a whole line of text. It
// returns what leaves for the rest, which is a message or nothing.
func (d *direction) takeOff(text, rest []byte) []byte {
	o := dropped
	if len(rest) == 0 {
		o.lost = d.noteStray(translate.LossStrayLine, "the agent wrote a line to stdout that is no message; it is not passed on", text)
		d.show(o, text, nil)
		return nil
	}
	o.lost = d.noteStray(translate.LossStrayText, "the agent wrote text to stdout in front of a message; the message is passed on without it", text)
	d.show(o, text, nil)
	if instead, changed := d.rewrite(rest); changed {
		return instead
	}
	return rest
}

// noteStray warns of a text of the agent outside of messages. It returns what the
// observer, if there is one, sees of that.
func (d *direction) noteStray(kind translate.LossKind, detail string, text []byte) []translate.Loss {
	const most = 1 << 10 // the log cuts it further
	text = bytes.Trim(text[:min(len(text), most)], " \t\r\n")
	loss := translate.Loss{Kind: kind, Detail: detail}
	d.c.losses.log.Note(loss, "text", string(text))
	if !d.observer.isThere() {
		return nil
	}
	return []translate.Loss{loss}
}

// rewrite is Rewrite for a line with nothing to be taken off.
func (d *direction) rewrite(line []byte) ([]byte, bool) {
	c := &d.cursor
	c.Reset(line)
	if c.Kind() == '[' {
		return d.rewriteBatch(line)
	}
	d.read(line)
	if !c.End() {
		return nil, d.unreadable(line)
	}
	o := d.handle(&d.msg)
	if o.passes() {
		d.show(o, line, nil)
		return nil, false
	}
	separator := ""
	if !bytes.HasSuffix(line, newline) {
		separator = "\n"
	}
	d.out = rawjson.Reuse(d.out)
	for _, before := range o.before {
		d.out = append(append(d.out, before...), '\n')
	}
	d.out = appendOutcome(d.out, line, 0, len(line), o, separator)
	for _, own := range o.own {
		if n := len(d.out); n > 0 && d.out[n-1] != '\n' {
			d.out = append(d.out, '\n')
		}
		d.out = append(append(d.out, own...), '\n')
	}
	d.show(o, line, d.out)
	return d.out, true
}

// read reads the message that is next, as the filter has it now: the handshake may
// have been decided since the line was looked at.
func (d *direction) read(line []byte) {
	if d.scanner.Filter.Load().NoParamsReader {
		d.msg.readMessage(&d.cursor, line)
	} else {
		d.msg.read(&d.cursor, line)
	}
}

// unreadable handles a line that has no message. It reports whether the line
// is dropped: a bridge cannot convert it.
func (d *direction) unreadable(line []byte) bool {
	if !d.c.isJoined() {
		d.show(forward, line, nil)
		return false
	}
	d.scanner.Keep(line)
	refusal := refuseUnreadable(d.side, line, d.scanner.Kept())
	d.c.carryOut(append([]effect{showDropped{d.side, line}}, refusal...))
	d.scanner.Reset()
	return true
}

// rewriteBatch handles a JSON-RPC batch. One with the client's initialize in it
// waits as a whole if the agent is asked something else first.
func (d *direction) rewriteBatch(line []byte) ([]byte, bool) {
	c := &d.cursor
	if c.Skip(); !c.End() {
		return nil, d.unreadable(line)
	}
	if d.side == translate.Client {
		if b := d.c.openingBatch(line); b != nil {
			d.leave = nil
			own, changed := d.rewriteMessages(line)
			if !changed {
				own = line
			}
			if !d.c.discoverBatch(b, own) {
				return nil, true
			}
			return own, changed
		}
	}
	return d.rewriteMessages(line)
}

// rewriteMessages handles a batch message by message. A message that is dropped
// is taken out of the batch, and a batch without messages is not sent. What the messages
// become can be far more than the batch is, so it leaves part by part.
func (d *direction) rewriteMessages(line []byte) ([]byte, bool) {
	c := &d.cursor
	c.Reset(line)
	e := rawjson.Edit(rawjson.Reuse(d.out), line, 0)
	changed, kept := false, false // any message so far
	first, last := -1, 0          // where the first message begins and the last one ended
	for more := c.Array(); more; more = c.NextElement() {
		if unread := d.unread(); unread != nil { // one line can have very many messages
			<-unread
		}
		start := c.Offset()
		d.read(line)
		end := c.Pos()
		if first < 0 {
			first = start
		}
		o := d.handle(&d.msg)
		changed = changed || !o.passes()
		if o.action == plans.Drop && len(o.own)+len(o.before) == 0 {
			if kept {
				e.Cut(last, end)
			} else if d.leave != nil {
				d.leave(nil) // what was sent in its place can leave
			}
			d.show(o, line[start:end], nil)
			last = end
			continue
		}
		if !kept && changed {
			e.Cut(first, start)
		}
		kept = true
		var out []byte
		if !o.passes() {
			e.CopyTo(start)
			from := len(e.Out)
			for _, before := range o.before {
				e.Out = append(append(e.Out, before...), ',')
			}
			e.Out = appendOutcome(e.Out, line, start, end, o, ",")
			for _, own := range o.own {
				if len(e.Out) > from {
					e.Out = append(e.Out, ',')
				}
				e.Out = append(e.Out, own...)
			}
			e.Cut(start, end)
			out = e.Out[from:]
		}
		d.show(o, line[start:end], out)
		last = end
		if d.leave != nil && len(e.Out) > rawjson.MaxScratch {
			d.leave(e.Out)
			e.Out = e.Out[:0]
		}
	}
	if first < 0 { // it is empty
		return nil, d.unreadable(line)
	}
	if !changed {
		return nil, false
	}
	if !kept {
		return nil, true
	}
	d.out = e.Finish(len(line))
	return d.out, true
}

// show shows the observer a message, unless the conversation has done so.
func (d *direction) show(o outcome, in, out []byte) {
	if !o.shown {
		d.observer.show(d.side, o, in, out)
	}
}
