package v1agent

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 a turn is an open request: the agent answers the prompt when the
// turn is over. In version 2 the agent answers as soon as it has inserted the prompt
// into the conversation, and updates of the state say how the turn goes. A session has
// at most one turn:
//
//	              prompt                     any message of the session,
//	  ┌──────┐  (sent on)   ┌───────────┐    or ackDelay    ┌─────────┐
//	  │ idle │ ───────────> │   sent    │ ────────────────> │ running │ <──┐
//	  └──────┘              └───────────┘  user_message,    └─────────┘    │ the last
//	     ^                     │     │     result, running    │     │      │ question is
//	     │   the agent's error │     │                        │     v      │ answered
//	     │   (passed on)       │     │ the agent's result:    │  ┌─────────────────┐
//	     │<────────────────────┘     │ user_message, result,  │  │ requires_action │
//	     │                           │ running, idle          │  └─────────────────┘
//	     │<──────────────────────────┘                        │     │
//	     │<───────────────────────────────────────────────────┴─────┘
//	        the agent's answer, its end, or a close: idle with a stopReason
//
// A prompt that comes during a turn is held, and sent on when the turn is over.
// session/cancel and a cancelled request withdraw the prompts that are held. They
// do not end the turn; the agent's answer does, and then it was cancelled.
//
// Some agents answer a prompt before they have said all about it. What comes then
// still belongs to the turn: a user who was told that the turn is over would
// see it go on, and version 2 forbids that for a cancelled turn. If the next
// prompt went out with the answer, late messages would even count as the first
// sign of life of the next turn, and the user would see them below that prompt.
//
//	agent:   chunk 1   result          chunk 2    chunk 3
//	client:  chunk 1                   chunk 2    chunk 3           idle, the next prompt
//	                   └─ lateDelay ─┘
//	                                   └──────────┘└─ lateDelay ─┘  at most maxLate in all
//
// Most agents have said everything, so the bridge waits only where something is
// missing or would go wrong, see [Bridge.endOrLinger]. Such a turn lingers. These are the
// other orders that the bridge has to get right:
//
//	prompt, cancel, result          cancelled: the prompt was inserted after all
//	prompt, $/cancel, error         the client gets the error, and there was no turn
//	prompt, $/cancel, chunk, error  a turn that was cancelled
//	prompt, close, no answer        the turn is abandoned after closeDelay
//	prompt, its echo, result        the echo inserts it, under the agent's id
//	prompt, the agent ends          an error before the first sign of life, else a turn that failed

const (
	// ackDelay is how long an agent that stays silent has to refuse a prompt.
	// Then it has inserted it.
	ackDelay = 150 * time.Millisecond
	// lateDelay is how long an agent that has answered a prompt may be silent
	// before its turn is over. On a busy machine chunks were seen to come up to
	// 100 ms after an answer, most within 35 ms.
	lateDelay = 100 * time.Millisecond
	// maxLate is how long after an answer its turn is over in any case.
	maxLate = time.Second

	// maxAnswer is how many bytes an answer has that is kept. With a longer one a turn
	// ends.
	maxAnswer = 64 << 10
)

// A turn is what an agent does for a prompt.
type turn struct {
	session   *session
	call      *calls.Call // the prompt
	key       *promptKey  // of it
	prompt    []byte      // its content, raw
	echo      echo        // what the agent has repeated of it
	messageID string      // that it gets
	timer     calls.Timer // when it fires, the prompt counts as inserted, or the turn ends that lingers
	answer    []byte      // the agent's result, if the turn lingers
	lateUntil time.Time   // when it ends at the latest

	cancelled bool // by session/cancel
	withdrawn bool // by $/cancel_request, before it was inserted
	concluded bool // the last message or tool call was a message of the agent, as turns end
}

// isInserted reports whether the client knows that the prompt was inserted.
func (t *turn) isInserted() bool { return t.key.messageID != "" }

// isCancelled reports whether the turn was cancelled. A request to close or delete
// the session cancels it too, unless it fails.
func (t *turn) isCancelled() bool { return t.cancelled || t.session.closing != nil }

// lingersUntil returns when a turn ends in which nothing is said from now on.
func (t *turn) lingersUntil(now time.Time) time.Time {
	if at := now.Add(lateDelay); at.Before(t.lateUntil) {
		return at
	}
	return t.lateUntil
}

// insert tells the client that a prompt was inserted, if it was not told before.
func (t *turn) insert() {
	if t.isInserted() {
		return
	}
	s, k := t.session, t.key
	k.messageID = t.messageID
	s.bridge.timers.Stop(&t.timer)
	s.bridge.sessions.confirm(s)
	s.given.add(s.kept, k.messageID, t.prompt)
	w := s.beginUpdate("user_message")
	w.Texts("messageId", k.messageID)
	w.Name("content")
	w.Raw(t.prompt)
	s.link.SendUpdate()

	k.answer(t.call.ID)
	for r := range s.bridge.held.of(k) {
		k.answer(r.id)
	}
	if k.key != "" {
		s.keys.Keep(s.kept, k.key, k, nil).Count(len(k.messageID)) // from now on it may go
	}
	s.tellState(running)
}

