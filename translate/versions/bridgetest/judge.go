package bridgetest

import (
	"fmt"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schematest"
)

// A Judge compares the messages for both sides with the schemas of their versions.
type Judge struct {
	// Of reports whether an output line is judged; nil judges all.
	Of func(to translate.Side, text string) bool

	sides [2]*schematest.Listener
}

// NewJudge returns the judge of a client of that version and an agent of the other.
func NewJudge(t testing.TB, client int) *Judge {
	t.Helper()
	j := &Judge{}
	for i, version := range []capabilities.Version{capabilities.Version(client), capabilities.Version(client).Other()} {
		j.sides[i] = schematest.NewListener(t, fmt.Sprintf("v%d.unstable", version), translate.Side(i))
		j.sides[i].Passes = true
	}
	return j
}

// Asks registers a request of a side.
func (j *Judge) Asks(side translate.Side, text string) { j.sides[side].Says(text) }

// Gets returns the fault of a line that a side receives. A bridge forwards methods that no
// version has, but none that only the other one has.
func (j *Judge) Gets(side translate.Side, text string) error {
	m, err := schematest.Parse(text)
	if err != nil || m["jsonrpc"] != "2.0" {
		return fmt.Errorf("no message: %s", text)
	}
	if j.Of != nil && !j.Of(side, text) {
		return nil
	}
	method, _ := m["method"].(string)
	if here, there := j.sides[side], j.sides[side.Other()]; !here.HasMethod(method) && there.HasMethod(method) {
		return fmt.Errorf("%s is a method of %s only", method, there.Name)
	}
	return j.sides[side].Gets(text)
}
