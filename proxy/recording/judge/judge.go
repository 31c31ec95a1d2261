// Package judge says of each message in a recording whether the version that is spoken
// allows it, and if not, why. The authors of agents and of editors see their own
// mistakes so.
//
// A version has several drafts, and one that allows a message is enough. What the
// versions leave to the two sides is allowed: methods and updates whose names begin
// with an underscore, and members that nobody knows.
package judge

import (
	"bytes"
	"encoding/json"
	"fmt"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
	"acp-plan-proxy/transport/rawjson"
)

// What is judged of one message bounds the memory that it takes: so many bytes, and
// so many values.
const (
	maxText   = 16 << 20
	maxValues = 1 << 17
)

const maxName = 61 // characters of what is unknown

// A Judge judges by the drafts of the protocol. Several judges may have the same ones, and
// use them at once; a draft is read when it is wanted for the first time.
type Judge struct{ Drafts *schema.Drafts }

// Judge returns in one line what the version that is spoken does not allow in a message,
// which a [recording.Follower] has followed: "" if it is allowed, or cannot be judged. The line has the values as they are, control characters too.
//
// What cannot be judged is what is said before the answer to initialize, in other
// versions than 1 and 2, in MCP messages, as the result of an unknown request, or
// in messages of enormous size.
func (j Judge) Judge(m *recording.Message) string {
	switch {
	case m.IsText():
		return "it is no JSON-RPC message"
	case m.Type == trace.Response:
		return j.response(m)
	}
	return j.call(m)
}

func (j Judge) call(m *recording.Message) string {
	version := m.Version
	if m.Request != nil {
		version = m.Request.Version
	}
	if m.Protocol == "mcp" || !isKnown(version) || schema.IsExtension(m.Method) { // MCP has an initialize of its own
		return ""
	}
	params, ok := decode(m.Params)
	id, idOK := decode(m.ID)
	if !ok || !idOK {
		return ""
	}
	c := &schema.Call{Method: m.Method, ToClient: m.ToClient(), Request: m.Type == trace.Request, ID: id, Params: params}
	if schema.IsExtension(c.Update()) {
		return ""
	}
	faults, known := j.fewest(version, func(draft *schema.Draft) (schema.Faults, bool) {
		if !draft.Knows(c) {
			return nil, false
		}
		return draft.Call(c), true
	})
	if !known {
		return j.unknown(version, c)
	}
	return faults.Reason()
}

func isKnown(version int) bool { return version == 1 || version == 2 }

// fewest returns what the draft of a version says that has least against a message: the one
// that its sender speaks, if it has a fault. It is false if no draft knows the message.
func (j Judge) fewest(version int, judge func(*schema.Draft) (faults schema.Faults, known bool)) (best schema.Faults, known bool) {
	for _, d := range capabilities.Drafts() {
		if d.Version != version || d.Schema == "" {
			continue
		}
		draft, err := j.Drafts.Get(d.Schema)
		if err != nil {
			continue // a draft is a part of the program: tests load all
		}
		faults, knows := judge(draft)
		switch {
		case !knows:
		case len(faults) == 0:
			return nil, true
		case !known || len(faults) < len(best):
			best, known = faults, true
		}
	}
	return best, known
}

// unknown says that a version does not have what a call is.
func (j Judge) unknown(version int, c *schema.Call) string {
	what := "method " + recording.Cut(c.Method, maxName)
	if kind := c.Update(); kind != "" {
		what = "session update " + recording.Cut(kind, maxName)
	}
	reason, other := fmt.Sprintf("version %d has no %s", version, what), int(capabilities.Version(version).Other())
	if _, known := j.fewest(other, func(draft *schema.Draft) (schema.Faults, bool) { return nil, draft.Knows(c) }); known {
		reason += fmt.Sprintf(": version %d has it", other)
	}
	return reason
}

func (j Judge) response(m *recording.Message) string {
	version := m.Version
	if m.Called() == "initialize" && string(rawjson.Get(m.Payload, "protocolVersion")) == "2" {
		version = 2 // what it says of itself, even if it counts as version 1
	}
	if m.IsError && !isKnown(version) {
		version = 1 // an error is the same in all versions
	}
	if !isKnown(version) || !m.IsError && (m.Request == nil || m.Request.Protocol == "mcp") {
		return ""
	}
	payload, ok := decode(m.Payload)
	if !ok {
		return ""
	}
	faults, _ := j.fewest(version, func(draft *schema.Draft) (schema.Faults, bool) {
		if m.IsError {
			return draft.Error(payload), true
		}
		return draft.Result(m.Called(), payload), draft.HasMethod(m.Called())
	})
	return faults.Reason()
}

// decode returns the value that a text is, nil for one that is missing. ok is false if
// it cannot be judged.
func decode(text []byte) (value any, ok bool) {
	if rawjson.Null(text) {
		return nil, true
	}
	values := bytes.Count(text, []byte{','}) + bytes.Count(text, []byte{'['}) + bytes.Count(text, []byte{'{'})
	if len(text) > maxText || values > maxValues {
		return nil, false
	}
	return value, json.Unmarshal(text, &value) == nil
}
