package v1client

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1, the response to session/prompt ends the turn. In version 2, it only confirms
// that the agent has inserted the prompt into the conversation; a state_update ends the turn.
// A prompt of the client has these states:
//
//	          agent's error                       (the client gets the error)
//	         ┌──────────────────────────────► answered
//	sent ────┤                                    ▲
//	         └► inserted ─────────────────────────┘
//	   agent's result,      the session is idle, or
//	   or an echo that      was closed
//	   it names later
//
// and a session is active or idle, according to the agent's state_updates. Five rules follow
// from the order in which agents report:
//
// 1. A turn that ends before the prompt was inserted does not answer it: the agent queued the
// prompt during other work. 2. An agent may echo the prompt, work, report idle, and send its
// result last. The prompt was inserted at the time of the echo. 3. One end of a turn answers
// all prompts that were inserted before. 4. Updates after the response are forwarded like all
// others. 5. Work that the client did not request ends without answering any prompt.
//
// An agent that breaks these rules must not leave the client waiting. Time runs to the right;
// P is a prompt, I is the agent's result, which inserts it, E its echo, R is running, W is
// work, X cancels the prompt, and a dot is an idle. The event that answers a prompt is
// underlined:
//
//	a result after its turn        P R W . I      the turn began after P and answered
//	                                       ─      nobody, so it was that of P
//
//	echoed, inserted last          P R E W . I    inserted at E (rule 2)
//	                                         ─
//
//	a prompt during another turn   P I R P . I R .   the first idle answers the first P
//	                                       ─     ─   (rule 1), the second the second
//
//	an idle without running        P I R . P I W .   work since I, or a new reason: the
//	                                     ─       ─   idle ends a turn
//
//	a repeated idle                P I R . P I . R .   otherwise it ends none: the turn of
//	                                     ─         ─   the second P may still begin
//
//	no running ever                P I .          an idle with a reason is the end
//	                                   ─
//
//	no running, no reason          P I . _        the turn failed at once: nothing
//	                                     ─        follows the idle for a while (_), or
//	                                              the prompt was cancelled before it
//
//	cancelled, then inserted       R . P X . I    the agent has reported a cancelled
//	                                         ─    turn since X, so that of P will
//	                                              not begin
//
//	cancelled, but runs after all  R . P X . I P R . E I R .   the turn before E may be
//	                                         ─             ─   that of the first P: it is
//	                                                           excused once
//
//	no idle ever                   P I R W X W ...   an agent without idle ends no turn,
//	                                                 even if X was forwarded to it
//
// With such an agent, only these answer a prompt: an error in place of I, a close or delete of
// the session, which counts as cancelled, or the agent's own end, which is an error. A turn
// has no time limit, because work may take any time.
type turns struct {
	now         uint64    // logical time: counts events
	began       uint64    // start of the current or last turn; 0 if none
	worked      uint64    // last update that belongs to a turn
	cancelledAt uint64    // last report of a cancelled turn
	active      bool      // a turn runs
	closed      bool      // the session has ended
	last, bare  turnEnd   // bare is the last idle, if it ended no turn
	waiting     []*prompt // the earliest first
	excused     int       // cancelled and answered prompts whose turn may still begin
}

const promptCost = 4 << 10 // bytes of a pending prompt without its id

// A prompt is a pending session/prompt request of the client.
type prompt struct {
	session   *session
	id        []byte // as the client gave it
	answered  bool   // by the agent
	sent      uint64 // time of sending
	inserted  uint64 // time of insertion; 0 before
	cancelled uint64 // time of session/cancel; 0 before
	ending    uint64 // time of the first request to close or delete the session
	endings   int    // number of such requests that have not failed
	withdrawn bool   // by $/cancel_request
	begins    beginning
	call      *calls.Call // the request to the agent
}

// size is the cost of the prompt in the budget.
func (p *prompt) size() int { return promptCost + len(p.id) }

// isCancelled reports whether the prompt was cancelled, by session/cancel or by a request to
// close or delete the session that has not failed.
func (p *prompt) isCancelled() bool { return p.isCancelledBefore(math.MaxUint64) }

// isCancelledBefore reports whether the prompt was cancelled before a time.
func (p *prompt) isCancelledBefore(at uint64) bool {
	return p.cancelled > 0 && p.cancelled < at || p.endings > 0 && p.ending < at
}

// A turnEnd is the end of a turn. It is kept for prompts whose turn ended before the agent
// named them.
type turnEnd struct {
	began, ended uint64
	answered     bool   // it has answered a prompt
	text         []byte // the raw update; nil if there is none, or if it was evicted
}

