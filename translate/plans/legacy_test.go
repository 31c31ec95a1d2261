package plans

import (
	"slices"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
)

// TestLegacyTable tests the table of the package documentation, "Clients that know
// only plan", row by row.
func TestLegacyTable(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "plan, nothing else live, every entry valid in v1: the same line",
		talk: `
			> { "_meta":{"k":1}, "sessionUpdate" : "plan","x":[1e3], "entries":[ {"content":"A","priority":"medium","status":"pending"} ,{"content":"B \u00e9","priority":"low","status":"completed"}] }
			< =
			> plan A
			< =
			> plan
			< =`,
	}, {
		name: "plan with entries v1 does not know: those entries mapped",
		talk: `
			> plan A | {"content":"B","priority":"urgent","status":"cancelled"}
			< plan A | B (cancelled) (completed)`,
	}, {
		name: "plan_update items: plan with those entries",
		talk: `
			> items p: A | B (done)
			< plan A | B (done)
			> items id p: A (done)
			< plan A (done)
			> items p:
			< plan`,
	}, {
		name: "plan_update markdown: plan with the rendered entries",
		talk: `
			> markdown p: # T\n- [ ] A\n- [x] B
			< plan A | B (completed)`,
	}, {
		name:    "plan_update file: plan with the rendered entries",
		options: with(func(o *Options) { o.ReadFile = func(string) ([]byte, error) { return []byte("1. A\n2. B\n"), nil } }),
		talk: `
			> file p: file:///t/plan.md
			< plan A | B`,
	}, {
		name: "plan_update of an unknown type with an entries array: as items",
		talk: `
			> custom "content":"x","entries":[{"content":"A","priority":"medium","status":"pending"}]
			< plan A`,
	}, {
		name: "plan_update of an unknown type with string content: as markdown",
		talk: `
			> custom "content":"- A","entries":{}
			< plan A`,
	}, {
		name: "plan_update of an unknown type with string uri: as a link",
		options: with(func(o *Options) {
			o.ReadFile = func(string) ([]byte, error) { panic("a link is not read") }
		}),
		talk: `
			> custom "uri":"file:///t/plan.md","content":null
			< plan Plan: file:///t/plan.md`,
	}, {
		name: "plan_update of an unknown type with nothing: nothing is shown for it, and a warning; it still replaces",
		talk: `
			> custom "steps":[]
			! unknown type
			> items p: A
			< plan A
			> custom "steps":[]
			< plan
			! unknown type
			> custom "steps":[]
			! unknown type`,
	}, {
		name: "plan_removed: plan with what is left, empty entries when nothing is",
		talk: `
			> items p: A
			< plan A
			> items q: B
			< plan [p] A | [q] B
			> removed p
			< plan B
			> removed id q
			< plan`,
	}, {
		name: "plan_removed of an id not live: nothing",
		talk: `
			> removed p
			> items p: A
			< plan A
			> removed q
			> removed p
			< plan
			> removed p`,
	}, {
		name: "plan_removed of an id not live, the only live plan is a legacy plan: the removal of that",
		talk: `
			> plan A
			< =
			> items p: B
			< plan A | [p] B
			> removed other
			> removed p
			< plan A
			> removed other
			< plan
			> items main: A
			< plan A
			> removed other`,
	}, {
		name:    "a plan that is not shown and was not before: nothing",
		options: with(func(o *Options) { o.Markdown, o.Files = MarkdownDrop, FilesDrop }),
		talk: `
			> markdown p: - A
			> file f: file:///t/plan.md
			> removed p
			> plan B
			< =
			> markdown p: - A`,
	}, {
		name:    "a plan that is no longer shown: the list without it",
		options: with(func(o *Options) { o.Markdown = MarkdownDrop }),
		talk: `
			> items p: A
			< plan A
			> markdown p: - A
			< plan`,
	}, {
		name: "a text without steps: nothing",
		talk: "> markdown p:\n> markdown p: ```\\n- A\\n```",
	}, {
		name: "the same content again: plan again",
		talk: `
			> items p: A
			< plan A
			> items p: A
			< plan A`,
	}, {
		name: "a plan message without an id: as if it had the synthetic id",
		talk: `
			> plan A
			< =
			> {"sessionUpdate":"plan_update","plan":{"type":"items","entries":[{"content":"B","priority":"medium","status":"pending"}]}}
			< plan B
			> {"sessionUpdate":"plan_update","plan":{"type":"items","planId":null,"entries":[{"content":"C","priority":"medium","status":"pending"}]}}
			< plan C
			> {"sessionUpdate":"plan_removed"}
			< plan
			> {"sessionUpdate":"plan_removed"}`,
	}, {
		name: "a legacy plan is the plan with the synthetic id, also for a removal",
		talk: `
			> plan A
			< =
			> removed main
			< plan
			> removed main`,
	}, {
		name: "if both spellings of the id differ, planId counts and a warning is logged",
		talk: `
			> {"sessionUpdate":"plan_update","plan":{"type":"items","id":"q","planId":"p","entries":[{"content":"A","priority":"medium","status":"pending"}]}}
			< plan A
			! differ
			> removed q
			> {"sessionUpdate":"plan_removed","id":"q","planId":"p"}
			< plan
			! differ`,
	}})
}

