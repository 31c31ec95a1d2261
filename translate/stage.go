package translate

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Stage is one translation between a client and an agent. It is pure: its input is
// messages and the time, its output an [Out] with messages for both sides. Plan files are read
// by a function that the stage receives.
//
//	client ── permissions ── negotiation ── forms ── plans ── selectors ── vendors ── agent
//
// If the versions differ, a bridge is next to the selectors, which are on its side of version 1.
//
// A message to the client passes through the stages from the agent's side, a message to the agent
// from the client's side. A message that a stage sends passes the other stages in its direction. To
// add a stage, see build in proxy/conversation/stages.go.
type Stage interface {
	// Wants returns a filter for the messages from each [Side]; nil matches none. Receive may
	// also receive messages that the filter does not match. The filters change only during a
	// call of the stage, or before a call of [Chain.Changed]. Unchanged filters have unchanged
	// pointers.
	Wants() [2]*scan.Filter

	// Awaits reports whether the stage needs the response of a side to the request with
	// that id.
	Awaits(side Side, id jsonrpc.ID) bool

	// Receive translates a message from a side. now may be the zero time in a chain without a
	// timed stage.
	Receive(side Side, m *jsonrpc.Message, now time.Time, out *Out)

	// PeerClosed is called when a side has closed its output. It may be called more than once. After
	// a hangup of the client, messages that it sent before may still follow. The chain drops the
	// messages that the stage sends to that side during this call.
	PeerClosed(side Side, now time.Time, out *Out)
}

// A TimedStage is a Stage with a timer and a queue of the client's requests. When the client has
// closed its output, the agent's input remains open until the queue is empty, for a limited time.
type TimedStage interface {
	Stage

	// NextWake returns the time at which Wake is to be called, or the zero time.
	NextWake() time.Time
	Wake(now time.Time, out *Out)

	// HasQueued reports whether requests are queued.
	HasQueued() bool

	// RefuseQueued answers the queued requests with an error that has the message why. It is
	// called when the agent receives no further request.
	RefuseQueued(why string, now time.Time, out *Out)
}

// A SimpleStage is a translation of few messages, without a timer. FromClient and
// FromAgent return false to forward the message. The messages that a SimpleStage sends count as
// its own, see [Output].
type SimpleStage interface {
	Wants() [2]*scan.Filter
	Awaits(side Side, id jsonrpc.ID) bool
	FromClient(m *jsonrpc.Message, out *Out) bool
	FromAgent(m *jsonrpc.Message, out *Out) bool

	// ClientClosed is PeerClosed for the client.
	ClientClosed(out *Out)
}

// StageOf returns s as a Stage.
func StageOf(s SimpleStage) Stage { return &simpleStage{s} }

type simpleStage struct{ SimpleStage }

func (s *simpleStage) Receive(side Side, m *jsonrpc.Message, _ time.Time, out *Out) {
	var decided bool
	if side == Client {
		decided = s.FromClient(m, out)
	} else {
		decided = s.FromAgent(m, out)
	}
	if !decided {
		out.Forward()
	}
	out.markAllOwn()
}

func (s *simpleStage) PeerClosed(side Side, _ time.Time, out *Out) {
	if side == Client {
		s.ClientClosed(out)
		out.markAllOwn()
	}
}

// A Sink receives the output of a [Chain].
type Sink interface {
	// Deliver receives an output message of the chain. The text is valid until Deliver returns.
	// o.Same marks the unchanged input message.
	Deliver(o Output, text []byte)

	// MarkPlan is called when a stage has called [Out.MarkPlan] for its input.
	MarkPlan()

	// Lose receives a loss of a stage, after the messages that the stage sent.
	Lose(loss Loss)
}

// A Chain passes messages from stage to stage. The messages of a side keep their order. The
// output of a stage passes the remaining stages before the stage is called again. A Chain
// must not be used by two goroutines at once.
type Chain struct {
	sink       Sink
	stages     []*chainStage // from the client to the agent
	timed      TimedStage    // nil until Insert
	timedIndex int           // the position of timed in stages
	now        time.Time

	wants [2]*scan.Filter // the union over all stages, by side; nil if a filter has changed since
}

