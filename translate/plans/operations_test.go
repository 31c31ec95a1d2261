package plans

import (
	"testing"

	"acp-plan-proxy/capabilities"
)

// TestOperationsTable tests the package documentation's "Clients of plan operations".
func TestOperationsTable(t *testing.T) {
	runCases(t, newClient, []testCase{{
		name: "legacy plan becomes plan_update items with the synthetic id",
		talk: `
			> plan A
			< items main: A
			> plan
			< items main:`,
	}, {
		name:    "--synthetic-id",
		options: with(func(o *Options) { o.SyntheticID = `a"b` }),
		talk: `
			> plan A
			< items a\"b: A`,
	}, {
		name: "update-level _meta and unknown members stay where they were",
		talk: `
			> {"_meta" : {"a":1.0}, "entries" : [ {"content":"A","priority":"medium","status":"pending"} , {"content":"B","priority":"medium","status":"pending"} ] ,"x":[ ], "sessionUpdate" : "plan" }
			< {"_meta" : {"a":1.0}, "plan":{"type":"items","planId":"main","entries":[ {"content":"A","priority":"medium","status":"pending"} , {"content":"B","priority":"medium","status":"pending"} ]} ,"x":[ ], "sessionUpdate":"plan_update" }`,
	}, {
		name: "a stray plan could be taken for the plan and goes, a stray id stays",
		talk: `
			> {"plan":1,"sessionUpdate":"plan","plan":{"type":"markdown","planId":"x","content":"c"},"entries":[],"id":"x","plan":{}}
			< {"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":[]},"id":"x"}`,
	}, {
		name: "what the client can show passes byte for byte",
		talk: `
			> { "sessionUpdate" : "plan_update", "plan" : {"\u0074ype":"items" , "planId":"\u0070", "_meta":{"a":1e0}, "entries":[ {"content":"A","priority":"medium","status":"pending"} ]} }
			< =
			> markdown m: # x
			< =
			> markdown m /tmp/plan.md: # x
			< =
			> removed p
			< =
			> removed p
			< =
			> items p:
			< =`,
	}, {
		name: "types it does not know are mapped: entries as items, content as markdown, uri as a link",
		talk: `
			> custom "x":1,"entries":[ {"content":"A","priority":"medium","status":"pending"} ],"content":"c"
			< {"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","x":1,"entries":[ {"content":"A","priority":"medium","status":"pending"} ],"content":"c"}}
			> custom "content":"# \u0041", "_meta":{}
			< {"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# \u0041", "_meta":{}}}
			> custom "content":"A","path":"/tmp/plan.md"
			< markdown p /tmp/plan.md: A
			> custom "uri":"x:y", "z":2
			< {"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"Plan: x:y","priority":"medium","status":"pending"}], "z":2}}
			> custom "z":2
			< removed p
			! unknown type
			> custom "z":2
			! unknown type`,
	}, {
		name: "a plan without a type is of the type it implies",
		talk: `
			> {"sessionUpdate":"plan_update","plan":{"planId":"p","entries":[]}}
			< {"sessionUpdate":"plan_update","plan":{"planId":"p","entries":[],"type":"items"}}
			> {"sessionUpdate":"plan_update","plan":{"planId":"p","content":""}}
			< {"sessionUpdate":"plan_update","plan":{"planId":"p","content":"","type":"markdown"}}
			> {"sessionUpdate":"plan_update","plan":{"planId":"p","uri":"https:"}}
			< {"sessionUpdate":"plan_update","plan":{"planId":"p","content":"[https:](https:)","type":"markdown"}}
			! neither`,
	}, {
		name: "entries v1 does not know are mapped, and nothing else",
		talk: `
			> {"sessionUpdate":"plan_update","plan":{"content":"c","type" : "items","entries" : [ {"content":"A"} ], "uri":"u", "planId":"p" }}
			< {"sessionUpdate":"plan_update","plan":{"content":"c","type" : "items","entries":[{"content":"A","priority":"medium","status":"pending"}], "uri":"u", "planId":"p" }}`,
	}, {
		name: "a message without an id gets the synthetic one",
		talk: `
			> {"sessionUpdate":"plan_update","plan":{"type":"items","entries":[]}}
			< {"sessionUpdate":"plan_update","plan":{"type":"items","entries":[],"planId":"main"}}
			> {"sessionUpdate":"plan_update","plan":{"planId":null,"type":"items", "entries":[], "id": null }}
			< {"sessionUpdate":"plan_update","plan":{"planId":"main","type":"items", "entries":[] }}
			> {"sessionUpdate":"plan_removed" }
			< {"sessionUpdate":"plan_removed" ,"planId":"main"}
			> {"id":null,"x":1, "planId":null,"sessionUpdate":"plan_removed"}
			< {"planId":"main","x":1,"sessionUpdate":"plan_removed"}
			> {"sessionUpdate":"plan_removed"}
			< removed main`,
	}, {
		name:   "the types of version 2 pass, whatever they are, and entries untouched",
		client: v2Client,
		talk: `
			> custom "entries":[{"x":1}]
			< =
			> custom "z":1
			< =
			> markdown p: x
			< =
			> removed p
			< =
			> {"sessionUpdate":"plan_update","plan":{"planId":"p","content":""}}
			< {"sessionUpdate":"plan_update","plan":{"planId":"p","content":"","type":"markdown"}}`,
	}})
}