// custom is a plan of the id p and of a type that no draft has.
func custom(members string) string {
	return `{"sessionUpdate":"plan_update","plan":{"type":"_x","planId":"p",` + members + `}}`
}

func TestNotUnderstood(t *testing.T) {
	messages := map[string]string{
		"entries is no array":       `{"sessionUpdate":"plan","entries":{}}`,
		"no entries":                `{"sessionUpdate":"plan"}`,
		"no plan":                   `{"sessionUpdate":"plan_update"}`,
		"plan is no object":         `{"sessionUpdate":"plan_update","plan":[]}`,
		"plan is empty":             `{"sessionUpdate":"plan_update","plan":{}}`,
		"type is no string":         `{"sessionUpdate":"plan_update","plan":{"type":7,"entries":[]}}`,
		"planId is no string":       `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":7,"entries":[]}}`,
		"id is no string":           `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","id":{},"entries":[]}}`,
		"items without entries":     `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p"}}`,
		"items entries no array":    `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":"x"}}`,
		"markdown without content":  `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p"}}`,
		"markdown content a number": `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":1}}`,
		"file without uri":          `{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"p","content":"x"}}`,
		"file uri is null":          `{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"p","uri":null}}`,
		"removed id is no string":   `{"sessionUpdate":"plan_removed","planId":["p"]}`,
	}
	for name, message := range messages {
		misfit := "> " + message + "\n< =\n! forwarded unchanged"
		runCases(t, legacyClient, []testCase{
			{name: name, talk: "> items p: A\n< plan A\n" + misfit},
			{name: name + ", ops", client: opsClient, talk: "> items p: A\n< items both p: A\n" + misfit},
			{name: name + ", v2", client: v2Client, talk: "> items p: A\n< =\n" + misfit},
		})
	}
}

// TestNoSession has a plan message that names no session.
func TestNoSession(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	message := `{"method":"session/update","params":{"update":` + items("p", todo("A")) + `}}`
	outputs, lost := p.from(translate.Agent, message), p.out.Losses()
	if !slices.Equal(outputs, []string{message}) || len(lost) != 1 || lost[0].Kind != translate.LossPlanSession {
		t.Errorf("it becomes %q, and %v is lost", outputs, lost)
	}
}

