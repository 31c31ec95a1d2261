package schema

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
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

// Knows reports whether the draft has the method of a call, and the kind of update that
// it is.
func (d *Draft) Knows(c *Call) bool {
	if kind := c.Update(); kind != "" {
		_, known := d.updates[kind]
		return known
	}
	return d.methods[c.Method] != nil
}

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
	case c.Request:
		if faults := faultsOf(d.id, c.ID, "id"); len(faults) > 0 {
			return faults
		}
		return ofParams(m.request, c.Params)
	}
	return d.notification(c)
}

func (d *Draft) notification(c *Call) Faults {
	kind := c.Update()
	if kind == "" {
		return ofParams(d.methods[c.Method].notification, c.Params)
	}
	// The kind decides which of some twenty branches is meant: the others would only
	// be tried in vain.
	faults := faultsOf(d.envelope, c.Params, "params")
	if schema := d.updates[kind]; schema != nil {
		faults = append(faults, faultsOf(schema, c.Params.(Object)["update"], "params.update")...)
	}
	return faults
}

// ofParams judges params, which can be left out if nothing in them is required.
func ofParams(schema *jsonschema.Schema, params any) Faults {
	if params != nil {
		return faultsOf(schema, params, "params")
	}
	if schema.Validate(Object{}) != nil {
		return said("params is missing")
	}
	return nil
}

// Result returns what is wrong with the result of a request. It is nothing if the draft
// does not have the method.
func (d *Draft) Result(method string, result any) Faults {
	if schema := d.Results[method]; schema != nil {
		return faultsOf(schema, result, "result")
	}
	return nil
}

// Error returns what is wrong with the error in a response.
func (d *Draft) Error(failure any) Faults { return faultsOf(d.failure, failure, "error") }

// IsExtension reports whether a method, or a kind of session update, is one that the
// protocol leaves to the sides.
func IsExtension(name string) bool { return strings.HasPrefix(name, "_") }
