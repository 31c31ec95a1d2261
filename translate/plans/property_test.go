package plans

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// An agent makes up updates. No two of its entries have the same content.
type agent struct {
	*rand.Rand
	isStrict   bool // all entries are valid in every draft
	entryCount int  // number of the contents so far
}

// agents calls f with agents of several seeds, one of them new each time.
func agents(t *testing.T, f func(t *testing.T, a *agent)) {
	for _, seed := range []uint64{1, 2, 3, 4, 5, 6, 7, 8, rand.Uint64()} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			f(t, &agent{Rand: rand.New(rand.NewPCG(seed, 0))})
		})
	}
}

func pick[T any](a *agent, of ...T) T { return of[a.IntN(len(of))] }

// content returns a word that no other content has a part of.
func (a *agent) content() string {
	a.entryCount++
	return fmt.Sprintf("<%d>", a.entryCount)
}

// completedSuffix ends the content of each completed entry.
const completedSuffix = " completed"

// list returns some entries and their contents.
func (a *agent) list() (entries, contents []string) {
	for range a.IntN(4) {
		members := []string{}
		if a.isStrict || a.IntN(4) > 0 {
			members = append(members, `"priority":`+pick(a, `"high"`, `"medium"`, `"low"`, `"urgent"`, `"l\u006fw"`))
		} else {
			members = append(members, pick(a, `"priority":null`, `"priority":3`, `"x":[]`))
		}
		isDone := false
		if a.isStrict || a.IntN(4) > 0 {
			status := pick(a, `"pending"`, `"in_progress"`, `"completed"`, `"c\u006fmpleted"`, `"cancelled"`, `"_on\n_hold"`, `""`)
			isDone = strings.HasSuffix(status, `mpleted"`) || status == `"cancelled"`
			members = append(members, `"status":`+status)
		} else {
			members = append(members, pick(a, `"status":{"status":"x"}`, `"status":false`, `"_meta":{"content":1}`))
		}
		if a.isStrict || a.IntN(8) > 0 {
			c := a.content()
			if isDone {
				c += completedSuffix
			}
			contents = append(contents, c)
			members = append(members, `"content":"`+strings.Replace(c, "<", pick(a, "<", `\u003c`, `\"<`), 1)+`"`)
		} else {
			members = append(members, pick(a, `"content":7`, `"y":1`))
		}
		if a.IntN(4) == 0 {
			members = append(members, pick(a, `"_meta":null`, `"id":"7"`, `"z" : { } `))
		}
		entries = append(entries, a.object(members))
	}
	return entries, contents
}

// object returns an object with the members in any order.
func (a *agent) object(members []string) string {
	a.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return pick(a, "{", "{ ") + strings.Join(members, pick(a, ",", " , ")) + pick(a, "}", "\n }")
}

// update returns a legacy plan with these entries or, if an id is given, a plan_update.
func (a *agent) update(id string, entries []string) string {
	list := `"entries":[` + strings.Join(entries, ",") + `]`
	if id == "" {
		return a.object([]string{`"sessionUpdate":"plan"`, list, pick(a, `"_meta":null`, `"x":1`, `"id":"s"`)})
	}
	return a.planUpdate(id, pick(a, `"type":"items"`, `"type":"items"`, `"type":"_x"`), list)
}

func (a *agent) planUpdate(id, typ, carrier string) string {
	plan := a.object([]string{typ, carrier, pick(a, `"_meta":{}`, `"x":1`), a.id(id)})
	return a.object([]string{`"sessionUpdate":"plan_update"`, `"plan":` + plan, pick(a, `"_meta":{"a":1}`, `"y":[]`)})
}

func (a *agent) id(id string) string {
	return pick(a, `"planId":"`+id+`"`, `"id":"`+id+`"`, `"planId":"`+id+`","id":"`+id+`"`)
}

func (a *agent) removal(id string) string {
	return a.object([]string{`"sessionUpdate":"plan_removed"`, a.id(id), pick(a, `"_meta":{"a":1}`, `"y":[]`)})
}

// next returns an update with new content for a plan, and the contents of the entries that a
// legacy client displays for it, with files as links.
func (a *agent) next(id string) (update string, contents []string) {
	if id == "" || a.IntN(3) > 0 {
		entries, contents := a.list()
		return a.update(id, entries), contents
	}
	c := a.content()
	switch a.IntN(4) {
	case 0:
		return a.planUpdate(id, pick(a, `"type":"markdown"`, `"type":"_x"`), `"content":"# T\n- `+c+`"`), []string{c}
	case 1:
		c = fmt.Sprintf("/t/%d.md", a.entryCount)
		uri := here(`"` + pick(a, "", "file://") + c + `"`)
		return a.planUpdate(id, pick(a, `"type":"file"`, `"type":"_x"`), `"uri":`+uri), []string{c}
	case 2:
		return a.planUpdate(id, `"type":"_x"`, `"steps":[]`), nil
	}
	return a.planUpdate(id, `"type":"markdown"`, `"content":""`), nil
}