func TestSeveralLivePlans(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "their entries one after another in the order first seen, each prefixed with its title, except the legacy plan's",
		talk: `
			> items p: A | B (done)
			< plan A | B (done)
			> plan C
			< plan [p] A | [p] B (done) | C
			> items q\": D
			< plan [p] A | [p] B (done) | C | [q\"] D
			> items p: A (done) | B
			< plan [p] A (done) | [p] B | C | [q\"] D
			> plan
			< plan [p] A (done) | [p] B | [q\"] D
			> removed p
			< plan D`,
	}, {
		name: "a finished plan makes room for an unfinished one",
		talk: `
			> items p: A (done)
			< plan A (done)
			> items q: B | C (done)
			< plan B | C (done)
			> plan D
			< plan [q] B | [q] C (done) | D
			> items q: B (done) | C (done)
			< plan D`,
	}, {
		name: "finished plans come back when all plans are finished",
		talk: `
			> items p: A (done)
			< plan A (done)
			> items q: B
			< plan B
			> items q: B (done)
			< plan [p] A (done) | [q] B (done)
			> items q: {"content":"B","priority":"low","status":"in_progress"}
			< plan {"content":"B","priority":"low","status":"in_progress"}
			> removed q
			< plan A (done)`,
	}, {
		name: "a finished plan comes back with an entry that is not",
		talk: `
			> items p: A (done)
			< plan A (done)
			> items q: B
			< plan B
			> items p: A (done) | C
			< plan [p] A (done) | [p] C | [q] B`,
	}, {
		name: "an unfinished legacy plan passes beside a finished one",
		talk: `
			> items p: A (done)
			< plan A (done)
			> plan B
			< =
			> plan B (done)
			< plan [p] A (done) | B (done)`,
	}, {
		name: "a text of which nothing is done makes room for a list that comes after it, until that is empty or removed",
		talk: `
			> items q: A
			< plan A
			> markdown t: - [ ] T
			< plan [q] A | [t] T
			> plan B
			< plan [q] A | B
			> markdown t: - [ ] T
			< plan [q] A | B
			> markdown t: - [ ] T\n- [ ] U\n
			> plan
			< plan [q] A | [t] T | [t] U
			> items q: A
			< plan A
			> removed q
			< plan T | U`,
	}, {
		name:    "a file makes room for a list that comes after it",
		options: with(func(o *Options) { o.Files = FilesLink }),
		talk: `
			> file f: file:///t/plan.md
			< plan Plan: file:///t/plan.md
			> plan A
			< =
			> file f: file:///t/plan.md
			< plan A
			> file f: file:///t/other.md
			< plan [other.md] Plan: file:///t/other.md | A`,
	}, {
		name: "a text comes back when one of its steps has begun",
		talk: `
			> markdown t: - [ ] T\n- [ ] U
			< plan T | U
			> plan A
			< =
			> markdown t: - [-] T\n- [ ] U
			< plan [t] T (in_progress) | [t] U | A`,
	}, {
		name: "a text comes back when another one replaces it",
		talk: `
			> markdown t: - [ ] T
			< plan T
			> plan A
			< =
			> markdown t: - [ ] V
			< plan [t] V | A`,
	}, {
		name: "a list that is completed after the latest message about a text replaces the text",
		talk: `
			> markdown t: - [x] T\n- [ ] U
			< plan T (completed) | U
			> plan A
			< plan [t] T (completed) | [t] U | A
			> plan A (done)
			< =
			> markdown t: - [x] T\n- [-] U
			< plan T (completed) | U (in_progress)`,
	}, {
		name: "cancelled is completed, however it is spelled",
		talk: `
			> items p: {"content":"A","priority":"low","status":"cancelled"}
			< plan A (cancelled) (done)
			> items q: {"content":"B","priority":"low","status":"c\u006fmpleted"}
			< plan [p] A (cancelled) (done) | {"content":"[q] B","priority":"low","status":"c\u006fmpleted"}
			> items r: C
			< plan C`,
	}})
}

