package plans

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/keep"
)

func TestResetAndClose(t *testing.T) {
	var answer func(failed bool)
	reset := do(func(tr *Translator) { answer = load(tr, "s") })
	restored := do(func(*Translator) { answer(true) })
	runCases(t, legacyClient, []testCase{{
		name: "a session that was closed does not come back when its replay fails",
		steps: []step{
			on(items("a", todo("A")), rewrite(legacyPlan(todo("A")))),
			reset,
			do(func(tr *Translator) { closed(tr, "s") }),
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
		name: "if it was sent with its id, the legacy plan still is that plan",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(legacyPlan(todo("A")), forward),
			reset,
			on(items("p", todo("B")), rewrite(legacyPlan(todo("B")))),
			restored,
			on(legacyPlan(todo("C")), forward),
		},
	}, {
		name: "unless it had changed it",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(legacyPlan(todo("A")), forward),
			on(legacyPlan(todo("B")), forward),
			reset,
			on(items("p", todo("C")), rewrite(legacyPlan(todo("C")))),
			restored,
			on(items("p", todo("D")), rewrite(legacyPlan(todo("[p] D"), todo("B")))),
		},
	}, {
		name: "unless the two agree again",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(legacyPlan(todo("A")), forward),
			on(legacyPlan(todo("B")), forward),
			reset,
			on(items("p", todo("B")), rewrite(legacyPlan(todo("B")))),
			restored,
			on(items("p", todo("D")), rewrite(legacyPlan(todo("D")))),
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
			do(func(tr *Translator) { closed(tr, "none"); closed(tr, "s") }),
			on(removed("p"), drop),
			on(legacyPlan(todo("A")), forward),
		},
	}, {
		name: "another client knows of nothing",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			do(func(tr *Translator) { tr.SetClient(legacyClient) }),
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
const manySessions = keep.PerConnection / (planCost + keep.SessionCost + 64)

func TestMaxSessions(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	for i := range manySessions {
		if got := mustSend(t, p, fmt.Sprint(i), items("p", todo("A"))); got.Warnings != nil {
			t.Fatal(got)
		}
	}
	mustSend(t, p, "0", removed("p")) // so that 1 is the oldest
	mustSend(t, p, "0", items("q", todo("B")))
	for range 2 * manySessions { // they have no plans
		mustSend(t, p, "more", removed("p"))
	}
	added := []string{"more"}
	got := mustSend(t, p, "more", items("p", todo("A")))
	for ; got.Warnings == nil; added = append(added, fmt.Sprint("more ", len(added))) {
		got = mustSend(t, p, fmt.Sprint("more ", len(added)), items("p", todo("A")))
	}
	if !slices.Equal(got.Warnings, []string{"too much is kept of plans: the oldest were forgotten"}) {
		t.Error(got.Warnings)
	}
	if n := len(p.translator.live.sessions); n != manySessions+len(added)-1 || len(added) > 4 {
		t.Error(n, "sessions are kept, of more than", manySessions)
	}
	for _, step := range []struct{ session, update, want string }{
		{"1", removed("p"), legacyPlan()}, // is forgotten, and leaves the screen all the same
		{"1", removed("p"), ""},
		{"0", removed("q"), legacyPlan()},
		{"2", legacyPlan(todo("C")), legacyPlan(todo("[p] A"), todo("C"))},
		{"more", removed("p"), legacyPlan()},
	} {
		if got := mustSend(t, p, step.session, step.update); strings.Join(got.Updates, "") != step.want {
			t.Errorf("session %s, %s: %q", step.session, step.update, got.Updates)
		}
	}
}

// TestForgottenPlansLeaveTheScreen pins that what the agent removes is taken off
// the screen of each client, under the id by which the client knows it, after
// many more sessions and plans than are kept.
func TestForgottenPlansLeaveTheScreen(t *testing.T) {
	for _, c := range []struct {
		name        string
		client      capabilities.Client
		others      int // sessions between
		same, other string
	}{
		{name: "legacy", client: legacyClient, others: manySessions, same: legacyPlan(), other: legacyPlan()},
		{name: "ops", client: newClient, others: manySessions, same: removed("main"), other: removed("q")},
		{name: "items", client: client("items", "planId", 1), others: manySessions, same: items("main"), other: items("q")},
		{name: "legacy, names forgotten", client: legacyClient, others: manySessions + maxNames + 10, same: legacyPlan(), other: legacyPlan()},
		{name: "items, names forgotten", client: client("items", "planId", 1), others: manySessions + maxNames + 10, same: items("p"), other: items("q")},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(defaults(), c.client)
			for _, update := range []string{legacyPlan(todo("A")), items("p", todo("A")), items("q", todo("B"))} {
				mustSend(t, p, "s", update)
			}
			for i := range c.others { // not checked each time, which takes long
				p.read(legacyPlan(todo("A")))
				p.translator.FromAgent([]byte(fmt.Sprint(i)), &p.update)
			}
			if p.translator.live.lost != (c.others > maxNames) {
				t.Error("names are forgotten:", p.translator.live.lost)
			}
			for update, want := range map[string]string{removed("p"): c.same, removed("q"): c.other} {
				got := mustSend(t, p, "s", update)
				if got.Action == Forward {
					got.Updates = []string{update}
				}
				if !slices.Equal(got.Updates, []string{want}) {
					t.Errorf("%s: %q", update, got)
				}
			}
			if n := len(p.translator.live.faded); n > maxNames {
				t.Error(n, "sessions are kept")
			}
		})
	}
}

