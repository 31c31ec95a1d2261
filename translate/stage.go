package translate

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Stage is one translation between a client and an agent. It is pure: it is given
// messages and the time, and decides in an [Out] what leaves to which side.
//
//	client ── permissions ── negotiation ── forms ── plans ── selectors ── vendors ── agent
//
// If the versions differ, a bridge is next to the selectors, which are on its side of version 1.
//
// Towards the client a message comes to the stages from right to left, towards the agent
// from left to right; what a stage says is seen by the stages behind it in that direction.
// A further stage is one more argument of [NewChain], at its place in this row: see
// proxy/stages.go.
type Stage interface {
	// Wants returns which messages from each side, by [Side], the stage has to see; nil is
	// none. It may be given others. As long as the filters are the same, so are the pointers.
	// They change only when the stage is called, or before [Chain.Changed].
	Wants() [2]*jsonrpc.Filter

	// Awaits reports whether it matters how a side answers the request with that id.
	Awaits(side Side, id jsonrpc.ID) bool

	// From decides what becomes of a message on its way from a side.
	// now is the zero time in a chain without timed stages.
	From(side Side, m *jsonrpc.Message, now time.Time, out *Out)

	// Gone handles that a side has ended. Nothing leaves to that side for it.
	Gone(side Side, now time.Time, out *Out)
}

// A TimedStage is a Stage that acts at a time, too.
type TimedStage interface {
	Stage

	// Next returns when Wake is to be called, the zero time if it is not.
	Next() time.Time
	Wake(now time.Time, out *Out)
}

// A Holder is a [Stage] that keeps requests of the client until the agent may get them.
// Until then the agent's input must stay open.
type Holder interface {
	// Holds reports whether such requests wait.
	Holds() bool

	// RefuseHeld answers these with an error: the agent cannot be sent anything any
	// more. why is for people.
	RefuseHeld(why string, now time.Time, out *Out)
}

// Words are a translation without a timer, of few messages. FromClient and FromAgent
// report whether they have decided what becomes of the message. Else it goes on as if
// there were no such stage.
type Words interface {
	Wants() [2]*jsonrpc.Filter
	Awaits(side Side, id jsonrpc.ID) bool
	FromClient(m *jsonrpc.Message, out *Out) bool
	FromAgent(m *jsonrpc.Message, out *Out) bool

	// ClientGone handles that the client has ended. Nothing leaves to it.
	ClientGone(out *Out)
}

// StageOf returns the stage of a translation of words. What it sends is said besides the
// message.
func StageOf(w Words) Stage { return &wordsStage{Words: w} }

type wordsStage struct{ Words }

func (w *wordsStage) From(side Side, m *jsonrpc.Message, _ time.Time, out *Out) {
	var decided bool
	if side == Client {
		decided = w.FromClient(m, out)
	} else {
		decided = w.FromAgent(m, out)
	}
	if !decided {
		out.Forward()
	}
	out.ownAll()
}

func (w *wordsStage) Gone(side Side, _ time.Time, out *Out) {
	if side == Client {
		w.ClientGone(out)
		out.ownAll()
	}
}

// An End takes what leaves a [Chain] at one of its ends.
type End interface {
	// Leave is given what leaves, in order. The text is valid until it returns. It is
	// Same if it is the message that came in, as it came.
	Leave(l Leaving, text []byte)

	// Lose is given what a stage has lost, behind what it has sent.
	Lose(loss Loss)
}

// A Chain hands messages from stage to stage. Lines of a side keep their order, and what a
// stage has decided leaves it before the stage is given anything else. It must not be used
// by two goroutines at once.
type Chain struct {
	end   End
	links []*link // from the client to the agent
	timed []TimedStage
	now   time.Time
	plan  bool // what is at hand concerns a plan

	wants [2]*jsonrpc.Filter // of all links
}

// A link is a stage in a chain.
type link struct {
	stage   Stage
	timed   TimedStage         // the same stage, nil if it is not timed
	wants   [2]*jsonrpc.Filter // as of the last call of Wants
	plans   [2]bool            // of the session updates, it wants plans alone
	changed bool               // Wants may return others now
	out     Out
	busy    bool // what out has is leaving
	waiting []passing

	// Memory for reading what other stages say.
	cursor rawjson.Cursor
	msg    jsonrpc.Message
}

