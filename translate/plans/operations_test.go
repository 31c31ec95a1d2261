package plans

import (
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
)

// TestOperationsTable pins the package documentation's "Clients of plan operations".
func TestOperationsTable(t *testing.T) {
	runCases(t, newClient, []testCase{{
		name: "legacy plan becomes plan_update items with the synthetic id",
		steps: []step{
			on(legacyPlan(todo("A")), rewrite(items("main", todo("A")))),
			on(legacyPlan(), rewrite(items("main"))),
		},
	}, {
		name:    "--synthetic-id",
		options: with(func(o *Options) { o.SyntheticID = `a"b` }),
		steps:   []step{on(legacyPlan(todo("A")), rewrite(items(`a\"b`, todo("A"))))},
	}, {
		name: "update-level _meta and unknown members stay where they were",
		steps: []step{
			on(`{"_meta" : {"a":1.0}, "entries" : [ `+todo("A")+` , `+todo("B")+` ] ,"x":[ ], "sessionUpdate" : "plan" }`,
				rewrite(`{"_meta" : {"a":1.0}, "plan":{"type":"items","planId":"main","entries":[ `+todo("A")+` , `+todo("B")+` ]} ,"x":[ ], "sessionUpdate" : "plan_update" }`)),
		},
	}, {
		name: "a stray plan could be taken for the plan and goes, a stray id stays",
		steps: []step{
			on(`{"plan":1,"sessionUpdate":"plan","plan":{"type":"markdown","planId":"x","content":"c"},"entries":[],"id":"x","plan":{}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":[]},"id":"x"}`)),
		},
	}, {
		name: "what the client can show passes byte for byte",
		steps: []step{
			on(`{ "sessionUpdate" : "plan_update", "plan" : {"\u0074ype":"items" , "planId":"\u0070", "_meta":{"a":1e0}, "entries":[ `+todo("A")+` ]} }`, forward),
			on(markdownUpdate("m", "# x"), forward),
			on(pathUpdate("m", "# x", "/tmp/plan.md"), forward),
			on(removed("p"), forward),
			on(removed("p"), forward),
			on(items("p"), forward),
		},
	}, {
		name: "types it does not know are mapped: entries as items, content as markdown, uri as a link",
		steps: []step{
			on(custom(`"x":1,"entries":[ `+todo("A")+` ],"content":"c"`),
				rewrite(strings.Replace(custom(`"x":1,"entries":[ `+todo("A")+` ],"content":"c"`), "_x", "items", 1))),
			on(custom(`"content":"# \u0041", "_meta":{}`), rewrite(strings.Replace(custom(`"content":"# \u0041", "_meta":{}`), "_x", "markdown", 1))),
			on(custom(`"content":"A","path":"/tmp/plan.md"`), rewrite(strings.Replace(custom(`"content":"A","path":"/tmp/plan.md"`), "_x", "markdown", 1))),
			on(custom(`"uri":"x:y", "z":2`), rewrite(strings.Replace(custom(`"entries":[`+todo("Plan: x:y")+`], "z":2`), "_x", "items", 1))),
			on(custom(`"z":2`), rewrite(removed("p")).warned("unknown type")),
			on(custom(`"z":2`), drop.warned("unknown type")),
		},
	}, {
		name: "a plan without a type is of the type it implies",
		steps: []step{
			on(`{"sessionUpdate":"plan_update","plan":{"planId":"p","entries":[]}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`)),
			on(`{"sessionUpdate":"plan_update","plan":{"planId":"p","content":""}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":""}}`)),
			on(`{"sessionUpdate":"plan_update","plan":{"planId":"p","uri":"https:"}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"[https:](https:)"}}`).warned("scheme")),
		},
	}, {
		name: "entries v1 does not know are mapped, and nothing else",
		steps: []step{
			on(`{"sessionUpdate":"plan_update","plan":{"content":"c","type" : "items","entries" : [ {"content":"A"} ], "uri":"u", "planId":"p" }}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"content":"c","type" : "items","entries":[{"content":"A","priority":"medium",`+
					`"status":"pending"}], "uri":"u", "planId":"p" }}`)),
		},
	}, {
		name:    "--empty=remove: an empty legacy plan becomes a removal",
		options: with(func(o *Options) { o.Empty = EmptyRemove }),
		steps: []step{
			on(legacyPlan(), drop),
			on(legacyPlan(todo("A")), rewrite(items("main", todo("A")))),
			on(`{"id":1,"entries":[ ],"sessionUpdate":"plan","planId":2,"x":3}`, rewrite(`{"planId":"main","sessionUpdate":"plan_removed","x":3}`)),
			on(legacyPlan(), drop),
			on(items("p"), forward),
		},
	}, {
		name: "a message without an id gets the synthetic one",
		steps: []step{
			on(`{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[]}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"planId":"main","type":"items","entries":[]}}`)),
			on(`{"sessionUpdate":"plan_update","plan":{"planId":null,"type":"items", "entries":[], "id": null }}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"planId":"main","type":"items", "entries":[] }}`)),
			on(`{"sessionUpdate":"plan_removed" }`, rewrite(`{"sessionUpdate":"plan_removed","planId":"main" }`)),
			on(`{"id":null,"x":1, "planId":null,"sessionUpdate":"plan_removed"}`, rewrite(`{"x":1,"sessionUpdate":"plan_removed","planId":"main"}`)),
			on(`{"sessionUpdate":"plan_removed"}`, rewrite(`{"sessionUpdate":"plan_removed","planId":"main"}`)),
		},
	}, {
		name:   "the types of version 2 pass, whatever they are, and entries untouched",
		client: v2Client,
		steps: []step{
			on(custom(`"entries":[{"x":1}]`), forward),
			on(custom(`"z":1`), forward),
			on(markdownUpdate("p", "x"), forward),
			on(removed("p"), forward),
			on(`{"sessionUpdate":"plan_update","plan":{"planId":"p","content":""}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":""}}`)),
		},
	}})
}