// TestFadedPlanIsStillTheSame pins that a plan which was sent both ways is one
// plan also after it was forgotten.
func TestFadedPlanIsStillTheSame(t *testing.T) {
	p := newPeer(defaults(), newClient)
	mustSend(t, p, "s", items("p", todo("A")))
	mustSend(t, p, "s", legacyPlan(todo("A")))
	for i := range manySessions + 1 {
		mustSend(t, p, fmt.Sprint(i), items("p", todo("A")))
	}
	got := mustSend(t, p, "s", legacyPlan(todo("B")))
	if diff := cmp.Diff([]string{items("p", todo("B"))}, got.Updates); diff != "" {
		t.Error(diff)
	}
}

// TestFadedPlanComesBack pins that a plan which was forgotten and is sent again counts as
// any other, so that it is forgotten again in its time.
func TestFadedPlanComesBack(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	for range 2 {
		if got := mustSend(t, p, "s", items("p", todo("A"))); !slices.Equal(got.Updates, []string{legacyPlan(todo("A"))}) {
			t.Errorf("got %q", got.Updates)
		}
		for i := range manySessions + 1 {
			mustSend(t, p, fmt.Sprint(i), items("p", todo("A")))
		}
	}
	got := mustSend(t, p, "s", items("q", todo("B")))
	if diff := cmp.Diff([]string{legacyPlan(todo("B"))}, got.Updates); diff != "" {
		t.Error(diff)
	}
}

// TestReplacedFadesFirst pins that what is only kept in case a replay fails is the first
// to go: of several such sessions the one that was updated longest ago, and no more than
// is needed.
func TestReplacedFadesFirst(t *testing.T) {
	const sessions = 64
	large := todo(strings.Repeat("x", keep.PerConnection/sessions-planCost-keep.SessionCost-4096))
	for range 4 { // it is never chance
		p := newPeer(defaults(), v2Client)
		for i := range sessions {
			mustSend(t, p, fmt.Sprint(i), items("p", large))
		}
		for i := range sessions - 1 {
			load(p.translator, fmt.Sprint(i+1)) // 0 is older
		}
		mustSend(t, p, "3", items("q", todo("A"))) // since then it is not the oldest
		for _, last := range []int{1, 2, 4, 5} {
			mustSend(t, p, fmt.Sprint("more ", last), items("p", large))
			for i := range sessions {
				s := p.translator.live.find(fmt.Sprint(i))
				if fades := s.names > 0; fades != (i <= last && i != 3 && i != 0) {
					t.Fatalf("session %d has faded: %t", i, fades)
				}
			}
		}
	}
}