// A chainStage is a stage in a chain.
type chainStage struct {
	stage   Stage
	wants   [2]*scan.Filter // as of the last call of Wants
	changed bool            // Wants may return other filters now
	out     Out
	busy    bool // the messages in out are being passed on
	waiting []queuedMessage

	// Memory for reading messages of other stages.
	cursor rawjson.Cursor
	msg    jsonrpc.Message
}

// A queuedMessage is a message for a busy stage.
type queuedMessage struct {
	Output
	text []byte
}

// NewChain returns a chain of stages, in the order from the client to the agent.
func NewChain(sink Sink, stages ...Stage) *Chain {
	c := &Chain{sink: sink}
	for _, s := range stages {
		c.stages = append(c.stages, &chainStage{stage: s, changed: true})
	}
	return c
}

// Insert adds a timed stage beside neighbor: on the agent's side of it, or on the client's side.
// neighbor must be in the chain. Insert is called at most once.
func (c *Chain) Insert(timed TimedStage, neighbor Stage, onAgentSide bool) {
	c.timed = timed
	c.timedIndex = slices.IndexFunc(c.stages, func(s *chainStage) bool { return s.stage == neighbor })
	if onAgentSide {
		c.timedIndex++
	}
	c.stages = slices.Insert(c.stages, c.timedIndex, &chainStage{stage: timed, changed: true})
}

// Wants returns the union of the filters of all stages. Each pointer changes only if a filter does.
func (c *Chain) Wants() [2]*scan.Filter {
	for _, s := range c.stages {
		if s.changed {
			c.updateWants(s)
		}
	}
	for side, union := range c.wants {
		if union == nil {
			union = new(scan.Filter)
			for _, s := range c.stages {
				union.Add(s.wants[side])
			}
			c.wants[side] = union
		}
	}
	return c.wants
}

// updateWants updates the filters of a stage.
func (c *Chain) updateWants(s *chainStage) {
	s.changed = false
	for side, want := range s.stage.Wants() {
		if want != s.wants[side] {
			s.wants[side], c.wants[side] = want, nil
		}
	}
}

// Changed makes the chain call Wants of each stage again. It is called after a stage was
// changed by another one, or from outside of the chain.
func (c *Chain) Changed() {
	for _, s := range c.stages {
		s.changed = true
	}
}

// Awaits reports whether a stage needs the response of a side to the request with that id.
func (c *Chain) Awaits(side Side, id jsonrpc.ID) bool {
	return slices.ContainsFunc(c.stages, func(s *chainStage) bool { return s.stage.Awaits(side, id) })
}

// Receive passes a message of a side through the stages.
func (c *Chain) Receive(side Side, m *jsonrpc.Message, now time.Time) {
	first := 0
	if side == Agent {
		first = len(c.stages) - 1
	}
	c.now = now
	c.pass(first, Output{To: side.Other(), Same: true}, m, m.Span.Of(m.Text))
}

// Send sends the client a message through the stages, as if the agent had sent it.
func (c *Chain) Send(text []byte, now time.Time) {
	c.now = now
	c.pass(len(c.stages)-1, Output{To: Client}, nil, text)
}

// IsTimed reports whether a stage needs the time.
func (c *Chain) IsTimed() bool { return c.timed != nil }

// NextWake returns the time at which Wake is to be called, or the zero time.
func (c *Chain) NextWake() (next time.Time) {
	if c.timed != nil {
		next = c.timed.NextWake()
	}
	return next
}

// Wake calls Wake of the timed stage, which must exist.
func (c *Chain) Wake(now time.Time) {
	c.call(c.timedIndex, Agent, now, func(out *Out) { c.timed.Wake(now, out) })
}

// HasQueued reports whether requests are queued for the agent.
func (c *Chain) HasQueued() bool { return c.timed != nil && c.timed.HasQueued() }

// RefuseQueued calls RefuseQueued of the timed stage, which must exist.
func (c *Chain) RefuseQueued(why string, now time.Time) {
	c.call(c.timedIndex, Client, now, func(out *Out) { c.timed.RefuseQueued(why, now, out) })
}

