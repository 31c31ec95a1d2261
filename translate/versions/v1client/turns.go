package v1client

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// turns holds the pending prompts of a session, and decides which event answers each of them.
//
// In version 1, the response to session/prompt ends the turn. In version 2, the response confirms
// that the agent has inserted the prompt into the conversation, and a state_update ends the turn.
// A prompt of the client has these states:
//
//	          agent's error                       (the client gets the error)
//	         ┌──────────────────────────────► answered
//	sent ────┤                                    ▲
//	         └► inserted ─────────────────────────┘
//	   agent's result,      the session is idle, or
//	   or the echo that     was closed
//	   the result names
//
// A session is active or idle, according to the agent's state_updates. The rules:
//
//  1. The end of a turn does not answer a prompt that is inserted later: the agent queued the prompt
//     during other work.
//  2. An agent may echo the prompt, work, report idle, and send its result last. The echo then
//     inserts the prompt.
//  3. The end of a turn answers all prompts that were inserted before.
//  4. The bridge forwards updates after its response like all others.
//  5. An agent may report a cancelled turn before it inserts the cancelled prompt. The insertion then
//     answers the prompt. But the agent may still run a turn for it, a late turn, whose end must not
//     answer the next prompt.
//
// Agents report the events in various orders. The client gets an answer in each of them, unless the
// agent never reports idle. The events are
//
//	P  a prompt of the client
//	I  the agent's result of P, which inserts it
//	E  the echo of P
//	R  running
//	W  an update of the turn
//	.  idle
//	X  the cancellation of the prompt
//	_  nothing for a while
//
// The event that answers a prompt is underlined:
//
//	a result after its turn        P R W . I      the turn began after P and its end answered
//	                                       ─      no other prompt, so it was the turn of P
//
//	echoed, inserted last          P R E W . I    inserted at E (rule 2)
//	                                         ─
//
//	a prompt during another turn   P I R P . I R .   the first idle answers only the first
//	                                       ─     ─   P (rule 1)
//
//	an idle without running        P I R . P I W .   the idle ends a turn if an update
//	                                     ─       ─   preceded it, or its reason is new
//
//	a repeated idle                P I R . P I . R .   any other idle ends no turn: the turn
//	                                     ─         ─   of the second P may still begin
//
//	no running ever                P I .          an idle with a reason ends the turn
//	                                   ─
//
//	no running, no reason          P I . _        the turn failed at once if nothing follows
//	                                     ─        the idle for a while, or if the prompt
//	                                              was cancelled before the idle
//
//	cancelled, then inserted       R . P X . I    the agent has reported a cancelled turn
//	                                         ─    since X (rule 5)
//
//	the same, and a late turn      R . P X . I P R . E I R .   the turn before E counts as the
//	                                         ─             ─   late turn of the first P (rule 5)
//
//	the same, and no late turn     R . P X . I P R . E I _     nothing follows: the turn before
//	                                         ─           ─     E was that of the second P
//
//	no idle ever                   P I R W X W ...   no turn ends, even if X was forwarded
//	                                                 to the agent
//
// If the agent never reports idle, a prompt is answered by an error in place of I, by the end of the
// session (as cancelled) or by the end of the agent (with an error). A turn has no time limit.
type turns struct {
	now              uint64    // logical time: the number of events so far
	beganAt          uint64    // time of the latest running that began a turn; 0 if the agent has never reported running
	workedAt         uint64    // time of the last update that belongs to a turn
	reportedCancelAt uint64    // time of the last report of a cancelled turn
	active           bool      // a turn runs
	closed           bool      // the session has ended
	lastEnd          turnEnd   // end of the last turn
	undecidedEnd     turnEnd   // the last idle, while it is unknown whether it ends the turn of a pending prompt
	pending          []*prompt // the earliest first
	closingsAt       []uint64  // times of the requests to close or delete the session; a failed one is removed
	lateTurns        int       // number of late turns that may still begin (rule 5)
}

const promptCost = 4 << 10 // bytes of a pending prompt without its id

// A prompt is a pending session/prompt request of the client.
type prompt struct {
	session       *session
	id            []byte      // raw id of the client's request
	agentAnswered bool        // the agent has responded to the prompt
	sentAt        uint64      // time of sending
	insertedAt    uint64      // time of insertion; 0 before
	cancelledAt   uint64      // time of session/cancel; 0 before
	withdrawn     bool        // the client has sent $/cancel_request
	beginning     beginning   // of its text, to recognize its echo (mayRepeat)
	call          *calls.Call // the request to the agent
}

