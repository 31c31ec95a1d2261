package proxy

import (
	"sync"
	"sync/atomic"
	"time"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// A conversation is what the two directions of a connection share. It is the lock and the
// order: it gives the stages what comes in (stages.go) and has leave what leaves them.
// discovery.go has how it finds out whether a bridge is needed, and ends.go what it hears of
// the two sides' ends.
//
// Its methods take the lock, except unlock and those with Locked in their names.
// Nobody who holds the lock waits for a peer, a process or an outlet.
type conversation struct {
	options Options
	losses  *logging.Losses

	// outlets are where lines to each side leave, by translate.Side. Without a
	// bridge only what does not leave in the place of a line does so here.
	outlets [2]*transport.Outlet

	// restart ends the agent's process, so that it is started once more. It does
	// not wait for that.
	restart func()

	filters [2]atomic.Pointer[jsonrpc.Filter] // which lines matter, by the side they are from
	joined  atomic.Bool                       // there is a bridge, which stays

	// discovering tells that a handshake is under way: the agent's process may be
	// replaced, and the two may be joined at any time.
	discovering atomic.Bool

	mu sync.Mutex // of what follows

	stages    stages
	discovery discovery
	observer  observer
	alarm     alarm         // of the handshake or the stages
	handedOn  chan struct{} // closed when no stage holds what a client has said that has ended; nil before that
	told      chan struct{} // closed when the client knows why the agent has failed; nil before that
	over      bool          // the agent has ended

	// The message at hand.
	from   translate.Side
	causes bool   // what leaves to that side counts as caused by it
	place  *place // where in its line what it becomes leaves; nil if that is sent
	kept   bool   // it is not the one that is there, but has waited
}

// everything is for lines of which all matter.
var everything = &jsonrpc.Filter{All: true}

func newConversation(o Options) *conversation {
	c := &conversation{options: o, losses: logging.NewLosses(o.Log)}
	c.stages.build(o, c)
	c.discovery.bridge = o.Bridge
	c.observer = observer{observe: o.Observe, all: o.ObserveAll}
	c.alarm = alarm{now: time.Now, ring: c.wake}
	c.chooseFilters()
	return c
}

// chooseFilters says which lines matter from now on.
func (c *conversation) chooseFilters() {
	want := [2]*jsonrpc.Filter{everything, everything}
	if !c.options.ObserveAll && !c.joined.Load() && !c.discovery.underWay() {
		want = c.stages.Wants()
	}
	for side, filter := range want {
		if c.filters[side].Load() != filter { // to store is not cheap
			c.filters[side].Store(filter)
		}
	}
}

// unlock ends an event that may have changed something: who waits for that goes on,
// and the alarm and the filters are set.
func (c *conversation) unlock() {
	c.observer.show()
	if c.handedOn != nil && !c.stages.Holds() {
		close(c.handedOn)
		c.handedOn = nil
	}
	if c.told != nil && c.stages.negotiation.asked {
		close(c.told)
		c.told = nil
	}
	var next time.Time // when the handshake or a stage wants to be woken
	switch {
	case c.over:
	case c.discovery.underWay():
		next = c.discovery.next()
	default:
		next = c.stages.Next()
	}
	if next != c.alarm.at {
		c.alarm.set(next)
	}
	if !c.joined.Load() || c.discovering.Load() { // else all lines matter from now on
		c.chooseFilters()
		c.discovering.Store(c.discovery.underWay())
	}
	c.observer.lost = nil // of what is not observed
	c.place, c.causes = nil, false
	c.mu.Unlock()
}

// wake is called by the alarm.
func (c *conversation) wake() {
	c.mu.Lock()
	defer c.unlock()
	switch now := c.alarm.now(); {
	case !c.alarm.rings(), c.over:
	case !c.discovery.underWay():
		c.concernsLocked(c.stages.Wake(now))
	case c.discovery.gate.opensBefore(c.discovery.handshake.Next()):
		c.discovery.gate.open()
	default:
		c.followLocked(c.discovery.handshake.Wake(now))
	}
}

// rewrite handles a message from a side: what leaves in its direction is put into its
// place, unless there is a bridge.
func (c *conversation) rewrite(side translate.Side, m *jsonrpc.Message, p *place) {
	c.mu.Lock()
	c.rewriteLocked(side, m, p)
	c.unlock()
}

func (c *conversation) rewriteLocked(side translate.Side, m *jsonrpc.Message, p *place) {
	if c.place = p; c.joined.Load() {
		c.place = nil
	}
	if !c.admitsLocked(side, m) {
		return
	}
	c.observer.came(side, m.Span.Of(m.Text))
	c.goOnLocked(side, m)
	if side == translate.Client && !p.drops() && c.discovery.beginsWith(m) {
		c.discoverLocked(m, p)
	}
}

// follow handles the head of a message of a side. It reports whether the line passes, which it
// may have done already: not if it is an answer that matters.
func (c *conversation) follow(side translate.Side, head *jsonrpc.Message, passed bool) (passes bool) {
	c.mu.Lock()
	defer c.unlock()
	switch isAnswer := head.IsResponse(); {
	case isAnswer && !c.stages.Awaits(side, jsonrpc.IDOf(head.ID)):
		return true
	case isAnswer && passed:
		detail := "an answer of the " + side.String() + " that names its request behind a long result passes and is not read"
		c.losses.Note(translate.Loss{Kind: translate.LossLongLine, Detail: detail})
	case !passed && head.Method == nil: // its id may be too long to be kept
		return false
	}
	if c.admitsLocked(side, head) {
		c.place = &place{to: side.Other(), passing: true}
		c.goOnLocked(side, head)
	}
	return true
}

// admitsLocked reports whether a message of a side comes to the stages now. If not, what
// follows from it has been done.
func (c *conversation) admitsLocked(side translate.Side, m *jsonrpc.Message) bool {
	client := side == translate.Client
	switch {
	case client && c.discovery.answersOrphan(m):
		c.observer.came(side, m.Span.Of(m.Text))
		return false
	case c.joined.Load():
		why := whyRefused(side, m)
		if why != "" {
			c.observer.came(side, m.Span.Of(m.Text))
			c.refuseLocked(side, idFor(side, m.ID), jsonrpc.InvalidRequest, why)
		}
		return why == ""
	case !c.discovery.underWay():
		return true
	case client:
		return c.clientSpeaksLocked(m)
	}
	return c.agentSpeaksLocked(m)
}

// goOnLocked has a message of a side come to the stages.
func (c *conversation) goOnLocked(side translate.Side, m *jsonrpc.Message) {
	c.from, c.causes, c.observer.beside = side, !m.IsResponse(), false
	var now time.Time
	if c.stages.Timed() { // to ask for it is not cheap
		now = c.alarm.now()
	}
	c.concernsLocked(c.stages.From(side, m, now))
	c.causes = false
}

// concernsLocked notes whether what is at hand concerns a plan.
func (c *conversation) concernsLocked(plan bool) {
	if plan {
		c.observer.plan = true
		c.stages.noteVendor()
	}
}

// Leave implements [translate.End].
func (c *conversation) Leave(l translate.Leaving, text []byte) {
	c.observer.left(l, text)
	switch p := c.place; {
	case p == nil || l.To != p.to:
		c.sendLocked(l.To, text, c.causes && l.To == c.from)
	case !p.passing:
		l.Same = l.Same && !c.kept
		p.put(l, text)
	case !l.Same:
		c.sendLocked(l.To, text, false)
	}
}

// Lose implements [translate.End].
func (c *conversation) Lose(loss translate.Loss) {
	c.observer.loses(loss)
	if loss.Version {
		loss.Detail = "lost in translation: " + loss.Detail
	}
	c.losses.Note(loss)
}

// sendLocked sends a side a message. With answers it counts as one that the side has
// caused.
func (c *conversation) sendLocked(to translate.Side, message []byte, answers bool) {
	if answers {
		c.outlets[to].Answer(message, newline)
	} else {
		c.outlets[to].Send(message, newline)
	}
}

// sayLocked sends a side a message of the proxy's own, beside the stages.
func (c *conversation) sayLocked(to translate.Side, message []byte, answers bool) {
	c.observer.beside = true
	c.observer.left(translate.Leaving{To: to}, message)
	c.sendLocked(to, message, answers)
}

// answerLocked sends the client a message of its own version through the stages, as if the
// agent had said it.
func (c *conversation) answerLocked(message []byte) {
	c.observer.beside = true
	c.concernsLocked(c.stages.sayToClient(message, c.alarm.now()))
}

// deliverLocked has messages go their way that a side has said before.
func (c *conversation) deliverLocked(from translate.Side, messages ...[]byte) {
	for _, message := range messages {
		m := jsonrpc.MessageOf(message)
		if c.admitsLocked(from, &m) {
			c.observer.came(from, message)
			c.kept = true
			c.goOnLocked(from, &m)
			c.kept = false
		}
		c.observer.show()
	}
}

// oversize says what becomes of a line that is longer than MaxMessage. Only its
// beginning is known yet.
func (c *conversation) oversize(side translate.Side, beginning []byte) transport.Verdict {
	c.mu.Lock()
	defer c.unlock()
	if c.joined.Load() {
		return transport.Drop
	}
	if side == translate.Agent {
		c.stages.negotiation.mayAnswer(beginning)
		c.stages.Changed()
	}
	c.Lose(translate.Loss{
		Kind:   translate.LossLongLine,
		Detail: "a line from the " + side.String() + " is longer than --max-message and passes as it is",
	})
	return transport.Pass
}

// holdsClient returns a channel that is closed when the client's lines may go
// on, nil if they may now.
func (c *conversation) holdsClient() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.discovery.gate.held
}
