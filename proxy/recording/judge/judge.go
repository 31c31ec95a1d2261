// Package judge finds violations of the protocol in recordings, for authors of agents and
// clients.
//
// A [Judge] checks single messages against the schema of their version. A version has several
// drafts; a message is valid if one of them allows it. Extensions (methods and updates whose
// names begin with an underscore, and unknown members) are always valid. A [Linter] also
// applies rules that need several messages, and [Report] prints its findings.
//
//	judge.go   the schema
//	lint.go    the state that the rules need
//	rules.go   the rules
//	report.go  the output of the command lint
package judge

import (
	"bytes"
	"encoding/json"
	"fmt"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schema"
	"acp-plan-proxy/transport/rawjson"
)

// Limits of a judged message, which bound the memory of its values.
const (
	maxText   = 16 << 20 // bytes
	maxValues = 1 << 17
)

const maxName = 61 // characters of a name or an id in a reason

// A Judge checks messages against the drafts of the protocol. Several judges can use the same
// drafts concurrently.
type Judge struct{ Drafts *schema.Drafts }

// Judge returns the reason why a message is invalid, in one line, or "" if it is valid. A
// [recording.Follower] must have followed the message. The reason can contain control
// characters.
//
// Judge does not judge, and counts as valid:
//   - messages other than initialize requests and errors, before the response to initialize or in
//     versions other than 1 and 2
//   - requests, notifications and results over MCP
//   - results of unknown requests
//   - messages with more than maxText bytes or maxValues values.
func (j Judge) Judge(m *recording.Message) string {
	switch {
	case m.IsText() && m.ToClient():
		return "the line is not a JSON-RPC message; nothing else belongs on stdout"
	case m.IsText():
		return "the line is not a JSON-RPC message; nothing else belongs on the agent's stdin"
	case m.Type == trace.Response:
		return j.judgeResponse(m)
	}
	return j.judgeCall(m)
}

func (j Judge) judgeCall(m *recording.Message) string {
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
	c := &schema.Call{Method: m.Method, ToClient: m.ToClient(), IsRequest: m.Type == trace.Request, ID: id, Params: params}
	if schema.IsExtension(c.Update()) {
		return ""
	}
	faults, known := j.fewestFaults(version, func(draft *schema.Draft) (schema.Faults, bool) {
		if !draft.Knows(c) {
			return nil, false
		}
		return draft.CheckCall(c), true
	})
	if !known {
		return j.whyUnknown(version, c)
	}
	return faults.Reason()
}

func isKnown(version int) bool { return version == 1 || version == 2 }

// fewestFaults returns the faults that the most lenient draft of a version finds, because that is
// probably the sender's draft. known is false if no draft has the message.
func (j Judge) fewestFaults(version int, judge func(*schema.Draft) (faults schema.Faults, known bool)) (best schema.Faults, known bool) {
	for _, d := range capabilities.Drafts() {
		if d.Version != version || d.Schema == "" {
			continue
		}
		draft, err := j.Drafts.Get(d.Schema)
		if err != nil {
			continue // cannot happen: tests load all embedded drafts
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

// whyUnknown returns the reason why a call is invalid whose method or update a version does not have.
func (j Judge) whyUnknown(version int, c *schema.Call) string {
	missing := "method " + translate.Truncate(c.Method, maxName)
	if kind := c.Update(); kind != "" {
		missing = "session update " + translate.Truncate(kind, maxName)
	}
	reason, other := fmt.Sprintf("version %d has no %s", version, missing), int(capabilities.Version(version).Other())
	if _, known := j.fewestFaults(other, func(draft *schema.Draft) (schema.Faults, bool) { return nil, draft.Knows(c) }); known {
		reason += fmt.Sprintf(": version %d has it", other)
	}
	return reason
}

func (j Judge) judgeResponse(m *recording.Message) string {
	version := m.Version
	if m.CalledMethod() == "initialize" && string(rawjson.Get(m.Payload, "protocolVersion")) == "2" {
		version = 2 // the schema of the result, even if the sender counts as version 1
	}
	if m.IsError && !isKnown(version) {
		version = 1 // errors are the same in all versions
	}
	if !isKnown(version) || !m.IsError && (m.Request == nil || m.Request.Protocol == "mcp") {
		return ""
	}
	payload, ok := decode(m.Payload)
	if !ok {
		return ""
	}
	faults, _ := j.fewestFaults(version, func(draft *schema.Draft) (schema.Faults, bool) {
		if m.IsError {
			return draft.CheckError(payload), true
		}
		return draft.CheckResult(m.CalledMethod(), payload), draft.HasMethod(m.CalledMethod())
	})
	return faults.Reason()
}

// decode parses a JSON value. The value is nil for an empty text. ok is false for an invalid or too
// large text.
func decode(text []byte) (value any, ok bool) {
	if rawjson.IsNull(text) {
		return nil, true
	}
	valueCount := bytes.Count(text, []byte{','}) + bytes.Count(text, []byte{'['}) + bytes.Count(text, []byte{'{'})
	if len(text) > maxText || valueCount > maxValues {
		return nil, false
	}
	return value, json.Unmarshal(text, &value) == nil
}
