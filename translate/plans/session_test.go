package plans

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/keep"
)

func TestResetAndClose(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "a session that is loaded begins without plans, also if the load fails",
		talk: `
			> items p: A
			< plan A
			other> items q: O
			< plan O
			load
			> items q: B
			< plan B
			> removed p
			fails
			> items q: C
			< plan C
			other> removed q
			< plan`,
	}, {
		name: "a session that is closed is freed",
		talk: `
			> items p: A
			< plan A
			close
			> removed p
			> plan A
			< =`,
	}, {
		name: "after a second initialize, no plan is live",
		talk: `
			> items p: A
			< plan A
			negotiate
			> items q: A
			< plan A
			> removed p`,
	}})
}

// TestForget verifies that other stages forget a session that is loaded or closed.
func TestForget(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	p.load("s")(true)
	p.close("s")
	p.asks("session/close", "s")(true)
	if p.forgetCount != 2 {
		t.Errorf("%d sessions are forgotten", p.forgetCount)
	}
}

func mustSend(t *testing.T, p *peer, session, update string) outcome {
	t.Helper()
	got, err := p.send(session, update)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// manySessions is the greatest number of sessions with a plan that are kept.
const manySessions = keep.PerConnection / (planCost + keep.SessionCost + 256)

// TestMaxSessions verifies that the oldest session is evicted, and that the removal of an evicted
// plan still clears the screen of each client.
func TestMaxSessions(t *testing.T) {
	for _, c := range []struct {
		name       string
		client     capabilities.Client
		gone, left string // updates for the removal of an evicted plan, and of a live one
	}{
		{"legacy", legacyClient, legacyPlan(), legacyPlan()},
		{"ops", newClient, removed("p"), removed("p")},
		{"items", client("items", capabilities.PlanIDNew, 1), items("p"), items("p")},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(defaults(), c.client)
			for i := range manySessions {
				if got := mustSend(t, p, fmt.Sprint(i), items("p", todo("A"))); got.Warnings != nil {
					t.Fatal(i, got)
				}
			}
			mustSend(t, p, "0", items("p", todo("A"), todo("B"))) // so that 1 is the oldest
			var got outcome
			for i := 0; got.Warnings == nil; i++ {
				got = mustSend(t, p, fmt.Sprint("more ", i), items("p", todo("A")))
			}
			if !slices.Equal(got.Warnings, []string{"memory limit: plans were evicted"}) {
				t.Error(got.Warnings)
			}
			sessions := &p.live.sessions
			if !sessions.Has("0") || sessions.Has("1") || !sessions.Has("2") {
				t.Error("session 1 is not the one that is forgotten")
			}
			for session, want := range map[string]string{"0": c.left, "1": c.gone} {
				got := mustSend(t, p, session, removed("p"))
				if got.Action == Forward {
					got.Updates = []string{removed("p")}
				}
				if !slices.Equal(got.Updates, []string{want}) {
					t.Errorf("session %s: %q", session, got)
				}
			}
		})
	}
}

// TestMaxPlans verifies that the oldest plans of a session are evicted, because of their number or
// by their texts, and count again when they are sent again.
func TestMaxPlans(t *testing.T) {
	for _, size := range []int{1, keep.PerSession / 4} {
		p := newPeer(defaults(), legacyClient)
		entry := todo(strings.Repeat("x", size))
		var got outcome
		most := 0
		for ; got.Warnings == nil; most++ {
			got = mustSend(t, p, "s", items(fmt.Sprint("p", most), entry))
		}
		if least := keep.PerSession/(planCost+size+256) - 1; most < least || most > least+3 {
			t.Errorf("%d plans of %d bytes are too many", most, size)
		}
		for range 2 {
			got = mustSend(t, p, "s", items("p0", entry))
		}
		for id, want := range map[string]bool{"p0": true, "p1": false, "p2": true} {
			if strings.Contains(got.Updates[0], "["+id+"]") != want {
				t.Errorf("plan %s of %d bytes is there: %t", id, size, !want)
			}
		}
	}
}

// TestMaxPlan verifies that a plan beyond the limit of its session reaches the client, but is not
// kept.
func TestMaxPlan(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", items("small", todo("A")))
	got := mustSend(t, p, "s", items("large", todo(strings.Repeat("x", keep.PerSession))))
	if len(got.Updates) != 1 || len(got.Updates[0]) < keep.PerSession || len(got.Warnings) != 1 {
		t.Errorf("the plan is sent in %d updates with the warnings %q", len(got.Updates), got.Warnings)
	}
	if used := p.live.budget.Used(); used > keep.PerSession {
		t.Errorf("%d bytes are kept", used)
	}
	got = mustSend(t, p, "s", items("next", todo("B")))
	if len(got.Updates) != 1 || strings.Contains(got.Updates[0], "xx") || !strings.Contains(got.Updates[0], `"B"`) {
		t.Errorf("the next plan: %q", got)
	}
}

func TestMaxEntries(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	many := slices.Repeat([]string{todo("A")}, maxEntries)
	if got := mustSend(t, p, "s", items("p", many...)); got.Action != Rewrite || got.Warnings != nil {
		t.Errorf("%d entries: %s, %q", maxEntries, got.Action, got.Warnings)
	}
	for _, update := range []string{items("p", append(many, todo("B"))...), legacyPlan(append(many, todo("B"))...)} {
		if got := mustSend(t, p, "s", update); got.Action != Forward || len(got.Warnings) != 1 {
			t.Errorf("one more entry: %s, %q", got.Action, got.Warnings)
		}
	}
}

// TestFreed tests the requests that free the memory of a session.
func TestFreed(t *testing.T) {
	for name, free := range map[string]func(*peer){
		"close":            func(p *peer) { p.close("s") },
		"replay":           func(p *peer) { p.load("s")(false); p.close("s") },
		"replay not ended": func(p *peer) { p.load("s"); p.close("s") },
		"replays":          func(p *peer) { p.load("s"); p.load("s"); p.close("s") },
		"failed replay":    func(p *peer) { p.load("s")(true); p.close("s") },
	} {
		p := newPeer(defaults(), legacyClient)
		const pendingLoads = 2 * (keep.EntryCost + 2) // in the budget until their responses
		before := p.live.budget.Used()
		mustSend(t, p, "s", items("p", todo(strings.Repeat("x", keep.PerSession/4))))
		free(p)
		if used := p.live.budget.Used(); used > before+pendingLoads || p.live.sessions.Len() != 0 {
			t.Errorf("%s: %d bytes and %d sessions are kept", name, used-before, p.live.sessions.Len())
		}
	}
}

// TestMemoryOfShrunkPlan verifies that a plan that has become small releases its memory.
func TestMemoryOfShrunkPlan(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", items("p", todo(strings.Repeat("x", 1<<20))))
	mustSend(t, p, "s", items("p", todo("A")))
	if n := cap(p.live.sessions.Get("s").plans[0].entries.text); n > 1<<16 {
		t.Error(n, "bytes are held for one entry")
	}
}