func TestPlanID(t *testing.T) {
	both := `{"sessionUpdate":"plan_update","plan":{"type":"items","id":"p", "planId":"p","entries":[]}}`
	differ := strings.Replace(both, `"id":"p"`, `"id":"q"`, 1)
	runCases(t, opsClient, []testCase{{
		name: "a client of either draft: the other spelling is added to the one sent",
		steps: []step{
			on(items("p"), rewrite(withBoth(items("p"), "p"))),
			on(withOld(items("p")), rewrite(withBoth(items("p"), "p"))),
			on(both, forward),
			on(differ, rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","id":"p","entries":[]}}`).warned("differ")),
			on(removed("p"), rewrite(withBoth(removed("p"), "p"))),
			on(`{"id":"p","planId":"p","sessionUpdate":"plan_removed"}`, forward),
			on(legacyPlan(), rewrite(withBoth(items("main"), "main"))),
			on(`{"id":"q","planId":"p","sessionUpdate":"plan_removed"}`, rewrite(`{"planId":"p","id":"p","sessionUpdate":"plan_removed"}`).warned("differ")),
		},
	}, {
		name:   "planCapabilities: id",
		client: oldClient,
		steps: []step{
			on(items("p"), rewrite(withOld(items("p")))),
			on(withOld(items("p")), forward),
			on(both, forward),
			on(differ, rewrite(`{"sessionUpdate":"plan_update","plan":{"type":"items","id":"p","entries":[]}}`).warned("differ")),
			on(removed("p"), rewrite(withOld(removed("p")))),
			on(legacyPlan(), rewrite(withOld(items("main")))),
		},
	}, {
		name:   "version 2: planId",
		client: v2Client,
		steps: []step{
			on(items("p"), forward),
			on(withOld(items("p")), rewrite(items("p"))),
			on(withOld(custom(`"x":1`)), rewrite(custom(`"x":1`))),
			on(withOld(removed("p")), rewrite(removed("p"))),
		},
	}, {
		name:   "an id is any string",
		client: newClient,
		steps: []step{
			on(items(``), forward),
			on(withOld(items(`a\"\u00e9\n`)), rewrite(items(`a\"é\n`))),
			on(removed(``), forward),
		},
	}})
}

// TestSyntheticID pins that the id of a legacy plan and those that an agent
// gives are kept apart.
func TestSyntheticID(t *testing.T) {
	runCases(t, newClient, []testCase{{
		name: "an id the agent uses already is avoided",
		steps: []step{
			on(items("main", todo("A")), forward),
			on(legacyPlan(todo("B")), rewrite(items("main-2", todo("B")))),
			on(items("main-2", todo("C")), rewrite(items("main-2-2", todo("C")))),
			on(removed("main-2"), rewrite(removed("main-2-2"))),
			on(removed("main"), forward),
			on(legacyPlan(todo("B")), rewrite(items("main-2", todo("B")))),
			on(items("main", todo("A")), forward),
		},
	}, {
		name: "an id the agent comes to use is changed",
		steps: []step{
			on(legacyPlan(todo("B")), rewrite(items("main", todo("B")))),
			on(items("main", todo("A")), rewrite(items("main-2", todo("A")))),
			on(legacyPlan(todo("C")), rewrite(items("main", todo("C")))),
			on(removed("main"), rewrite(removed("main-2"))),
		},
	}, {
		name: "a legacy plan is the plan with the synthetic id, also for a removal",
		steps: []step{
			on(legacyPlan(todo("A")), rewrite(items("main", todo("A")))),
			on(removed("main"), forward),
			on(items("main", todo("B")), forward),
		},
	}, {
		name: "the removal of an id not live removes nothing else",
		steps: []step{
			on(legacyPlan(todo("A")), rewrite(items("main", todo("A")))),
			on(items("main", todo("B")), rewrite(items("main-2", todo("B")))),
			on(removed("main-2"), drop),
			on(removed("other"), forward),
		},
	}, {
		name: "nor does one without an id, if the agent's own plan has the synthetic one",
		steps: []step{
			on(items("main", todo("A")), forward),
			on(`{"sessionUpdate":"plan_removed"}`, drop),
		},
	}})
}

func TestOperationsSentBothWays(t *testing.T) {
	for name, c := range map[string]capabilities.Client{"ops": newClient, "v2": v2Client, "items only": client("items,removed", "planId", 1)} {
		runCases(t, c, []testCase{{
			name: name + ": plan_update first: the legacy plan goes by its id",
			steps: []step{
				on(items("p", todo("A")), forward),
				on(legacyPlan(todo("A")), rewrite(items("p", todo("A")))),
				on(legacyPlan(todo("B")), rewrite(items("p", todo("B")))),
				on(items("p", todo("B")), forward),
				on(removed("p"), forward),
				on(legacyPlan(todo("B")), rewrite(items("main", todo("B")))),
			},
		}, {
			name: name + ": plan first: plan_update goes by the synthetic id",
			steps: []step{
				on(legacyPlan(todo("A")), rewrite(items("main", todo("A")))),
				on(items("p", todo("A")), rewrite(items("main", todo("A")))),
				on(items("p", todo("B")), rewrite(items("main", todo("B")))),
				on(legacyPlan(todo("B")), rewrite(items("main", todo("B")))),
				on(items("main", todo("C")), rewrite(items("main-2", todo("C")))),
				on(removed("p"), rewrite(removed("main"))),
			},
		}, {
			name: name + ": two plans, each sent as plan first",
			steps: []step{
				on(legacyPlan(todo("X")), rewrite(items("main", todo("X")))),
				on(items("a", todo("X")), rewrite(items("main", todo("X")))),
				on(legacyPlan(todo("Y")), rewrite(items("main", todo("Y")))),
				on(items("b", todo("Y")), rewrite(items("b", todo("Y")), items("main", todo("X")))),
				on(legacyPlan(todo("Z")), rewrite(items("b", todo("Z")))),
				on(items("a", todo("W")), rewrite(items("main", todo("W")))),
			},
		}, {
			name: name + ": both live, then plan_update like the legacy plan, which goes",
			steps: []step{
				on(items("p", todo("A")), forward),
				on(legacyPlan(todo("B")), rewrite(items("main", todo("B")))),
				on(items("p", todo("B")), rewrite(items("p", todo("B")), removed("main"))),
				on(legacyPlan(todo("C")), rewrite(items("p", todo("C")))),
			},
		}, {
			name: name + ": both live, then plan like the items plan: the legacy plan's own goes",
			steps: []step{
				on(items("p", todo("A")), forward),
				on(legacyPlan(todo("B")), rewrite(items("main", todo("B")))),
				on(legacyPlan(todo("A")), rewrite(items("p", todo("A")), removed("main"))),
			},
		}})
	}
}

// TestClientLists pins --client=items,….
func TestClientLists(t *testing.T) {
	a := func(id string) string { return items(id, todo("A")) }
	runCases(t, client("items", "planId", 1), []testCase{{
		name: "items: other types become items, rendered as for a legacy client",
		steps: []step{
			on(a("p"), forward),
			on(pathUpdate("p", "- A", "/tmp/plan.md"), rewrite(a("p"))),
			on(fileUpdate("p", "x:y"), rewrite(items("p", todo("Plan: x:y"))).warned(`plan file "x:y"`)),
			on(custom(`"content":"- A"`), rewrite(a("p"))),
			on(`{"sessionUpdate":"plan_update","plan":{"_meta":{"a":1},"entries":7,"content":"- A","planId":"p", "uri":"u","type":"markdown"}}`,
				rewrite(`{"sessionUpdate":"plan_update","plan":{"_meta":{"a":1},"entries":[`+todo("A")+`],"planId":"p","type":"items"}}`)),
		},
	}, {
		name: "items: plan_removed becomes an items update with no entries",
		steps: []step{
			on(a("p"), forward),
			on(`{"x":1,"plan":2,"planId":"p","sessionUpdate":"plan_removed","id":"p"}`,
				rewrite(`{"x":1,"plan":{"type":"items","planId":"p","entries":[]},"sessionUpdate":"plan_update"}`)),
			on(removed("p"), drop),
			on(legacyPlan(todo("A")), rewrite(a("main"))),
			on(`{"sessionUpdate":"plan_removed"}`, rewrite(items("main"))),
		},
	}, {
		name: "items: what renders to nothing is cleared",
		steps: []step{
			on(markdownUpdate("p", ""), drop),
			on(a("p"), forward),
			on(markdownUpdate("p", ""), rewrite(items("p"))),
			on(markdownUpdate("p", ""), drop),
			on(removed("p"), drop),
		},
	}, {
		name:   "items,removed: what renders to nothing is removed",
		client: client("items,removed", "planId", 1),
		steps: []step{
			on(a("p"), forward),
			on(markdownUpdate("p", ""), rewrite(removed("p"))),
			on(a("q"), forward),
			on(removed("q"), forward),
		},
	}, {
		name:   "items,markdown: markdown passes, files become markdown",
		client: client("items,markdown", "planId", 1),
		steps: []step{
			on(markdownUpdate("p", ""), forward),
			on(custom(`"content":""`), rewrite(markdownUpdate("p", ""))),
			on(fileUpdate("f", "x:y"), rewrite(markdownUpdate("f", "[x:y](x:y)")).warned("plan file")),
			on(removed("p"), rewrite(items("p"))),
		},
	}, {
		name:   "items,file: files pass",
		client: client("items,file", "planId", 1),
		steps: []step{
			on(fileUpdate("f", "x:y"), forward),
			on(markdownUpdate("p", "- A"), rewrite(a("p"))),
		},
	}, {
		name:   "without items it is legacy",
		client: client("markdown,removed", "planId", 1),
		steps:  []step{on(a("p"), rewrite(legacyPlan(todo("A"))))},
	}, {
		name:   "items of version 2: entries untouched",
		client: client("items", "auto", 2),
		steps: []step{
			on(items("p", `{"content":"A","priority":"low","status":"cancelled"}`), forward),
			on(custom(`"entries":[{"content":"A","priority":"low","status":"_x"}]`), rewrite(items("p", `{"content":"A","priority":"low","status":"_x"}`))),
		},
	}, {
		name:    "--markdown=drop and --files=drop",
		options: with(func(o *Options) { o.Markdown, o.Files = MarkdownDrop, FilesDrop }),
		steps: []step{
			on(markdownUpdate("p", "- A"), drop),
			on(a("p"), forward),
			on(fileUpdate("p", "x:y"), rewrite(items("p"))),
			on(fileUpdate("p", "x:y"), drop),
		},
	}})
}
