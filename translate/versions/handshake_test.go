package versions

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/jsonrpc"
)

func message(text string) *jsonrpc.Message {
	m := jsonrpc.MessageOf([]byte(text))
	return &m
}

func converted(version capabilities.Version, _ []byte) []byte {
	return fmt.Appendf(nil, `{"protocolVersion":%d}`, version)
}

// The id of a request of the proxy is a number, whatever the client's id.
func TestHandshakeID(t *testing.T) {
	for id, want := range map[string]string{"0": "1000000001", "-1": "1000000001", "1.50": "1000000001", `"7"`: "1000000001", "null": "1000000001"} {
		m := message(`{"id":` + id + `,"method":"initialize","params":{"protocolVersion":1}}`)
		h := NewHandshake(m, capabilities.Request{Version: 1, Requested: 1}, 2, converted)
		asked := message(string(h.Begin(time.Time{}).Ask))
		if string(asked.ID) != want || !h.Awaits(message(`{"id":`+want+`,"result":{}}`)) {
			t.Errorf("%s: the agent is asked %s, want %s", id, asked.ID, want)
		}
	}
}

// Answers to initialize, as agents give them.
const (
	one         = `{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"a","version":"1"}}`
	two         = `{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"a","version":"1"}}`
	echoed      = `{"protocolVersion":2,"agentCapabilities":{}}`
	bare        = `{"protocolVersion":2}`
	emptyResult = `{}`

	// The params of a client that speaks version 1 alone, but asks for 2.
	falseHybrid = `{"protocolVersion":2,"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{}}`

	// The refusals of the SDKs: TypeScript 2.0 and later, its router before
	// that, its agents before that, and Python.
	unsupported = `{"code":-32022,"message":"Unsupported protocol version","data":{"requested":1,"supported":[2]}}`
	router      = `{"code":-32600,"message":"Invalid request","data":"unsupported ACP protocol version 1; this endpoint supports ACP protocol version 2"}`
	missingInfo = `{"code":-32602,"message":"Invalid params","data":{"info":"required"}}`
	once        = `{"code":-32600,"message":"initialize may only be requested once per connection"}`
	signIn      = `{"code":-32000,"message":"Authentication required"}`
)

func asks(n, version int) string {
	return fmt.Sprintf(`ask {"jsonrpc":"2.0","id":100000000%d,"method":"initialize","params":{"protocolVersion":%d}}`, n, version)
}

func restarts(n, version int) string { return "restart, " + asks(n, version) }

func own(member, value string) string {
	return `{"jsonrpc":"2.0","id":7,"` + member + `":` + value + `}`
}

func ours(n int, member, value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":100000000%d,"%s":%s}`, n, member, value)
}

func joined(result string) string { return "joined: " + result }

const (
	ends   = "ends"
	wait   = "wait"
	native = "native: the message"
)

// A handshakeCase has the events (responses of the agent, the end of its output, time-outs),
// and the resulting steps.
type handshakeCase struct {
	name   string
	params string // of the client's initialize
	prefer capabilities.Version
	events []string
	want   []string // one more than events: the first one begins the handshake
}

func runHandshakes(t *testing.T, cases []handshakeCase) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			now := time.Unix(0, 0)
			request := message(`{"jsonrpc":"2.0","id":7,"method":"initialize","params":` + test.params + `}`)
			r, err := capabilities.ReadRequest([]byte(test.params))
			if err != nil {
				t.Fatal(err)
			}
			h := NewHandshake(request, r, test.prefer, converted)
			got := []string{describe(h.Begin(now))}
			for _, event := range test.events {
				switch event {
				case ends:
					got = append(got, describe(h.HandleEnd(now)))
				case wait:
					if h.NextWake().IsZero() {
						t.Fatal("the handshake waits for ever")
					}
					now = h.NextWake()
					got = append(got, describe(h.Wake(now)))
				default:
					m := message(event)
					if !h.Awaits(m) {
						t.Fatalf("%s is not awaited", event)
					}
					got = append(got, describe(h.HandleResponse(m, now)))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if last := test.events[len(test.events)-1]; last != ends && (h.AsksForItself() || !h.NextWake().IsZero()) {
				t.Errorf("the handshake is over and waits until %v", h.NextWake())
			}
		})
	}
}

