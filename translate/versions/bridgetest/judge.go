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
	// Selects reports whether an output line is judged. If it is nil, all lines are judged.
	Selects func(to translate.Side, text string) bool

	sides [2]*schematest.Listener
}

// NewJudge returns the Judge for a client of that version and an agent of the other version.
func NewJudge(t testing.TB, client int) *Judge {
	t.Helper()
	j := &Judge{}
	for i, version := range []capabilities.Version{capabilities.Version(client), capabilities.Version(client).Other()} {
		j.sides[i] = schematest.NewListener(t, fmt.Sprintf("v%d.unstable", version), translate.Side(i))
		j.sides[i].AllowsUnknown = true
	}
	return j
}

// RecordRequest registers a request of a side.
func (j *Judge) RecordRequest(side translate.Side, text string) { j.sides[side].RecordSent(text) }

// Check returns the fault of a line that a side receives. A bridge may forward methods that no
// version has, but no method that only the sender's version has.
func (j *Judge) Check(side translate.Side, text string) error {
	m, err := schematest.Parse(text)
	if err != nil || m["jsonrpc"] != "2.0" {
		return fmt.Errorf("no message: %s", text)
	}
	if j.Selects != nil && !j.Selects(side, text) {
		return nil
	}
	method, _ := m["method"].(string)
	if here, there := j.sides[side], j.sides[side.Other()]; !here.HasMethod(method) && there.HasMethod(method) {
		return fmt.Errorf("%s is a method of %s only", method, there.Name)
	}
	return j.sides[side].Check(text)
}