// anything returns a random JSON value with members of plans.
func (a *agent) anything(depth int) string {
	if depth == 0 || a.IntN(3) == 0 {
		return pick(a, `null`, `-1.50`, `true`, `""`, `"items"`, `"markdown"`, `"file"`, `"_x"`, `"p"`, `"main"`,
			`"pending"`, `"cancelled"`, `"/p"`, `"\u0041\ud800\"\n"`, `"- [ ] A\n- B"`)
	}
	if a.IntN(3) == 0 {
		elements := []string{}
		for range a.IntN(4) {
			elements = append(elements, a.anything(depth-1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	members := []string{}
	for range a.IntN(7) {
		name := pick(a, "plan", "type", "entries", "content", "uri", "path", "id", "planId", "priority", "status", "_meta", "sessionUpdate")
		members = append(members, `"`+name+`":`+a.anything(depth-1))
	}
	return a.object(members)
}

// nonsense returns a random update of plans, with repeated members.
func (a *agent) nonsense() string {
	members := []string{`"sessionUpdate":` + pick(a, `"plan"`, `"plan_update"`, `"plan_removed"`)}
	for range a.IntN(5) {
		switch a.IntN(6) {
		case 0:
			members = append(members, `"plan":`+a.anything(4))
		case 1:
			members = append(members,
				`"plan":`+a.object([]string{a.id("p"), `"type":` + a.anything(0), `"entries":` + a.anything(3), `"content":` + a.anything(0)}))
		case 2:
			members = append(members, `"entries":`+a.anything(3))
		case 3:
			members = append(members,
				`"entries":[{"content":`+a.anything(1)+`,"content":"A"},`+a.object([]string{`"content":"B"`, `"status":` + a.anything(1)})+`]`)
		default:
			members = append(members, pick(a, `"planId":`, `"id":`, `"_meta":`)+a.anything(1))
		}
	}
	return a.object(members)
}

// ids are the ids of the agents' plans; the first is that of a legacy plan.
var ids = []string{"", "main", "p", `q\"`}

// TestListHasLivePlans compares the last list of a legacy client with a model of the live plans.
func TestListHasLivePlans(t *testing.T) {
	agents(t, func(t *testing.T, a *agent) {
		p := newPeer(*with(func(o *Options) { o.Files = FilesLink }), legacyClient)
		live := map[string]map[string]modelPlan{}
		shown := map[string]string{}
		send := func(session, update string) {
			got := mustSend(t, p, session, update)
			switch got.Action {
			case Forward:
				shown[session] = update
			case Rewrite:
				shown[session] = got.Updates[0]
			}
		}
		for now := range 500 {
			session, id := pick(a, "s", "t", "u"), pick(a, ids...)
			plans := live[session]
			if plans == nil {
				plans = map[string]modelPlan{}
				live[session] = plans
			}
			switch {
			case session == "u":
				// The agent of this session sends each state of p both ways.
				entries, contents := a.list()
				if a.IntN(4) == 0 {
					delete(plans, "p")
					send(session, a.removal("p"))
				} else if len(contents) > 0 {
					plans["p"] = modelPlan{contents, true, false, now}
					ways := []string{a.update("", entries), a.update("p", entries)}
					if a.IntN(2) == 0 {
						slices.Reverse(ways)
					}
					send(session, ways[0])
					send(session, ways[1])
				}
			case id != "" && a.IntN(3) == 0:
				if _, ok := plans[id]; !ok {
					id = "never live"
					if plans["main"].isLegacy && len(plans) == 1 {
						delete(plans, "main")
					}
				}
				delete(plans, id)
				send(session, a.removal(id))
			default:
				update, contents := a.next(id)
				plans[cmp.Or(id, "main")] = modelPlan{contents, strings.Contains(update, `"entries"`), id == "", now}
				send(session, update)
			}
			checkShown(t, shown[session], plans)
		}
	})
}

// A modelPlan is a live plan. No step of a text is completed.
type modelPlan struct {
	contents []string
	isList   bool
	isLegacy bool
	sent     int // number of the step that sent it
}

// checkShown checks that a legacy plan has an entry for each content of the plans with open
// entries, or of all plans if none has any, and no other. A text does not count if a list was
// sent after it.
func checkShown(t *testing.T, update string, plans map[string]modelPlan) {
	t.Helper()
	var shown struct{ Entries []struct{ Content string } }
	if update != "" {
		if err := json.Unmarshal([]byte(update), &shown); err != nil {
			t.Fatal(err)
		}
	}
	isOpen := func(content string) bool { return !strings.HasSuffix(content, completedSuffix) }
	var open, all []string
	lastList := -1
	for _, p := range plans {
		if p.isList && len(p.contents) > 0 {
			lastList = max(lastList, p.sent)
		}
	}
	for _, p := range plans {
		if !p.isList && lastList > p.sent {
			continue
		}
		all = append(all, p.contents...)
		if slices.ContainsFunc(p.contents, isOpen) {
			open = append(open, p.contents...)
		}
	}
	wanted := open
	if len(open) == 0 {
		wanted = all
	}
	if len(shown.Entries) != len(wanted) {
		t.Fatalf("%d entries in place of %d: %s for %v", len(shown.Entries), len(wanted), update, plans)
	}
	for _, c := range wanted {
		n := 0
		for _, e := range shown.Entries {
			if strings.Contains(e.Content, c) {
				n++
			}
		}
		if n != 1 {
			t.Fatalf("%s is there %d times: %s for %v", c, n, update, plans)
		}
	}
}

// TestRandomConversations sends random updates to every kind of client. The harness checks the
// outcomes.
func TestRandomConversations(t *testing.T) {
	agents(t, func(t *testing.T, a *agent) {
		for range 150 {
			p := newPeer(randomOptions(a.Uint32()), randomClient(a.Uint32()))
			for range 40 {
				session := pick(a, "s", "t")
				switch a.IntN(12) {
				case 0:
					mustSend(t, p, session, a.removal(pick(a, ids[1:]...)))
				case 1:
					answer := p.load(session)
					update, _ := a.next(pick(a, ids...))
					mustSend(t, p, session, update)
					answer(a.IntN(2) == 0)
				case 2:
					entries, _ := a.list()
					mustSend(t, p, session, a.update("", entries))
					mustSend(t, p, session, a.update("p", entries))
				case 3, 4, 5:
					mustSend(t, p, session, a.nonsense())
				default:
					update, _ := a.next(pick(a, ids...))
					mustSend(t, p, session, update)
				}
			}
		}
	})
}