func TestTitlesOfLivePlans(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "ids that say nothing are no titles",
		talk: `
			> items plan: A
			< plan A
			> items auth: B
			< plan A | [auth] B
			> markdown main: - C
			< plan A | [auth] B | C
			> markdown main: # Login\n- C
			< plan A | [auth] B | [Login] C`,
	}, {
		name: "the title of a markdown plan is its first heading, else the name of its file, else its id",
		talk: `
			> markdown m: ## My *title*\n- [ ] A
			< plan A
			> markdown n: - B
			< plan [My title] A | [n] B
			> markdown m /t/a.md: # Mine\n- [ ] A
			< plan [Mine] A | [n] B
			> markdown m /t/a.md: - A
			< plan [a.md] A | [n] B
			> markdown n \\\\host\\plans\\b.md: - B
			< plan [a.md] A | [b.md] B
			> markdown n t/b.md: - B
			< plan [a.md] A | [n] B
			> markdown n /t/b.md:
			< plan A`,
	}, {
		name:    "the title of a file plan is its file name",
		options: with(func(o *Options) { o.ReadFile = func(string) ([]byte, error) { return []byte("# H\n- A"), nil } }),
		talk: `
			> file f: file:///t/my%20plan.md
			< plan A
			> file g: /t/a%20?.md
			< plan [my plan.md] A | [a%20?.md] A`,
	}, {
		name:    "a legacy plan has no title, whatever the synthetic id",
		options: with(func(o *Options) { o.SyntheticID = "notes" }),
		talk: `
			> plan A
			< =
			> items q: B
			< plan A | [q] B
			> items notes: C
			< plan C | [q] B`,
	}, {
		name: "a title is cut to 40 characters with an ellipsis",
		talk: `
			> items ééééééééééééééééééééééééééééééééééééééééé: A
			< plan A
			> items éééééééééééééééééééééééééééééééééééééééé: B
			< plan [ééééééééééééééééééééééééééééééééééééééé…] A | [éééééééééééééééééééééééééééééééééééééééé] B
			> markdown m: # ééééééééééééééééééééééééééééééééééééééééé\n- C
			< plan [ééééééééééééééééééééééééééééééééééééééé…] A | [éééééééééééééééééééééééééééééééééééééééé] B | [ééééééééééééééééééééééééééééééééééééééé…] C`,
	}, {
		name: "only plans that contribute count",
		talk: `
			> items p:
			< plan
			> plan A
			< =
			> items q: B
			< plan A | [q] B
			> plan
			< plan B`,
	}, {
		name: "sessions are independent",
		talk: `
			one> items p: A
			< plan A
			two> items q: B
			< plan B
			two> removed p
			one> removed p
			< plan
			two> plan
			< plan B`,
	}})
}

// TestSamePlanInBothForms checks the messages to a legacy client from an agent that sends each
// state of a plan as a legacy plan and as an items plan.
func TestSamePlanInBothForms(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "items plan first: the legacy plans are ignored",
		talk: `
			> items p: A
			< plan A
			> plan A
			> plan B
			> items p: A (done)
			< plan A (done)
			> removed p
			< plan
			> plan C`,
	}, {
		name: "legacy plan first",
		talk: `
			> plan A
			< =
			> items q: B
			< plan A | [q] B
			> items p: A
			< plan [q] B | [p] A
			> plan C`,
	}, {
		name: "they become the same later",
		talk: `
			> plan A
			< =
			> items p: B
			< plan A | [p] B
			> plan B
			< plan B
			> plan C`,
	}, {
		name: "the spelling and other members do not count",
		talk: `
			> plan A | {"content":"B","priority":"high","status":"cancelled"}
			< plan A | {"content":"B (cancelled)","priority":"high","status":"completed"}
			> items p: {"id":1,"status":"pending","content":"\u0041","priority":"medium"} | {"content":"B","priority":"high","status":"cancelled"}
			< plan {"id":1,"status":"pending","content":"\u0041","priority":"medium"} | {"content":"B (cancelled)","priority":"high","status":"completed"}`,
	}, {
		name: "a session that is loaded begins anew",
		talk: `
			> items p: A
			< plan A
			> plan A
			load
			> plan B
			< =`,
	}, {
		name: "empty plans, plans of other types and other items plans are not the same plan",
		talk: `
			> items p:
			< plan
			> plan
			< =
			> items p: A
			< plan A
			> items q: A
			< plan [p] A | [q] A
			> removed p
			< plan A
			> removed q
			< plan
			> plan B
			< =
			> markdown m: - B
			< plan B | [m] B`,
	}, {
		name: "plans that differ in a status, a priority or the number of entries are not the same plan",
		talk: `
			> items p: A
			< plan A
			> plan A (done)
			< plan A
			> plan A (in_progress)
			< plan [p] A | A (in_progress)
			> plan {"content":"A","priority":"low","status":"pending"}
			< plan [p] A | {"content":"A","priority":"low","status":"pending"}
			> plan A | B
			< plan [p] A | A | B`,
	}})
}

