package proxy

import (
	"bytes"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// A conversation is what the two directions of a connection share: what was
// negotiated, the live plans, and the bridge if there is one. Everything is
// decided under its lock. Nobody who holds the lock waits for a peer, a process
// or an outlet.
//
//	client <─> plans <─> bridge, if there is one <─> agent
//
// negotiation.go has what becomes of initialize, plans.go the plan messages,
// discovery.go finds out whether a bridge is needed, bridge.go has the way of a
// message through it, and failure.go what the client hears of an agent that does
// not start, or ends before it has answered initialize.
type conversation struct {
	Options
	translator *plans.Translator
	losses     *logging.Losses

	// Outlets are where lines to each side leave, by translate.Side. Without a
	// bridge only discovery sends anything.
	outlets [2]*transport.Outlet

	joiner joiner // knows the versions

	// restart ends the agent's process, so that it is started once more.
	restart func()

	// discovering tells that a handshake is under way, so that the agent's
	// process may be replaced.
	discovering atomic.Bool

	// now is time.Now, unless this is a replay. Then nothing happens at wakes by
	// itself either.
	now    func() time.Time
	replay bool

	// filters say which lines from each side matter.
	filters [2]atomic.Pointer[jsonrpc.Filter]

	mu      sync.Mutex
	awaited map[jsonrpc.ID]awaited // requests of the client whose answers matter to the plans
	counts  counts
	opening
	discovery
	joint
	timer *time.Timer // of the handshake or the bridge
	wakes time.Time   // when it fires
	over  bool        // the agent has ended
}

type counts struct{ forwarded, rewritten, dropped int }

// An outcome is what becomes of one message of a connection without a bridge.
type outcome struct {
	action     plans.Action
	start, end int      // of what is replaced in a message that is rewritten
	with       [][]byte // what it is replaced with; the message leaves once for each
	plan       bool     // the message concerns a plan

	// settled: the conversation has sent what leaves and shown it to the
	// observer. The message itself does not leave.
	settled bool
}

var (
	forward = outcome{action: plans.Forward}
	dropped = outcome{action: plans.Drop}
	settled = outcome{action: plans.Drop, settled: true}
)

func newConversation(o Options) *conversation {
	if o.Plans.ReadFile == nil {
		o.Plans.ReadFile = newPlanFiles().read
	}
	c := &conversation{
		Options:    o,
		translator: plans.New(o.Plans),
		losses:     logging.NewLosses(o.Log),
		now:        time.Now,
		awaited:    make(map[jsonrpc.ID]awaited),
	}
	c.setFilters()
	return c
}

// The filters. forBridge asks for every line too, but a direction that has it
// reads no plans: the bridge gets the message first (see direction.read).
var (
	everything     = &jsonrpc.Filter{All: true}
	forBridge      = &jsonrpc.Filter{All: true}
	planUpdates    = &jsonrpc.Filter{Updates: translate.PlanKinds()}
	andResponses   = &jsonrpc.Filter{Updates: translate.PlanKinds(), Responses: true}
	clientRequests = &jsonrpc.Filter{Methods: append(plans.Methods(), methodInitialize)}
)

// setFilters chooses the filters. It is called whenever the bridge, the handshake
// or the awaited requests may have changed.
func (c *conversation) setFilters() {
	fromClient, fromAgent := clientRequests, planUpdates
	if len(c.awaited) > 0 {
		fromAgent = andResponses
	}
	if c.ObserveAll {
		fromClient, fromAgent = everything, everything
	}
	if c.handshake != nil {
		fromClient, fromAgent = everything, everything
	}
	if c.bridge != nil {
		fromClient, fromAgent = everything, forBridge
	}
	c.discovering.Store(c.handshake != nil)
	for side, filter := range [2]*jsonrpc.Filter{translate.Client: fromClient, translate.Agent: fromAgent} {
		if c.filters[side].Load() != filter { // few messages change it, and to store is not cheap
			c.filters[side].Store(filter)
		}
	}
}

// from takes in a message from a side. The outcome is valid until the next
// message from that side.
func (c *conversation) from(side translate.Side, m *reading) outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.setFilters()
	if side == translate.Client {
		return c.fromClient(m)
	}
	return c.fromAgent(m)
}

