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
	"strings"

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

// A Judge follows a recording. The zero value does not judge: see [New].
type Judge struct {
	versions map[int]*version
	connection
}

// New returns the judge of a recording that begins. Several judges may use the same
// drafts at once; a draft is read when it is wanted for the first time.
//
//	j := judge.New(&drafts)
//	for e, err := range trace.Events(recording) {
//		if err != nil {
//			continue // or stop, if it is not a trace.LineError
//		}
//		if reason := j.Judge(&e); reason != "" {
//			fmt.Printf("line %d: %s\n", e.Line, reason)
//		}
//	}
func New(drafts *schema.Drafts) *Judge {
	j := &Judge{
		versions:   make(map[int]*version),
		connection: connection{speaks: make(map[leg]int), requests: make(map[requestKey]request)},
	}
	for number, names := range draftsOf {
		j.versions[number] = &version{number: number, names: names, drafts: drafts}
	}
	return j
}

// Judge reads the next message of the recording. It returns in one line what the
// version that is spoken does not allow in it: "" if it is allowed, or cannot be
// judged. The line has the values as they are, control characters too.
//
// What cannot be judged is what is said before the answer to initialize, in other
// versions than 1 and 2, in MCP messages, as the result of an unknown request, or
// in messages of enormous size.
func (j *Judge) Judge(e *trace.Event) string {
	switch {
	case e.Method == trace.NotAMessage:
		return "it is no JSON-RPC message"
	case e.Type == trace.Response:
		return j.response(e)
	}
	return j.call(e)
}

func (j *Judge) call(e *trace.Event) string {
	number, method := j.spoken(e), e.Method
	switch {
	case e.Protocol == "mcp":
		number, method = 0, "" // its initialize is another one
	case initializes(e.Method):
		number = wanted(e.Params)
	}
	if e.Type == trace.Request {
		j.ask(e, request{method, number})
	}
	v := j.versions[number]
	if v == nil || schema.IsExtension(e.Method) {
		return ""
	}
	params, ok := decode(e.Params)
	id, idOK := decode(e.ID)
	if !ok || !idOK {
		return ""
	}
	c := &schema.Call{Method: e.Method, ToClient: toClient(e), Request: e.Type == trace.Request, ID: id, Params: params}
	if schema.IsExtension(c.Update()) {
		return ""
	}
	faults, known := v.call(c)
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

func (j *Judge) response(e *trace.Event) string {
	asked := j.answered(e)
	number := j.spoken(e)
	if initializes(asked.method) && !e.IsError {
		number = asked.version
		if n, ok := versionIn(e.Payload); ok {
			number = n
			j.speak(e, n)
		}
	}
	v := j.versions[number]
	if e.IsError && v == nil {
		v = j.versions[1] // an error is the same in all versions
	}
	if v == nil || asked.method == "" && !e.IsError {
		return ""
	}
	payload, ok := decode(e.Payload)
	if !ok {
		return ""
	}
	if e.IsError {
		return v.failure(payload).Reason()
	}
	return v.result(asked.method, payload).Reason()
}

// initializes reports whether the answer to a method says which version is spoken. The
// proxies of a chain are asked by a method of their own.
func initializes(method string) bool {
	return method == "initialize" || strings.TrimPrefix(method, "_") == "proxy/initialize"
}

// wanted returns the version by which params of initialize are judged: the one that
// they ask for. If they ask for none, no version allows that.
func wanted(params []byte) int {
	if n, ok := versionIn(params); ok {
		return n
	}
	return 1
}

// versionIn returns the protocolVersion of params or of a result of initialize: of two the
// last one, as of all members.
func versionIn(object []byte) (n int, ok bool) {
	var c rawjson.Cursor
	c.Reset(object)
	for more := c.Object(); more; more = c.NextMember() {
		if string(c.Name()) != "protocolVersion" {
			c.Skip()
			continue
		}
		value := c.Value()
		ok = !rawjson.Null(value) && json.Unmarshal(value, &n) == nil
	}
	return n, ok
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
