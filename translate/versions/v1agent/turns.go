package v1agent

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1, a turn is a pending request: the agent answers the prompt at the end of the
// turn. In version 2, the agent answers as soon as it has inserted the prompt into the
// conversation, and state updates report the turn. A session has at most one turn:
//
//	              prompt                     any message of the session,
//	  ┌──────┐  (sent on)   ┌───────────┐    or ackDelay    ┌─────────┐
//	  │ idle │ ───────────> │   sent    │ ────────────────> │ running │ <──┐
//	  └──────┘              └───────────┘  user_message,    └─────────┘    │ the last
//	     ^                     │     │     result, running    │     │      │ question is
//	     │   the agent's error │     │                        │     v      │ answered
//	     │   (forwarded)       │     │ the agent's result:    │  ┌─────────────────┐
//	     │<────────────────────┘     │ user_message, result,  │  │ requires_action │
//	     │                           │ running, idle          │  └─────────────────┘
//	     │<──────────────────────────┘                        │     │
//	     │<───────────────────────────────────────────────────┴─────┘
//	        the agent's response, its end, or a close: idle with a stopReason
//
// The bridge queues a prompt during a turn, and sends it after the turn. session/cancel and
// $/cancel_request refuse queued prompts. They do not end the turn: the agent's response ends it, as
// cancelled.
//
// Some agents answer a prompt before its last updates. Late updates belong to the turn: otherwise an
// ended turn would continue, which version 2 forbids if it was cancelled. The next prompt waits for
// them: otherwise they would acknowledge it, and the user would see them below it.
//
//	agent:   chunk 1   result          chunk 2    chunk 3
//	client:  chunk 1                   chunk 2    chunk 3           idle, the next prompt
//	                   └─ lateDelay ─┘
//	                                   └──────────┘└─ lateDelay ─┘  at most maxLate in total
//
// Most agents send all updates before the response, so the bridge waits only in the cases of
// [turn.endOrLinger]. Such a turn lingers. Other sequences:
//
//	prompt, cancel, result          a cancelled turn: the agent has inserted the prompt
//	prompt, $/cancel, error         the error is the response; there is no turn
//	prompt, $/cancel, chunk, error  a cancelled turn
//	prompt, close, no answer        the turn is abandoned after closeDelay
//	prompt, its echo, result        the echo inserts it
//	prompt, the agent ends          an error before the first update, otherwise a failed turn

const (
	// ackDelay is the time after which the prompt of a silent agent counts as inserted.
	ackDelay = 150 * time.Millisecond
	// lateDelay is the time without updates after which a lingering turn ends. On a busy
	// machine, chunks arrived up to 100 ms after a response, most of them within 35 ms.
	lateDelay = 100 * time.Millisecond
	// maxLate is the time for which a turn lingers at most.
	maxLate = time.Second

	// maxAnswer is the maximum length of the result of a lingering turn.
	maxAnswer = 64 << 10
)

// A turn is the work of an agent for a prompt.
type turn struct {
	session   *session
	call      *calls.Call // the pending request of the prompt
	prompt    *prompt
	content   []byte      // raw content of the prompt
	timer     calls.Timer // inserts the prompt, or ends a lingering turn
	answer    []byte      // the agent's result in a lingering turn
	lateUntil time.Time   // the latest end of a lingering turn

	unechoed [][]byte // blocks of the prompt that the agent may still repeat; nil before its first user message

	cancelled    bool // by session/cancel
	withdrawn    bool // by $/cancel_request, before the insertion of the prompt
	afterMessage bool // the last update was part of an agent message, as at the end of most turns
}

// isInserted reports whether the client knows that the prompt is inserted.
func (t *turn) isInserted() bool { return t.prompt.messageID != "" }

// isCancelled reports whether the turn was cancelled, by session/cancel or by a request to
// close or delete the session that has not failed.
func (t *turn) isCancelled() bool { return t.cancelled || t.session.closing != nil }

// linger ends the turn lateDelay after the last call, but at the latest at lateUntil.
func (t *turn) linger() {
	at := t.session.link.After(lateDelay)
	if t.lateUntil.Before(at) {
		at = t.lateUntil
	}
	t.session.bridge.timers.Set(&t.timer, at)
}

// insert reports the insertion of the prompt to the client. Further calls do nothing.
func (t *turn) insert() {
	if t.isInserted() {
		return
	}
	s, p := t.session, t.prompt
	p.messageID = s.bridge.options.NewID()
	s.bridge.timers.Stop(&t.timer)
	s.confirm()
	s.userIDs.add(s.share, p.messageID, t.content)
	w := s.beginUpdate("user_message")
	w.Texts("messageId", p.messageID)
	w.Name("content")
	w.Raw(t.content)
	s.link.SendUpdate()

	p.answer(t.call.ID)
	p.answerRepeats(p.answer)
	if p.key != "" {
		s.prompts.Keep(s.share, p.key, p, nil).SetSize(len(p.messageID)) // from now on the budget may evict the key
	}
	s.tellState(running)
}

