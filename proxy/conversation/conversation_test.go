package conversation

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

func TestNegotiation(t *testing.T) {
	const v1, v2 = `{"protocolVersion":1}`, version2Result
	initialize := func(id, params string) string { return "c " + request(id, "initialize", params) }
	ops := initialize("0", `{"protocolVersion":1,"clientCapabilities":{"plan":{},"planCapabilities":{}}}`)
	legacy := func(id string) string { return initialize(id, v1) }
	response := func(id, result string) string { return "a " + success(id, result) }
	for _, test := range []struct {
		name  string
		lines []string // c from the client, a from the agent
		want  string
	}{
		{"nothing", nil, "unknown"},
		{"no response", []string{legacy("0")}, "unknown"},
		{"an id that is a string", []string{legacy(`"a\u0062"`), response(`"ab"`, v1)}, "legacy"},
		{"the ids 1 and \"1\"", []string{legacy("1"), response(`"1"`, v1)}, "unknown"},
		{"initialize as a notification", []string{`c {"method":"initialize","params":{}}`, response("0", v1)}, "unknown"},
		{"a response with another id", []string{legacy("0"), response("1", v1)}, "unknown"},
		{"a response with its id last", []string{legacy("0"), `a {"result":{"protocolVersion":2,"info":{}},"jsonrpc":"2.0","id":0}`}, "v2"},
		{"batches", []string{
			`c [{"method":"x"},` + strings.TrimSpace(ops[2:]) + "]\n",
			`a [{"id":5,"result":1}, {"id":0,"result":{"protocolVersion":1}}]` + "\n",
		}, "unknown"},
		{"v2", []string{legacy("0"), response("0", v2)}, "v2"},
		{"the agent's own initialize", []string{"a " + request("0", "initialize", v1), "c " + success("0", v1), response("0", v1)}, "unknown"},
		{"a response of the client", []string{ops, "c " + success("0", v1)}, "unknown"},
		{"a response with a method", []string{ops, `a {"id":0,"method":"x","result":{"protocolVersion":1}}`}, "unknown"},
		{"initialize with a result", []string{`c {"id":0,"method":"initialize","params":{},"result":1}`, response("0", v1)}, "unknown"},
		{"two responses", []string{ops, response("0", v1), response("0", v2)}, "ops"},
		{"two at once, out of order", []string{legacy("5"), ops, response("0", v1), response("5", v1)}, "legacy"},
		{"unreadable params", []string{initialize("0", `[]`), response("0", v1)}, "legacy"},
		{"no params", []string{`c {"id":0,"method":"initialize"}`, response("0", v2)}, "v2"},
		{"an unreadable result", []string{ops, response("0", v1), ops, response("0", "null")}, "unknown"},
		{"other responses in between", []string{ops, response("1", v2), "a " + failure("2"), response(`"0"`, v2), response("0", v1)}, "ops"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			for _, line := range test.lines {
				pass := r.fromAgent
				if line[0] == 'c' {
					pass = r.fromClient
				}
				if out := pass(line[2:]); out != line[2:] {
					t.Errorf("%s became %s", line[2:], out)
				}
			}
			r.shows(test.want)
			if awaits := r.c.filters[translate.Agent].Load().Responses; awaits != (r.c.stages.negotiation.awaited.Len() > 0) {
				t.Errorf("the filter has responses: %v, awaited are %d", awaits, r.c.stages.negotiation.awaited.Len())
			}
		})
	}
}

// TestSessions sends requests about a session with the plan "old", and checks the list that a
// legacy client receives for a further plan.
func TestSessions(t *testing.T) {
	const both, alone = "both", "alone"
	load := request("1", methodLoad, `{"cwd":"/","sessionId":"s"}`)
	for _, test := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"a session is loaded without an id", []string{request("1", methodLoad, `{}`), failure("1")}, both},
		{"a session is loaded twice, and the first request fails", []string{load, request("2", methodLoad, `{"sessionId":"s"}`), failure("1"), success("2", "{}")}, alone},
		{"session/load is a notification", []string{`{"method":"session/load","params":{"sessionId":"s"}}`}, both},
		{"session/load has two session ids", []string{`{"id":1,"method":"session/load","params":{"sessionId":"s","sessionId":"s"}}`}, both},
		{"a session is resumed with replayFrom null", []string{request("1", methodResume, `{"sessionId":"s","replayFrom":null}`)}, both},
		{"a session is resumed with a replay", []string{request("1", methodResume, `{"replayFrom":{"type":"start"},"sessionId":"s"}`)}, alone},
		{"session/close fails", []string{request("1", methodClose, `{"sessionId":"s"}`), failure("1")}, both},
		{"a session is deleted", []string{request("1", methodDelete, `{"sessionId":"s"}`), success("1", "{}")}, alone},
		{"session/delete fails", []string{request("1", methodDelete, `{"sessionId":"s"}`), failure("1")}, both},
		{"initialize is repeated", []string{request("1", "initialize", `{}`), success("1", `{}`)}, alone},
		{"session/load fails after a further initialize", []string{request("0", "initialize", `{}`), load, success("0", `{}`), failure("1")}, alone},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.negotiate(`{}`, 1)
			r.fromAgent(planLine("s", itemsPlan("old", "a")))
			for _, line := range test.lines {
				pass := r.fromClient
				if !strings.Contains(line, `"method"`) {
					pass = r.fromAgent
				}
				if out := pass(line); out != line {
					t.Errorf("%s became %s", line, out)
				}
			}
			got := both
			switch out := r.fromAgent(planLine("s", itemsPlan("new", "b"))); out {
			case planLine("s", legacyPlan("b")):
				got = alone
			case planLine("s", `{"sessionUpdate":"plan","entries":[`+entry("[old] a")+","+entry("[new] b")+`]}`):
			default:
				t.Errorf("the client gets %s", out)
			}
			if got != test.want {
				t.Errorf("the plans are %s, want %s", got, test.want)
			}
		})
	}
}