// PeerClosed calls PeerClosed of each stage, starting at that side.
func (c *Chain) PeerClosed(side Side, now time.Time) {
	for n := range c.stages {
		i := n
		if side == Agent {
			i = len(c.stages) - 1 - n
		}
		c.call(i, side, now, func(out *Out) {
			c.stages[i].stage.PeerClosed(side, now, out)
			out.outputs = slices.DeleteFunc(out.outputs, func(o Output) bool { return o.To == side })
		})
	}
}

// call calls f, which calls stage i, and passes on the output.
func (c *Chain) call(i int, from Side, now time.Time, f func(out *Out)) {
	s := c.stages[i]
	c.now = now
	s.out.Reset(from, nil)
	f(&s.out)
	c.afterCall(s)
	c.drain(i, Output{}, nil)
}

// pass passes a message through stage i and the following stages, until one of them changes
// or drops the message. m is nil if the message has not been read.
func (c *Chain) pass(i int, o Output, m *jsonrpc.Message, text []byte) {
	next := step(o.To)
	if m != nil && o.Topic == nil {
		o.Topic = scan.TopicOf(m)
	}
	for ; i >= 0 && i < len(c.stages); i += next {
		s := c.stages[i]
		if s.busy {
			o.Topic = nil // its memory is reused
			s.waiting = append(s.waiting, queuedMessage{o, bytes.Clone(text)})
			return
		}
		if c.matches(s, &o, m, text) && c.handle(s, &o, m, text) {
			c.drain(i, o, m)
			return
		}
	}
	c.sink.Deliver(o, text)
}

// step returns the increment of the stage index for a message to a side.
func step(to Side) int {
	if to == Client {
		return -1
	}
	return 1
}

// matches reports whether the filter of a stage matches a message.
func (c *Chain) matches(s *chainStage, o *Output, m *jsonrpc.Message, text []byte) bool {
	if s.changed {
		c.updateWants(s)
	}
	want := s.wants[o.To.Other()]
	switch {
	case want == nil:
		return false
	case o.Topic != nil:
		return want.MatchesTopic(o.Topic)
	}
	return m != nil || want.Matches(text) // a read message without a topic is ambiguous, so every interested stage receives it
}

// handle calls a stage with a message. It returns false if the stage only forwards it.
func (c *Chain) handle(s *chainStage, o *Output, m *jsonrpc.Message, text []byte) bool {
	if m == nil {
		s.cursor.Reset(text)
		s.msg.Read(&s.cursor, text, nil)
		m = &s.msg
	}
	from := o.To.Other()
	s.out.Reset(from, m)
	s.out.isOwn = o.IsOwn
	s.stage.Receive(from, m, c.now, &s.out)
	c.afterCall(s)
	return !s.out.isForwarded()
}

// afterCall updates the chain after a call of a stage.
func (c *Chain) afterCall(s *chainStage) {
	s.changed = true
	if s.out.isPlan {
		c.sink.MarkPlan()
	}
}

// drain passes on the output of stage i for a message, and then the messages that arrived
// for the stage while it was busy.
func (c *Chain) drain(i int, o Output, m *jsonrpc.Message) {
	s := c.stages[i]
	s.busy = true
	c.passOutputs(i, o, m)
	for n := 0; n < len(s.waiting); n++ {
		if w := &s.waiting[n]; c.matches(s, &w.Output, nil, w.text) && c.handle(s, &w.Output, nil, w.text) {
			c.passOutputs(i, w.Output, nil)
		} else {
			c.pass(i+step(w.To), w.Output, nil, w.text)
		}
	}
	s.busy, s.waiting = false, nil
}

// passOutputs passes on the output of stage i for an input message. m is nil if that message has not
// been read.
func (c *Chain) passOutputs(i int, input Output, m *jsonrpc.Message) {
	s := c.stages[i]
	for _, o := range s.out.outputs {
		text := s.out.Text(o)
		o.IsOwn = o.IsOwn || input.IsOwn
		if o.Same {
			o.Same, o.Topic = input.Same, input.Topic
			c.pass(i+step(o.To), o, m, text)
		} else {
			c.pass(i+step(o.To), o, nil, text)
		}
	}
	for _, loss := range s.out.losses {
		c.sink.Lose(loss)
	}
}
