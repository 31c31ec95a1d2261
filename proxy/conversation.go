package proxy

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A conversation is what the two directions of a connection share: what was
// negotiated, the live plans, and the bridge if there is one.
//
//	client <─> plans <─> bridge, if there is one <─> makers' words <─> agent
//
// It is the lock and the order. The types that decide do not know it: a translation
// (plans.go, negotiation.go) translates plans, a discovery (discovery.go) finds out
// whether a bridge is needed, a joint (bridge.go) has the way through the bridge, and
// an opening (failure.go) says what the client hears of an agent that does not start,
// or ends before it has answered initialize. The conversation carries out what they
// decide. ends.go has what it hears of the two sides' ends.
//
// Its methods take the lock, except unlock and those with Locked in their names.
// Nobody who holds the lock waits for a peer, a process or an outlet.
type conversation struct {
	options Options
	losses  *losses

	// outlets are where lines to each side leave, by translate.Side. Without a
	// bridge only discovery and the opening send anything.
	outlets [2]*transport.Outlet

	// restart ends the agent's process, so that it is started once more. It does
	// not wait for that.
	restart func()

	filters filters

	// discovering tells that a handshake is under way, so that the agent's
	// process may be replaced.
	discovering atomic.Bool

	mu sync.Mutex // of what follows

	plans     translation
	makers    makersWords
	discovery discovery
	joint     joint
	opening   opening
	sender    sender
	alarm     alarm // of the handshake or the bridge
	over      bool  // the agent has ended
}

// An outcome is what becomes of one message of a connection without a bridge.
type outcome struct {
	action     plans.Action
	start, end int      // of what is replaced in a message that is rewritten
	with       [][]byte // what it is replaced with; the message leaves once for each
	before     [][]byte // messages of the proxy that leave before it
	own        [][]byte // others that leave behind it, or in its place if it is dropped
	plan       bool     // the message concerns a plan
	shown      bool     // the observer has seen what became of the message

	lost []translate.Loss // what was lost, if there is an observer that has not seen the message
}

var (
	forward = outcome{action: plans.Forward}
	dropped = outcome{action: plans.Drop}
	handled = outcome{action: plans.Drop, shown: true} // what leaves in its place is sent
)

func newConversation(o Options) *conversation {
	c := &conversation{options: o, losses: newLosses(o)}
	c.plans = newTranslation(o, c.losses)
	c.discovery.bridge = o.Bridge
	c.makers = newMakersWords(o, c.losses)
	c.plans.negotiated, c.plans.forgets, c.plans.resumed = c.makers.negotiated, c.makers.translator.Forget, c.makers.translator.Resumed
	c.sender = sender{outlets: &c.outlets, plans: &c.plans, makers: &c.makers, losses: c.losses, observer: newObserver(o)}
	c.alarm = alarm{now: time.Now, ring: c.wake}
	c.chooseFilters()
	return c
}

// chooseFilters says which lines matter from now on.
func (c *conversation) chooseFilters() {
	switch {
	case c.joint.isThere():
		c.filters.use(everything, forBridge)
	case c.options.ObserveAll, c.discovery.underWay():
		c.filters.use(everything, everything)
	default:
		c.filters.choose(c.plans.wants(), c.makers.translator.Wants())
	}
}

// unlock ends an event that may have changed something: who waits for that goes on,
// and the alarm and the filters are set.
func (c *conversation) unlock() {
	c.joint.noteHandedOn()
	var next time.Time // when the handshake or the bridge wants to be woken
	switch {
	case c.over:
	case c.discovery.underWay():
		next = c.discovery.next()
	case c.joint.isThere():
		next = c.joint.next()
	}
	c.alarm.set(next)
	c.chooseFilters()
	c.discovering.Store(c.discovery.underWay())
	c.losses.take() // of what is not observed
	c.mu.Unlock()
}

// wake is called by the alarm.
func (c *conversation) wake() {
	c.mu.Lock()
	defer c.unlock()
	switch now := c.alarm.now(); {
	case !c.alarm.rings(), c.over:
	case c.discovery.underWay():
		c.carryOutLocked(c.discovery.wake(now))
	case c.joint.isThere():
		c.leaveLocked(translate.Agent, nil, c.joint.wake(now))
	}
}

// from handles a message from a side. The outcome is valid until the next
// message from that side.
func (c *conversation) from(side translate.Side, m *reading) outcome {
	c.mu.Lock()
	defer c.unlock()
	var o outcome
	if side == translate.Client {
		o = c.fromClientLocked(m)
	} else {
		o = c.fromAgentLocked(m)
	}
	if o.lost == nil {
		o.lost = c.losses.take()
	}
	return o
}

