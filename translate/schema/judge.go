package schema

import (
	"fmt"
	"slices"
	"strings"
)

// A Call is a request or a notification, with values as decoded by encoding/json.
type Call struct {
	Method    string
	ToClient  bool // otherwise to the agent
	IsRequest bool // otherwise a notification
	ID        any
	Params    any // nil if absent
}

// Update returns the kind of a session update, "" for any other call.
func (c *Call) Update() string {
	if c.Method != "session/update" {
		return ""
	}
	params, _ := c.Params.(Object)
	update, _ := params["update"].(Object)
	kind, _ := update["sessionUpdate"].(string)
	return kind
}

// IsExtension reports whether the protocol reserves the name of a method or session update for
// extensions.
func IsExtension(name string) bool { return strings.HasPrefix(name, "_") }

// Knows reports whether the draft defines the call's method, and its kind of session update.
func (d *Draft) Knows(c *Call) bool {
	kind := c.Update()
	return d.HasMethod(c.Method) && (kind == "" || d.updates[kind])
}

// HasMethod reports whether the draft defines a method.
func (d *Draft) HasMethod(name string) bool { return d.methods[name].receiver != "" }

// CheckCall returns the faults of a call with a method that the draft defines.
func (d *Draft) CheckCall(c *Call) Faults {
	m := d.methods[c.Method]
	switch {
	case c.IsRequest && m.request == nil:
		return faultf("%s has an id: it is a notification", c.Method)
	case !c.IsRequest && m.notification == nil:
		return faultf("%s has no id: it is a request", c.Method)
	case c.ToClient && m.receiver == "agent":
		return faultf("only the client sends %s", c.Method)
	case !c.ToClient && m.receiver == "client":
		return faultf("only the agent sends %s", c.Method)
	case c.IsRequest && !d.idSchema.allows(c.ID):
		return faultsOf(d.idSchema, c.ID, "id")
	case c.IsRequest:
		return faultsOfParams(m.request, c.Params)
	}
	return faultsOfParams(m.notification, c.Params)
}

// faultsOfParams returns the faults of params. Params without required members may be absent.
func faultsOfParams(s *schema, params any) Faults {
	switch {
	case params != nil:
		return faultsOf(s, params, "params")
	case !s.allows(Object{}):
		return faultf("params is missing")
	}
	return nil
}

// CheckResult returns the faults of a request's result, or nil if the draft does not define the method.
func (d *Draft) CheckResult(method string, result any) Faults {
	return faultsOf(d.methods[method].result, result, "result")
}

// CheckError returns the faults of a response's error.
func (d *Draft) CheckError(failure any) Faults { return faultsOf(d.errorSchema, failure, "error") }

// Faults describes the faults of a message, ordered by path.
type Faults []string

// faultf returns Faults with one formatted description.
func faultf(format string, args ...any) Faults { return Faults{fmt.Sprintf(format, args...)} }

// Reason returns the first description and the number of further ones, or "" for no faults.
func (f Faults) Reason() string {
	const few = 10
	switch {
	case len(f) == 0:
		return ""
	case len(f) == 1:
		return f[0]
	case len(f) > few:
		return f[0] + " (and more)"
	}
	return fmt.Sprintf("%s (and %d more)", f[0], len(f)-1)
}

// faultsOf returns the faults of a value. place names the value in the descriptions.
func faultsOf(s *schema, value any, place string) (texts Faults) {
	c := collector{limit: maxFaults}
	s.check(value, &c)
	slices.SortStableFunc(c.found, func(a, b fault) int { return slices.CompareFunc(a.fullPath(), b.fullPath(), step.compare) })
	// Report one fault per path.
	found := slices.CompactFunc(c.found, func(a, b fault) bool { return slices.Equal(a.fullPath(), b.fullPath()) })
	for _, f := range found {
		texts = append(texts, f.text(place))
	}
	return texts
}