func (c *conversation) fromClient(m *reading) outcome {
	switch {
	case c.answersOrphan(m):
		return dropped
	case c.bridge != nil:
		return c.throughBridge(translate.Client, m)
	case c.failure != "":
		return c.afterFailure(m)
	}
	if c.handshake != nil {
		if c.again != nil { // a response to a process that is ending
			return dropped
		}
		c.spokeAhead(m)
	}
	o := c.requested(m)
	if c.isFirstInitialize(m) {
		return c.discover(m, o)
	}
	return o
}

func (c *conversation) fromAgent(m *reading) outcome {
	switch {
	case c.bridge != nil:
		return c.throughBridge(translate.Agent, m)
	case c.again != nil: // said by a process that is ending
		return dropped
	case c.handshake != nil && c.handshake.Awaits(&m.Message):
		return c.follow(c.handshake.Answered(&m.Message, c.now()), m)
	case c.handshake != nil && (c.handshake.AsksForItself() || c.answersRest(m)):
		return c.keep(m)
	case c.handshake != nil:
		c.askedEarly(m)
	}
	return c.toClient(m)
}

// toClient is the plan translation: the message is in the client's version, as
// the agent or the bridge said it.
func (c *conversation) toClient(m *reading) outcome {
	switch {
	case m.IsResponse():
		c.answered(m)
	case m.isPlan():
		return c.plan(m)
	}
	return forward
}

// schedule sets the timer to what the handshake or the bridge wants.
func (c *conversation) schedule() {
	var next time.Time
	switch {
	case c.again != nil: // the agent is asked later
	case c.handshake != nil && c.awaitsRelease():
		next = c.heldUntil
	case c.handshake != nil:
		next = c.handshake.Next()
	case c.bridge != nil:
		next = c.bridge.Next()
	}
	if next.Equal(c.wakes) {
		return
	}
	c.wakes = next
	switch {
	case c.replay:
	case next.IsZero():
		c.timer.Stop()
	case c.timer == nil:
		c.timer = time.AfterFunc(time.Until(next), c.wake)
	default:
		c.timer.Reset(time.Until(next))
	}
}

// wake is called by the timer.
func (c *conversation) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if c.over || c.wakes.IsZero() || now.Before(c.wakes) {
		return // the agent has ended, or the timer has been set again
	}
	c.wakes = time.Time{}
	switch {
	case c.handshake != nil && c.awaitsRelease():
		c.release()
	case c.handshake != nil:
		c.follow(c.handshake.Wake(now), nil)
	case c.bridge != nil:
		c.out.Reset(translate.Agent, nil)
		c.bridge.Wake(now, &c.out)
		c.carryOut(translate.Agent, nil)
	}
	c.schedule()
	c.setFilters()
}

// appendOutcome appends what leaves in the place of a message that is rewritten
// and spans text[start:end], and separates copies of it.
func appendOutcome(dst, text []byte, start, end int, o outcome, separator string) []byte {
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

// show shows the observer what became of a message, or of several that the
// proxy wrote by itself; then in is nil.
func (c *conversation) show(from translate.Side, o outcome, in, out []byte) {
	if c.Observe == nil || !o.plan && !c.ObserveAll {
		return
	}
	if o.action == plans.Forward {
		out = in
	}
	c.Observe(Event{FromClient: from == translate.Client, Action: o.action, In: in, Out: out})
}

// oversize says what becomes of a line that is longer than MaxMessage. Only its
// beginning is known yet.
func (c *conversation) oversize(side translate.Side, beginning []byte) transport.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bridge == nil {
		c.mayBeAnswer(side, beginning)
		c.warn(translate.LossLongLine, "a line from the "+side.String()+" is longer than --max-message and passes as it is")
		return transport.Pass
	}
	return transport.Drop
}

// stray warns of text of the agent that is no message.
func (c *conversation) stray(kind translate.LossKind, detail string, text []byte) {
	const most = 1 << 10 // the log cuts it further
	text = bytes.Trim(text[:min(len(text), most)], " \t\r\n")
	c.losses.Note(translate.Loss{Kind: kind, Detail: detail}, "text", string(text))
}

func (c *conversation) logCounts(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losses.Close()
	c.Log.Info("agent exited", "status", status,
		"forwarded", c.counts.forwarded, "rewritten", c.counts.rewritten, "dropped", c.counts.dropped,
		slog.Attr{Key: "warnings", Value: c.losses.Summary()})
}

// warn warns of something that may happen often.
func (c *conversation) warn(kind translate.LossKind, detail string) {
	c.losses.Note(translate.Loss{Kind: kind, Detail: detail})
}
