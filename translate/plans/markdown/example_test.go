package markdown_test

import (
	"fmt"

	"acp-plan-proxy/translate/plans/markdown"
)

// Render finds the steps of a plan among its other sections.
func ExampleRender() {
	r := markdown.Render([]byte(`# Smaller images

## Background
- the page loads 4 MB
- most of it is images

## Steps
1. Measure what is loaded ✅
2. Convert the **large** ones
3. Load the rest [later](lazy.md)

## Risks
- old browsers
`))
	fmt.Println(r.Title)
	for _, e := range r.Entries {
		fmt.Printf("%s: %s\n", e.Status, e.Content)
	}
	// Output:
	// Smaller images
	// completed: Measure what is loaded ✅
	// pending: Convert the large ones
	// pending: Load the rest later
}
