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
	runCases(t, legacyClient, []testCase{{
		name: "a plan that the legacy plan leaves for another is back at what was sent with its id",
		talk: `
			> items p: A
			< plan A
			> plan A
			< =
			> plan B
			< =
			> items q: C
			< plan B | [q] C
			> plan C
			< plan [p] A | C`,
	}, {
		name: "and where the first of the two was",
		talk: `
			> plan A
			< =
			> items q: D
			< plan A | [q] D
			> items p: A
			< plan A | [q] D
			> plan D
			< plan [p] A | D
			> plan E
			< plan [p] A | E
			> items q: F
			< plan [p] A | [q] F | E`,
	}, {
		name: "each keeps its place, in the order first seen",
		talk: `
			> plan A
			< =
			> items p: A
			< plan A
			> items q: D
			< plan A | [q] D
			> plan B
			< plan B | [q] D
			> items p: C
			< plan B | [p] C | [q] D`,
	}, {
		name: "a legacy plan that was emptied leaves nothing behind",
		talk: `
			> items p: A
			< plan A
			> plan A
			< =
			> plan
			< =
			> items p: C
			< plan C
			> plan D
			< plan [p] C | D`,
	}, {
		name: "a plan that is markdown by now is not what a legacy plan changes",
		talk: `
			> items p: A
			< plan A
			> plan A
			< =
			> markdown p: - M
			< plan M
			> plan B
			< =
			> plan
			< plan M`,
	}, {
		name: "nor is it what a message without an id and without entries changes",
		talk: `
			> items p: A
			< plan A
			> plan A
			< =
			> plan B
			< =
			> {"sessionUpdate":"plan_update","plan":{"type":"markdown","content":""}}
			< plan A`,
	}, {
		name: "a plan that says what the legacy plan does has the place of when it did",
		talk: `
			> items p: A
			< plan A
			> plan A
			< =
			> items r: D
			< plan A | [r] D
			> plan B
			< plan B | [r] D
			> items q: B
			< plan [p] A | [r] D | B
			> plan E
			< plan [p] A | [r] D | E
			> items q: F
			< plan [p] A | [r] D | [q] F | E`,
	}})
}

func TestSamePlanPartsWithOperations(t *testing.T) {
	runCases(t, newClient, []testCase{{
		name: "ops: the legacy plan leaves for another",
		talk: `
			> items p: A
			< =
			> plan A
			< items p: A
			> plan B
			< items p: B
			> items q: C
			< =
			> plan C
			< items q: C
			< items p: A`,
	}, {
		name: "ops: the two part, plan_update first: the legacy plan gets its own id",
		talk: `
			> items p: A
			< =
			> plan A
			< items p: A
			> plan B
			< items p: B
			> items p: C
			< items p: C
			< items main: B
			> plan D
			< items main: D
			> removed p
			< =
			> removed main
			< =`,
	}, {
		name: "ops: the two part, plan first: the plan_update goes by its own id",
		talk: `
			> plan A
			< items main: A
			> items p: A
			< items main: A
			> plan B
			< items main: B
			> items p: C
			< =
			> plan D
			< items main: D
			> removed p
			< =`,
	}, {
		name: "ops: the legacy plan is the one with the synthetic id also while it goes by another",
		talk: `
			> items p: A
			< =
			> plan A
			< items p: A
			> removed main
			< removed p
			> removed p
			< =
			> items main: A
			< =
			> plan B
			< items main-2: B
			> removed main
			< =
			> removed main
			< removed main-2`,
	}, {
		name: "ops: markdown by now",
		talk: `
			> items p: A
			< =
			> plan A
			< items p: A
			> markdown p: - M
			< =
			> plan B
			< items main: B`,
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
	for name, c := range map[string]capabilities.Client{"legacy": legacyClient, "ops": newClient, "items": client("items", capabilities.PlanIDNew, 1)} {
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
