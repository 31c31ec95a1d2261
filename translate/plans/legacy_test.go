package plans

import (
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// TestLegacyTable pins the table of the package documentation, "Clients that know
// only plan", row by row.
func TestLegacyTable(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "plan, nothing else live, every entry valid in v1: the same line",
		steps: []step{
			on(`{ "_meta":{"k":1}, "sessionUpdate" : "plan","x":[1e3], "entries":[ `+todo("A")+` ,`+done(`B \u00e9`)+`] }`, forward),
			on(legacyPlan(todo("A")), forward),
			on(legacyPlan(), forward),
		},
	}, {
		name: "plan with entries v1 does not know: those entries mapped",
		steps: []step{
			on(legacyPlan(todo("A"), `{"content":"B","priority":"urgent","status":"cancelled"}`),
				rewrite(legacyPlan(todo("A"), `{"content":"B (cancelled)","priority":"medium","status":"completed"}`))),
		},
	}, {
		name: "plan_update items: plan with those entries",
		steps: []step{
			on(items("p", todo("A"), done("B")), rewrite(legacyPlan(todo("A"), done("B")))),
			on(withOld(items("p", done("A"))), rewrite(legacyPlan(done("A")))),
			on(items("p"), rewrite(legacyPlan())),
		},
	}, {
		name: "plan_update markdown: plan with the rendered entries",
		steps: []step{
			on(markdownUpdate("p", `# T\n- [ ] A\n- [x] B`), rewrite(legacyPlan(todo("A"), `{"content":"B","priority":"medium","status":"completed"}`))),
		},
	}, {
		name:    "plan_update file: plan with the rendered entries",
		options: with(func(o *Options) { o.ReadFile = func(string) ([]byte, error) { return []byte("1. A\n2. B\n"), nil } }),
		steps:   []step{on(fileUpdate("p", "file:///t/plan.md"), rewrite(legacyPlan(todo("A"), todo("B"))))},
	}, {
		name:  "plan_update of an unknown type with an entries array: as items",
		steps: []step{on(custom(`"content":"x","entries":[`+todo("A")+`]`), rewrite(legacyPlan(todo("A"))))},
	}, {
		name:  "plan_update of an unknown type with string content: as markdown",
		steps: []step{on(custom(`"content":"- A","entries":{}`), rewrite(legacyPlan(todo("A"))))},
	}, {
		name: "plan_update of an unknown type with string uri: as a link",
		options: with(func(o *Options) {
			o.ReadFile = func(string) ([]byte, error) { panic("a link is not read") }
		}),
		steps: []step{on(custom(`"uri":"file:///t/plan.md","content":null`), rewrite(legacyPlan(todo("Plan: file:///t/plan.md"))))},
	}, {
		name: "plan_update of an unknown type with nothing: nothing is shown for it, and a warning; it still replaces",
		steps: []step{
			on(custom(`"steps":[]`), drop.warned("unknown type")),
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(custom(`"steps":[]`), rewrite(legacyPlan()).warned("unknown type")),
			on(custom(`"steps":[]`), drop.warned("unknown type")),
		},
	}, {
		name: "plan_removed: plan with what is left, empty entries when nothing is",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items("q", todo("B")), rewrite(legacyPlan(todo("[p] A"), todo("[q] B")))),
			on(removed("p"), rewrite(legacyPlan(todo("B")))),
			on(withOld(removed("q")), rewrite(legacyPlan())),
		},
	}, {
		name: "plan_removed of an id not live: nothing",
		steps: []step{
			on(removed("p"), drop),
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(removed("q"), drop),
			on(removed("p"), rewrite(legacyPlan())),
			on(removed("p"), drop),
		},
	}, {
		name:    "a plan that is not shown and was not before: nothing",
		options: with(func(o *Options) { o.Markdown, o.Files = MarkdownDrop, FilesDrop }),
		steps: []step{
			on(markdownUpdate("p", "- A"), drop),
			on(fileUpdate("f", "file:///t/plan.md"), drop),
			on(removed("p"), drop),
			on(legacyPlan(todo("B")), forward),
			on(markdownUpdate("p", "- A"), drop),
		},
	}, {
		name:    "a plan that is not shown any more leaves what is left",
		options: with(func(o *Options) { o.Markdown = MarkdownDrop }),
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(markdownUpdate("p", "- A"), rewrite(legacyPlan())),
		},
	}, {
		name: "nothing rendered: nothing",
		steps: []step{
			on(markdownUpdate("p", ""), drop),
			on(markdownUpdate("p", "```\\n- A\\n```"), drop),
		},
	}, {
		name: "the same content again: plan again",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
		},
	}, {
		name: "a plan message without an id: as if it had the synthetic id",
		steps: []step{
			on(legacyPlan(todo("A")), forward),
			on(`{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[`+todo("B")+`]}}`, rewrite(legacyPlan(todo("B")))),
			on(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":null,"entries":[`+todo("C")+`]}}`, rewrite(legacyPlan(todo("C")))),
			on(`{"sessionUpdate":"plan_removed"}`, rewrite(`{"sessionUpdate":"plan","entries":[]}`)),
			on(`{"sessionUpdate":"plan_removed"}`, drop),
		},
	}, {
		name: "a legacy plan is the plan with the synthetic id, also for a removal",
		steps: []step{
			on(legacyPlan(todo("A")), forward),
			on(removed("main"), rewrite(legacyPlan())),
			on(removed("main"), drop),
		},
	}, {
		name: "if both spellings of the id differ, planId counts and a warning is logged",
		steps: []step{
			on(`{"sessionUpdate":"plan_update","plan":{"type":"items","id":"q","planId":"p","entries":[`+todo("A")+`]}}`,
				rewrite(legacyPlan(todo("A"))).warned("differ")),
			on(removed("q"), drop),
			on(`{"sessionUpdate":"plan_removed","id":"q","planId":"p"}`, rewrite(legacyPlan()).warned("differ")),
		},
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
	before := items("p", todo("A"))
	for name, message := range messages {
		misfit := on(message, forward.warned("forwarded as it came"))
		runCases(t, legacyClient, []testCase{
			{name: name, steps: []step{on(before, rewrite(legacyPlan(todo("A")))), misfit}},
			{name: name + ", ops", client: opsClient, steps: []step{on(before, rewrite(withBoth(before, "p"))), misfit}},
			{name: name + ", v2", client: v2Client, steps: []step{on(before, forward), misfit}},
		})
	}
}

// TestNoSession has a plan message that names no session.
func TestNoSession(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	message := `{"method":"session/update","params":{"update":` + items("p", todo("A")) + `}}`
	leaves, lost := p.from(translate.Agent, message), p.out.Losses()
	if !slices.Equal(leaves, []string{message}) || len(lost) != 1 || lost[0].Kind != translate.LossPlanSession {
		t.Errorf("it becomes %q, and %v is lost", leaves, lost)
	}
}

func TestSeveralLivePlans(t *testing.T) {
	long := strings.Repeat("é", 41)
	cut := strings.Repeat("é", 39) + "…"
	runCases(t, legacyClient, []testCase{{
		name: "their entries one after another in the order first seen, each prefixed with its title, except the legacy plan's",
		steps: []step{
			on(items("p", todo("A"), done("B")), rewrite(legacyPlan(todo("A"), done("B")))),
			on(legacyPlan(todo("C")), rewrite(legacyPlan(todo("[p] A"), done("[p] B"), todo("C")))),
			on(items(`q\"`, todo("D")), rewrite(legacyPlan(todo("[p] A"), done("[p] B"), todo("C"), todo(`[q\"] D`)))),
			on(items("p", done("A"), todo("B")), rewrite(legacyPlan(done("[p] A"), todo("[p] B"), todo("C"), todo(`[q\"] D`)))),
			on(legacyPlan(), rewrite(legacyPlan(done("[p] A"), todo("[p] B"), todo(`[q\"] D`)))),
			on(removed("p"), rewrite(legacyPlan(todo("D")))),
		},
	}, {
		name: "a finished plan makes room for an unfinished one",
		steps: []step{
			on(items("p", done("A")), rewrite(legacyPlan(done("A")))),
			on(items("q", todo("B"), done("C")), rewrite(legacyPlan(todo("B"), done("C")))),
			on(legacyPlan(todo("D")), rewrite(legacyPlan(todo("[q] B"), done("[q] C"), todo("D")))),
			on(items("q", done("B"), done("C")), rewrite(legacyPlan(todo("D")))),
		},
	}, {
		name: "and comes back when nothing is left to do in any",
		steps: []step{
			on(items("p", done("A")), rewrite(legacyPlan(done("A")))),
			on(items("q", todo("B")), rewrite(legacyPlan(todo("B")))),
			on(items("q", done("B")), rewrite(legacyPlan(done("[p] A"), done("[q] B")))),
			on(items("q", `{"content":"B","priority":"low","status":"in_progress"}`), rewrite(legacyPlan(`{"content":"B","priority":"low","status":"in_progress"}`))),
			on(removed("q"), rewrite(legacyPlan(done("A")))),
		},
	}, {
		name: "or sends something that is",
		steps: []step{
			on(items("p", done("A")), rewrite(legacyPlan(done("A")))),
			on(items("q", todo("B")), rewrite(legacyPlan(todo("B")))),
			on(items("p", done("A"), todo("C")), rewrite(legacyPlan(done("[p] A"), todo("[p] C"), todo("[q] B")))),
		},
	}, {
		name: "an unfinished legacy plan passes beside a finished one",
		steps: []step{
			on(items("p", done("A")), rewrite(legacyPlan(done("A")))),
			on(legacyPlan(todo("B")), forward),
			on(legacyPlan(done("B")), rewrite(legacyPlan(done("[p] A"), done("B")))),
		},
	}, {
		name: "a text of which nothing is done makes room for a list that comes after it, until that is empty or removed",
		steps: []step{
			on(items("q", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(markdownUpdate("t", `- [ ] T`), rewrite(legacyPlan(todo("[q] A"), todo("[t] T")))),
			on(legacyPlan(todo("B")), rewrite(legacyPlan(todo("[q] A"), todo("B")))),
			on(markdownUpdate("t", `- [ ] T`), rewrite(legacyPlan(todo("[q] A"), todo("B")))),
			on(markdownUpdate("t", `- [ ] T\n- [ ] U\n`), rewrite(legacyPlan(todo("[q] A"), todo("B")))),
			on(legacyPlan(), rewrite(legacyPlan(todo("[q] A"), todo("[t] T"), todo("[t] U")))),
			on(items("q", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(removed("q"), rewrite(legacyPlan(todo("T"), todo("U")))),
		},
	}, {
		name:    "so does a file",
		options: with(func(o *Options) { o.Files = FilesLink }),
		steps: []step{
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(legacyPlan(todo("Plan: file:///t/plan.md")))),
			on(legacyPlan(todo("A")), forward),
			on(fileUpdate("f", "file:///t/plan.md"), rewrite(legacyPlan(todo("A")))),
			on(fileUpdate("f", "file:///t/other.md"), rewrite(legacyPlan(todo("[other.md] Plan: file:///t/other.md"), todo("A")))),
		},
	}, {
		name: "or something in the text is done",
		steps: []step{
			on(markdownUpdate("t", `- [ ] T\n- [ ] U`), rewrite(legacyPlan(todo("T"), todo("U")))),
			on(legacyPlan(todo("A")), forward),
			on(markdownUpdate("t", `- [-] T\n- [ ] U`),
				rewrite(legacyPlan(strings.Replace(todo("[t] T"), "pending", "in_progress", 1), todo("[t] U"), todo("A")))),
		},
	}, {
		name: "another text under its id is back",
		steps: []step{
			on(markdownUpdate("t", `- [ ] T`), rewrite(legacyPlan(todo("T")))),
			on(legacyPlan(todo("A")), forward),
			on(markdownUpdate("t", `- [ ] V`), rewrite(legacyPlan(todo("[t] V"), todo("A")))),
		},
	}, {
		name: "a list that is done last stays: the text that it came from is not told what was done",
		steps: []step{
			on(markdownUpdate("t", `- [x] T\n- [ ] U`), rewrite(legacyPlan(strings.Replace(todo("T"), "pending", "completed", 1), todo("U")))),
			on(legacyPlan(todo("A")), rewrite(legacyPlan(strings.Replace(todo("[t] T"), "pending", "completed", 1), todo("[t] U"), todo("A")))),
			on(legacyPlan(done("A")), forward),
			on(markdownUpdate("t", `- [x] T\n- [-] U`),
				rewrite(legacyPlan(strings.Replace(todo("T"), "pending", "completed", 1), strings.Replace(todo("U"), "pending", "in_progress", 1)))),
		},
	}, {
		name: "cancelled is completed, however it is spelled",
		steps: []step{
			on(items("p", `{"content":"A","priority":"low","status":"cancelled"}`), rewrite(legacyPlan(`{"content":"A (cancelled)","priority":"low","status":"completed"}`))),
			on(items("q", `{"content":"B","priority":"low","status":"c\u006fmpleted"}`),
				rewrite(legacyPlan(`{"content":"[p] A (cancelled)","priority":"low","status":"completed"}`, `{"content":"[q] B","priority":"low","status":"c\u006fmpleted"}`))),
			on(items("r", todo("C")), rewrite(legacyPlan(todo("C")))),
		},
	}, {
		name: "ids that say nothing are no titles",
		steps: []step{
			on(items("plan", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items("auth", todo("B")), rewrite(legacyPlan(todo("A"), todo("[auth] B")))),
			on(markdownUpdate("main", `- C`), rewrite(legacyPlan(todo("A"), todo("[auth] B"), todo("C")))),
			on(markdownUpdate("main", `# Login\n- C`), rewrite(legacyPlan(todo("A"), todo("[auth] B"), todo("[Login] C")))),
		},
	}, {
		name: "the title of a markdown plan is its first heading, else the name of its file, else its id",
		steps: []step{
			on(markdownUpdate("m", `## My *title*\n- [ ] A`), rewrite(legacyPlan(todo("A")))),
			on(markdownUpdate("n", `- B`), rewrite(legacyPlan(todo("[My title] A"), todo("[n] B")))),
			on(pathUpdate("m", `# Mine\n- [ ] A`, "/t/a.md"), rewrite(legacyPlan(todo("[Mine] A"), todo("[n] B")))),
			on(pathUpdate("m", "- A", "/t/a.md"), rewrite(legacyPlan(todo("[a.md] A"), todo("[n] B")))),
			on(pathUpdate("n", "- B", `\\\\host\\plans\\b.md`), rewrite(legacyPlan(todo("[a.md] A"), todo("[b.md] B")))),
			on(pathUpdate("n", "- B", "t/b.md"), rewrite(legacyPlan(todo("[a.md] A"), todo("[n] B")))),
			on(pathUpdate("n", "", "/t/b.md"), rewrite(legacyPlan(todo("A")))),
		},
	}, {
		name:    "the title of a file plan is its file name",
		options: with(func(o *Options) { o.ReadFile = func(string) ([]byte, error) { return []byte("# H\n- A"), nil } }),
		steps: []step{
			on(fileUpdate("f", "file:///t/my%20plan.md"), rewrite(legacyPlan(todo("A")))),
			on(fileUpdate("g", "/t/a%20?.md"), rewrite(legacyPlan(todo("[my plan.md] A"), todo("[a%20?.md] A")))),
		},
	}, {
		name: "a title is cut to 40 characters with an ellipsis",
		steps: []step{
			on(items(long, todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items(long[2:], todo("B")), rewrite(legacyPlan(todo("["+cut+"] A"), todo("["+long[2:]+"] B")))),
			on(markdownUpdate("m", "# "+long+"\\n- C"), rewrite(legacyPlan(todo("["+cut+"] A"), todo("["+long[2:]+"] B"), todo("["+cut+"] C")))),
		},
	}, {
		name: "only plans that contribute count",
		steps: []step{
			on(items("p"), rewrite(legacyPlan())),
			on(legacyPlan(todo("A")), forward),
			on(items("q", todo("B")), rewrite(legacyPlan(todo("A"), todo("[q] B")))),
			on(legacyPlan(), rewrite(legacyPlan(todo("B")))),
		},
	}, {
		name:    "--merge=latest: the most recently updated live plan only",
		options: with(func(o *Options) { o.Merge = MergeLatest }),
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(legacyPlan(todo("B")), forward),
			on(items("q", todo("C")), rewrite(legacyPlan(todo("C")))),
			on(items("p", done("A")), rewrite(legacyPlan(done("A")))),
			on(removed("p"), rewrite(legacyPlan(todo("C")))), // the one updated before it
			on(removed("q"), rewrite(legacyPlan(todo("B")))),
			on(legacyPlan(), forward),
		},
	}, {
		name:    "--merge=latest: a plan without entries gives way to the one before",
		options: with(func(o *Options) { o.Merge = MergeLatest }),
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items("q", todo("B")), rewrite(legacyPlan(todo("B")))),
			on(legacyPlan(), rewrite(legacyPlan(todo("B")))),
			on(items("q"), rewrite(legacyPlan(todo("A")))),
		},
	}, {
		name:    "a dropped plan takes no part",
		options: with(func(o *Options) { o.Markdown, o.Merge = MarkdownDrop, MergeLatest }),
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(markdownUpdate("m", "- B"), drop),
			on(items("q", todo("C")), rewrite(legacyPlan(todo("C")))),
			on(removed("q"), rewrite(legacyPlan(todo("A")))),
		},
	}, {
		name: "sessions are independent",
		steps: []step{
			in("one", items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			in("two", items("q", todo("B")), rewrite(legacyPlan(todo("B")))),
			in("two", removed("p"), drop),
			in("one", removed("p"), rewrite(legacyPlan())),
			in("two", legacyPlan(), rewrite(legacyPlan(todo("B")))),
		},
	}})
}

func TestLegacySentBothWays(t *testing.T) {
	cancelled := `{"content":"B","priority":"high","status":"cancelled"}`
	runCases(t, legacyClient, []testCase{{
		name: "the spelling and other members do not count",
		steps: []step{
			on(legacyPlan(todo("A"), cancelled), rewrite(legacyPlan(todo("A"), `{"content":"B (cancelled)","priority":"high","status":"completed"}`))),
			on(items("p", `{"id":1,"status":"pending","content":"\u0041","priority":"medium"}`, cancelled),
				rewrite(legacyPlan(`{"id":1,"status":"pending","content":"\u0041","priority":"medium"}`,
					`{"content":"B (cancelled)","priority":"high","status":"completed"}`))),
		},
	}, {
		name: "of two live plans that become the same, the one place is where the first was",
		steps: []step{
			on(legacyPlan(todo("A")), forward),
			on(items("q", todo("B")), rewrite(legacyPlan(todo("A"), todo("[q] B")))),
			on(items("p", todo("C")), rewrite(legacyPlan(todo("A"), todo("[q] B"), todo("[p] C")))),
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A"), todo("[q] B")))),
			on(legacyPlan(todo("D")), rewrite(legacyPlan(todo("D"), todo("[q] B")))),
		},
	}, {
		name: "empty plans, plans of other types and plans with an id of their own are no twins",
		steps: []step{
			on(items("p"), rewrite(legacyPlan())),
			on(legacyPlan(), forward),
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(items("q", todo("A")), rewrite(legacyPlan(todo("[p] A"), todo("[q] A")))),
			on(removed("p"), rewrite(legacyPlan(todo("A")))),
			on(removed("q"), rewrite(legacyPlan())),
			on(legacyPlan(todo("B")), forward),
			on(markdownUpdate("m", "- B"), rewrite(legacyPlan(todo("B"), todo("[m] B")))),
		},
	}, {
		name: "entries that differ in a status, a priority or in number are others",
		steps: []step{
			on(items("p", todo("A")), rewrite(legacyPlan(todo("A")))),
			on(legacyPlan(done("A")), rewrite(legacyPlan(todo("A")))),
			on(legacyPlan(strings.Replace(todo("A"), "pending", "in_progress", 1)),
				rewrite(legacyPlan(todo("[p] A"), strings.Replace(todo("A"), "pending", "in_progress", 1)))),
			on(legacyPlan(strings.Replace(todo("A"), "medium", "low", 1)),
				rewrite(legacyPlan(todo("[p] A"), strings.Replace(todo("A"), "medium", "low", 1)))),
			on(legacyPlan(todo("A"), todo("B")), rewrite(legacyPlan(todo("[p] A"), todo("A"), todo("B")))),
		},
	}})
}

// TestUpdateStays pins that around what carries the plan nothing changes.
func TestUpdateStays(t *testing.T) {
	a := todo("A")
	runCases(t, legacyClient, []testCase{{
		name: "_meta, unknown members and white space stay where they are",
		steps: []step{
			on(`{"_meta" : {"a":[1, 2]} , "sessionUpdate":"plan_update" ,"plan" : { "type":"items","planId":"p","entries":[ `+a+` ] } , "x":1.50 }`,
				rewrite(`{"_meta" : {"a":[1, 2]} , "sessionUpdate":"plan" ,"entries":[`+a+`] , "x":1.50 }`)),
			on(`{"planId":"p","_meta":null,"sessionUpdate":"plan_removed"}`,
				rewrite(`{"entries":[],"_meta":null,"sessionUpdate":"plan"}`)),
		},
	}, {
		name: "any order of members",
		steps: []step{
			on(`{"plan":{"entries":[`+a+`],"planId":"p","type":"items"},"sessionUpdate":"plan_update"}`,
				rewrite(`{"entries":[`+a+`],"sessionUpdate":"plan"}`)),
			on(`{"entries":[`+todo("B")+`],"sessionUpdate":"plan"}`,
				rewrite(`{"entries":[`+todo("[p] A")+`,`+todo("B")+`],"sessionUpdate":"plan"}`)),
		},
	}, {
		name: "escaped spellings of names and values",
		steps: []step{
			on(`{"sessionUpd\u0061te":"pl\u0061n","entrie\u0073":[{"c\u006fntent":"A","priority":"l\u006fw","status":"p\u0065nding"}]}`, forward),
			on(`{"sessionUpd\u0061te":"plan\u005fupdate","pl\u0061n":{"typ\u0065":"it\u0065ms","pl\u0061nId":"\u0070","entrie\u0073":[`+a+`]}}`,
				rewrite(`{"sessionUpd\u0061te":"plan","entries":[`+`{"c\u006fntent":"A","priority":"l\u006fw","status":"p\u0065nding"},`+todo("[p] A")+`]}`)),
			on(legacyPlan(), rewrite(legacyPlan(a))),
			on(removed("p"), rewrite(legacyPlan())),
		},
	}, {
		name: "a member that could be taken for a legacy plan's entries goes",
		steps: []step{
			on(`{"entries":[7],"sessionUpdate":"plan_update","entries":[],"plan":{"type":"items","planId":"p","entries":[`+a+`]},"entries":1,"plan_":2}`,
				rewrite(`{"sessionUpdate":"plan","entries":[`+a+`],"plan_":2}`)),
			on(`{"sessionUpdate":"plan_removed","entries":[1],"id":"p","planId":"p"}`, rewrite(`{"sessionUpdate":"plan","entries":[]}`)),
		},
	}, {
		name: "any other stays",
		steps: []step{
			on(`{"plan":{},"id":"x","sessionUpdate":"plan","planId":7,"entries":[{"content":"A"}]}`,
				rewrite(`{"plan":{},"id":"x","sessionUpdate":"plan","planId":7,"entries":[{"content":"A","priority":"medium","status":"pending"}]}`)),
		},
	}, {
		name: "an update of another kind passes",
		steps: []step{
			on(`{"sessionUpdate":"agent_message_chunk","plan":{"planId":7}}`, forward),
			on(`{"sessionUpdate":["plan"],"entries":7}`, forward),
			on(`{"entries":[]}`, forward),
			on(`"plan"`, forward),
			on(`{}`, forward),
		},
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

// TestResult pins what the log and the trace are told.
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
		r := p.result
		if r.Plan != c.plan || r.Type != c.typ || r.Entries != c.entries {
			t.Errorf("%s: plan %q, type %q, %d entries", c.update, r.Plan, r.Type, r.Entries)
		}
	}
}

// TestTitleOf tells ids that are titles from those that are not.
func TestTitleOf(t *testing.T) {
	for id, want := range map[string]bool{
		"plan": true, "main": true, "plan-mode": true, "plan_mode": true, "planMode": true, "PLAN": true, "plans/main": true,
		"plan-1": true, "plan2": true, "main-plan": true, "current_plan": true, "default": true, "agent-plan": true,
		"todo": true, "todos": true, "todo-list": true, "TodoList": true, "session-3": true, "task_12": true,
		"": true, "-": true, "7": true, "0042": true, "1.2": true, "2026-11-22": true,
		"123e4567-e89b-12d3-a456-426614174000": true, "{123E4567-E89B-12D3-A456-426614174000}": true,
		"plan-beefface-dead-beef-cafe-deadbeefcafe": true, "123e4567e89b12d3a456426614174000": true, "01ARZ3NDEKTSV4RRFFQ69G5FAV": true,
		"auth": false, "plan-auth": false, "authPlan": false, "p": false, "q1": false, "beef": false, "dead-beef": false,
		"planner": false, "mainframe": false, "maintenance": false, "cursor-plan": false, "release 1.2": false,
		"beefface-dead-beef-cafe": false, "internationalization": false, "план": false, "计划": false,
	} {
		if got := titleOf(id) == ""; got != want {
			t.Errorf("%q says nothing: %t", id, got)
		}
	}
}

// TestListWaits tells how long a list waits for a client that draws a card for each.
func TestListWaits(t *testing.T) {
	cards := legacyClient
	cards.PlanCards = true
	for name, end := range map[string]func(*peer){
		"something follows":  func(p *peer) { mustSend(t, p, "s", `{"sessionUpdate":"x"}`) },
		"the turn ends":      func(p *peer) { p.turn("s") },
		"the session closes": func(p *peer) { p.close("s") },
	} {
		p := newPeer(defaults(), cards)
		mustSend(t, p, "s", markdownUpdate("p", "1. A"))
		if !p.Wants()[translate.Agent].All {
			t.Error("no list waits")
		}
		if end(p); p.Wants()[translate.Agent].All {
			t.Errorf("%s: a list waits", name)
		}
	}
}

// A double says two things about plans for each message of the agent, one right behind the
// other.
type double struct {
	translate.Words
	says [2]string
	left []string // what the client gets
}

func (*double) Wants() [2]*jsonrpc.Filter {
	return [2]*jsonrpc.Filter{translate.Agent: {All: true}}
}

func (d *double) FromAgent(_ *jsonrpc.Message, out *translate.Out) bool {
	out.Send(translate.Client, []byte(before+"s"+middle+d.says[0]+behind))
	out.More()
	out.Send(translate.Client, []byte(before+"s"+middle+d.says[1]+behind))
	return true
}

func (d *double) Leave(_ translate.Leaving, text []byte) { d.left = append(d.left, string(text)) }

func (*double) Lose(translate.Loss) {}

// TestFollowed spares a client the list before the last, also one that gets no list twice.
func TestFollowed(t *testing.T) {
	cards := legacyClient
	cards.PlanCards = true
	a, b := legacyPlan(todo("A")), items("p", todo("B"))
	for _, client := range []capabilities.Client{legacyClient, cards} {
		for _, tt := range []struct {
			says [2]string
			want string
		}{
			{[2]string{items("p", todo("C")), a}, legacyPlan(todo("[p] C"), todo("A"))},
			{[2]string{removed("p"), a}, a},
		} {
			p := newPeer(defaults(), client)
			mustSend(t, p, "s", b)
			d := &double{says: tt.says}
			translate.NewChain(d, p.Stage, translate.StageOf(d)).From(translate.Agent, p.read(`{"method":"x"}`), time.Time{})
			if !slices.Equal(d.left, []string{before + "s" + middle + tt.want + behind}) {
				t.Errorf("%q: the client gets %q", tt.says, d.left)
			}
		}
	}
}
