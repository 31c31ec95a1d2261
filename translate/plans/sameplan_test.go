package plans

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/capabilities"
)

// TestSamePlanParts pins when a plan that was sent both ways becomes two plans
// again, and what each of them is then.
func TestSamePlanParts(t *testing.T) {
	a, b, c, d := todo("A"), todo("B"), todo("C"), todo("D")
	runCases(t, legacyClient, []testCase{{
		name: "a plan that the legacy plan leaves for another is back at what was sent with its id",
		steps: []step{
			on(items("p", a), rewrite(legacyPlan(a))),
			on(legacyPlan(a), forward),
			on(legacyPlan(b), forward),
			on(items("q", c), rewrite(legacyPlan(b, todo("[q] C")))),
			on(legacyPlan(c), rewrite(legacyPlan(todo("[p] A"), c))),
		},
	}, {
		name: "each keeps its place, in the order first seen",
		steps: []step{
			on(legacyPlan(a), forward),
			on(items("p", a), rewrite(legacyPlan(a))),
			on(items("q", d), rewrite(legacyPlan(a, todo("[q] D")))),
			on(legacyPlan(b), rewrite(legacyPlan(b, todo("[q] D")))),
			on(items("p", c), rewrite(legacyPlan(b, todo("[p] C"), todo("[q] D")))),
		},
	}, {
		name: "a legacy plan that was emptied leaves nothing behind",
		steps: []step{
			on(items("p", a), rewrite(legacyPlan(a))),
			on(legacyPlan(a), forward),
			on(legacyPlan(), forward),
			on(items("p", c), rewrite(legacyPlan(c))),
			on(legacyPlan(d), rewrite(legacyPlan(todo("[p] C"), d))),
		},
	}, {
		name: "a plan that is markdown by now is not what a legacy plan changes",
		steps: []step{
			on(items("p", a), rewrite(legacyPlan(a))),
			on(legacyPlan(a), forward),
			on(markdownUpdate("p", "- M"), rewrite(legacyPlan(todo("M")))),
			on(legacyPlan(b), forward), // the text makes room
			on(legacyPlan(), rewrite(legacyPlan(todo("M")))),
		},
	}, {
		name: "nor is it what a message without an id and without entries changes",
		steps: []step{
			on(items("p", a), rewrite(legacyPlan(a))),
			on(legacyPlan(a), forward),
			on(legacyPlan(b), forward),
			on(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","content":""}}`,
				rewrite(`{"sessionUpdate":"plan","entries":[`+a+`]}`)),
		},
	}, {
		name:    "--merge=latest: of two that part, the legacy plan counts from when it was sent",
		options: with(func(o *Options) { o.Merge = MergeLatest }),
		steps: []step{
			on(items("p", a), rewrite(legacyPlan(a))),
			on(legacyPlan(a), forward),
			on(items("r", d), rewrite(legacyPlan(d))),
			on(legacyPlan(b), forward),
			on(items("p", c), rewrite(legacyPlan(c))),
			on(removed("p"), rewrite(legacyPlan(b))),
		},
	}, {
		name:    "--merge=latest: a plan that is left counts from when it was sent with its id",
		options: with(func(o *Options) { o.Merge = MergeLatest }),
		steps: []step{
			on(items("p", a), rewrite(legacyPlan(a))),
			on(legacyPlan(a), forward),
			on(items("r", d), rewrite(legacyPlan(d))),
			on(legacyPlan(b), forward),
			on(items("q", b), rewrite(legacyPlan(b))),
			on(removed("q"), rewrite(legacyPlan(d))),
		},
	}})
	runCases(t, newClient, []testCase{{
		name: "ops: the legacy plan leaves for another",
		steps: []step{
			on(items("p", a), forward),
			on(legacyPlan(a), rewrite(items("p", a))),
			on(legacyPlan(b), rewrite(items("p", b))),
			on(items("q", c), forward),
			on(legacyPlan(c), rewrite(items("q", c), items("p", a))),
		},
	}, {
		name: "ops: the two part, plan_update first: the legacy plan gets its own id",
		steps: []step{
			on(items("p", a), forward),
			on(legacyPlan(a), rewrite(items("p", a))),
			on(legacyPlan(b), rewrite(items("p", b))),
			on(items("p", c), rewrite(items("p", c), items("main", b))),
			on(legacyPlan(d), rewrite(items("main", d))),
			on(removed("p"), forward),
			on(removed("main"), forward),
		},
	}, {
		name: "ops: the two part, plan first: the plan_update goes by its own id",
		steps: []step{
			on(legacyPlan(a), rewrite(items("main", a))),
			on(items("p", a), rewrite(items("main", a))),
			on(legacyPlan(b), rewrite(items("main", b))),
			on(items("p", c), forward),
			on(legacyPlan(d), rewrite(items("main", d))),
			on(removed("p"), forward),
		},
	}, {
		name:    "ops: a legacy plan that was emptied leaves nothing behind",
		options: with(func(o *Options) { o.Empty = EmptyRemove }),
		steps: []step{
			on(items("p", a), forward),
			on(legacyPlan(a), rewrite(items("p", a))),
			on(legacyPlan(), rewrite(removed("p"))),
			on(items("p", c), forward),
		},
	}, {
		name: "ops: the legacy plan is the one with the synthetic id also while it goes by another",
		steps: []step{
			on(items("p", a), forward),
			on(legacyPlan(a), rewrite(items("p", a))),
			on(removed("main"), rewrite(removed("p"))),
			on(removed("p"), forward),
			on(items("main", a), forward),
			on(legacyPlan(b), rewrite(items("main-2", b))),
			on(removed("main"), forward),
			on(removed("main"), rewrite(removed("main-2"))),
		},
	}, {
		name: "ops: markdown by now",
		steps: []step{
			on(items("p", a), forward),
			on(legacyPlan(a), rewrite(items("p", a))),
			on(markdownUpdate("p", "- M"), forward),
			on(legacyPlan(b), rewrite(items("main", b))),
		},
	}})
}