// TestUpdateStays verifies that nothing changes around the members with the plan.
func TestUpdateStays(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "_meta, unknown members and white space stay where they are",
		talk: `
			> {"_meta" : {"a":[1, 2]} , "sessionUpdate":"plan_update" ,"plan" : { "type":"items","planId":"p","entries":[ {"content":"A","priority":"medium","status":"pending"} ] } , "x":1.50 }
			< {"_meta" : {"a":[1, 2]} , "sessionUpdate":"plan" ,"entries":[{"content":"A","priority":"medium","status":"pending"}] , "x":1.50 }
			> {"planId":"p","_meta":null,"sessionUpdate":"plan_removed"}
			< {"entries":[],"_meta":null,"sessionUpdate":"plan"}`,
	}, {
		name: "any order of members",
		talk: `
			> {"plan":{"entries":[{"content":"A","priority":"medium","status":"pending"}],"planId":"p","type":"items"},"sessionUpdate":"plan_update"}
			< {"entries":[{"content":"A","priority":"medium","status":"pending"}],"sessionUpdate":"plan"}
			> {"entries":[{"content":"B","priority":"medium","status":"pending"}],"sessionUpdate":"plan"}
			< {"entries":[{"content":"[p] A","priority":"medium","status":"pending"},{"content":"B","priority":"medium","status":"pending"}],"sessionUpdate":"plan"}`,
	}, {
		name: "escaped spellings of names and values",
		talk: `
			> {"sessionUpd\u0061te":"pl\u0061n","entrie\u0073":[{"c\u006fntent":"A","priority":"l\u006fw","status":"p\u0065nding"}]}
			< =
			> {"sessionUpd\u0061te":"plan\u005fupdate","pl\u0061n":{"typ\u0065":"it\u0065ms","pl\u0061nId":"\u0070","entrie\u0073":[{"content":"A","priority":"medium","status":"pending"}]}}
			< {"sessionUpdate":"plan","entries":[{"c\u006fntent":"A","priority":"l\u006fw","status":"p\u0065nding"},{"content":"[p] A","priority":"medium","status":"pending"}]}
			> plan
			< plan A
			> removed p
			< plan`,
	}, {
		name: "a member that could be taken for a legacy plan's entries goes",
		talk: `
			> {"entries":[7],"sessionUpdate":"plan_update","entries":[],"plan":{"type":"items","planId":"p","entries":[{"content":"A","priority":"medium","status":"pending"}]},"entries":1,"plan_":2}
			< {"sessionUpdate":"plan","entries":[{"content":"A","priority":"medium","status":"pending"}],"plan_":2}
			> {"sessionUpdate":"plan_removed","entries":[1],"id":"p","planId":"p"}
			< plan`,
	}, {
		name: "any other member stays",
		talk: `
			> {"plan":{},"id":"x","sessionUpdate":"plan","planId":7,"entries":[{"content":"A"}]}
			< {"plan":{},"id":"x","sessionUpdate":"plan","planId":7,"entries":[{"content":"A","priority":"medium","status":"pending"}]}`,
	}, {
		name: "an update of another kind passes",
		talk: `
			> {"sessionUpdate":"agent_message_chunk","plan":{"planId":7}}
			< =
			> {"sessionUpdate":["plan"],"entries":7}
			< =
			> {"entries":[]}
			< =
			> "plan"
			< =
			> {}
			< =`,
	}})
}

