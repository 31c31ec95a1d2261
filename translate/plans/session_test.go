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
	var answer func(failed bool) []string
	reset := do(func(p *peer) { answer = p.load("s") })
	restored := do(func(*peer) { answer(true) })
	runCases(t, legacyClient, []testCase{{
		name: "a session that was closed does not come back when its replay fails",
		steps: []step{
			on(items("a", todo("A")), rewrite(legacyPlan(todo("A")))),
			reset,
			do(func(p *peer) { p.close("s") }),
			restored,
			on(items("d", todo("D")), rewrite(legacyPlan(todo("D")))),
		},
	}, {
		name: "nor does a plan that was removed since",
		steps: []step{
			on(items("a", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items("b", todo("B")), rewrite(legacyPlan(todo("[a] A"), todo("[b] B")))),
			reset,
			on(removed("a"), drop),
			restored,
			on(items("b", todo("B")), rewrite(legacyPlan(todo("B")))),
		},
	}, {
		name: "a session that is loaded begins without plans",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			in("other", items("q", todo("O")), rewrite(legacyPlan(todo("O")))),
			reset,
			on(items("q", todo("B")), rewrite(legacyPlan(todo("B")))),
			on(removed("p"), drop),
			in("other", removed("q"), rewrite(legacyPlan())),
		},
	}, {
		name: "an error in the response puts the plans back",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			reset, restored,
			on(legacyPlan(todo("B")), rewrite(legacyPlan(todo("[p] A"), todo("B")))),
		},
	}, {
		name: "with what has been updated since, each in its place",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items("q", todo("B")), rewrite(legacyPlan(todo("[p] A"), todo("[q] B")))),
			reset,
			on(items("r", todo("C")), rewrite(legacyPlan(todo("C")))),
			on(items("p", todo("D")), rewrite(legacyPlan(todo("[r] C"), todo("[p] D")))),
			restored,
			on(legacyPlan(todo("E")), rewrite(legacyPlan(todo("[p] D"), todo("[q] B"), todo("[r] C"), todo("E")))),
		},
	}, {
		name: "a plan that has become one with another since is not there twice",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(legacyPlan(todo("B")), rewrite(legacyPlan(todo("[p] A"), todo("B")))),
			reset,
			on(legacyPlan(todo("C")), forward),
			on(items("p", todo("C")), rewrite(legacyPlan(todo("C")))),
			restored,
			on(legacyPlan(todo("D")), forward),
		},
	}, {
		name:   "nor are two plans shown under one id",
		client: newClient,
		steps: []step{
			on(items("main", todo("A")), forward),
			reset,
			on(legacyPlan(todo("B")), rewrite(items("main", todo("B")))),
			restored,
			on(items("main", todo("A")), rewrite(items("main-2", todo("A")))),
		},
	}, {
		name: "a legacy plan is put back although the agent came to use its id",
		steps: []step{
			on(legacyPlan(todo("A")), forward),
			reset,
			on(items("main", todo("B")), rewrite(legacyPlan(todo("B")))),
			restored,
			on(items("main", todo("C")), rewrite(legacyPlan(todo("A"), todo("C")))),
		},
	}, {
		name:   "and gets another id",
		client: newClient,
		steps: []step{
			on(legacyPlan(todo("A")), rewrite(items("main", todo("A")))),
			reset,
			on(items("main", todo("B")), forward),
			restored,
			on(legacyPlan(todo("C")), rewrite(items("main-2", todo("C")))),
			on(removed("main"), forward),
			on(removed("main"), rewrite(removed("main-2"))),
		},
	}, {
		name:   "a plan put back under another id does not hand that id to the legacy plan",
		client: newClient,
		steps: []step{
			on(legacyPlan(todo("A")), rewrite(items("main", todo("A")))),
			on(items("p", todo("A")), rewrite(items("main", todo("A")))),
			reset,
			on(items("main", todo("B")), forward),
			restored,
			on(legacyPlan(todo("C")), rewrite(items("p", todo("C")))),
			on(items("p", todo("D")), rewrite(items("p", todo("D")), items("main-2", todo("C")))),
		},
	}, {
		name: "of a plan that was sent both ways, each name is put back that was not sent since",
		steps: []step{
			in("s", items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			in("s", legacyPlan(todo("A")), forward),
			reset,
			in("s", legacyPlan(todo("B")), forward),
			restored,
			in("s", items("q", todo("C")), rewrite(legacyPlan(todo("[p] A"), todo("B"), todo("[q] C")))),
			in("s", removed("p"), rewrite(legacyPlan(todo("B"), todo("[q] C")))),
		},
	}, {
		name: "a legacy plan that was removed by the synthetic id is not put back",
		steps: []step{
			on(legacyPlan(todo("A")), forward),
			reset,
			on(removed("main"), drop),
			restored,
			on(items("p", todo("B")), rewrite(legacyPlan(todo("B")))),
		},
	}, {
		name: "nothing to put back",
		steps: []step{
			reset,
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			restored,
			on(removed("p"), rewrite(legacyPlan())),
		},
	}, {
		name: "a session that is closed is freed",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			do(func(p *peer) { p.close("none"); p.close("s") }),
			on(removed("p"), drop),
			on(legacyPlan(todo("A")), forward),
		},
	}, {
		name: "another client knows of nothing",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			do(func(p *peer) { p.SetClient(legacyClient) }),
			on(legacyPlan(todo("A")), forward),
			on(removed("p"), drop),
		},
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
// leaves the screen of each client all the same.
func TestMaxSessions(t *testing.T) {
	for _, c := range []struct {
		name       string
		client     capabilities.Client
		gone, left string // of plans that are forgotten, and kept
	}{
		{"legacy", legacyClient, legacyPlan(), legacyPlan()},
		{"ops", newClient, removed("p"), removed("p")},
		{"items", client("items", "planId", 1), items("p"), items("p")},
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