func TestHandshake(t *testing.T) {
	runHandshakes(t, []handshakeCase{
		{"a shared version", `{"protocolVersion":1}`, 0, []string{own("result", one)}, []string{"own", native}},
		{"a shared version 2", `{"protocolVersion":2}`, 0, []string{own("result", two)}, []string{"own", native}},
		{"an agent that reports no version", `{"protocolVersion":1}`, 0, []string{own("result", emptyResult)}, []string{"own", native}},
		{"a bare version 2 for a client of version 1", `{"protocolVersion":1}`, 0, []string{own("result", bare)}, []string{"own", native}},
		{"a version that only the client knows", `{"protocolVersion":3}`, 0, []string{own("result", two)}, []string{"own", native}},

		{"old client: the agent reports version 2", `{"protocolVersion":1}`, 0, []string{own("result", two)}, []string{"own", joined(two)}},
		{"old client: same process", `{"protocolVersion":1}`, 0,
			[]string{own("error", unsupported), ours(1, "result", two)},
			[]string{"own", asks(1, 2), joined(two)}},
		{"old client: once per connection", `{"protocolVersion":1}`, 0,
			[]string{own("error", missingInfo), ours(1, "error", once), ours(2, "result", two)},
			[]string{"own", asks(1, 2), restarts(2, 2), joined(two)}},
		{"old client: the agent ends after the refusal", `{"protocolVersion":1}`, 0,
			[]string{own("error", router), ends, ours(2, "result", two)},
			[]string{"own", asks(1, 2), restarts(2, 2), joined(two)}},
		{"old client: silence after the refusal", `{"protocolVersion":1}`, 0,
			[]string{own("error", router), wait, ours(2, "result", two)},
			[]string{"own", asks(1, 2), restarts(2, 2), joined(two)}},
		{"old client: refused by both processes", `{"protocolVersion":1}`, 0,
			[]string{own("error", router), ours(1, "error", once), ours(2, "error", unsupported)},
			[]string{"own", asks(1, 2), restarts(2, 2), "native: " + own("error", router)}},
		{"old client: refused, and both processes end", `{"protocolVersion":1}`, 0,
			[]string{own("error", router), ends, ends},
			[]string{"own", asks(1, 2), restarts(2, 2), "native: " + own("error", router)}},
		{"old client: refused, and both processes are silent", `{"protocolVersion":1}`, 0,
			[]string{own("error", router), wait, wait},
			[]string{"own", asks(1, 2), restarts(2, 2), "native: " + own("error", router)}},
		{"old client: refused, but later requests get version 1", `{"protocolVersion":1}`, 0,
			[]string{own("error", router), ours(1, "result", one), ours(2, "result", one)},
			[]string{"own", asks(1, 2), restarts(2, 2), "native: " + own("error", router)}},
		{"an error that is not about the version", `{"protocolVersion":1}`, 0, []string{own("error", signIn)}, []string{"own", native}},
		{"an error that is no object", `{"protocolVersion":1}`, 0,
			[]string{own("error", `"no"`), ours(1, "result", two)},
			[]string{"own", asks(1, 2), joined(two)}},
		{"a cancelled request", `{"protocolVersion":1}`, 0, []string{own("error", `{"code":-32800,"message":"m"}`)}, []string{"own", native}},
		{"a result that is no object", `{"protocolVersion":1}`, 0, []string{own("result", `[]`)}, []string{"own", native}},
		{"a result that is no object for a client of version 2", `{"protocolVersion":2}`, 0, []string{own("result", `null`)}, []string{"own", native}},
		{"a version that is no number", `{"protocolVersion":2}`, 0, []string{own("result", `{"protocolVersion":"1","capabilities":{}}`)},
			[]string{"own", native}},
		{"a version below 1", `{"protocolVersion":2}`, 0, []string{own("result", `{"protocolVersion":0,"capabilities":{}}`)}, []string{"own", native}},
		{"old client: an unknown later version", `{"protocolVersion":1}`, 0,
			[]string{own("result", `{"_meta":{"x":1},"info":{},"protocolVersion":3}`)},
			[]string{"own", joined(`{"_meta":{"x":1},"info":{},"protocolVersion":3}`)}},
		{"old client: members of version 2 and no number", `{"protocolVersion":1}`, 0,
			[]string{own("result", `{"info":{},"capabilities":{}}`)}, []string{"own", native}},
		{"new client: members of both versions", `{"protocolVersion":2}`, 0,
			[]string{own("result", `{"protocolVersion":2,"agentCapabilities":{},"capabilities":{}}`)}, []string{"own", native}},
		{"new client: the number 1 with members of version 2", `{"protocolVersion":2}`, 0,
			[]string{own("result", `{"capabilities":{},"info":{},"protocolVersion":1}`), ends}, []string{"own", asks(1, 1), "native: nothing"}},
		{"a client with the info of both versions", `{"protocolVersion":2,"info":{"clientInfo":1},"clientInfo":{}}`, 0,
			[]string{own("result", one)}, []string{"own", native}},
		{"a client without members of version 1", `{"protocolVersion":2,"_meta":{"clientInfo":{}}}`, 0,
			[]string{own("result", one), wait}, []string{"own", asks(1, 1), joined(one)}},
		{"a preference, and the agent ends", `{"protocolVersion":1}`, 2, []string{ends}, []string{asks(1, 2), "native: nothing"}},
		{"a preference, and the agent ends again", `{"protocolVersion":1}`, 2,
			[]string{ours(1, "error", router), ends, ends}, []string{asks(1, 2), "own", "restart, own", "native: nothing"}},
		{"an agent that ends at once", `{"protocolVersion":1}`, 0, []string{ends}, []string{"own", "native: nothing"}},

		{"new client: the second request succeeds", `{"protocolVersion":2}`, 0,
			[]string{own("result", one), ours(1, "result", one)},
			[]string{"own", asks(1, 1), joined(one)}},
		{"new client: an agent that repeats the number", `{"protocolVersion":2}`, 0,
			[]string{own("result", echoed), ours(1, "result", echoed)},
			[]string{"own", asks(1, 1), joined(echoed)}},
		{"new client: an agent that reports only the repeated number", `{"protocolVersion":2}`, 0,
			[]string{own("result", bare), ours(1, "result", bare)},
			[]string{"own", asks(1, 1), joined(bare)}},
		{"new client: an agent with an empty result", `{"protocolVersion":2}`, 0,
			[]string{own("result", emptyResult), ours(1, "error", once)},
			[]string{"own", asks(1, 1), joined(emptyResult)}},
		{"new client: the second request is refused", `{"protocolVersion":2}`, 0,
			[]string{own("result", one), ours(1, "error", once)},
			[]string{"own", asks(1, 1), joined(one)}},
		{"new client: silence after the second request", `{"protocolVersion":2}`, 0,
			[]string{own("result", one), wait},
			[]string{"own", asks(1, 1), joined(one)}},
		{"new client: refused", `{"protocolVersion":2}`, 0,
			[]string{own("error", missingInfo), ours(1, "result", one)},
			[]string{"own", asks(1, 1), joined(one)}},
		{"new client: refused, then restarted", `{"protocolVersion":2}`, 0,
			[]string{own("error", missingInfo), ours(1, "error", once), ours(2, "result", one)},
			[]string{"own", asks(1, 1), restarts(2, 1), joined(one)}},
		{"a client that speaks both", `{"protocolVersion":2,"clientCapabilities":{},"info":{}}`, 0, []string{own("result", one)}, []string{"own", native}},
		{"a client that speaks both, version 2", `{"protocolVersion":2,"clientInfo":{},"capabilities":{}}`, 0, []string{own("result", two)},
			[]string{"own", native}},

		{"a preference that the agent has", `{"protocolVersion":1}`, 2, []string{ours(1, "result", two)}, []string{asks(1, 2), joined(two)}},
		{"a preference that the agent lacks", `{"protocolVersion":1}`, 2,
			[]string{ours(1, "result", one), own("result", one)},
			[]string{asks(1, 2), "own", native}},
		{"a preference that the agent refuses", `{"protocolVersion":2}`, 1,
			[]string{ours(1, "error", unsupported), own("result", two)},
			[]string{asks(1, 1), "own", native}},
		{"a preference, and the agent ends after its refusal", `{"protocolVersion":2}`, 1,
			[]string{ours(1, "error", router), ends, own("result", two)},
			[]string{asks(1, 1), "own", "restart, own", native}},
		{"a preference, and the agent accepts one request only", `{"protocolVersion":2}`, 1,
			[]string{ours(1, "error", router), own("error", once), own("result", two)},
			[]string{asks(1, 1), "own", "restart, own", native}},
		{"a preference, and no version is shared with a new process", `{"protocolVersion":2}`, 1,
			[]string{ours(1, "error", router), ends, own("error", missingInfo), ours(2, "error", once)},
			[]string{asks(1, 1), "own", "restart, own", asks(2, 1), "native: " + own("error", missingInfo)}},
		{"a preference that the agent answers with neither a result nor an error", `{"protocolVersion":1}`, 2,
			[]string{`{"jsonrpc":"2.0","id":1000000001}`, own("result", one)},
			[]string{asks(1, 2), "own", native}},
		{"new client: the second response has neither a result nor an error", `{"protocolVersion":2}`, 0,
			[]string{own("result", one), `{"jsonrpc":"2.0","id":1000000001}`},
			[]string{"own", asks(1, 1), joined(one)}},
		{"old client: refused, and the second response has neither a result nor an error", `{"protocolVersion":1}`, 0,
			[]string{own("error", router), `{"jsonrpc":"2.0","id":1000000001}`, ours(2, "result", two)},
			[]string{"own", asks(1, 2), restarts(2, 2), joined(two)}},
		{"a preference for the version of the client", `{"protocolVersion":2}`, 2, []string{own("result", two)}, []string{"own", native}},
	})
}

