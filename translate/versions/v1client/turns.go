package v1client

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 the answer to session/prompt is the end of the turn. In version 2 it
// only says that the agent has inserted the prompt into the conversation; the end of
// the turn is a state_update. So a prompt of the client goes through these states:
//
//	          agent's error                       (the client gets the error)
//	         ┌──────────────────────────────► answered
//	sent ────┤                                    ▲
//	         └► inserted ─────────────────────────┘
//	   agent's result,      the session becomes idle,
//	   or an echo that      or was ended
//	   it names later
//
// and a session is active or idle, as the agent's state_updates say. Five rules
// follow from the order in which agents report:
//
//  1. A turn that ends before the prompt was inserted does not answer it: the
//     agent held the prompt back while it did other work.
//  2. An agent may echo the prompt, work, become idle, and give its result
//     last. The prompt was inserted when the echo came.
//  3. One end of a turn answers all prompts that were inserted before.
//  4. What comes after the answer goes to the client like everything else.
//  5. Work that the client did not ask for ends without answering anything.
//
// An agent that breaks these rules must not leave the client waiting. Time goes to the
// right; P is a prompt, I is the agent's result, which inserts it, E its echo, R is
// running, W is work, X cancels the prompt, and a dot is an idle. What answers a prompt
// is underlined:
//
//	a result after its turn        P R W . I      the turn began after P and answered
//	                                       ─      nobody, so it was that of P
//
//	echoed, inserted last          P R E W . I    inserted when E came (rule 2)
//	                                         ─
//
//	a prompt during another turn   P I R P . I R .   the first idle answers the first P
//	                                       ─     ─   (rule 1), the second the second
//
//	an idle without running        P I R . P I W .   work since I, or a reason that is
//	                                     ─       ─   new: the idle ends a turn
//
//	an idle that is said again     P I R . P I . R .   else it ends none: the turn of the
//	                                     ─         ─   second P may come yet
//
//	no running ever                P I .          an idle with a reason is the end
//	                                   ─
//
//	no running, no reason          P I . _        the turn failed at once: nothing
//	                                     ─        follows the idle for a while (_), or
//	                                              the prompt was cancelled before it
//
//	cancelled, then inserted       R . P X . I    the agent has said that a turn was
//	                                         ─    cancelled since X, so that of P will
//	                                              not begin
//
//	cancelled, but runs after all  R . P X . I P R . E I R .   the turn before E may be
//	                                         ─             ─   that of the first P: it is
//	                                                           excused once
//
//	no idle ever                   P I R W X W ...   an agent that never says idle ends
//	                                                 no turn, also if X was passed on to it
//
// Of such an agent only these answer a prompt: its error in place of I, a close or delete
// of the session, which counts as cancelled, or the agent's own end, which is an error.
// A turn has no limit in time, because work may take any.
type turns struct {
	now         uint64    // counts what happens
	began       uint64    // when the turn began that runs or ran last; 0 if none ever did
	worked      uint64    // when the agent last said something that belongs to a turn
	cancelledAt uint64    // when the agent last said that a turn was cancelled
	active      bool      // a turn runs
	closed      bool      // the session has ended
	last, bare  turnEnd   // bare is an idle that ended no turn, and that nothing has followed
	waiting     []*prompt // the earliest first
	excused     int       // cancelled prompts that were answered, but whose turn may come
}

const promptCost = 4 << 10 // bytes of a prompt that waits for an answer, besides its id

// A prompt is a session/prompt request that the client waits for.
type prompt struct {
	session   *session
	id        []byte // as the client gave it
	answered  bool   // by the agent
	sent      uint64 // when it was sent
	inserted  uint64 // when the agent had inserted it; 0 before
	cancelled uint64 // when session/cancel came; 0 before
	ending    uint64 // when the first request to close or delete the session came
	endings   int    // how many of these did not fail
	withdrawn bool   // by $/cancel_request
	begins    beginning
	call      *calls.Call // which the agent answers
}

// size is what a prompt counts, besides what it says.
func (p *prompt) size() int { return promptCost + len(p.id) }

// isCancelled reports whether the prompt was cancelled. A request to close or delete
// the session cancels it too, unless it fails.
func (p *prompt) isCancelled() bool { return p.isCancelledBefore(math.MaxUint64) }

// isCancelledBefore reports whether the prompt was cancelled before that time.
func (p *prompt) isCancelledBefore(at uint64) bool {
	return p.cancelled > 0 && p.cancelled < at || p.endings > 0 && p.ending < at
}

// A turnEnd is the end of a turn. It is kept for prompts whose turn was over before the
// agent named them.
type turnEnd struct {
	began, ended uint64
	answered     bool   // some prompt was answered with it
	text         []byte // the raw update; nil if it says nothing, or was forgotten
}

// stopReason is the raw reason that the end of a turn gives.
func (e *turnEnd) stopReason() []byte { return rawjson.Get(e.text, "stopReason") }

// cancels reports whether the agent says that the turn was cancelled.
func (e *turnEnd) cancels() bool { return string(e.stopReason()) == `"cancelled"` }

// size is how much is kept of the ends of turns.
func (t *turns) size() int { return len(t.last.text) + len(t.bare.text) }

// forgetEnd forgets what the last end of a turn said.
func (t *turns) forgetEnd() { t.last.text, t.bare.text = nil, nil }