// size is the cost of the prompt in the budget.
func (p *prompt) size() int { return promptCost + len(p.id) }

// isCancelled reports whether a pending prompt was cancelled, by session/cancel or by a request to
// close or delete the session that has not failed.
func (t *turns) isCancelled(p *prompt) bool { return t.isCancelledBefore(p, math.MaxUint64) }

// isCancelledBefore reports whether a pending prompt was cancelled before a time.
func (t *turns) isCancelledBefore(p *prompt, at uint64) bool {
	isBetween := func(cancelledAt uint64) bool { return cancelledAt > p.sentAt && cancelledAt < at }
	return isBetween(p.cancelledAt) || slices.ContainsFunc(t.closingsAt, isBetween)
}

// A turnEnd is the end of a turn. The bridge keeps it, because the agent may insert the prompt later.
type turnEnd struct {
	beganAt, endedAt uint64
	answersPrompt    bool   // the end has answered a prompt
	text             []byte // the raw update; nil if there is none, or if it was evicted
}

// stopReason returns the raw stop reason of the turn.
func (t *turnEnd) stopReason() []byte { return rawjson.Get(t.text, "stopReason") }

// isCancelled reports whether the agent reports a cancelled turn.
func (t *turnEnd) isCancelled() bool { return string(t.stopReason()) == `"cancelled"` }

// size is the cost of both turnEnds in the budget.
func (t *turns) size() int { return len(t.lastEnd.text) + len(t.undecidedEnd.text) }

// forgetEnds drops the updates of both turnEnds.
func (t *turns) forgetEnds() { t.lastEnd.text, t.undecidedEnd.text = nil, nil }

// takeIf removes and returns the elements of a slice for which selects returns true, in order.
func takeIf[E any](elements *[]E, selects func(E) bool) (taken []E) {
	*elements = slices.DeleteFunc(*elements, func(e E) bool {
		selected := selects(e)
		if selected {
			taken = append(taken, e)
		}
		return selected
	})
	return taken
}

// tick advances the logical time.
func (t *turns) tick() uint64 {
	t.now++
	return t.now
}

// onPrompt adds a prompt with the client's id.
func (t *turns) onPrompt(id []byte) *prompt {
	p := &prompt{id: bytes.Clone(id), sentAt: t.tick()}
	t.pending = append(t.pending, p)
	return p
}

// onRefusal removes a prompt that the agent has answered with an error.
func (t *turns) onRefusal(p *prompt) {
	p.agentAnswered = true
	takeIf(&t.pending, func(q *prompt) bool { return q == p })
}

// onInsertion records the agent's result for a prompt. echoedAt is the time of the prompt's echo, 0 if
// there was none. onInsertion removes and returns the prompt if its turn has ended, or if the agent has
// reported a cancelled turn since the prompt was cancelled. The caller answers it with lastEnd.
func (t *turns) onInsertion(p *prompt, echoedAt uint64) []*prompt {
	now, last := t.tick(), &t.lastEnd
	p.agentAnswered, p.insertedAt = true, cmp.Or(echoedAt, now)
	endedSinceInsertion := p.insertedAt > p.sentAt && last.endedAt > p.insertedAt
	if !t.closed && !endedSinceInsertion {
		if t.active {
			return nil
		}
		hadTurn := last.beganAt >= p.sentAt && !last.answersPrompt // the last turn was that of p
		echoedAfterLastTurn := p.insertedAt < now && p.insertedAt > last.endedAt
		if hadTurn && echoedAfterLastTurn && t.lateTurns > 0 {
			// The last turn was probably one of lateTurns. If nothing follows, it was that of p.
			hadTurn = false
			t.lateTurns--
			t.undecidedEnd = *last
			t.undecidedEnd.endedAt = now
		}
		if !hadTurn {
			if !t.isCancelledBefore(p, t.reportedCancelAt) {
				return nil
			}
			t.lateTurns++ // a cancelled turn was reported since p was cancelled; the turn of p may still begin
		}
	}
	last.answersPrompt = true
	return takeIf(&t.pending, func(q *prompt) bool { return q == p })
}

// onRunning records that the agent works.
func (t *turns) onRunning() {
	now := t.tick()
	t.undecidedEnd = turnEnd{}
	if !t.active {
		t.active, t.beganAt = true, now
	}
}

