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

// A Judge knows the versions. The zero value does not judge: see [New].
type Judge struct{ versions map[int]*version }

// New returns a judge. Several judges may use the same drafts at once; a draft is read
// when it is wanted for the first time.
func New(drafts *schema.Drafts) *Judge {
	j := &Judge{make(map[int]*version)}
	for number, names := range draftsOf() {
		j.versions[number] = &version{number: number, names: names, drafts: drafts}
	}
	return j
}

// Judge returns in one line what the version that is spoken does not allow in a message,
// which a [recording.Follower] has followed: "" if it is allowed, or cannot be judged. The line has the values as they are, control characters too.
//
// What cannot be judged is what is said before the answer to initialize, in other
// versions than 1 and 2, in MCP messages, as the result of an unknown request, or
// in messages of enormous size.
func (j *Judge) Judge(m *recording.Message) string {
	switch {
	case m.IsText():
		return "it is no JSON-RPC message"
	case m.Type == trace.Response:
		return j.response(m)
	}
	return j.call(m)
}

func (j *Judge) call(m *recording.Message) string {
	number := m.Version
	if m.Protocol == "mcp" {
		number = 0 // its initialize is another one
	} else if m.Request != nil {
		number = m.Request.Version
	}
	v := j.versions[number]
	if v == nil || schema.IsExtension(m.Method) {
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
	faults, known := v.fewest(func(draft *schema.Draft) (schema.Faults, bool) {
		if !draft.Knows(c) {
			return nil, false
		}
		return draft.Call(c), true
	})
	if !known {
		return j.unknown(v, c)
	}
	return faults.Reason()
}

// unknown says that a version does not have what a call is.
func (j *Judge) unknown(v *version, c *schema.Call) string {
	what := "method " + cut(c.Method)
	if kind := c.Update(); kind != "" {
		what = "session update " + cut(kind)
	}
	for _, other := range []int{1, 2} {
		if other != v.number && j.versions[other].knows(c) {
			return fmt.Sprintf("version %d has no %s: version %d has it", v.number, what, other)
		}
	}
	return fmt.Sprintf("version %d has no %s", v.number, what)
}

func (j *Judge) response(m *recording.Message) string {
	v := j.versions[m.Version]
	if m.Called() == "initialize" && string(rawjson.Get(m.Payload, "protocolVersion")) == "2" {
		v = j.versions[2] // what it says of itself, even if it counts as version 1
	}
	if m.IsError && v == nil {
		v = j.versions[1] // an error is the same in all versions
	}
	if v == nil || !m.IsError && (m.Request == nil || m.Request.Protocol == "mcp") {
		return ""
	}
	payload, ok := decode(m.Payload)
	if !ok {
		return ""
	}
	faults, _ := v.fewest(func(draft *schema.Draft) (schema.Faults, bool) {
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

func cut(name string) string {
	const most = 60
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