// take takes prompts out of those that wait.
func (t *turns) take(which func(*prompt) bool) (taken []*prompt) {
	t.waiting = slices.DeleteFunc(t.waiting, func(p *prompt) bool {
		if which(p) {
			taken = append(taken, p)
			return true
		}
		return false
	})
	return taken
}

// tick returns the time, after which everything is later.
func (t *turns) tick() uint64 {
	t.now++
	return t.now
}

// prompted notes a prompt, which the client gave the id.
func (t *turns) prompted(id []byte) *prompt {
	p := &prompt{id: bytes.Clone(id), sent: t.tick()}
	t.waiting = append(t.waiting, p)
	return p
}

// refused notes that the agent does not run a prompt.
func (t *turns) refused(p *prompt) {
	p.answered = true
	t.take(func(q *prompt) bool { return q == p })
}

// inserted notes the agent's result for a prompt, whose echo had come before, at that
// time, or 0. Then comes late.
func (t *turns) inserted(p *prompt, echoed uint64) {
	now := t.tick()
	p.answered, p.inserted = true, cmp.Or(echoed, now)
}

// late returns an inserted prompt if its turn is over, or will not begin: the last end of a
// turn answers it.
func (t *turns) late(p *prompt) []*prompt {
	if !t.missed(p) {
		return nil
	}
	t.last.answered = true
	return t.take(func(q *prompt) bool { return q == p })
}

func (t *turns) missed(p *prompt) bool {
	e := &t.last
	switch {
	case t.closed, p.inserted > p.sent && e.ended > p.inserted:
		return true
	case t.active:
		return false
	}
	if e.began > p.sent && !e.answered {
		echoedLater := p.inserted < t.now && p.inserted > e.ended
		if !echoedLater || t.excused == 0 {
			return true
		}
		t.excused-- // that was the turn of such a prompt
	}
	if p.isCancelledBefore(t.cancelledAt) {
		t.excused++
		return true
	}
	return false
}

// running notes that the agent works.
func (t *turns) running() {
	now := t.tick()
	t.bare = turnEnd{}
	if !t.active {
		t.active, t.began = true, now
	}
}

// idle notes that the agent waits for the client, with its raw update. It returns the prompts
// that this answers; none if no turn ends: the agent has said again that it is idle.
func (t *turns) idle(text []byte) []*prompt {
	e := turnEnd{began: t.began, ended: t.tick(), text: bytes.Clone(text)}
	if e.cancels() {
		t.cancelledAt = t.now
	}
	answers := func(p *prompt) bool { return p.inserted > 0 }
	if !t.active {
		e.began = t.now
		if !t.endsUnbegun(&e) {
			answers = func(p *prompt) bool { return p.inserted > 0 && p.isCancelled() }
			if !slices.ContainsFunc(t.waiting, answers) {
				t.bare = e
				return nil
			}
		}
	}
	return t.ended(e, answers)
}

// ended notes the end of a turn that answers these prompts.
func (t *turns) ended(e turnEnd, answers func(*prompt) bool) []*prompt {
	answered := t.take(answers)
	t.active, t.bare, t.last = false, turnEnd{}, e
	t.last.answered = len(answered) > 0
	return answered
}

// doubtful reports whether a prompt waits that the agent had inserted when it said idle,
// though no turn was seen.
func (t *turns) doubtful() bool { return slices.ContainsFunc(t.waiting, t.bare.follows) }

// follows reports whether the turn ended behind the insertion of a prompt.
func (e *turnEnd) follows(p *prompt) bool { return p.inserted > 0 && p.inserted < e.ended }

// silent notes that nothing has followed the idle for a while: it was the end of a turn.
func (t *turns) silent() []*prompt { return t.ended(t.bare, t.bare.follows) }

// endsUnbegun reports whether an idle without a running before it ends a turn. Else the
// agent repeats itself.
func (t *turns) endsUnbegun(e *turnEnd) bool {
	neverRuns := t.began == 0 // the agent never says running
	says := !rawjson.Null(e.stopReason())
	news := says && (t.last.ended == 0 || !bytes.Equal(e.stopReason(), t.last.stopReason()))
	return slices.ContainsFunc(t.waiting, func(p *prompt) bool {
		worked := p.inserted > 0 && t.worked > p.inserted
		if e.cancels() && !worked && !p.isCancelled() {
			return false // it is about an earlier turn
		}
		return says && (neverRuns || worked) || news && p.inserted > 0 || neverRuns && worked
	})
}

// said notes that the agent has said something that belongs to a turn.
func (t *turns) said() {
	t.worked, t.bare = t.tick(), turnEnd{}
}

// cancel notes that the client has cancelled its prompts.
func (t *turns) cancel() {
	t.now++
	for _, p := range t.waiting {
		if p.cancelled == 0 {
			p.cancelled = t.now
		}
	}
}

// closing notes a request to close the session, which cancels the prompts that it
// returns.
func (t *turns) closing() []*prompt {
	t.now++
	for _, p := range t.waiting {
		if p.endings == 0 {
			p.ending = t.now
		}
		p.endings++
	}
	return slices.Clone(t.waiting)
}

// notClosed notes that such a request has failed.
func notClosed(cancelled []*prompt) {
	for _, p := range cancelled {
		p.endings--
	}
}

// close notes that the session has ended. It returns the prompts that the agent has forgotten
// by that, also those that it held. To a prompt that the client has sent since it asked for
// the end, the agent still gives an answer.
func (t *turns) close() []*prompt {
	t.closed, t.last = true, turnEnd{}
	return t.take(func(p *prompt) bool { return p.answered || p.isCancelled() })
}