// onIdle records an idle, given as its raw update. If it ends a turn, onIdle removes and returns the
// prompts that the end answers. An idle that may be a repetition ends no turn, unless an inserted
// prompt was cancelled.
func (t *turns) onIdle(text []byte) []*prompt {
	e := turnEnd{beganAt: t.beganAt, endedAt: t.tick(), text: bytes.Clone(text)}
	if e.isCancelled() {
		t.reportedCancelAt = t.now
	}
	answers := func(p *prompt) bool { return p.insertedAt > 0 }
	if !t.active {
		e.beganAt = t.now
		if !t.endsTurn(&e) {
			answers = func(p *prompt) bool { return p.insertedAt > 0 && t.isCancelled(p) }
			if !slices.ContainsFunc(t.pending, answers) {
				t.undecidedEnd = e
				return nil
			}
		}
	}
	return t.end(e, answers)
}

// end records the end of a turn, and removes and returns the prompts that it answers.
func (t *turns) end(e turnEnd, answers func(*prompt) bool) []*prompt {
	answered := takeIf(&t.pending, answers)
	t.active, t.undecidedEnd, t.lastEnd = false, turnEnd{}, e
	t.lastEnd.answersPrompt = len(answered) > 0
	switch {
	case len(answered) > 0:
		t.lateTurns = 0 // agents run turns in the order of the prompts
	case len(t.pending) == 0 && t.lateTurns > 0:
		t.lateTurns--
	}
	return answered
}

// awaitsSilence reports whether a pending prompt was inserted before the undecided idle.
func (t *turns) awaitsSilence() bool {
	return slices.ContainsFunc(t.pending, t.undecidedEnd.endedAfter)
}

// endedAfter reports whether the turn ended after the insertion of a prompt.
func (t *turnEnd) endedAfter(p *prompt) bool { return p.insertedAt > 0 && p.insertedAt < t.endedAt }

// endBySilence ends the turn with the undecided idle.
func (t *turns) endBySilence() []*prompt { return t.end(t.undecidedEnd, t.undecidedEnd.endedAfter) }

// endsTurn reports whether an idle without a preceding running ends a turn. If not, the idle may be a
// repetition.
func (t *turns) endsTurn(e *turnEnd) bool {
	neverRuns := t.beganAt == 0 // the agent has never reported running
	hasReason := !rawjson.IsNull(e.stopReason())
	isNewReason := hasReason && (t.lastEnd.endedAt == 0 || !bytes.Equal(e.stopReason(), t.lastEnd.stopReason()))
	return slices.ContainsFunc(t.pending, func(p *prompt) bool {
		hasWorked := p.insertedAt > 0 && t.workedAt > p.insertedAt
		if e.isCancelled() && !hasWorked && !t.isCancelled(p) {
			return false // the idle reports the end of an earlier turn
		}
		return hasReason && (neverRuns || hasWorked) || isNewReason && p.insertedAt > 0 || neverRuns && hasWorked
	})
}

// onUpdate records an update or a question that shows work of the agent: an update of the role
// [translate.Work] or [translate.History] that is no message between sessions, or a subagent_update
// that the client receives as a tool call.
func (t *turns) onUpdate() {
	t.workedAt, t.undecidedEnd = t.tick(), turnEnd{}
}

// onCancel records that the client has cancelled its prompts.
func (t *turns) onCancel() {
	now := t.tick()
	for _, p := range t.pending {
		if p.cancelledAt == 0 {
			p.cancelledAt = now
		}
	}
}

// onClosing records a request to close or delete the session, and returns its time.
func (t *turns) onClosing() uint64 {
	now := t.tick()
	t.closingsAt = append(t.closingsAt, now)
	return now
}

// revertClosing reverts the onClosing that returned this time, because the request has failed.
func (t *turns) revertClosing(at uint64) {
	t.closingsAt = slices.DeleteFunc(t.closingsAt, func(closingAt uint64) bool { return closingAt == at })
}

// onClosed records the end of the session. It removes and returns the prompts that the agent drops
// with the session, including those that the agent has queued. The agent still responds to prompts
// that were sent after the request to end the session.
func (t *turns) onClosed() []*prompt {
	t.closed, t.lastEnd = true, turnEnd{}
	return takeIf(&t.pending, func(p *prompt) bool { return p.agentAnswered || t.isCancelled(p) })
}