// stopReason returns the raw stop reason of the turn.
func (e *turnEnd) stopReason() []byte { return rawjson.Get(e.text, "stopReason") }

// cancels reports whether the agent reports a cancelled turn.
func (e *turnEnd) cancels() bool { return string(e.stopReason()) == `"cancelled"` }

// size is the cost of the ends of turns in the budget.
func (t *turns) size() int { return len(t.last.text) + len(t.bare.text) }

// forgetEnd drops the updates of the last ends of turns.
func (t *turns) forgetEnd() { t.last.text, t.bare.text = nil, nil }

// take removes pending prompts.
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

// tick advances the logical time.
func (t *turns) tick() uint64 {
	t.now++
	return t.now
}

// prompted adds a prompt with the client's id.
func (t *turns) prompted(id []byte) *prompt {
	p := &prompt{id: bytes.Clone(id), sent: t.tick()}
	t.waiting = append(t.waiting, p)
	return p
}

// refused removes a prompt that the agent has rejected.
func (t *turns) refused(p *prompt) {
	p.answered = true
	t.take(func(q *prompt) bool { return q == p })
}

// inserted records the agent's result for a prompt, whose echo was sent at a time, or 0. The
// caller then calls late.
func (t *turns) inserted(p *prompt, echoed uint64) {
	now := t.tick()
	p.answered, p.inserted = true, cmp.Or(echoed, now)
}

// late returns an inserted prompt if its turn is over or will not begin: the last end of a
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
		t.excused-- // it was the turn of such a prompt
	}
	if p.isCancelledBefore(t.cancelledAt) {
		t.excused++
		return true
	}
	return false
}

// running records that the agent works.
func (t *turns) running() {
	now := t.tick()
	t.bare = turnEnd{}
	if !t.active {
		t.active, t.began = true, now
	}
}

// idle records that the agent is idle, with its raw update. It returns the prompts that the
// end of the turn answers; none if no turn ends, because the idle is a repetition.
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

// ended records the end of a turn that answers these prompts.
func (t *turns) ended(e turnEnd, answers func(*prompt) bool) []*prompt {
	answered := t.take(answers)
	t.active, t.bare, t.last = false, turnEnd{}, e
	t.last.answered = len(answered) > 0
	return answered
}

// doubtful reports whether a prompt is pending that was inserted before a bare idle.
func (t *turns) doubtful() bool { return slices.ContainsFunc(t.waiting, t.bare.follows) }

// follows reports whether the turn ended after the insertion of a prompt.
func (e *turnEnd) follows(p *prompt) bool { return p.inserted > 0 && p.inserted < e.ended }

// silent ends a turn with the bare idle, because nothing has followed it for a while.
func (t *turns) silent() []*prompt { return t.ended(t.bare, t.bare.follows) }

// endsUnbegun reports whether an idle without a preceding running ends a turn. Otherwise it is
// a repetition.
func (t *turns) endsUnbegun(e *turnEnd) bool {
	neverRuns := t.began == 0 // the agent has never reported running
	hasReason := !rawjson.Null(e.stopReason())
	newReason := hasReason && (t.last.ended == 0 || !bytes.Equal(e.stopReason(), t.last.stopReason()))
	return slices.ContainsFunc(t.waiting, func(p *prompt) bool {
		worked := p.inserted > 0 && t.worked > p.inserted
		if e.cancels() && !worked && !p.isCancelled() {
			return false // it ends an earlier turn
		}
		return hasReason && (neverRuns || worked) || newReason && p.inserted > 0 || neverRuns && worked
	})
}

// updated records an update that belongs to a turn.
func (t *turns) updated() {
	t.worked, t.bare = t.tick(), turnEnd{}
}

// cancel records that the client has cancelled its prompts.
func (t *turns) cancel() {
	t.now++
	for _, p := range t.waiting {
		if p.cancelled == 0 {
			p.cancelled = t.now
		}
	}
}

// closing records a request to close the session, which cancels the prompts that it returns.
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

// notClosed reverts closing after the request has failed.
func notClosed(cancelled []*prompt) {
	for _, p := range cancelled {
		p.endings--
	}
}

// close records the end of the session. It returns the prompts that the agent has dropped with
// it, including queued ones. Prompts that were sent after the request to end the session still
// get a response from the agent.
func (t *turns) close() []*prompt {
	t.closed, t.last = true, turnEnd{}
	return t.take(func(p *prompt) bool { return p.answered || p.isCancelled() })
}