// A model says what is live by the rule's own words, for plans of one entry: the
// word that each name last said, and whether the legacy plan is another plan.
type model struct {
	sent   map[string]string // by id: what was last sent with it
	legacy string            // what was last sent without an id, "" for nothing
	is     string            // the id of the plan that the legacy plan is, "" for none
	last   bool              // of the two that are one, the legacy plan was sent last
}

// shown returns the word that each live plan shows; the legacy plan is "".
func (m *model) shown() map[string]string {
	shown := maps.Clone(m.sent)
	switch {
	case m.legacy == "":
	case m.is == "":
		shown[""] = m.legacy
	case m.last:
		shown[m.is] = m.legacy
	}
	return shown
}

// equal returns the id of a plan that shows the word, if the legacy plan is not it.
func (m *model) equal(word string) string {
	for id, w := range m.shown() {
		if id != "" && id != m.is && w == word {
			return id
		}
	}
	return ""
}

func (m *model) plan(word string) {
	if m.is == "" || m.shown()[m.is] != word {
		if id := m.equal(word); id != "" {
			m.is = id
		}
	}
	m.legacy, m.last = word, true
}

func (m *model) update(id, word string) {
	live := m.legacy != "" && (m.is == "" || m.last && m.sent[m.is] != m.legacy)
	switch {
	case m.is == id && live && word != m.legacy: // the two go different ways
		m.is = ""
	case m.is != id && live && word == m.legacy:
		m.is = id
	}
	m.sent[id] = word
	if m.is == id {
		m.last = false
	}
}

func (m *model) remove(id string) {
	if id == "main" {
		delete(m.sent, m.is)
		m.is, m.legacy = "", ""
	} else if delete(m.sent, id); m.is == id {
		m.is, m.legacy = "", ""
	}
}

// TestSamePlanModel compares what clients show with the model. No two plans of
// the agent with ids say the same word, because then the legacy plan could be
// either of them.
func TestSamePlanModel(t *testing.T) {
	for name, c := range map[string]capabilities.Client{"legacy": legacyClient, "ops": newClient, "items": client("items", "planId", 1)} {
		t.Run(name, func(t *testing.T) {
			agents(t, func(t *testing.T, a *agent) {
				for range 60 {
					randomSamePlans(t, a, newPeer(defaults(), c))
				}
			})
		})
	}
}

func randomSamePlans(t *testing.T, a *agent, p *peer) {
	m := &model{sent: map[string]string{}}
	s := screen{}
	var sent []string
	for range 30 {
		word, id := pick(a, "A", "B", "C", "D"), pick(a, "p", "q", "r")
		var update string
		switch n := a.IntN(10); {
		case n < 4:
			update = legacyPlan(todo(word))
			m.plan(word)
		case n < 9:
			if other := m.holder(word); other != "" && other != id {
				continue
			}
			update = items(id, todo(word))
			m.update(id, word)
		default:
			id = pick(a, id, "main")
			update = removed(id)
			m.remove(id)
		}
		sent = append(sent, update)
		got := mustSend(t, p, "s", update)
		if got.Action == Forward {
			got.Updates = []string{update}
		}
		for _, u := range got.Updates {
			s.take(t, u)
		}
		want := slices.Sorted(maps.Values(m.shown()))
		if diff := cmp.Diff(want, s.words()); diff != "" {
			t.Fatalf("after\n%s\n(-want +got)\n%s", strings.Join(sent, "\n"), diff)
		}
	}
}

// holder returns the id with which the word was sent last or by which it is
// shown.
func (m *model) holder(word string) string {
	for id, w := range m.sent {
		if w == word || id == m.is && m.legacy == word && m.last && m.sent[m.is] == word {
			return id
		}
	}
	return ""
}

// A screen is what a client shows: by id, the contents of entries.
type screen map[string][]string

func (s screen) take(t *testing.T, update string) {
	t.Helper()
	type entries []struct{ Content string }
	var u struct {
		SessionUpdate, PlanID string
		Entries               entries
		Plan                  struct {
			PlanID  string
			Entries entries
		}
	}
	if err := json.Unmarshal([]byte(update), &u); err != nil {
		t.Fatal(err)
	}
	contents := func(list entries) (words []string) {
		for _, e := range list {
			words = append(words, e.Content[strings.LastIndex(e.Content, " ")+1:])
		}
		return words
	}
	switch u.SessionUpdate {
	case "plan":
		s[""] = contents(u.Entries)
	case "plan_update":
		s[u.Plan.PlanID] = contents(u.Plan.Entries)
	case "plan_removed":
		delete(s, u.PlanID)
	default:
		t.Fatal(fmt.Sprint("unexpected update ", update))
	}
}

func (s screen) words() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(s))...)))
}