// TestCompletedFadesFirst pins which plans and sessions are forgotten first.
func TestCompletedFadesFirst(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	for i := range manyPlans {
		mustSend(t, p, "s", items(fmt.Sprint(i), todo("A")))
	}
	mustSend(t, p, "s", items("7", done("A")))
	mustSend(t, p, "s", markdownUpdate("8", "- [x] A"))
	mustSend(t, p, "s", items("9", `{"content":"A","status":"cancelled"}`))
	faded := func(id string) bool { return p.translator.live.sessions["s"].find(planName{id, true}).faded }
	for i := 0; !faded("9"); i++ {
		mustSend(t, p, "s", items(fmt.Sprint("more ", i), todo("B")))
	}
	for id, want := range map[string]bool{"0": true, "7": false, "8": false, "9": false, "10": true} {
		if is := !faded(id); is != want {
			t.Errorf("plan %s is kept: %t", id, is)
		}
	}
	p = newPeer(defaults(), legacyClient)
	for i := range manySessions - 10 {
		mustSend(t, p, fmt.Sprint(i), items("p", todo("A"), done("A")))
	}
	mustSend(t, p, "7", items("p", done("A")))
	for i := 0; p.translator.live.sessions["7"] != nil; i++ {
		mustSend(t, p, fmt.Sprint("more ", i), items("p", todo("A")))
	}
	if p.translator.live.sessions["0"] == nil {
		t.Error("session 0 is not kept")
	}
}

// TestMaxSessionsRestored drives the number of sessions past the limit by
// putting one back.
func TestMaxSessionsRestored(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "first", items("p", todo("A")))
	answer := load(p.translator, "first")
	for i := range manySessions + 1 {
		mustSend(t, p, fmt.Sprint(i), items("p", todo("A")))
	}
	n := len(p.translator.live.sessions)
	answer(true)
	if mustSend(t, p, "0", items("p", todo("A"))); len(p.translator.live.sessions) > n {
		t.Error(len(p.translator.live.sessions), "sessions are kept")
	}
}

// manyPlans is about how many plans of a session are kept.
const manyPlans = keep.PerSession/planCost - 10

func TestMaxPlans(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	for i := range manyPlans {
		if got := mustSend(t, p, "s", items(fmt.Sprint("p", i), todo("A"))); got.Warnings != nil {
			t.Fatal(got)
		}
	}
	mustSend(t, p, "s", items("p0", todo("B")))
	got := mustSend(t, p, "s", items("more 0", todo("C")))
	for i := 1; got.Warnings == nil; i++ {
		got = mustSend(t, p, "s", items(fmt.Sprint("more ", i), todo("C")))
	}
	for id, want := range map[string]bool{"p0": true, "p1": false, "p2": true, "more 0": true} {
		if strings.Contains(got.Updates[0], "["+id+"]") != want {
			t.Errorf("plan %s is there: %t", id, !want)
		}
	}
}

func TestMaxEntries(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	many := slices.Repeat([]string{todo("A")}, MaxEntries)
	if got := mustSend(t, p, "s", items("p", many...)); got.Action != Rewrite || got.Warnings != nil {
		t.Errorf("%d entries: %s, %q", MaxEntries, got.Action, got.Warnings)
	}
	for _, update := range []string{items("p", append(many, todo("B"))...), legacyPlan(append(many, todo("B"))...)} {
		if got := mustSend(t, p, "s", update); got.Action != Forward || len(got.Warnings) != 1 {
			t.Errorf("one more entry: %s, %q", got.Action, got.Warnings)
		}
	}
}