// answerPrompt answers a prompt that was inserted.
func (k *promptKey) answer(id []byte) {
	w := k.session.link.AnswerWith(id)
	w.Object()
	w.Texts("messageId", k.messageID)
	w.EndObject()
	k.session.link.SendObject(translate.Client)
}

// refusePrompt refuses a request that the agent did not take, with a raw error. If that is a prompt,
// those that repeat it are refused too, and its key can be used again.
func (h *heldRequests) refuse(id []byte, k *promptKey, e []byte) {
	h.link.RefuseAs(translate.Client, id, e, noAnswer)
	if k == nil {
		return
	}
	k.session.keys.Delete(k.key)
	for r := range h.of(k) {
		h.link.RefuseAs(translate.Client, r.id, e, noAnswer)
	}
}

// refuseHeld refuses the prompts that wait for their turn.
func (h *heldRequests) refuseBehind(s *session, e []byte) {
	for r := range h.of(s) {
		h.refuse(r.id, r.key, e)
	}
}

// promptAnswered handles the agent's answer to a prompt.
func (t *turn) answered(c *calls.Call, m *jsonrpc.Message) {
	result, e, isError := calls.ResultOf(m), calls.ErrorOf(m), failed(m)
	t.breakOffEcho()
	switch {
	case t.withdrawn && !t.isInserted() && (isError || stoppedBy(result) == "cancelled"):
		t.breakOff("", errCancelled.Raw())
	case !isError:
		t.session.live = true
		t.insert()
		t.endOrLinger(result)
	case !t.isInserted():
		t.breakOff("", errorOf(m, t.session.id))
	case t.isCancelled() || jsonrpc.ErrorCode(e) == jsonrpc.RequestCancelled:
		t.breakOff("cancelled", nil)
	default:
		t.breakOff("error", e)
	}
}

// endOrLinger ends a turn that the agent has answered. It does so a moment later if the last
// message or tool call was not a message of the agent, if the turn was cancelled, or if a
// prompt waits.
func (t *turn) endOrLinger(result []byte) {
	mayGoOn := !t.concluded || t.isCancelled() || t.session.bridge.held.has(t.session)
	if t.answer = bytes.Clone(result); !mayGoOn || len(result) > maxAnswer {
		t.session.turn.endLingering()
		return
	}
	t.lateUntil = t.session.link.After(maxLate)
	t.session.bridge.timers.Set(&t.timer, t.lingersUntil(t.session.link.Now()))
}

// endLingering ends the turn of a session at once if the agent has answered it.
func (t *turn) endLingering() {
	if t != nil && t.answer != nil {
		t.end(stoppedBy(t.answer), nil)
	}
}

// stoppedBy returns the stopReason of a prompt's result, "" if the agent gives none.
func stoppedBy(result []byte) string {
	reason, _ := rawjson.TextOf(rawjson.Get(result, "stopReason"))
	return string(reason)
}

// breakOff ends a turn without a result: with a stopReason and the raw error of an "error",
// or by refusing the prompt if it was not inserted. A turn that lingers ends as it was
// answered.
func (t *turn) breakOff(stopReason string, e []byte) {
	t.session.link.Forget(translate.Agent, t.call)
	t.breakOffEcho()
	switch {
	case t.answer != nil:
		t.endLingering()
	case t.isInserted():
		t.end(stopReason, e)
	default:
		t.session.bridge.held.refuse(t.call.ID, t.key, e)
		t.over()
	}
}

// end tells the client that a turn is over.
func (t *turn) end(stopReason string, failure []byte) {
	s := t.session
	t.breakOffEcho()
	switch {
	case stopReason == "cancelled":
		s.dropQuestions(nil)
		s.cancelToolCalls()
	case t.isCancelled() && s.state == requiresAction:
		s.tellState(running) // it went on after the questions were dropped
	default:
		s.dropQuestions(t)
	}
	s.tellEnd(stopReason, failure, t.answer)
	t.over()
}

// over forgets a turn.
func (t *turn) over() {
	s := t.session
	s.turn = nil
	s.bridge.timers.Stop(&t.timer)
	s.bridge.held.ready = append(s.bridge.held.ready, s)
	if s.closing != nil {
		s.bridge.closings.idle = append(s.bridge.closings.idle, s.closing)
	}
	s.kept.Free(len(t.prompt))
	t.prompt, t.echo.rest = nil, nil
	if s.reopened && !t.isInserted() && !s.bridge.held.has(s) && s.replay == nil {
		s.bridge.sessions.end(s) // the agent does not have it
	}
}

// cancelPrompts handles session/cancel.
func (b *Bridge) cancelPrompts(m *jsonrpc.Message) {
	b.link.Forward()
	s := b.sessions.find(m.Session)
	if s == nil {
		return
	}
	b.held.refuseBehind(s, errCancelled.Raw())
	s.turn.endLingering()
	if s.turn != nil {
		s.turn.cancelled = true
	}
	s.dropQuestions(nil)
}

// withdraw has the agent cancel a prompt whose request the client has cancelled. Agents
// of version 1 need not know $/cancel_request; all know session/cancel.
func (t *turn) withdraw() {
	if t.isInserted() || t.withdrawn {
		return
	}
	t.withdrawn, t.cancelled = true, true
	t.session.bridge.timers.Stop(&t.timer) // the agent may still refuse it
	t.session.link.TellCancel(t.session.id)
}
