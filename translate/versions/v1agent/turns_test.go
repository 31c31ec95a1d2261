package v1agent

import (
	"testing"
	"time"

	"acp-plan-proxy/translate/versions/link"
)

// What becomes of a turn depends on the order of events: whether the prompt was
// inserted, cancelled or withdrawn before the agent answered it.
func TestOutcome(t *testing.T) {
	const internal = link.InternalError
	closing := &session{closing: &closing{}}
	for _, c := range []struct {
		name    string
		turn    turn
		result  string
		isError bool
		code    int
		want    outcome
	}{
		{"a result", turn{}, `{"stopReason":"end_turn"}`, false, 0, turnAnswered},
		{"a result after the first sign of life", turn{inserted: true}, `{}`, false, 0, turnAnswered},
		{"cancelled, a result", turn{cancelled: true}, `{"stopReason":"cancelled"}`, false, 0, turnAnswered},
		{"withdrawn, a result all the same", turn{withdrawn: true, cancelled: true}, `{"stopReason":"end_turn"}`, false, 0, turnAnswered},
		{"withdrawn, a result that says so", turn{withdrawn: true, cancelled: true}, `{"stopReason":"cancelled"}`, false, 0, turnWithdrawn},
		{"withdrawn too late", turn{inserted: true, withdrawn: true, cancelled: true}, `{"stopReason":"cancelled"}`, false, 0, turnAnswered},
		{"an error", turn{}, ``, true, internal, turnRefused},
		{"cancelled, an error", turn{cancelled: true}, ``, true, link.RequestCancelled, turnRefused},
		{"withdrawn, an error", turn{withdrawn: true, cancelled: true}, ``, true, internal, turnWithdrawn},
		{"an error after the first sign of life", turn{inserted: true}, ``, true, internal, turnBroken},
		{"an error that says that it was cancelled", turn{inserted: true}, ``, true, link.RequestCancelled, turnCancelled},
		{"cancelled, any error after the first sign of life", turn{inserted: true, cancelled: true}, ``, true, internal, turnCancelled},
		{"the same while the session is closed", turn{inserted: true, session: closing}, ``, true, internal, turnCancelled},
	} {
		if c.turn.session == nil {
			c.turn.session = &session{}
		}
		if got := c.turn.outcome([]byte(c.result), c.isError, c.code); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// A turn lingers where its answer may not be the last that is said.
func TestMayGoOn(t *testing.T) {
	for _, c := range []struct {
		name string
		turn turn
		want bool
	}{
		{"a message was the last", turn{concluded: true, session: &session{}}, false},
		{"a tool call was the last", turn{session: &session{}}, true},
		{"it was cancelled", turn{concluded: true, cancelled: true, session: &session{}}, true},
		{"its session is being closed", turn{concluded: true, session: &session{closing: &closing{}}}, true},
	} {
		if got := c.turn.mayGoOn(false); got != c.want || !c.turn.mayGoOn(true) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A turn that lingers ends when the agent has been silent for a while, and at the
// latest when maxLate has passed.
func TestLingering(t *testing.T) {
	answered := time.Unix(0, 0)
	l := turn{lateUntil: answered.Add(maxLate)}
	for _, c := range []struct{ said, ends time.Duration }{
		{0, lateDelay}, {lateDelay / 2, lateDelay * 3 / 2}, {maxLate - lateDelay, maxLate}, {maxLate - 1, maxLate}, {maxLate, maxLate},
	} {
		l.waitsFrom(answered.Add(c.said))
		if got := l.at.Sub(answered); got != c.ends {
			t.Errorf("something was said after %v: it ends after %v, want %v", c.said, got, c.ends)
		}
	}
}
