// Package schematest judges in tests, by the protocol's published schemas, what the
// proxy writes: see [Listener].
package schematest

import (
	"testing"

	"acp-plan-proxy/translate/schema"
)

// A Draft is what one draft of the protocol lets the sides say. Several tests
// may use it at once.
type Draft struct{ *schema.Draft }

// drafts has those that were compiled: it takes a while.
var drafts schema.Drafts

// Of returns the draft of that name.
func Of(t testing.TB, name string) *Draft {
	t.Helper()
	d, err := drafts.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return &Draft{d}
}
