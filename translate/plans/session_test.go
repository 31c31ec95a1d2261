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
		name: "a session that was closed does not come back when its replay fails",
		talk: `
			> items a: A
			< plan A
			load
			close
			fails
			> items d: D
			< plan D`,
	}, {
		name: "nor does a plan that was removed since",
		talk: `
			> items a: A
			< plan A
			> items b: B
			< plan [a] A | [b] B
			load
			> removed a
			fails
			> items b: B
			< plan B`,
	}, {
		name: "a session that is loaded begins without plans",
		talk: `
			> items p: A
			< plan A
			other> items q: O
			< plan O
			load
			> items q: B
			< plan B
			> removed p
			other> removed q
			< plan`,
	}, {
		name: "an error in the response puts the plans back",
		talk: `
			> items p: A
			< plan A
			load
			fails
			> plan B
			< plan [p] A | B`,
	}, {
		name: "with what has been updated since, each in its place",
		talk: `
			> items p: A
			< plan A
			> items q: B
			< plan [p] A | [q] B
			load
			> items r: C
			< plan C
			> items p: D
			< plan [r] C | [p] D
			fails
			> plan E
			< plan [p] D | [q] B | [r] C | E`,
	}, {
		name: "a plan that has become one with another since is not there twice",
		talk: `
			> items p: A
			< plan A
			> plan B
			< plan [p] A | B
			load
			> plan C
			< =
			> items p: C
			< plan C
			fails
			> plan D
			< =`,
	}, {
		name:   "nor are two plans shown under one id",
		client: newClient,
		talk: `
			> items main: A
			< =
			load
			> plan B
			< items main: B
			fails
			> items main: A
			< items main-2: A`,
	}, {
		name: "a legacy plan is put back although the agent came to use its id",
		talk: `
			> plan A
			< =
			load
			> items main: B
			< plan B
			fails
			> items main: C
			< plan A | C`,
	}, {
		name:   "and gets another id",
		client: newClient,
		talk: `
			> plan A
			< items main: A
			load
			> items main: B
			< =
			fails
			> plan C
			< items main-2: C
			> removed main
			< =
			> removed main
			< removed main-2`,
	}, {
		name:   "a plan put back under another id does not hand that id to the legacy plan",
		client: newClient,
		talk: `
			> plan A
			< items main: A
			> items p: A
			< items main: A
			load
			> items main: B
			< =
			fails
			> plan C
			< items p: C
			> items p: D
			< items p: D
			< items main-2: C`,
	}, {
		name: "of a plan that was sent both ways, each name is put back that was not sent since",
		talk: `
			> items p: A
			< plan A
			> plan A
			< =
			load
			> plan B
			< =
			fails
			> items q: C
			< plan [p] A | B | [q] C
			> removed p
			< plan B | [q] C`,
	}, {
		name: "a legacy plan that was removed by the synthetic id is not put back",
		talk: `
			> plan A
			< =
			load
			> removed main
			fails
			> items p: B
			< plan B`,
	}, {
		name: "nothing to put back",
		talk: `
			load
			> items p: A
			< plan A
			fails
			> removed p
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
		name: "another client knows of nothing",
		talk: `
			> items p: A
			< plan A
			negotiate
			> plan A
			< =
			> removed p`,
	}})
}

func mustSend(t *testing.T, p *peer, session, update string) outcome {
	t.Helper()
	got, err := p.send(session, update)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// manySessions is how many sessions with a plan are kept, and no more.
const manySessions = keep.PerConnection / (planCost + keep.SessionCost + 256)

// TestMaxSessions pins that the oldest session is forgotten, and that what the agent removes
// leaves the screen of each client anyway.
func TestMaxSessions(t *testing.T) {
	for _, c := range []struct {
		name       string
		client     capabilities.Client
		gone, left string // of plans that are forgotten, and kept
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
			if !slices.Equal(got.Warnings, []string{"too much is kept of plans: the oldest were forgotten"}) {
				t.Error(got.Warnings)
			}
			sessions := p.live.sessions
			if sessions["0"] == nil || sessions["1"] != nil || sessions["2"] == nil {
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

// TestMaxPlans pins that the oldest plans of a session are forgotten, by their number or
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

// TestFreed pins what gives back what was kept.
func TestFreed(t *testing.T) {
	for name, free := range map[string]func(*peer){
		"close":            func(p *peer) { p.close("s") },
		"replay":           func(p *peer) { p.load("s")(false); p.close("s") },
		"replay not ended": func(p *peer) { p.load("s"); p.close("s") },
		"replays":          func(p *peer) { p.load("s"); p.load("s"); p.close("s") },
		"failed replay":    func(p *peer) { p.load("s")(true); p.close("s") },
	} {
		p := newPeer(defaults(), legacyClient)
		for i := 0; p.live.sessions["other"] == nil; i++ {
			mustSend(t, p, "s", items("p", todo(strings.Repeat("x", keep.PerSession/4))))
			free(p)
			if i == 2*keep.PerConnection/(keep.PerSession/4) {
				mustSend(t, p, "other", items("p", todo("A")))
			}
		}
		if p.live.lost || len(p.live.sessions) != 1 {
			t.Errorf("%s: something of %d sessions is still kept", name, len(p.live.sessions)-1)
		}
	}
}

// TestFailedReplayCounts pins that what is put back counts as much as before.
func TestFailedReplayCounts(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", items("p", todo(strings.Repeat("x", 1<<20))))
	before := p.live.budget.Used()
	p.load("s")(true)
	if after := p.live.budget.Used(); after != before {
		t.Errorf("%d bytes count, %d before", after, before)
	}
}

// TestMemoryOfShrunkPlan pins that a plan that was large once does not hold on
// to the memory.
func TestMemoryOfShrunkPlan(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", items("p", todo(strings.Repeat("x", 1<<20))))
	mustSend(t, p, "s", items("p", todo("A")))
	if n := cap(p.live.sessions["s"].plans[0].now().entries.text); n > 1<<16 {
		t.Error(n, "bytes are held for one entry")
	}
}