func TestPlanID(t *testing.T) {
	runCases(t, opsClient, []testCase{{
		name: "a client of either draft: the other spelling is added to the one sent",
		talk: `
			> items p:
			< items both p:
			> items id p:
			< items both p:
			> {"sessionUpdate":"plan_update","plan":{"type":"items","id":"p", "planId":"p","entries":[]}}
			< =
			> {"sessionUpdate":"plan_update","plan":{"type":"items","id":"q", "planId":"p","entries":[]}}
			< items both p:
			! differ
			> removed p
			< removed both p
			> {"id":"p","planId":"p","sessionUpdate":"plan_removed"}
			< =
			> plan
			< items both main:
			> items both r:
			< =
			> {"id":"q","planId":"p","sessionUpdate":"plan_removed"}
			< {"planId":"p","id":"p","sessionUpdate":"plan_removed"}
			! differ`,
	}, {
		name:   "planCapabilities: id",
		client: oldClient,
		talk: `
			> items p:
			< items id p:
			> items id p:
			< =
			> {"sessionUpdate":"plan_update","plan":{"type":"items","id":"p", "planId":"p","entries":[]}}
			< =
			> {"sessionUpdate":"plan_update","plan":{"type":"items","id":"q", "planId":"p","entries":[]}}
			< items id p:
			! differ
			> removed p
			< removed id p
			> plan
			< items id main:`,
	}, {
		name:   "version 2: planId",
		client: v2Client,
		talk: `
			> items p:
			< =
			> items id p:
			< items p:
			> {"sessionUpdate":"plan_update","plan":{"type":"_x","id":"p","x":1}}
			< custom "x":1
			> removed id p
			< removed p`,
	}, {
		name:   "an id is any string",
		client: newClient,
		talk: `
			> items :
			< =
			> items id a\"\u00e9\n:
			< items a\"é\n:
			> removed
			< =`,
	}})
}

// TestSyntheticID verifies that a legacy plan is the plan with the synthetic id.
func TestSyntheticID(t *testing.T) {
	runCases(t, newClient, []testCase{{
		name: "if the agent uses that id, too, the latest message counts",
		talk: `
			> items main: A
			< =
			> plan B
			< items main: B
			> markdown main: C
			< =
			> {"sessionUpdate":"plan_removed"}
			< removed main
			> plan B
			< items main: B
			> removed main
			< =`,
	}, {
		name: "the removal of an id that is not live removes a single legacy plan",
		talk: `
			> plan A
			< items main: A
			> removed other
			< removed main
			> items main: B
			< =
			> removed other
			< =`,
	}})
}

