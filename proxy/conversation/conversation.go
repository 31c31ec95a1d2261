package conversation

import (
	"crypto/rand"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// A Conversation holds the state that both directions of a connection share. It passes messages
// through the stages (stages.go) and sends their output. The handshake (discovery.go) decides
// whether the stages need a bridge. ends.go processes the end of each side.
//
// A single lock guards the state. A goroutine that holds it never waits for a peer, a process or an
// outlet. The methods acquire the lock, except
//
//   - those named ...Locked, finishAndUnlock and those of [translate.Sink], which require it;
//   - Outlet and Discovering, which do not use it;
//   - Relay, which acquires it for each line that concerns a stage.
type Conversation struct {
	options Options
	losses  *logging.Losses

	// outlets send messages to each side, by translate.Side, between the lines of its relay.
	// Without a bridge, the relay itself writes the messages that replace a line.
	outlets [2]*transport.Outlet

	kill    func()                         // ends the agent's process before a second one starts; does not wait
	filters [2]atomic.Pointer[scan.Filter] // by the sender of the lines
	joined  atomic.Bool                    // a bridge is in the chain; it is never removed

	// discovering is a copy of discovery.underWay() for readers without the lock. While it is set,
	// the agent's process may be replaced and a bridge inserted.
	discovering atomic.Bool

	mu sync.Mutex // guards the fields below; observer.event needs no lock

	stages      stages
	discovery   discovery
	observer    observer
	alarm       alarm         // the next timer of the handshake or the stages
	queueEmpty  chan struct{} // closed when no stage queues requests of the client; nil until needed
	failureSent chan struct{} // closed after the error response of a failed agent; nil until needed
	agentEnded  bool          // the agent's output has ended for good

	current currentMessage // the message in the stages; zero if there is none
	slot    *slot          // receives the replacement of the relay's line; nil if the outlet receives it
}

// A currentMessage describes the message that the stages translate.
type currentMessage struct {
	from            translate.Side
	repliesToSender bool // the message is not a response, so messages to its sender are answers, see [transport.Outlet.Answer]
	isWholeLine     bool // the message is a line that the relay has read whole
	isHead          bool // the message is the head of a line that the relay forwards
}

// everything matches all lines.
var everything = &scan.Filter{All: true}

// New returns a Conversation that writes to toClient and toAgent. command is the agent's program.
// kill ends the agent's process, so that it can be started again, and does not wait.
func New(o Options, toClient, toAgent io.Writer, command string, kill func()) *Conversation {
	maxQueue := 4*o.MaxMessage + 64<<20 // bytes for a peer that does not read
	c := &Conversation{
		options: o, losses: logging.NewLosses(o.Log), kill: kill,
		outlets: [2]*transport.Outlet{
			translate.Client: transport.NewOutlet(toClient, maxQueue),
			translate.Agent:  transport.NewOutlet(toAgent, maxQueue),
		},
	}
	c.stages.build(o, c)
	c.discovery = discovery{c: c, bridge: o.Bridge, joiner: newJoiner(command, o.Announcement, c.stages.negotiation.selectors.Options, rand.Text)}
	c.observer = observer{observe: o.Observe, observesAll: o.ObserveAll}
	c.alarm = alarm{now: time.Now, ring: c.wake}
	c.chooseFiltersLocked()
	return c
}

// Outlet returns the outlet to a side.
func (c *Conversation) Outlet(side translate.Side) *transport.Outlet { return c.outlets[side] }

// Relay translates the lines that a side sends on src, until src ends. The errors are those of
// [transport.Relay.Run].
func (c *Conversation) Relay(from translate.Side, src io.Reader) error {
	return newDirection(c, from).relay(src)
}

// chooseFiltersLocked updates the filters of both directions to what the stages need now.
func (c *Conversation) chooseFiltersLocked() {
	want := [2]*scan.Filter{everything, everything}
	if !c.options.ObserveAll && !c.joined.Load() && !c.discovery.underWay() {
		want = c.stages.Wants()
	}
	for side, filter := range want {
		if c.filters[side].Load() != filter { // Store is expensive
			c.filters[side].Store(filter)
		}
	}
}

// finishAndUnlock ends the processing of a message or a timer. It reports the event, wakes waiting
// goroutines, sets the alarm and the filters, and releases the lock.
func (c *Conversation) finishAndUnlock() {
	c.observer.flush()
	if c.queueEmpty != nil && !c.stages.HasQueued() {
		close(c.queueEmpty)
		c.queueEmpty = nil
	}
	if c.failureSent != nil && c.stages.negotiation.initializeSent {
		close(c.failureSent)
		c.failureSent = nil
	}
	var next time.Time // the next timer of the handshake or a stage
	switch {
	case c.agentEnded:
	case c.discovery.underWay():
		next = c.discovery.nextWake()
	default:
		next = c.stages.NextWake()
	}
	if next != c.alarm.at {
		c.alarm.set(next)
	}
	if !c.joined.Load() || c.discovering.Load() { // with a bridge, the filters match all lines
		c.chooseFiltersLocked()
		c.discovering.Store(c.discovery.underWay())
	}
	c.observer.lost = nil // losses of messages that are not observed
	c.slot = nil
	c.mu.Unlock()
}

// wake runs the timer that the alarm is set for.
func (c *Conversation) wake() {
	c.mu.Lock()
	defer c.finishAndUnlock()
	now, expired := c.alarm.now(), c.alarm.expire()
	switch {
	case !expired, c.agentEnded:
	case !c.discovery.underWay():
		c.stages.Wake(now)
	case c.discovery.gate.timerIsNext(c.discovery.handshake.NextWake()):
		c.discovery.gate.open()
	default:
		c.discovery.execute(c.discovery.handshake.Wake(now))
	}
}

// translateLine translates a message from a side. Without a bridge, it writes the output in the
// direction of the message to s.
func (c *Conversation) translateLine(side translate.Side, m *jsonrpc.Message, s *slot) {
	c.mu.Lock()
	defer c.finishAndUnlock()
	if !c.joined.Load() {
		c.slot = s
	}
	if !c.routeLocked(side, m) {
		return
	}
	c.observer.input(side, m.Span.Of(m.Text))
	c.current.isWholeLine = true
	c.translateLocked(side, m)
	// The slot is empty if the negotiation has answered initialize itself.
	if side == translate.Client && !c.agentEnded && !s.drops() && c.discovery.startsWith(m) {
		c.discovery.begin(m, s)
	}
}

// passHead passes the head of a line from a side to the stages. isForwarded means that the relay is
// already forwarding the line. Otherwise passHead returns false if the line must be read whole: a stage
// awaits the response, or the head may lack a long id.
func (c *Conversation) passHead(side translate.Side, head *jsonrpc.Message, isForwarded bool) (passes bool) {
	c.mu.Lock()
	defer c.finishAndUnlock()
	switch isResponse := head.IsResponse(); {
	case isResponse && !c.stages.Awaits(side, jsonrpc.IDOf(head.ID)):
		return true
	case isResponse && isForwarded:
		detail := "a response of the " + side.String() + " whose id follows a long result was forwarded without being read"
		c.losses.Note(translate.Loss{Kind: translate.LossLongLine, Detail: detail})
	case !isForwarded && head.Method == nil: // an awaited response, or one whose id is too long for a head
		return false
	}
	if c.routeLocked(side, head) {
		c.current.isHead = true
		c.translateLocked(side, head)
	}
	return true
}

// routeLocked passes a message from a side to the handshake, or refuses it. It returns true if the
// caller must pass the message to the stages.
func (c *Conversation) routeLocked(side translate.Side, m *jsonrpc.Message) (toStages bool) {
	client := side == translate.Client
	switch {
	case client && c.discovery.takeOrphanResponse(m):
		c.observer.input(side, m.Span.Of(m.Text))
		return false
	case c.joined.Load():
		why := whyRefused(side, m)
		if why != "" {
			c.observer.input(side, m.Span.Of(m.Text))
			c.refuseLocked(side, idFor(side, m.ID), jsonrpc.InvalidRequest, why)
		}
		return why == ""
	case !c.discovery.underWay():
		return true
	case client:
		return c.discovery.fromClient(m)
	}
	return c.discovery.fromAgent(m)
}

// translateLocked passes a message from a side through the stages.
func (c *Conversation) translateLocked(side translate.Side, m *jsonrpc.Message) {
	c.current.from, c.current.repliesToSender = side, !m.IsResponse()
	c.observer.fromProxy = false
	var now time.Time
	if c.stages.IsTimed() { // time.Now is expensive
		now = c.alarm.now()
	}
	c.stages.Receive(side, m, now)
	c.current = currentMessage{}
}

// MarkPlan implements [translate.Sink].
func (c *Conversation) MarkPlan() {
	c.observer.concernsPlan = true
	c.stages.noteVendor()
}

// Deliver implements [translate.Sink].
func (c *Conversation) Deliver(output translate.Output, text []byte) {
	c.observer.output(output, text)
	switch {
	case c.slot != nil && output.To == c.slot.to:
		output.Same = output.Same && c.current.isWholeLine
		c.slot.put(output, text)
	case c.current.isHead && output.Same: // the relay forwards the line
	case c.current.repliesToSender && output.To == c.current.from:
		c.outlets[output.To].Answer(text, newline)
	default:
		c.outlets[output.To].Send(text, newline)
	}
}

// Lose implements [translate.Sink].
func (c *Conversation) Lose(loss translate.Loss) {
	c.observer.noteLoss(loss)
	if loss.BetweenVersions {
		loss.Detail = "lost in translation: " + loss.Detail
	}
	c.losses.Note(loss)
}

// sendOwnLocked sends a message of the proxy to a side. The stages do not see it.
func (c *Conversation) sendOwnLocked(to translate.Side, message []byte) {
	c.observer.outputOfProxy(to, message)
	c.outlets[to].Send(message, newline)
}

// answerLocked sends the client a message of the proxy, in the client's version. The message passes
// the stages as if the agent had sent it.
func (c *Conversation) answerLocked(message []byte) {
	c.observer.fromProxy = true
	c.stages.Send(message, c.alarm.now())
}

// receiveLocked processes messages from a side that are not lines of the relay: messages that were
// held during the handshake, or a substitute for a line that cannot be read.
func (c *Conversation) receiveLocked(from translate.Side, messages ...[]byte) {
	for _, message := range messages {
		m := jsonrpc.MessageOf(message)
		if c.routeLocked(from, &m) {
			c.observer.input(from, message)
			c.translateLocked(from, &m)
		}
		c.observer.flush()
	}
}

// oversize returns the verdict on a line that is longer than MaxMessage, given its beginning. With a
// bridge the line is dropped. Otherwise it passes unread, which is a loss.
func (c *Conversation) oversize(side translate.Side, beginning []byte) transport.Verdict {
	c.mu.Lock()
	defer c.finishAndUnlock()
	if c.joined.Load() {
		return transport.Drop
	}
	if side == translate.Agent {
		c.stages.negotiation.skipResponse(beginning)
		c.stages.Changed()
	}
	c.Lose(translate.Loss{
		Kind:   translate.LossLongLine,
		Detail: "a line from the " + side.String() + " is longer than --max-message and passes as it is",
	})
	return transport.Pass
}

// clientGate returns a channel that is closed when the gate releases the client's lines. It returns
// nil if the gate does not hold them.
func (c *Conversation) clientGate() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.discovery.gate.held
}
