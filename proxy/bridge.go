package proxy

import (
	"bytes"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/rawjson"
)

// maxID bounds the id of a request through the bridge, in bytes. Ids are kept
// until the requests are answered; real ones are numbers and UUIDs.
const maxID = 1 << 10

// Codes of errors in JSON-RPC.
const (
	parseError     = -32700
	invalidRequest = -32600
	internalError  = -32603
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

	// answering: what is sent answers a message of the side that it goes to.
	answering bool

	// handedOn is closed when the bridge holds no more of what a client has said
	// that has ended; nil before that.
	handedOn chan struct{}

	sent     [2][]byte // what left while a message was dealt with, by side, if somebody observes
	planSent bool      // a plan was among it
}

// throughBridge takes in a message from a side.
func (c *conversation) throughBridge(side translate.Side, m *reading) outcome {
	if why := whyRefused(side, m); why != "" {
		c.show(side, dropped, m.Span.Of(m.Text), nil)
		c.refuse(side, m.ID, invalidRequest, why)
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

// whyRefused says why a request is not for the bridge, "" if it is.
func whyRefused(side translate.Side, m *reading) string {
	switch {
	case m.BadMethod && m.ID != nil && !m.Result.Present() && !m.Error.Present():
		return "the method is no string"
	case !m.IsRequest():
		return ""
	case len(m.ID) > maxID:
		return "the id is too long"
	case side == translate.Client && string(m.Method) == methodInitialize:
		return "initialize may be requested once"
	}
	return ""
}

// carryOut sends what the bridge has decided, in the order in which it decided.
// m is the message that it was given, nil for a timer or the agent's end.
func (c *conversation) carryOut(from translate.Side, m *reading) {
	for _, l := range c.out.Leaves() {
		c.answering = l.To == from && m != nil && !m.IsResponse()
		if l.To == translate.Client && !l.NoPlan {
			c.sendToClient(c.out.Text(l))
		} else {
			c.send(l.To, c.out.Text(l))
		}
	}
	c.answering = false
	for _, l := range c.out.Losses() {
		c.lose(l)
	}
	if c.Observe != nil {
		if m != nil {
			c.showConverted(from, m.Span.Of(m.Text))
		}
		c.showOwn()
	}
	if c.handedOn != nil && !c.holds() {
		close(c.handedOn)
		c.handedOn = nil
	}
}

// holds reports whether the bridge holds requests that the agent has yet to get.
func (c *conversation) holds() bool {
	holder, ok := c.bridge.(versions.Holder)
	return ok && holder.Holds()
}

// heldBack returns a channel that is closed when the bridge holds no more of what
// the client has said, nil if it holds nothing now. The client has ended.
func (c *conversation) heldBack() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handedOn == nil && c.holds() {
		c.handedOn = make(chan struct{})
	}
	return c.handedOn
}

// refuseHeld refuses what the bridge still holds: the agent can get nothing more.
func (c *conversation) refuseHeld(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holds() {
		return
	}
	c.warn(translate.LossNotGiven, "a request was refused: "+why)
	c.out.Reset(translate.Agent, nil)
	c.bridge.(versions.Holder).RefuseHeld(why, c.now(), &c.out)
	c.carryOut(translate.Agent, nil)
	c.schedule()
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
	if c.answering {
		c.outlets[to].Answer(message, newline)
	} else {
		c.outlets[to].Send(message, newline)
	}
	if c.Observe != nil {
		c.sent[to] = append(append(c.sent[to], message...), '\n')
	}
}

var newline = []byte{'\n'}

// answer is send for what a side itself has caused.
func (c *conversation) answer(to translate.Side, message []byte) {
	c.answering = true
	c.send(to, message)
	c.answering = false
}

// lose notes what the bridge lost.
func (c *conversation) lose(l translate.Loss) {
	l.Detail = "lost in translation: " + l.Detail
	c.losses.Note(l)
}

// refuse deals with a message that cannot be passed on. A request is answered
// with an error. Without an id the message is no request.
func (c *conversation) refuse(side translate.Side, id []byte, code int, why string) {
	c.warn(translate.LossNotPassedOn, "message of the "+side.String()+" not passed on: "+why)
	if id == nil {
		return
	}
	c.answer(side, errorResponse(id, code, why))
	c.showOwn()
}

// errorResponse returns an error response to a request.
func errorResponse(id []byte, code int, why string) []byte {
	text := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	text = strconv.AppendInt(append(text, `,"error":{"code":`...), int64(code), 10)
	return append(rawjson.AppendQuoted(append(text, `,"message":`...), why), '}', '}')
}

// refuseOversize deals with a line that is too long to be converted.
func (c *conversation) refuseOversize(side translate.Side, skeleton []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuseLine(side, skeleton, invalidRequest, "the message is longer than --max-message")
}

// refuseUnreadable deals with a line that is not JSON, or an empty batch.
func (c *conversation) refuseUnreadable(side translate.Side, line, skeleton []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(skeleton) > 0:
		c.refuseLine(side, skeleton, parseError, "the line is not valid JSON")
	case len(bytes.TrimSpace(line)) > 0:
		c.refuse(side, nil, 0, "the line has no message")
	}
}

// refuseLine deals with a line of which only the skeleton could be read. A
// request gets an error, and so does the side that waits for a response. The
// state of a session goes on alone, because a prompt may wait for it.
func (c *conversation) refuseLine(side translate.Side, skeleton []byte, code int, why string) {
	var m reading
	c.cursor.Reset(skeleton)
	m.readMessage(&c.cursor, skeleton)
	kind, _ := m.Members.Text("sessionUpdate")
	switch {
	case m.ID != nil && (m.Result.Present() || m.Error.Present()):
		c.refuse(side, nil, code, why)
		if code == parseError { // who waits has said nothing wrong
			code = internalError
		}
		var answer reading
		text := errorResponse(m.ID, code, why)
		c.cursor.Reset(text)
		answer.readMessage(&c.cursor, text)
		c.throughBridge(side, &answer)
	case m.IsNotification() && string(m.Method) == methodUpdate && string(kind) == "state_update":
		c.refuse(side, nil, code, why+"; only the state that it tells is")
		c.throughBridge(side, &m)
	case m.Method != nil:
		c.refuse(side, m.ID, code, why)
	default:
		c.refuse(side, nil, code, why)
	}
}

// isJoined reports whether there is a bridge. It stays once it is there.
func (c *conversation) isJoined() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bridge != nil
}