func (c *conversation) fromClientLocked(m *reading) outcome {
	switch {
	case c.discovery.answersOrphan(&m.Message):
		return dropped
	case c.joint.isThere():
		return c.throughBridgeLocked(translate.Client, m)
	case c.opening.failed():
		return c.carryOutLocked(c.opening.clientSpeaks(&m.Message))
	case c.discovery.underWay():
		if o := c.carryOutLocked(c.discovery.clientSpeaks(&m.Message)); o.action == plans.Drop {
			return o
		}
	}
	o := c.plans.fromClient(m)
	if c.discovery.beginsWith(&m.Message) {
		if begun := c.carryOutLocked(c.discovery.begin(&m.Message, lineOf(m, o), c.alarm.now())); begun.action == plans.Drop {
			return begun
		}
	}
	if out := c.makers.fromClient(&m.Message); out != nil {
		return c.leaveMakersWordsLocked(translate.Client, m, out)
	}
	o.plan = o.plan || c.makers.knew()
	if c.answersApprovalLocked(m) {
		o.plan, o.shown = true, true
		c.sender.show(translate.Client, o, m.Span.Of(m.Text), nil)
		c.approvalAnsweredLocked(m)
		c.sender.showSent()
	}
	return o
}

// answersApprovalLocked reports whether a message of the client answers a request about a plan.
func (c *conversation) answersApprovalLocked(m *reading) bool {
	return m.IsResponse() && !m.Ambiguous && c.plans.awaits(translate.Client, jsonrpc.IDOf(m.ID))
}

// approvalAnsweredLocked sends what the client gets for its answer.
func (c *conversation) approvalAnsweredLocked(m *reading) {
	c.sender.planSent = true
	for _, line := range c.plans.approvalEnds(jsonrpc.IDOf(m.ID), m.Result.Of(m.Text)) {
		c.sender.send(translate.Client, line, true)
	}
}

func (c *conversation) fromAgentLocked(m *reading) outcome {
	if c.discovery.underWay() {
		if o := c.carryOutLocked(c.discovery.agentSpeaks(&m.Message, c.alarm.now())); o.action == plans.Drop {
			return o
		}
	}
	if out := c.makers.fromAgent(&m.Message); out != nil {
		return c.leaveMakersWordsLocked(translate.Agent, m, out)
	}
	if c.joint.isThere() {
		c.sender.planSent = c.makers.knew()
		return c.throughBridgeLocked(translate.Agent, m)
	}
	o := c.plans.fromAgent(m)
	o.plan, o.lost = o.plan || c.makers.knew(), c.losses.take()
	c.showOwnLocked(o.before)
	return o
}

// showOwnLocked shows the observer what the proxy says to the client about a plan.
func (c *conversation) showOwnLocked(own [][]byte) {
	if len(own) > 0 {
		text := append(bytes.Join(own, newline), newline...)
		c.sender.show(translate.Agent, outcome{action: plans.Rewrite, plan: true}, nil, text)
	}
}

// throughBridgeLocked handles a message from a side that the bridge is to convert.
func (c *conversation) throughBridgeLocked(side translate.Side, m *reading) outcome {
	if why := whyRefused(side, &m.Message); why != "" {
		refusal := refuse(side, idFor(side, m.ID), link.InvalidRequest, why)
		return c.carryOutLocked(append([]effect{showDropped{side, m.Span.Of(m.Text)}}, refusal...))
	}
	if side == translate.Client {
		c.plans.fromClient(m)
		if c.answersApprovalLocked(m) {
			c.approvalAnsweredLocked(m)
		}
	}
	c.convertLocked(side, m)
	return handled
}

// carryOut carries out effects that depend on no state.
func (c *conversation) carryOut(effects []effect) {
	c.mu.Lock()
	defer c.unlock()
	c.carryOutLocked(effects)
}

// carryOutLocked carries out effects. It returns what becomes of the message that led
// to them.
func (c *conversation) carryOutLocked(effects []effect) outcome {
	o := handled
	for _, e := range effects {
		switch e := e.(type) {
		case pass:
			o = forward
		case discard:
			o = dropped
		case send:
			c.sender.send(e.to, e.text, e.answers)
		case sendToClient:
			c.sender.sendToClient(e.text, false)
		case deliver:
			c.deliverLocked(e.from, e.text)
		case showDropped:
			c.sender.showDropped(e.from, dropped, e.text)
		case showSent:
			c.sender.showSent()
		case restart:
			c.restart()
		case join:
			c.joint.bridge, c.plans.joined = e.bridge, e.versions
		case release:
			close(e.held)
		case lose:
			c.losses.note(e.loss)
		case loseTranslated:
			c.losses.noteTranslated(e.loss)
		case say:
			e.in(c.options.Log)
		}
	}
	c.sender.showSent()
	return o
}