func TestMaxBytes(t *testing.T) {
	p := newPeer(defaults(), v2Client)
	big := todo(strings.Repeat("x", keep.PerSession/4-2*planCost))
	for _, id := range []string{"p", "q", "r", "t", "p"} {
		if got := mustSend(t, p, "s", items(id, big)); got.Warnings != nil {
			t.Fatal(got.Warnings)
		}
	}
	// One more has to make room: the plan that was not updated for the longest time goes.
	got := mustSend(t, p, "s", items("v", big))
	s := p.translator.live.sessions["s"]
	if len(got.Warnings) != 1 || s.alive != 4 || !s.find(planName{"q", true}).faded {
		t.Errorf("%d plans are kept, warnings %q", s.alive, got.Warnings)
	}
	// A plan that is too large by itself is kept while it is the only one.
	for range 2 {
		got = mustSend(t, p, "s", items("u", todo(strings.Repeat("x", keep.PerConnection))))
	}
	if s.alive != 1 || s.names != 5 || got.Warnings != nil {
		t.Errorf("%d plans are kept, and %d names, warnings %q", s.alive, s.names, got.Warnings)
	}
	// Names are bytes too.
	mustSend(t, p, "s", items(strings.Repeat("i", keep.PerSession), todo("A")))
	for range 2 {
		mustSend(t, p, "s", items("u", todo("A")))
	}
	if n := len(s.plans); n != 1 {
		t.Errorf("%d plans have a name", n)
	}
	mustSend(t, p, "s", removed("u"))
	if p.translator.live.bytes != 0 {
		t.Error(p.translator.live.bytes, "bytes are left")
	}
}

// TestBytesCounted pins that ids count too, and that all is given back.
func TestBytesCounted(t *testing.T) {
	for name, free := range map[string]func(*Translator){
		"close":         func(tr *Translator) { closed(tr, "s"); closed(tr, "t") },
		"reset":         func(tr *Translator) { load(tr, "s")(false); load(tr, "t"); closed(tr, "t") },
		"restore":       func(tr *Translator) { load(tr, "s")(true); load(tr, "s")(false); closed(tr, "t") },
		"set client":    func(tr *Translator) { tr.SetClient(capabilities.Client{}) },
		"empty=remove":  func(*Translator) {},
		"other session": func(tr *Translator) { closed(tr, "x"); closed(tr, "s"); closed(tr, "t") },
	} {
		p := newPeer(*with(func(o *Options) { o.Empty = EmptyRemove }), opsClient)
		for _, s := range []string{"s", "t"} {
			mustSend(t, p, s, items("p", todo("A")))
			mustSend(t, p, s, legacyPlan(todo("B")))
			mustSend(t, p, s, items("p", todo("B")))
			mustSend(t, p, s, items(strings.Repeat("i", 1000), todo("C")))
		}
		if p.translator.live.bytes < 2000 {
			t.Errorf("%d bytes are counted", p.translator.live.bytes)
		}
		if name == "empty=remove" {
			for _, s := range []string{"s", "t"} {
				mustSend(t, p, s, legacyPlan())
				mustSend(t, p, s, removed(strings.Repeat("i", 1000)))
			}
		}
		free(p.translator)
		if p.translator.live.bytes != 0 || len(p.translator.live.sessions) != 0 {
			t.Errorf("%s: %d bytes are left in %d sessions", name, p.translator.live.bytes, len(p.translator.live.sessions))
		}
	}
}

// TestMemoryOfShrunkPlan pins that a plan that was large once does not hold on
// to the memory.
func TestMemoryOfShrunkPlan(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", items("p", todo(strings.Repeat("x", 1<<20))))
	mustSend(t, p, "s", items("p", todo("A")))
	if n := cap(p.translator.live.sessions["s"].plans[0].entries.text); n > 1<<16 {
		t.Error(n, "bytes are held for one entry")
	}
}
