package schema

import (
	"fmt"
	"slices"
	"strings"
)

// A Call is a request or a notification. Its values are as encoding/json reads them into
// an any.
type Call struct {
	Method   string
	ToClient bool // else to the agent
	Request  bool // else a notification
	ID       any
	Params   any // nil if there are none
}

// Update returns the kind of session update that the call is, "" if it is none.
func (c *Call) Update() string {
	if c.Method != updateMethod {
		return ""
	}
	params, _ := c.Params.(Object)
	update, _ := params["update"].(Object)
	kind, _ := update["sessionUpdate"].(string)
	return kind
}

// IsExtension reports whether a method, or a kind of session update, is one that the
// protocol leaves to the sides.
func IsExtension(name string) bool { return strings.HasPrefix(name, "_") }

// Knows reports whether the draft has the method of a call, and the kind of update that
// it is.
func (d *Draft) Knows(c *Call) bool {
	if kind := c.Update(); kind != "" && !d.updates[kind] {
		return false
	}
	return d.HasMethod(c.Method)
}

// HasMethod reports whether the draft has a method.
func (d *Draft) HasMethod(name string) bool { return d.methods[name].to != "" }

// Call returns what is wrong with a call that the draft knows.
func (d *Draft) Call(c *Call) Faults {
	m := d.methods[c.Method]
	switch {
	case c.Request && m.request == nil:
		return said("%s has an id: it is a notification", c.Method)
	case !c.Request && m.notification == nil:
		return said("%s has no id: it is a request", c.Method)
	case c.ToClient && m.to == "agent":
		return said("only the client says %s", c.Method)
	case !c.ToClient && m.to == "client":
		return said("only the agent says %s", c.Method)
	case c.Request && !d.id.allows(c.ID):
		return faultsOf(d.id, c.ID, "id")
	case c.Request:
		return ofParams(m.request, c.Params)
	}
	return ofParams(m.notification, c.Params)
}

// ofParams judges params, which can be left out if nothing in them is required.
func ofParams(s *schema, params any) Faults {
	switch {
	case params != nil:
		return faultsOf(s, params, "params")
	case !s.allows(Object{}):
		return said("params is missing")
	}
	return nil
}

// Result returns what is wrong with the result of a request, nothing if the draft does
// not have the method.
func (d *Draft) Result(method string, result any) Faults {
	return faultsOf(d.methods[method].result, result, "result")
}

// Error returns what is wrong with the error in a response.
func (d *Draft) Error(failure any) Faults { return faultsOf(d.failure, failure, "error") }

// Faults say what is wrong with a message, in the order of their places.
type Faults []string

// said returns the one fault that a text says.
func said(format string, args ...any) Faults { return Faults{fmt.Sprintf(format, args...)} }

// Reason returns the first of the faults, and how many more there are if they are few:
// "" for none.
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

// faultsOf returns what a schema does not allow in a value, which is at that place in a
// message.
func faultsOf(s *schema, value any, place string) (texts Faults) {
	c := faults{limit: maxFaults}
	s.check(value, &c)
	slices.SortStableFunc(c.found, func(a, b fault) int { return slices.CompareFunc(a.path(), b.path(), step.compare) })
	// A place that is wrong in two ways is one fault.
	found := slices.CompactFunc(c.found, func(a, b fault) bool { return slices.Equal(a.path(), b.path()) })
	for _, f := range found {
		texts = append(texts, f.text(place))
	}
	return texts
}
