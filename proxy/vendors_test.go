package proxy

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport"
)

func withVendors(o *Options) { o.Vendors = vendors.Auto }

const (
	todoCall = `{"sessionUpdate":"tool_call","toolCallId":"1","title":"todowrite","status":"completed","rawInput":{"todos":[{"content":"a"}]}}`
	todoPlan = `{"sessionUpdate":"plan","entries":[{"content":"a","priority":"medium","status":"pending"}]}`
	ofCursor = `"method":"cursor/create_plan","params":{"sessionId":"s","toolCallId":"t","plan":"1. A"}`
)

// A plan that is made of a tool call leaves in its place: behind it, and before what
// comes next, in a line of its own or in the batch.
func TestPlanOfToolCallKeepsItsPlace(t *testing.T) {
	r := newRig(t, withVendors)
	r.negotiate(`{}`, 1)
	call, plan := planLine("s", todoCall), planLine("s", todoPlan)
	if got := r.fromAgent(call); got != call+plan {
		t.Errorf("got %s", got)
	}
	line := strings.TrimSuffix(planLine("x", todoCall), "\n")
	if got, want := r.fromAgent(line), line+"\n"+planLine("x", todoPlan); got != want {
		t.Errorf("a last line without its end: got %s", got)
	}
	first, last := `{"jsonrpc":"2.0","method":"_first"}`, `{"jsonrpc":"2.0","method":"_last"}`
	call, plan = strings.TrimSpace(planLine("b", todoCall)), strings.TrimSpace(planLine("b", todoPlan))
	if got, want := r.fromAgent("["+first+","+call+","+last+"]\n"), "["+first+","+call+","+plan+","+last+"]\n"; got != want {
		t.Errorf("in a batch: got %s", got)
	}
}

// The observer sees the call as it passed, and the plan as the proxy's own.
func TestPlanOfToolCallIsShown(t *testing.T) {
	r := newRig(t, withVendors)
	r.negotiate(`{}`, 1)
	r.events = nil
	r.fromAgent(planLine("s", todoCall))
	if len(r.events) != 2 || string(r.events[0].In) != string(r.events[0].Out) || r.events[1].In != nil || string(r.events[1].Out)+"\n" != planLine("s", todoPlan) {
		t.Errorf("shown: %+v", r.events)
	}
	if !strings.Contains(r.log.String(), "msg=negotiated vendor=") || !strings.Contains(r.log.String(), `vendor="tool calls"`) {
		t.Errorf("the log: %s", r.log)
	}
}

// A request that the client does not know does not reach the agent as an error, and
// the client's other answers pass.
func TestMakersRequest(t *testing.T) {
	r := newRig(t, withVendors)
	var toClient bytes.Buffer
	r.c.outlets[translate.Client] = transport.NewOutlet(&toClient, 1<<20)
	r.fromClient(request(`"init"`, methodInitialize, `{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor"}}`))
	r.fromAgent(success(`"init"`, `{"protocolVersion":1}`))
	ask := `{"jsonrpc":"2.0","id":0,` + ofCursor + "}\n"
	if got := r.fromAgent(ask); got != ask {
		t.Errorf("the client gets %s", got)
	}
	if other := success(`7`, `{}`); r.fromClient(other) != other {
		t.Error("another answer does not pass")
	}
	if got := r.fromClient(`{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}` + "\n"); got != "" {
		t.Errorf("the agent gets %s", got)
	}
	if err := r.c.outlets[translate.Client].Flush(); err != nil || !strings.HasPrefix(toClient.String(), planLine("s", strings.Replace(todoPlan, `"a"`, `"A"`, 1))) || !strings.Contains(toClient.String(), methodPermission) {
		t.Errorf("the client gets %s", toClient.String())
	}
	if got := r.fromClient(success(`"acp-plan-proxy/1"`, `{"outcome":{"outcome":"selected","optionId":"reject"}}`)); got != `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"rejected"}}}`+"\n" {
		t.Errorf("the agent gets %s", got)
	}
}

// A stream of tool calls with much output is not held, wherever the title is: it costs
// a connection the time to look for its line ends.
func BenchmarkLargeToolCalls(b *testing.B) {
	const (
		begin = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t"`
		title = `,"title":"Read the log"`
	)
	output := `,"content":[{"type":"content","content":{"type":"text","text":"` + strings.Repeat("some output ", 1<<20/12) + `"}}]`
	for _, bench := range []struct {
		name, line string
		vendors    vendors.Mode
	}{
		{"title early", begin + title + output, vendors.Auto},
		{"title late", begin + output + title, vendors.Auto},
		{"title early, off", begin + title + output, vendors.Off},
		{"title late, off", begin + output + title, vendors.Off},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := newRig(b, withVendors, func(o *Options) { o.Vendors, o.Observe = bench.vendors, nil })
			r.negotiate(`{}`, 1)
			line := bench.line + "}}}\n"
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			relay := transport.Relay{
				Src: &repeated{line: line, times: b.N}, Dst: transport.NewOutlet(io.Discard, 64<<20),
				Inspector: newDirection(r.c, translate.Agent), MaxLine: 64 << 20,
			}
			if err := relay.Run(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// A repeated reads as a line that comes several times.
type repeated struct {
	line  string
	times int
	at    int
}

func (r *repeated) Read(b []byte) (int, error) {
	if r.at == len(r.line) {
		r.at, r.times = 0, r.times-1
	}
	if r.times == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.line[r.at:])
	r.at += n
	return n, nil
}

// Where nothing is in a vendor's words, plans are read once: nothing is allocated for
// these words.
func TestPlansWithoutVendorsWords(t *testing.T) {
	for _, update := range []string{
		legacyPlan("a"), itemsPlan("p", "a"),
		`{"sessionUpdate":"plan_update","plan":{"entries":[` + entry("a") + `],"type":"items","planId":"p"},"_meta":{"k":{}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`,
	} {
		r := rig{t: t, c: newTestConversation(withVendors)}
		r.agent, r.client = newDirection(r.c, translate.Agent), newDirection(r.c, translate.Client)
		r.fromClient(request("0", methodInitialize, `{"protocolVersion":1,"clientInfo":{"name":"editor"}}`))
		r.fromAgent(success("0", `{"protocolVersion":1,"agentInfo":{"name":"an agent"}}`))
		line := []byte(planLine("s", update))
		if n := testing.AllocsPerRun(100, func() { r.agent.Rewrite(line, nil) }); n > 0 {
			t.Errorf("%s: %v allocations", update, n)
		}
	}
}