// passes reports whether nothing leaves but the message itself.
func (o *outcome) passes() bool { return o.action == plans.Forward && len(o.before)+len(o.own) == 0 }

// appendOutcome appends what becomes of a message that spans text[start:end], and
// separates copies of it.
func appendOutcome(dst, text []byte, start, end int, o outcome, separator string) []byte {
	if o.action == plans.Forward {
		return append(dst, text[start:end]...)
	}
	for i, with := range o.with {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = append(dst, text[start:o.start]...)
		dst = append(dst, with...)
		dst = append(dst, text[o.end:end]...)
	}
	return dst
}

// lineOf returns what leaves in the place of a message, without a terminator.
func lineOf(m *reading, o outcome) []byte {
	return appendOutcome(nil, m.Text, m.Start, m.End, o, "")
}

// deliverLocked has a message go its way that a side has said before.
func (c *conversation) deliverLocked(from translate.Side, message []byte) {
	c.sender.showHeld()
	if !c.joint.isThere() {
		c.sender.sendToClient(message, false)
		c.sender.showConverted(translate.Agent, message)
		return
	}
	var m reading
	var cursor rawjson.Cursor
	cursor.Reset(message)
	m.read(&cursor, message)
	c.throughBridgeLocked(from, &m)
}

// isJoined reports whether there is a bridge. It stays once it is there.
func (c *conversation) isJoined() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.joint.isThere()
}

// awaits reports whether a message of a side answers what matters.
func (c *conversation) awaits(side translate.Side, m *reading) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := jsonrpc.IDOf(m.ID)
	return m.IsResponse() && (c.makers.translator.Awaits(side, id) || c.plans.awaits(side, id))
}

// passes handles the head of a message of a side. It reports whether the line passes:
// not if it answers what matters.
func (c *conversation) passes(side translate.Side, head *reading) bool {
	switch {
	case head.IsResponse():
		return !c.awaits(side, head)
	case head.Result.Present() || head.Error.Present(): // its id is too long to be kept, or no id
		return false
	}
	c.from(side, head)
	return true
}

// passed handles the head of a message of a side whose line has passed before that was
// known.
func (c *conversation) passed(side translate.Side, head *reading) {
	switch {
	case !head.IsResponse():
		c.from(side, head)
	case c.awaits(side, head):
		detail := "an answer of the " + side.String() + " that names its request behind a long result passes and is not read"
		c.carryOut([]effect{lose{translate.Loss{Kind: translate.LossLongLine, Detail: detail}}})
		o := c.from(side, head)
		for _, own := range slices.Concat(o.before, o.own) {
			c.outlets[side.Other()].Send(own, newline)
		}
	}
}

// oversize says what becomes of a line that is longer than MaxMessage. Only its
// beginning is known yet.
func (c *conversation) oversize(side translate.Side, beginning []byte) transport.Verdict {
	c.mu.Lock()
	defer c.unlock()
	if c.joint.isThere() {
		return transport.Drop
	}
	if side == translate.Agent {
		c.plans.mayAnswer(beginning)
	}
	c.losses.note(translate.Loss{
		Kind:   translate.LossLongLine,
		Detail: "a line from the " + side.String() + " is longer than --max-message and passes as it is",
	})
	return transport.Pass
}

// openingBatch returns what is in a batch of the client, which is valid JSON, or nil
// if it begins no handshake.
func (c *conversation) openingBatch(line []byte) *openingBatch {
	c.mu.Lock()
	defer c.unlock()
	if c.opening.failed() {
		return nil
	}
	return c.discovery.beginsWithBatch(line)
}

// discoverBatch begins the handshake with a batch. own is the line that the plan
// translation lets pass. It reports whether that line leaves now.
func (c *conversation) discoverBatch(b *openingBatch, own []byte) bool {
	c.mu.Lock()
	defer c.unlock()
	own = bytes.Clone(bytes.TrimRight(own, "\r\n"))
	return c.carryOutLocked(c.discovery.beginBatch(b, own, c.alarm.now())).action == plans.Forward
}

// holdsClient returns a channel that is closed when the client's lines may go
// on, nil if they may now.
func (c *conversation) holdsClient() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.discovery.gate.held
}
