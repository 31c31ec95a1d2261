package v1agent

import (
	"testing"
	"time"
)

// A turn that lingers ends when the agent has been silent for a while, and at the
// latest when maxLate has passed.
func TestLingering(t *testing.T) {
	answered := time.Unix(0, 0)
	l := turn{lateUntil: answered.Add(maxLate)}
	for _, c := range []struct{ said, ends time.Duration }{
		{0, lateDelay}, {lateDelay / 2, lateDelay * 3 / 2}, {maxLate - lateDelay, maxLate}, {maxLate - 1, maxLate}, {maxLate, maxLate},
	} {
		if got := l.lingersUntil(answered.Add(c.said)).Sub(answered); got != c.ends {
			t.Errorf("something was said after %v: it ends after %v, want %v", c.said, got, c.ends)
		}
	}
}