// TestOperationsSamePlanInBothForms is TestSamePlanInBothForms for clients of plan operations.
func TestOperationsSamePlanInBothForms(t *testing.T) {
	for name, c := range map[string]capabilities.Client{"ops": newClient, "v2": v2Client, "items only": client("items,removed", capabilities.PlanIDNew, 1)} {
		runCases(t, c, []testCase{{
			name: name + ": items plan first",
			talk: `
			> items p: A
			< =
			> plan A
			> plan B
			> items p: B
			< =
			> removed p
			< =
			> plan B`,
		}, {
			name: name + ": legacy plan first",
			talk: `
			> plan A
			< items main: A
			> items p: A
			< items p: A
			< removed main
			> plan C`,
		}, {
			name: name + ": they become the same later",
			talk: `
			> items p: A
			< =
			> plan B
			< items main: B
			> plan A
			< removed main
			> plan C`,
		}})
	}
}

// TestClientLists tests --client=items,….
func TestClientLists(t *testing.T) {
	runCases(t, client("items", capabilities.PlanIDNew, 1), []testCase{{
		name: "items: other types become items, rendered as for a legacy client",
		talk: `
			> items p: A
			< =
			> markdown p /tmp/plan.md: - A
			< items p: A
			> file p: x:y
			< items p: Plan: x:y
			! plan file "x:y"
			> custom "content":"- A"
			< items p: A
			> {"sessionUpdate":"plan_update","plan":{"_meta":{"a":1},"entries":7,"content":"- A","planId":"p", "uri":"u","type":"markdown"}}
			< {"sessionUpdate":"plan_update","plan":{"_meta":{"a":1},"entries":[{"content":"A","priority":"medium","status":"pending"}],"planId":"p","type":"items"}}`,
	}, {
		name: "items: plan_removed becomes an items update with no entries",
		talk: `
			> items p: A
			< =
			> {"x":1,"plan":2,"planId":"p","sessionUpdate":"plan_removed","id":"p"}
			< {"x":1,"plan":{"type":"items","planId":"p","entries":[]},"sessionUpdate":"plan_update"}
			> removed p
			> plan A
			< items main: A
			> {"sessionUpdate":"plan_removed"}
			< items main:`,
	}, {
		name: "items: what renders to nothing is cleared",
		talk: `
			> markdown p:
			> items p: A
			< =
			> markdown p:
			< items p:
			> markdown p:
			> removed p`,
	}, {
		name:   "items,removed: what renders to nothing is removed",
		client: client("items,removed", capabilities.PlanIDNew, 1),
		talk: `
			> items p: A
			< =
			> markdown p:
			< removed p
			> items q: A
			< =
			> removed q
			< =`,
	}, {
		name:   "items,markdown: markdown passes, files become markdown",
		client: client("items,markdown", capabilities.PlanIDNew, 1),
		talk: `
			> markdown p:
			< =
			> custom "content":""
			< markdown p:
			> file f: x:y
			< markdown f: [x:y](x:y)
			! plan file
			> removed p
			< items p:`,
	}, {
		name:   "items,file: files pass",
		client: client("items,file", capabilities.PlanIDNew, 1),
		talk: `
			> file f: x:y
			< =
			> markdown p: - A
			< items p: A`,
	}, {
		name:   "without items it is legacy",
		client: client("markdown,removed", capabilities.PlanIDNew, 1),
		talk: `
			> items p: A
			< plan A`,
	}, {
		name:   "items of version 2: entries untouched",
		client: client("items", 0, 2),
		talk: `
			> items p: {"content":"A","priority":"low","status":"cancelled"}
			< =
			> custom "entries":[{"content":"A","priority":"low","status":"_x"}]
			< items p: {"content":"A","priority":"low","status":"_x"}`,
	}, {
		name:    "--markdown=drop and --files=drop",
		options: with(func(o *Options) { o.Markdown, o.Files = MarkdownDrop, FilesDrop }),
		talk: `
			> markdown p: - A
			> items p: A
			< =
			> file p: x:y
			< items p:
			> file p: x:y`,
	}})
}
