package check

import (
	"fmt"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// What an editor gets of an agent.
const (
	asItIs        = "as it is"
	joined        = "joined"
	cannotConnect = "cannot connect"
)

// A hello has the params of an initialize of each version. They say that the editor has
// a terminal to sign in: agents hide some ways to sign in from others.
type hello [3][]byte

func newHello(name, release string) hello {
	var b rawjson.Builder
	b.JSON(`{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},` +
		`"terminal":false,"auth":{"terminal":true},"_meta":{"terminal-auth":true}}`)
	b.Name("clientInfo")
	b.Object()
	b.StringMember("name", []byte(name))
	b.StringMember("version", []byte(release))
	b.EndObject()
	b.EndObject()
	two, _, _ := words.InitializeToV2(b.Out) // cannot fail: it is an object
	return hello{1: b.Out, 2: two}
}

// An answered question, read.
type reading struct {
	spoken  int    // the version of the answer; 0 if it is an error
	result  []byte // raw
	failure string // what the error says
	answer  capabilities.Answer
}

func (q *question) reads() (r reading) {
	m := read(q.raw)
	if m.Failed() {
		r.failure = failure(m.Error.Of(m.Text))
		return r
	}
	answer, err := capabilities.ReadAnswer(m.Result.Of(m.Text))
	if err != nil {
		r.failure = "its answer is no result of initialize"
		return r
	}
	r.answer, r.result = answer, m.Result.Of(m.Text)
	r.spoken = versions.Spoken(r.result, q.version)
	return r
}

func read(text []byte) *jsonrpc.Message {
	var m jsonrpc.Message
	var c rawjson.Cursor
	c.Reset(text)
	m.Read(&c, text, nil)
	return &m
}

// failure returns what an error says, with its code.
func failure(raw []byte) string {
	o, _ := rawjson.ReadObject(nil, raw)
	message, _ := o.Text("message")
	code := o.Get("code")
	if code == nil {
		return logging.Clean("error: " + string(raw))
	}
	return logging.Clean(fmt.Sprintf("error %s: %s", code, message))
}

// refuses says how the agent refuses the version that it was asked for.
func (q *question) refuses() string {
	switch {
	case q.raw == nil && q.silent:
		return "no answer"
	case q.raw == nil:
		return "it ends without an answer"
	}
	r := q.reads()
	if r.failure != "" {
		return r.failure
	}
	return fmt.Sprintf("it answers with version %d", r.spoken)
}

// gets says what an editor of a version gets of the agent: it plays the proxy's own
// handshake, with the answers that the agent has given. why says why that is nothing.
func (i *inquiry) gets(version int) (what, why string) {
	asked := version
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}`, i.hello[version])
	request, err := capabilities.ReadRequest(i.hello[version])
	if err != nil {
		return cannotConnect, err.Error()
	}
	h := versions.NewHandshake(read(text), request, 0, func(v int, _ []byte) ([]byte, error) {
		asked = v
		return i.hello[v], nil
	})
	var now time.Time
	step := h.Begin(now)
	for step.Decision == versions.Waiting {
		switch q := i.answers[asked]; {
		case q.raw != nil:
			step = h.Answered(read(q.raw), now)
		case q.silent && asked != version:
			step = h.Wake(now)
		default: // the proxy waits for ever for the answer to the editor's own request
			step = h.Ended(now)
		}
	}
	own := i.answers[version]
	switch {
	case step.Decision == versions.Joined:
		if err := i.converts(version, step.Result); err != nil {
			return cannotConnect, err.Error()
		}
		return joined, ""
	case step.Agreed != nil, step.Pass && own.agrees():
		return asItIs, ""
	}
	return cannotConnect, own.refuses()
}

// converts returns an error if an agent's answer cannot be said to an editor of the other
// version.
func (i *inquiry) converts(editor int, result []byte) (err error) {
	if editor == 1 {
		_, _, err = words.InitializeResultToV1(result)
	} else {
		_, _, err = words.InitializeResultToV2(result, i.args[0])
	}
	return err
}
