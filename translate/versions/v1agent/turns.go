package v1agent

import (
	"time"

	"acp-plan-proxy/translate/versions/link"
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
// missing or would go wrong, see [turn.mayGoOn]. Such a turn lingers. These are the
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
	call      *link.Call // the prompt
	key       *promptKey // of it; nil if it has none
	prompt    []byte     // its content, raw
	echo      echo       // what the agent has repeated of it
	messageID string
	at        time.Time // when the prompt counts as inserted, or the turn ends that lingers; zero if neither
	answer    []byte    // the agent's result, if the turn lingers
	lateUntil time.Time // when it ends at the latest

	inserted  bool // the client knows that the prompt was inserted
	cancelled bool // by session/cancel
	withdrawn bool // by $/cancel_request, before it was inserted
	concluded bool // the last message or tool call was a message of the agent, as turns end
}

// isCancelled reports whether the turn was cancelled. A request to close or delete
// the session cancels it too, unless it fails.
func (t *turn) isCancelled() bool { return t.cancelled || t.session.closing != nil }

// mayGoOn reports whether to wait for what the agent says after its answer. That is so
// if the last message or tool call was not a message of the agent, if the turn was
// cancelled, or if a prompt waits.
func (t *turn) mayGoOn(waited bool) bool {
	return !t.concluded || t.isCancelled() || waited
}

// waitsFrom lets a turn linger from now on.
func (t *turn) waitsFrom(now time.Time) {
	if t.at = now.Add(lateDelay); t.at.After(t.lateUntil) {
		t.at = t.lateUntil
	}
}

// forgetPrompt forgets the content of a prompt. If the agent repeats it, that is
// not recognized.
func (t *turn) forgetPrompt() {
	t.session.kept.Free(len(t.prompt))
	t.prompt, t.echo.rest = nil, nil
}

// A turnEnd is how a turn has ended.
type turnEnd struct {
	stopReason string // "" if the agent gives none
	failure    []byte // the raw error of an "error"
	result     []byte // of the prompt; may be nil
}

// endedBy returns the end of a turn whose prompt was answered with that result.
func endedBy(result []byte) turnEnd { return turnEnd{stopReason: stoppedBy(result), result: result} }

// stoppedBy returns the stopReason of a prompt's result.
func stoppedBy(result []byte) string {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], result)
	reason, _ := o.Text("stopReason")
	return string(reason)
}

// An outcome is what becomes of a turn whose prompt the agent has answered.
type outcome int

const (
	turnRefused   outcome = iota // there was none: the client gets the agent's error
	turnWithdrawn                // there was none: the client gets what it wanted
	turnBroken                   // it ends with the agent's error
	turnCancelled                // it ends, as it was cancelled
	turnAnswered                 // it ends with the agent's result, or goes on for a moment
)

// outcome returns what becomes of the turn. The agent has answered with a result, or
// with an error of that code.
func (t *turn) outcome(result []byte, isError bool, code int) outcome {
	switch {
	case !t.inserted && t.withdrawn && (isError || stoppedBy(result) == "cancelled"):
		return turnWithdrawn
	case !isError:
		return turnAnswered
	case !t.inserted:
		return turnRefused
	case t.isCancelled() || code == link.RequestCancelled:
		return turnCancelled
	}
	return turnBroken
}