// A passing is a message that is to come to a busy stage.
type passing struct {
	Leaving
	text []byte
}

// NewChain returns a chain of stages, which are given from the client to the agent.
func NewChain(end End, stages ...Stage) *Chain {
	c := &Chain{end: end}
	for _, s := range stages {
		c.links = append(c.links, &link{stage: s, changed: true})
	}
	return c
}

// Insert adds a stage behind so many others, counted from the client.
func (c *Chain) Insert(s TimedStage, at int) {
	c.timed = append(c.timed, s)
	c.links = slices.Insert(c.links, at, &link{stage: s, timed: s, changed: true})
}

// Wants returns which messages from each side any stage has to see. As long as that is the
// same, so are the pointers.
func (c *Chain) Wants() [2]*jsonrpc.Filter {
	for _, k := range c.links {
		if k.changed {
			c.ask(k)
		}
	}
	if c.wants[Client] == nil {
		for side := range c.wants {
			c.wants[side] = new(jsonrpc.Filter)
			for _, k := range c.links {
				c.wants[side].Add(k.wants[side])
			}
		}
	}
	return c.wants
}

// ask asks a stage what it wants, which may have changed.
func (c *Chain) ask(k *link) {
	k.changed = false
	wants := k.stage.Wants()
	if wants == k.wants {
		return
	}
	k.wants, c.wants = wants, [2]*jsonrpc.Filter{}
	for side, f := range wants {
		k.plans[side] = f != nil && len(f.Tools)+len(f.HeadUpdates) == 0 &&
			!slices.ContainsFunc(f.Updates, func(kind string) bool { return !IsPlan([]byte(kind)) })
	}
}

// Changed makes the chain call Wants of each stage again. It is called after a stage was
// changed by another one, or from outside of the chain.
func (c *Chain) Changed() {
	for _, k := range c.links {
		k.changed = true
	}
}

// Awaits reports whether it matters how a side answers the request with that id.
func (c *Chain) Awaits(side Side, id jsonrpc.ID) bool {
	return slices.ContainsFunc(c.links, func(k *link) bool { return k.stage.Awaits(side, id) })
}

// From handles a message of a side. It reports whether the message, or what it has led to,
// concerns a plan.
func (c *Chain) From(side Side, m *jsonrpc.Message, now time.Time) bool {
	at := 0
	if side == Agent {
		at = len(c.links) - 1
	}
	c.begin(now)
	c.pass(at, Leaving{To: side.Other(), Same: true}, m, m.Span.Of(m.Text))
	return c.plan
}

// Say sends the client a message as if the stage behind so many others, counted from the
// client, had said it.
func (c *Chain) Say(at int, text []byte, now time.Time) (plan bool) {
	c.begin(now)
	c.pass(at-1, Leaving{To: Client}, nil, text)
	return c.plan
}

// Timed reports whether a stage needs the time.
func (c *Chain) Timed() bool { return len(c.timed) > 0 }

