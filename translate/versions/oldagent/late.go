package oldagent

import (
	"bytes"
	"time"
)

// Some agents answer a prompt before they have said all about it. What comes
// then still belongs to the message before, and the client adds it there. But if
// the next prompt went out with the answer, it would be the first sign of life of
// the next turn, and the user would see it below that prompt. So where a prompt
// waits, a turn ends LateDelay after its answer. Any other ends at once.

// LateDelay is how long after an answer the agent may still speak of its turn
// while a prompt waits. On a busy machine chunks were seen to come up to 100 ms
// late, most within 35 ms.
const LateDelay = 100 * time.Millisecond

// answerTurn ends a turn that the agent has answered, now or a moment later.
func (b *Bridge) answerTurn(t *turn, result []byte) {
	if len(t.session.held) == 0 {
		b.endTurn(t, stoppedBy(result), nil, result)
		return
	}
	t.answer = bytes.Clone(result)
	t.endAt = b.now.Add(LateDelay)
	b.lingering = append(b.lingering, t)
}

// settle ends the turn of a session at once if the agent has answered it.
func (b *Bridge) settle(s *session) {
	if t := s.turn; t != nil && t.answer != nil {
		b.endTurn(t, stoppedBy(t.answer), nil, t.answer)
	}
}
