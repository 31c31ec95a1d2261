package calls

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Timers fire by time, and by the order of Set for equal times. A stopped timer does not fire.
func TestTimers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	start := time.Unix(0, 0)
	var timers Timers
	var fired []int
	all := make([]Timer, 500)
	at := make(map[int]time.Time)
	set := make(map[int]int)
	for step := range 5 * len(all) {
		i := random.IntN(len(all))
		all[i].Fire = func() { fired = append(fired, i) }
		if random.IntN(4) == 0 {
			timers.Stop(&all[i])
			delete(at, i)
		} else {
			at[i], set[i] = start.Add(time.Duration(random.IntN(50))), step
			timers.Set(&all[i], at[i])
		}
		if _, ok := at[i]; ok != all[i].IsSet() {
			t.Fatalf("timer %d is set: %t", i, !ok)
		}
	}
	var want []int
	for i := range at {
		want = append(want, i)
	}
	slices.SortFunc(want, func(i, j int) int {
		if c := at[i].Compare(at[j]); c != 0 {
			return c
		}
		return set[i] - set[j]
	})
	for now := start; !timers.Next().IsZero(); now = now.Add(10) {
		if timers.Next().Before(now.Add(-10)) {
			t.Fatalf("the next fires at %v", timers.Next())
		}
		thens := len(fired)
		timers.Fire(now, func() { thens++ })
		if thens != len(fired) {
			t.Fatalf("%d calls after %d timers", thens, len(fired))
		}
	}
	if !slices.Equal(fired, want) {
		t.Errorf("fired %v, want %v", fired, want)
	}
}
