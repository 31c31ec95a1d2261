package v1client

import (
	"slices"
	"testing"
)

// A form that the client received before the bridge existed has a response in the agent's version.
func TestAdoptedForm(t *testing.T) {
	p := newPeer(Options{})
	p.bridge.Adopt([]byte(`"e"`), "elicitation/create", "s")
	got, _, err := p.Do(client(full(`"e" = {"action":"_maybe"}`)))
	if want := []string{`agent< {"jsonrpc":"2.0","id":"e","result":{"action":"cancel"}}`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