// Clients that speak version 1 alone, but ask for version 2. The agent receives a request for
// version 1, see package capabilities.
func TestFalseHybrids(t *testing.T) {
	runHandshakes(t, []handshakeCase{
		{"version 1", falseHybrid, 0, []string{own("result", one)}, []string{"own", native}},
		{"a bare number", falseHybrid, 0, []string{own("result", bare)}, []string{"own", native}},
		{"only version 2", falseHybrid, 0, []string{own("error", unsupported), ours(1, "result", two)}, []string{"own", asks(1, 2), joined(two)}},
		{"the agent answers its own version", falseHybrid, 0, []string{own("result", two)}, []string{"own", joined(two)}},
		{"version 1 preferred", falseHybrid, 1, []string{own("result", one)}, []string{"own", native}},
		{"version 2 preferred", falseHybrid, 2, []string{ours(1, "result", two)}, []string{asks(1, 2), joined(two)}},
	})
}

func describe(s Step) string {
	switch {
	case s.Decision == Joined:
		return "joined: " + string(s.Result)
	case s.Decision == Native && s.Pass:
		return "native: the message"
	case s.Decision == Native && s.Answer != nil:
		return "native: " + string(s.Answer)
	case s.Decision == Native:
		return "native: nothing"
	case s.ForwardInitialize && s.Restart:
		return "restart, own"
	case s.ForwardInitialize:
		return "own"
	case s.Restart:
		return "restart, ask " + string(s.Ask)
	}
	return "ask " + string(s.Ask)
}

