package oldagent

import (
	"bytes"
	"slices"
	"time"
)

// Some agents answer a prompt before they have said all about it. What comes then
// still belongs to the turn: a user who was told that the turn is over would
// see it go on, and version 2 forbids that for a cancelled turn. If the next
// prompt went out with the answer, late messages would even count as the first
// sign of life of the next turn, and the user would see them below that prompt.
//
// Most agents have said everything, so the bridge waits only where something is
// missing or would go wrong. Such a turn lingers: it ends when the agent has said
// nothing of the conversation for LateDelay, or MaxLate after the answer. Any other
// turn ends with its answer.

const (
	// LateDelay is how long an agent that has answered a prompt may be silent
	// before its turn is over. On a busy machine chunks were seen to come up to
	// 100 ms after an answer, most within 35 ms.
	LateDelay = 100 * time.Millisecond
	// MaxLate is how long after an answer its turn is over in any case.
	MaxLate = time.Second

	// Beyond these limits a turn ends with its answer: how many turns linger,
	// and how many bytes an answer that is kept has.
	maxLingering = 256
	maxAnswer    = 64 << 10
)

// answerTurn ends a turn that the agent has answered, now or a moment later.
func (b *Bridge) answerTurn(t *turn, result []byte) {
	if !t.mayGoOn() || len(b.lingering) >= maxLingering || len(result) > maxAnswer {
		b.endTurn(t, stoppedBy(result), nil, result)
		return
	}
	t.answer = bytes.Clone(result)
	t.lateUntil = b.now.Add(MaxLate)
	b.waitForMore(t)
	b.lingering = append(b.lingering, t)
}

// mayGoOn reports whether to wait for what the agent says after its answer. It
// does so if the last message or tool call was not a message of the agent, if
// the turn was cancelled, or if a prompt waits.
func (t *turn) mayGoOn() bool {
	return !t.concluded || t.isCancelled() || len(t.session.held) > 0
}

// waitForMore lets a turn linger from now on.
func (b *Bridge) waitForMore(t *turn) {
	if t.endAt = b.now.Add(LateDelay); t.endAt.After(t.lateUntil) {
		t.endAt = t.lateUntil
	}
}

// settle ends the turn of a session at once if the agent has answered it.
func (b *Bridge) settle(s *session) {
	if t := s.turn; t != nil && t.answer != nil {
		b.endTurn(t, stoppedBy(t.answer), nil, t.answer)
	}
}

// firstToEnd returns the turn that lingers and ends first, nil if none lingers.
func (b *Bridge) firstToEnd() *turn {
	b.lingering = slices.DeleteFunc(b.lingering, func(t *turn) bool { return t.ended })
	if len(b.lingering) == 0 {
		return nil
	}
	return slices.MinFunc(b.lingering, func(x, y *turn) int { return x.endAt.Compare(y.endAt) })
}
