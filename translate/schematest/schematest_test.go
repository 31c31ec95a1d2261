package schematest

import (
	"testing"

	"acp-plan-proxy/translate/schema"
)

// TestOf compiles each schema.
func TestOf(t *testing.T) {
	for _, name := range schema.Names() {
		d := Of(t, name)
		if d.Calls["session/update"] == nil || d.Results["session/new"] == nil {
			t.Errorf("%s lacks an update or a session", name)
		}
	}
}