// answer answers a request for the inserted prompt: the first one, or one that repeats it.
func (p *prompt) answer(id []byte) {
	w := p.session.link.AnswerWith(id)
	w.Object()
	w.Texts("messageId", p.messageID)
	w.EndObject()
	p.session.link.SendObject(translate.Client)
}

// onResponse processes the agent's response to the prompt.
func (t *turn) onResponse(c *calls.Call, m *jsonrpc.Message) {
	result, failure, isError := calls.ResultOf(m), calls.ErrorOf(m), m.Failed()
	switch {
	case t.withdrawn && !t.isInserted() && (isError || stopReasonOf(result) == "cancelled"):
		t.endWithoutResult("", calls.ErrCancelled.Raw())
	case !isError:
		t.insert()
		t.endOrLinger(result)
	case !t.isInserted():
		t.endWithoutResult("", errorOf(m, t.session.id))
	case t.isCancelled() || jsonrpc.ErrorCode(failure) == jsonrpc.RequestCancelled:
		t.endWithoutResult("cancelled", nil)
	default:
		t.endWithoutResult("error", failure)
	}
}

// endOrLinger ends a turn that the agent has answered. The turn lingers if its last update was not
// part of an agent message, if the turn was cancelled, or if a prompt is queued.
func (t *turn) endOrLinger(result []byte) {
	mayContinue := !t.afterMessage || t.isCancelled() || slices.ContainsFunc(t.session.bridge.queue, isPromptOf(t.session))
	t.answer = result
	if !mayContinue || len(result) > maxAnswer {
		t.endLingering()
		return
	}
	t.answer = bytes.Clone(result)
	t.lateUntil = t.session.link.After(maxLate)
	t.linger()
}

// endLingering ends the turn if it lingers. t may be nil.
func (t *turn) endLingering() {
	if t != nil && t.answer != nil {
		t.end(stopReasonOf(t.answer), nil)
	}
}

// stopReasonOf returns the stopReason of a prompt's result, or "".
func stopReasonOf(result []byte) string { return rawjson.StringAt(result, "stopReason") }

// endWithoutResult ends the turn with a stop reason; failure is the raw error for "error". If the
// prompt is not inserted, it refuses the prompt with failure. A lingering turn ends with its result.
func (t *turn) endWithoutResult(stopReason string, failure []byte) {
	t.session.link.Pending[translate.Agent].Take(t.call.FarID)
	switch {
	case t.answer != nil:
		t.endLingering()
	case t.isInserted():
		t.end(stopReason, failure)
	default:
		t.session.bridge.refuseWithRepeats(t.call.ID, t.prompt, failure)
		t.detach()
	}
}

// end reports the end of the turn to the client, and detaches it.
func (t *turn) end(stopReason string, failure []byte) {
	s := t.session
	switch {
	case stopReason == "cancelled":
		s.dropQuestions(nil)
		s.cancelToolCalls()
	case t.isCancelled() && s.state == requiresAction:
		s.tellState(running) // the turn has continued without answers
	default:
		s.dropQuestions(t)
	}
	s.tellEnd(stopReason, failure, t.answer)
	t.detach()
}

// detach removes the turn from its session, and finishes a closing that waits for that.
func (t *turn) detach() {
	s := t.session
	s.turn = nil
	s.bridge.timers.Stop(&t.timer)
	s.bridge.mayBeReady = true
	s.share.Release(len(t.content))
	t.content, t.unechoed = nil, nil
	if c := s.closing; c != nil && c.id != nil {
		c.finish() // the agent has no session/close
	}
}

// cancelPrompts forwards session/cancel, refuses the queued prompts, and dismisses the questions.
func (b *Bridge) cancelPrompts(m *jsonrpc.Message) {
	b.link.Forward()
	s := b.sessions.Find(m.Session)
	if s == nil {
		return
	}
	b.refuseEachQueued(isPromptOf(s), calls.ErrCancelled.Raw())
	s.turn.endLingering()
	if s.turn != nil {
		s.turn.cancelled = true
	}
	s.dropQuestions(nil)
}

// withdraw handles $/cancel_request for the prompt. It sends session/cancel instead, because not all
// agents of version 1 support $/cancel_request.
func (t *turn) withdraw() {
	if t.isInserted() || t.withdrawn {
		return
	}
	t.withdrawn, t.cancelled = true, true
	t.session.bridge.timers.Stop(&t.timer) // the agent may still refuse the prompt
	t.session.link.CancelSession(t.session.id)
}