func TestPlanMessages(t *testing.T) {
	r := newRig(t)
	r.negotiate(`{}`, 1)
	if log := r.log.String(); strings.Contains(log, "level=WARN") {
		t.Errorf("a client without a capability for plans is warned of: %s", log)
	}
	for _, line := range []string{
		`{"method":"session/update","params":{"update":` + itemsPlan("p", "a") + `}}`,
		`{"method":"session/update","params":{"sessionId":5,"update":` + itemsPlan("p", "a") + `}}`,
		`{"id":1,"method":"session/update","params":{"sessionId":"s","update":` + itemsPlan("p", "a") + `}}`,
		`{"id":null,"method":"session/update","params":{"sessionId":"s","update":` + itemsPlan("p", "a") + `}}`,
		`{"method":"session/updated","params":{"sessionId":"s","update":` + itemsPlan("p", "a") + `}}`,
		planLine("s", `{"sessionUpdate":"plan","entries":"none"}`),
	} {
		if out := r.fromAgent(line); out != line {
			t.Errorf("%s became %s", line, out)
		}
	}
	r.fromAgent(planLine("s", itemsPlan("p", "a")))
	r.fromAgent(planLine("s", removal("none")))
	if c := r.c.stages.counts; c != (actionCounts{forwarded: 3, rewritten: 1, dropped: 1}) {
		t.Errorf("%+v", c)
	}
	r.c.LogCounts(3)
	for _, want := range []string{
		`level=WARN msg="plan message without a session forwarded unchanged"`,
		`level=WARN msg="plan message forwarded unchanged`,
		`level=DEBUG msg="plan message" direction="agent to client" session=s kind=plan_update plan=p type=items entries=1 action=rewrite`,
		`session=s kind=plan_removed plan=none type="" entries=0 action=drop`,
		`level=INFO msg="agent exited" status=3 forwarded=3 rewritten=1 dropped=1`,
	} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("not in the log: %s", want)
		}
	}
	if t.Failed() {
		t.Log(r.log)
	}
}

// The two directions run at once. The test needs -race.
func TestDirectionsRace(t *testing.T) {
	r := newRig(t)
	r.negotiate(`{"plan":{}}`, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			id := fmt.Sprint(i)
			r.fromClient(request(id, []string{methodLoad, methodClose, "initialize"}[i%3], `{"sessionId":"s","clientCapabilities":{"plan":{}}}`))
		}
	}()
	for i := range 300 {
		r.fromAgent(success(fmt.Sprint(i), `{"protocolVersion":1}`))
		r.fromAgent(planLine("s", itemsPlan("p", fmt.Sprint(i))))
		r.fromAgent(planLine("s", legacyPlan(fmt.Sprint(i))))
	}
	<-done
}

// Pending initialize requests count against the memory budget: the oldest are evicted.
func TestPendingInitializeIsBounded(t *testing.T) {
	for length, most := range map[int]int{0: keep.PerSession / keep.EntryCost, keep.PerSession / 3: 2} {
		r, id := newRig(t), strings.Repeat("x", length)
		n := &r.c.stages.negotiation
		for i := range most + 8 {
			r.fromClient(request(fmt.Sprintf(`"%d%s"`, i, id), "initialize", `{}`))
		}
		if n.awaited.Len() > most || n.budget.Used() > keep.PerSession+keep.SessionCost || !strings.Contains(r.log.String(), "too many pending requests") {
			t.Errorf("%d requests of %d bytes are kept", n.awaited.Len(), n.budget.Used())
		}
		if last := fmt.Sprintf(`"%d%s"`, most+7, id); !n.Awaits(translate.Agent, jsonrpc.IDOf([]byte(last))) {
			t.Error("the latest request was evicted")
		}
	}
}

// A response to initialize that is too long to be read ends the wait for the response.
func TestLongResultEndsTheWait(t *testing.T) {
	r := newRig(t)
	r.fromClient(ownInitialize)
	for _, line := range []string{`{"method":"session/update","params":{"long`, `{"id":7,"result":{"long`} {
		r.agent.Oversize([]byte(line))
		if _, pending := r.c.InitializeState(); pending != strings.Contains(line, "method") {
			t.Errorf("%s: initialize is pending: %v", line, pending)
		}
	}
}