func TestNothingNegotiated(t *testing.T) {
	p := newPeer(defaults(), capabilities.Client{})
	for _, update := range []string{items("p", todo("A")), legacyPlan(`{"content":"A"}`), removed("p"), `{"sessionUpdate":"plan"}`} {
		got, err := p.send("s", update)
		if err != nil || got.Action != Forward || got.Warnings != nil {
			t.Errorf("%s: %v, %v", update, got, err)
		}
	}
}

// TestResult tests the results for the log and the trace.
func TestResult(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	for _, c := range []struct {
		update, plan, typ string
		entries           int
	}{
		{items("p", todo("A"), todo("B")), "p", "items", 2},
		{legacyPlan(todo("C")), "", "", 1},
		{`{"sessionUpdate":"plan","entries":[],"plan":{"type":"items"}}`, "", "", 0},
		{markdownUpdate("m", ""), "m", "markdown", 0},
		{`{"sessionUpdate":"plan_update","plan":{"type":"_x","id":"y"}}`, "y", "_x", 0},
		{removed("p"), "p", "", 0},
	} {
		if _, err := p.send("s", c.update); err != nil {
			t.Fatal(err)
		}
		r := p.current.result
		if r.Plan != c.plan || r.Type != c.typ || r.Entries != c.entries {
			t.Errorf("%s: plan %q, type %q, %d entries", c.update, r.Plan, r.Type, r.Entries)
		}
	}
}

// TestTitleOf tests which ids are uninformative.
func TestTitleOf(t *testing.T) {
	for id, want := range map[string]bool{
		"plan": true, "main": true, "plan-mode": true, "plan_mode": true, "planMode": true, "PLAN": true, "plans/main": true,
		"plan-1": true, "plan2": true, "main-plan": true, "current_plan": true, "default": true, "agent-plan": true,
		"todo": true, "todos": true, "todo-list": true, "TodoList": true, "session-3": true, "task_12": true,
		"": true, "-": true, "7": true, "0042": true, "1.2": true, "2026-11-22": true,
		"123e4567-e89b-12d3-a456-426614174000": true, "{123E4567-E89B-12D3-A456-426614174000}": true,
		"plan-beefface-dead-beef-cafe-deadbeefcafe": true, "123e4567e89b12d3a456426614174000": true, "01ARZ3NDEKTSV4RRFFQ69G5FAV": true,
		"plan_V1StGXR8Z5jdHi6BmyT": true,
		"auth":                     false, "plan-auth": false, "authPlan": false, "p": false, "q1": false, "beef": false, "dead-beef": false,
		"planner": false, "mainframe": false, "maintenance": false, "cursor-plan": false, "release 1.2": false,
		"beefface-dead-beef-cafe": false, "internationalization": false, "план": false, "计划": false,
	} {
		if got := titleOf(id) == ""; got != want {
			t.Errorf("%q is uninformative: %t", id, got)
		}
	}
}

// TestCards checks the messages to a client that draws a card for each list.
func TestCards(t *testing.T) {
	cards := legacyClient
	cards.PlanCards = true
	runCases(t, cards, []testCase{{
		name: "a list only if it has changed and is not empty",
		talk: `
			> plan A
			< =
			> plan {"status":"pending","priority":"medium","content":"\u0041"}
			> plan A (done)
			< =
			> plan
			> plan A (done)`,
	}, {
		name: "the list of a text when another message of the session follows",
		talk: `
			> markdown p: 1. A
			other> {"sessionUpdate":"x"}
			< =
			> {"sessionUpdate":"x"}
			< plan A
			< =
			> {"sessionUpdate":"x"}
			< =`,
	}, {
		name: "the list of a text when the turn ends",
		talk: `
			> markdown p: 1. A
			turn
			< plan A
			turn`,
	}, {
		name: "no list of a text if the session is closed",
		talk: `
			> markdown p: 1. A
			close
			turn`,
	}})
}
