package plans_test

import (
	"fmt"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/rawjson"
)

// A client that knows only plan gets everything that is live as one plan.
func ExampleTranslator() {
	t := plans.New(plans.Options{
		SyntheticID: "main", Merge: plans.MergeAll, Markdown: plans.MarkdownEntries,
		Files: plans.FilesLink, Empty: plans.EmptyUpdate,
	})
	t.SetClient(capabilities.Client{Shows: capabilities.Plan})
	for _, text := range []string{
		`{"sessionUpdate":"plan","entries":[{"content":"Read","priority":"high","status":"in_progress"}]}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p1","content":"# Cache\n- [ ] Measure\n- [ ] Build"}}`,
		`{"sessionUpdate":"plan_removed","planId":"p1"}`,
		`{"sessionUpdate":"plan_removed","planId":"p2"}`,
	} {
		var c rawjson.Cursor
		var u plans.Update
		c.Reset([]byte(text))
		u.Read(&c, []byte(text))
		result := t.FromAgent([]byte("session 1"), &u)
		fmt.Println(result.Action)
		for _, update := range result.Updates {
			fmt.Printf("%s\n", update)
		}
	}
	// Output:
	// forward
	// rewrite
	// {"sessionUpdate":"plan","entries":[{"content":"Read","priority":"high","status":"in_progress"},{"content":"[Cache] Measure","priority":"medium","status":"pending"},{"content":"[Cache] Build","priority":"medium","status":"pending"}]}
	// rewrite
	// {"sessionUpdate":"plan","entries":[{"content":"Read","priority":"high","status":"in_progress"}]}
	// drop
}
