package proxy

import (
	"bytes"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A joint is the bridge of a conversation and what it takes to use it. Discovery
// makes the bridge, which then stays.
type joint struct {
	bridge versions.Bridge // nil if the two sides speak for themselves
	joined string          // which versions are joined, for the log
	out    translate.Out

	// Memory for reading a message from the bridge to the client.
	cursor rawjson.Cursor
	inner  reading
	text   []byte

	sent     [2][]byte // what left while a message was dealt with, by side, if somebody observes
	planSent bool      // a plan was among it
}

// throughBridge takes in a message from a side.
func (c *conversation) throughBridge(side translate.Side, m *reading) outcome {
	if side == translate.Client && string(m.Method) == methodInitialize && m.IsRequest() {
		c.show(side, dropped, m.Span.Of(m.Text), nil)
		c.refuse(side, m.ID, true, "initialize may be requested once")
		return settled
	}
	c.out.Reset(side, &m.Message)
	if side == translate.Client {
		c.requested(m)
		c.bridge.FromClient(&m.Message, c.now(), &c.out)
	} else {
		c.bridge.FromAgent(&m.Message, c.now(), &c.out)
	}
	c.carryOut(side, m)
	c.schedule()
	return settled
}

// carryOut sends what the bridge has decided, in the order in which it decided.
// m is the message that it was given, nil for a timer or the agent's end.
func (c *conversation) carryOut(from translate.Side, m *reading) {
	for _, l := range c.out.Leaves() {
		if l.To == translate.Client && !l.NoPlan {
			c.sendToClient(c.out.Text(l))
		} else {
			c.send(l.To, c.out.Text(l))
		}
	}
	for _, l := range c.out.Losses() {
		c.lose(l)
	}
	if c.Observe != nil {
		if m != nil {
			c.showConverted(from, m.Span.Of(m.Text))
		}
		c.showOwn()
	}
}

// showConverted shows the observer a message and what left in its place.
func (c *conversation) showConverted(from translate.Side, in []byte) {
	out := c.sent[from.Other()]
	o := outcome{action: plans.Rewrite, plan: c.planSent}
	switch {
	case len(out) == 0:
		o.action = plans.Drop
	case bytes.Equal(bytes.TrimSuffix(out, newline), in):
		o.action = plans.Forward
	}
	c.show(from, o, in, out)
	c.forgetSent(from.Other())
}

// showOwn shows the observer what the proxy said by itself.
func (c *conversation) showOwn() {
	for _, to := range []translate.Side{translate.Client, translate.Agent} {
		if len(c.sent[to]) > 0 {
			c.show(to.Other(), outcome{action: plans.Rewrite, plan: c.planSent}, nil, c.sent[to])
			c.forgetSent(to)
		}
	}
	c.planSent = false
}

// forgetSent forgets what left to a side, after the observer has seen it.
func (c *conversation) forgetSent(to translate.Side) {
	if c.sent[to] = c.sent[to][:0]; cap(c.sent[to]) > maxScratch {
		c.sent[to] = nil
	}
}

// sendToClient sends a message to the client, through the plan translation. Only
// a message that the scanner cannot rule out is read for that.
func (c *conversation) sendToClient(message []byte) {
	filter := planUpdates
	if len(c.awaited) > 0 {
		filter = andResponses
	}
	if !filter.Matters(message) {
		c.send(translate.Client, message)
		return
	}
	c.cursor.Reset(message)
	c.inner.read(&c.cursor, message)
	o := c.toClient(&c.inner)
	c.planSent = c.planSent || o.plan
	switch o.action {
	case plans.Forward:
		c.send(translate.Client, message)
	case plans.Rewrite:
		c.text = appendOutcome(c.text[:0], message, 0, len(message), o, "\n")
		c.send(translate.Client, c.text)
		if cap(c.text) > maxScratch {
			c.text = nil
		}
	}
}

func (c *conversation) send(to translate.Side, message []byte) {
	c.outlets[to].Send(message, newline)
	if c.Observe != nil {
		c.sent[to] = append(append(c.sent[to], message...), '\n')
	}
}

var newline = []byte{'\n'}

// lose notes what the bridge lost.
func (c *conversation) lose(l translate.Loss) {
	l.Detail = "lost in translation: " + l.Detail
	c.losses.Note(l)
}

// refuse deals with a message that cannot be passed on. A request is answered
// with an error.
func (c *conversation) refuse(side translate.Side, id []byte, request bool, why string) {
	c.warn("message not passed on", "message of the "+side.String()+" not passed on: "+why)
	if id == nil || !request {
		return
	}
	c.send(side, errorResponse(id, invalidRequest, why))
	c.showOwn()
}

// The codes of the proxy's own errors.
const (
	invalidRequest = -32600
	internalError  = -32603
)

// errorResponse returns an error response.
func errorResponse(id []byte, code int, why string) []byte {
	text := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	text = strconv.AppendInt(append(text, `,"error":{"code":`...), int64(code), 10)
	text = append(text, `,"message":`...)
	return append(rawjson.AppendQuoted(text, why), '}', '}')
}

// refuseOversize deals with a line that is too long to be converted. Only its
// beginning is known. A request gets an error, and so does the side that waits
// for a response. An id behind the beginning is not found.
func (c *conversation) refuseOversize(side translate.Side, beginning []byte) {
	const why = "the message is longer than --max-message"
	var m jsonrpc.Message
	c.cursor.Reset(beginning)
	m.Read(&c.cursor, beginning, nil)
	if !m.Result.Present() && !m.Error.Present() {
		c.refuse(side, m.ID, m.Method != nil, why)
		return
	}
	c.refuse(side, nil, false, why)
	if m.ID != nil {
		var answer reading
		text := errorResponse(m.ID, invalidRequest, why)
		c.cursor.Reset(text)
		answer.read(&c.cursor, text)
		c.throughBridge(side, &answer)
	}
}

// refusesUnreadable deals with a line that has no message. A bridge cannot
// convert such a line; without a bridge the line passes.
func (c *conversation) refusesUnreadable(side translate.Side, line []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	blank := len(bytes.TrimSpace(line)) == 0
	if c.bridge != nil && !blank {
		c.refuse(side, nil, false, "the line has no message")
	}
	return c.bridge != nil
}