// Next is when Wake is wanted, the zero time if it is not.
func (c *Chain) Next() (next time.Time) {
	for _, s := range c.timed {
		if t := s.Next(); next.IsZero() || !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	return next
}

// Wake has the stages do what was to be done at Next.
func (c *Chain) Wake(now time.Time) (plan bool) {
	return c.tell(Agent, now, func(k *link) {
		if k.timed == nil {
			return
		}
		if next := k.timed.Next(); !next.IsZero() && !next.After(now) {
			k.timed.Wake(now, &k.out)
		}
	})
}

// Gone tells the stages that a side has ended, from that side on.
func (c *Chain) Gone(side Side, now time.Time) (plan bool) {
	return c.tell(side, now, func(k *link) {
		k.stage.Gone(side, now, &k.out)
		k.out.leaves = slices.DeleteFunc(k.out.leaves, func(l Leaving) bool { return l.To == side })
	})
}

// Holds reports whether a stage holds requests that the agent has yet to get.
func (c *Chain) Holds() bool {
	return slices.ContainsFunc(c.links, func(k *link) bool {
		h, ok := k.stage.(Holder)
		return ok && h.Holds()
	})
}

// RefuseHeld refuses what the stages hold.
func (c *Chain) RefuseHeld(why string, now time.Time) (plan bool) {
	return c.tell(Client, now, func(k *link) {
		if h, ok := k.stage.(Holder); ok {
			h.RefuseHeld(why, now, &k.out)
		}
	})
}

func (c *Chain) begin(now time.Time) { c.now, c.plan = now, false }

// tell tells each stage something else than a message, from a side on, and has go on what
// it decides.
func (c *Chain) tell(from Side, now time.Time, tell func(*link)) (plan bool) {
	c.begin(now)
	for n := range c.links {
		i := n
		if from == Agent {
			i = len(c.links) - 1 - n
		}
		k := c.links[i]
		k.out.Reset(from, nil)
		tell(k)
		k.changed = true
		c.plan = c.plan || k.out.plan
		c.leave(i, Leaving{}, nil)
	}
	return c.plan
}

// pass gives a message to stage i and those behind it, until one of them decides what
// becomes of it. m is the message as it was read, nil if it was not.
func (c *Chain) pass(i int, l Leaving, m *jsonrpc.Message, text []byte) {
	next := step(l.To)
	for ; i >= 0 && i < len(c.links); i += next {
		k := c.links[i]
		if k.busy {
			k.waiting = append(k.waiting, passing{l, bytes.Clone(text)})
			return
		}
		if c.wanted(k, &l, m, text) && c.changes(k, &l, m, text) {
			c.leave(i, l, m)
			return
		}
	}
	c.end.Leave(l, text)
}

// step is where a message to a side goes on.
func step(to Side) int {
	if to == Client {
		return -1
	}
	return 1
}

// wanted reports whether a stage has to see a message.
func (c *Chain) wanted(k *link, l *Leaving, m *jsonrpc.Message, text []byte) bool {
	if k.changed {
		c.ask(k)
	}
	want := k.wants[l.To.Other()]
	switch {
	case want == nil:
		return false
	case want.All:
		return true
	case l.NoPlan && k.plans[l.To.Other()]:
		return false
	case m == nil:
		return want.Matters(text)
	}
	return want.MattersRead(m)
}

// changes gives a message to a stage. It reports whether anything follows but that the
// message goes on, of which the stage may know that it concerns no plan.
func (c *Chain) changes(k *link, l *Leaving, m *jsonrpc.Message, text []byte) bool {
	if m == nil {
		k.cursor.Reset(text)
		k.msg.Read(&k.cursor, text, nil)
		m = &k.msg
	}
	from := l.To.Other()
	k.out.Reset(from, m)
	k.out.own, k.out.more = l.Own, l.More
	k.stage.From(from, m, c.now, &k.out)
	k.changed = true
	c.plan = c.plan || k.out.plan
	if !k.out.isForwarded() {
		return true
	}
	l.NoPlan = l.NoPlan || k.out.leaves[0].NoPlan
	return false
}

// leave has go on what stage i has decided of a message, and then what has come to the
// stage meanwhile.
func (c *Chain) leave(i int, l Leaving, m *jsonrpc.Message) {
	k := c.links[i]
	k.busy = true
	c.spread(i, l, m)
	for n := 0; n < len(k.waiting); n++ {
		if w := &k.waiting[n]; c.wanted(k, &w.Leaving, nil, w.text) && c.changes(k, &w.Leaving, nil, w.text) {
			c.spread(i, w.Leaving, nil)
		} else {
			c.pass(i+step(w.To), w.Leaving, nil, w.text)
		}
	}
	k.busy, k.waiting = false, nil
}

// spread has go on what stage i has decided of a message.
func (c *Chain) spread(i int, came Leaving, m *jsonrpc.Message) {
	k := c.links[i]
	for _, l := range k.out.leaves {
		text := k.out.Text(l)
		l.Own = l.Own || came.Own
		if l.Same {
			l.Same, l.NoPlan, l.More = came.Same, l.NoPlan || came.NoPlan, came.More
			c.pass(i+step(l.To), l, m, text)
		} else {
			c.pass(i+step(l.To), l, nil, text)
		}
	}
	for _, loss := range k.out.losses {
		c.end.Lose(loss)
	}
}
