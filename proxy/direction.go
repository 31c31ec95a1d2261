package proxy

import (
	"bytes"

	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/rawjson"
)

// maxScratch is how much memory is kept for writing the next message.
const maxScratch = 1 << 20

// A direction is the transport.Inspector of one direction of a conversation.
// It finds the messages that matter and writes what leaves in their place.
type direction struct {
	want interest
	// handle says what becomes of a message. The outcome is valid until the
	// next call.
	handle   func(m *rpcMessage, line []byte) outcome
	oversize func()

	fromClient bool
	observe    func(Event) // nil if nobody does
	observeAll bool

	inspection inspection
	cursor     rawjson.Cursor
	msg        rpcMessage
	out        []byte
}

func (c *conversation) agentToClient() *direction {
	return &direction{
		want:     interest{method: isUpdate, updates: true, awaited: c.awaiting},
		handle:   c.fromAgent,
		oversize: func() { c.log.Warn("a line from the agent is longer than --max-message and passes as it is") },
		observe:  c.observe, observeAll: c.observeAll,
	}
}

func isUpdate(method []byte) bool { return string(method) == methodUpdate }

func (c *conversation) clientToAgent() *direction {
	return &direction{
		want:     interest{method: concernsPlans, awaited: func() bool { return false }},
		handle:   c.fromClient,
		oversize: func() { c.log.Warn("a line from the client is longer than --max-message and passes as it is") },
		observe:  c.observe, observeAll: c.observeAll, fromClient: true,
	}
}

// recorded is for the lines of a recording, which may be of both directions.
// It looks at each of them whole.
func (c *conversation) recorded() transport.Inspector {
	d := c.agentToClient()
	d.handle = func(m *rpcMessage, line []byte) outcome {
		if !concernsPlans(m.method) {
			return c.fromAgent(m, line)
		}
		c.fromClient(m, line)
		return outcome{action: plans.Forward}
	}
	return recording{d}
}

type recording struct{ *direction }

// Inspect implements [transport.Inspector].
func (recording) Inspect([]byte) transport.Verdict { return transport.Hold }

// concernsPlans reports whether a request of the client bears on what its
// client shows or has been shown.
func concernsPlans(method []byte) bool {
	switch string(method) {
	case methodInitialize, methodLoad, methodResume, methodClose, methodDelete:
		return true
	}
	return false
}

// Inspect implements [transport.Inspector].
func (d *direction) Inspect(line []byte) transport.Verdict {
	if d.observeAll {
		return transport.Hold
	}
	v := d.inspection.follow(line, &d.want)
	if v != transport.More {
		d.inspection = inspection{}
	}
	return v
}

// Oversize implements [transport.Inspector].
func (d *direction) Oversize() {
	d.inspection = inspection{}
	d.oversize()
}

// Rewrite implements [transport.Inspector].
func (d *direction) Rewrite(line []byte) ([]byte, bool) {
	d.inspection = inspection{}
	c := &d.cursor
	c.Reset(line)
	if c.Kind() == '[' {
		return d.rewriteBatch(line)
	}
	d.msg.read(c, line)
	if !c.End() {
		d.show(outcome{action: plans.Forward}, line, nil)
		return nil, false
	}
	o := d.handle(&d.msg, line)
	if o.action == plans.Forward {
		d.show(o, line, nil)
		return nil, false
	}
	if d.out = d.out[:0]; cap(d.out) > maxScratch {
		d.out = nil
	}
	for i, with := range o.with {
		d.out = append(d.out, line[:o.start]...)
		d.out = append(d.out, with...)
		d.out = append(d.out, line[o.end:]...)
		if i+1 < len(o.with) && !bytes.HasSuffix(line, []byte{'\n'}) {
			d.out = append(d.out, '\n')
		}
	}
	d.show(o, line, d.out)
	return d.out, true
}

// rewriteBatch deals with a JSON-RPC batch, message by message. One that is
// dropped leaves the batch, and a batch left empty does not leave at all.
func (d *direction) rewriteBatch(line []byte) ([]byte, bool) {
	c := &d.cursor
	if c.Skip(); !c.End() {
		d.show(outcome{action: plans.Forward}, line, nil)
		return nil, false
	}
	c.Reset(line)
	e := rawjson.Edit(d.out[:0], line, 0)
	changed, kept := false, false // any message so far
	first, last := -1, 0          // where the first message begins and the last one ended
	for more := c.Array(); more; more = c.NextElement() {
		start := c.Offset()
		d.msg.read(c, line)
		end := c.Pos()
		if first < 0 {
			first = start
		}
		o := d.handle(&d.msg, line)
		changed = changed || o.action != plans.Forward
		if o.action == plans.Drop {
			if kept {
				e.Cut(last, end)
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
		if o.action == plans.Rewrite {
			e.CopyTo(start)
			from := len(e.Out)
			for i, with := range o.with {
				if i > 0 {
					e.Out = append(e.Out, ',')
				}
				e.Out = append(e.Out, line[start:o.start]...)
				e.Out = append(e.Out, with...)
				e.Out = append(e.Out, line[o.end:end]...)
			}
			e.Cut(start, end)
			out = e.Out[from:]
		}
		d.show(o, line[start:end], out)
		last = end
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

// show shows a message to the observer, if it is one of those it observes.
func (d *direction) show(o outcome, in, out []byte) {
	if d.observe == nil || !o.plan && !d.observeAll {
		return
	}
	if o.action == plans.Forward {
		out = in
	}
	d.observe(Event{FromClient: d.fromClient, Action: o.action, In: in, Out: out})
}