func TestHandshakeAwaits(t *testing.T) {
	h := NewHandshake(message(`{"id":7,"method":"initialize","params":{"protocolVersion":1}}`), capabilities.Request{Requested: 1, Version: 1}, 0, converted)
	h.Begin(time.Time{})
	for text, want := range map[string]bool{
		`{"id":7,"result":{}}`:                    true,
		`{"id":7.0,"error":{}}`:                   true,
		`{"id":"7","result":{}}`:                  false,
		`{"id":8,"result":{}}`:                    false,
		`{"id":7}`:                                true, // an error: it has neither
		`{"id":7,"method":"x"}`:                   false,
		`{"id":7,"method":"x","result":{}}`:       false,
		`{"method":"session/update","params":{}}`: false,
	} {
		if got := h.Awaits(message(text)); got != want {
			t.Errorf("%s: awaited is %v", text, got)
		}
	}
}

// TestHandshakeWaits checks the time limits of responses.
func TestHandshakeWaits(t *testing.T) {
	now := time.Unix(1000, 0)
	request := message(`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}`)
	h := NewHandshake(request, capabilities.Request{Requested: 1, Version: 1}, 2, converted)
	h.Begin(now)
	if !h.NextWake().IsZero() || !h.AsksForItself() {
		t.Errorf("a preferred version is awaited until %v", h.NextWake())
	}
	h = NewHandshake(request, capabilities.Request{Requested: 1, Version: 1}, 0, converted)
	h.Begin(now)
	if !h.NextWake().IsZero() || h.AsksForItself() {
		t.Errorf("the answer to the client is awaited until %v", h.NextWake())
	}
	h.HandleResponse(message(`{"jsonrpc":"2.0","id":7,"error":`+router+`}`), now)
	if got := h.NextWake().Sub(now); got != 5*time.Second || !h.AsksForItself() {
		t.Errorf("the same process has %v", got)
	}
	h.HandleEnd(now)
	if got := h.NextWake().Sub(now); got != 30*time.Second || !h.AsksForItself() {
		t.Errorf("a new process has %v", got)
	}
}

// TestHandshakeAnswers checks the response that the handshake writes itself.
func TestHandshakeAnswers(t *testing.T) {
	h := NewHandshake(message(`{"jsonrpc":"2.0","id":"\u0061","method":"initialize","params":{"protocolVersion":2,"a":[1.0]}}`),
		capabilities.Request{Requested: 3, Version: 3}, 0, converted)
	if got, want := string(h.Answer([]byte(`{"a":1}`))), `{"jsonrpc":"2.0","id":"\u0061","result":{"a":1}}`; got != want {
		t.Errorf("answers %s, want %s", got, want)
	}
	if h.Client() != 2 || string(h.Params()) != `{"protocolVersion":2,"a":[1.0]}` {
		t.Errorf("the client asks for %d: %s", h.Client(), h.Params())
	}
}
