package conversation

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
)

// streams relays a line of the client, which must not change, and returns the largest number of
// bytes that was buffered.
func (r *rig) streams(line string) (most int) {
	r.t.Helper()
	return r.streamsFrom(r.client, line)
}

// streamsFrom is streams for a line of either side.
func (r *rig) streamsFrom(d *direction, line string) (most int) {
	r.t.Helper()
	out, most := r.relay(d, line)
	if out != line {
		r.t.Errorf("%.100s… became %.100q…", line, out)
	}
	return most
}

// relay relays a line in pieces. It returns the output and the largest number of buffered bytes.
func (r *rig) relay(d *direction, line string) (became string, most int) {
	r.t.Helper()
	var out strings.Builder
	dst := writerFunc(func(b []byte) (int, error) {
		most = max(most, len(b))
		return out.Write(b)
	})
	relay := transport.Relay{Src: &pieces{text: line, size: 16 << 10}, Dst: transport.NewOutlet(dst, 1<<20), Inspector: d, MaxLine: 64 << 20}
	if err := relay.Run(); err != nil {
		r.t.Error(err)
	}
	return out.String(), most
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// The stages need only the id and the session of a prompt. The prompt streams, wherever these members
// are.
func TestPromptsStream(t *testing.T) {
	prompt := `"prompt":[{"type":"image","data":"` + strings.Repeat("A", 1<<20) + `"}]`
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s",` + prompt + `}}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{` + prompt + `,"sessionId":"s"}}`,
		`{"method":"session/prompt","params":{` + prompt + `,"sessionId":"s"},"id":7}`,
		`{"method":"session/prompt","params":{"_meta":{"sessionId":"t","id":8},` + prompt + `,"sessionId":"\u0073"}, "id" : 7 , "jsonrpc":"2.0"}`,
	} {
		for _, end := range []string{"\n", ""} {
			r := newRig(t, withVendors, func(o *Options) { o.Plans.Markdown = plans.MarkdownBoth })
			r.negotiate(`{}`, 1)
			if most := r.streams(line + end); most > 128<<10 {
				t.Errorf("%.100s: %d bytes waited", line, most)
			}
			r.fromAgent(planLine("s", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# A plan\n\n1. Do it"}}`))
			if got := r.fromAgent(success("7", `{"stopReason":"end_turn"}`)); !strings.Contains(got, "agent_message_chunk") {
				t.Errorf("%.100s: the turn is not known to end: %s", line, got)
			}
		}
	}
}

// While a question of the proxy is pending, and after it, the client's other responses stream. At
// most a MiB of a response is buffered if its id comes last.
func TestAnswersStream(t *testing.T) {
	const little, mib = 128 << 10, 1 << 20
	ask := `{"jsonrpc":"2.0","id":0,` + cursorPlan + "}\n"
	file := `{"content":"` + strings.Repeat("x", 4*mib) + `"}`
	own := `"acp-plan-proxy/1"`
	chosen := `{"outcome":{"outcome":"selected","optionId":"reject"}}`
	for name, answer := range map[string]string{
		"answered":              success(own, chosen),
		"answered, id last":     `{"result":` + chosen + `,"id":` + own + "}\n",
		"answered, id far away": `{"result":{"_meta":"` + strings.Repeat("x", mib/2) + `",` + chosen[1:] + `,"id":` + own + "}\n",
		"answered, after a MiB": `{"result":` + file + `,"id":` + own + "}\n",
		"refused":               failure(own),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, withVendors, func(o *Options) { o.Vendors = "on" })
			var toAgent bytes.Buffer
			r.c.outlets[translate.Agent] = transport.NewOutlet(&toAgent, 1<<20)
			r.c.outlets[translate.Client] = transport.NewOutlet(io.Discard, 1<<20)
			r.negotiate(`{}`, 1)
			if got := r.fromAgent(ask); !strings.Contains(got, own) {
				t.Fatalf("the client is asked %s", got)
			}
			stream := func() {
				for line, limit := range map[string]int{
					success("5", file): little,
					`{"jsonrpc":"2.0","result":` + file + `,"id":"5"}` + "\n": mib + little,
					`{"error":` + file + `,"id":6}` + "\n":                    mib + little,
				} {
					if most := r.streams(line); most > limit {
						t.Errorf("%.50s: %d bytes waited", line, most)
					}
				}
			}
			stream()
			var got string
			if len(answer) > mib {
				r.streams(answer) // to the agent, too, which has not asked
			} else {
				got, _ = r.relay(r.client, answer)
			}
			r.c.outlets[translate.Agent].Flush()
			if got += toAgent.String(); strings.Count(got, `"id":0,"result":{"outcome":`) != 1 || strings.Contains(got, own) {
				t.Errorf("the agent gets %.300s", got)
			}
			stream()
		})
	}
}

// The stages need only the session and the status of a tool call without todos, so it streams. A
// request about the call belongs to that session.
func TestToolCallsStream(t *testing.T) {
	output := `"content":[{"type":"content","content":{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}}]`
	for _, members := range []string{
		`"sessionUpdate":"tool_call","toolCallId":"t1","title":"Ask the user",` + output,
		`"toolCallId":"t1",` + output + `,"title":"Ask the user","sessionUpdate":"tool_call"`,
	} {
		r := newRig(t, func(o *Options) { o.Vendors = "on" })
		r.negotiate(`{}`, 1)
		r.fromClient(request("1", methodPrompt, `{"sessionId":"a"}`))
		if most := r.streamsFrom(r.agent, planLine("a", `{`+members+`}`)); most > 128<<10 && strings.HasPrefix(members, `"sessionUpdate"`) {
			t.Errorf("%.50s: %d bytes waited", members, most)
		}
		r.fromClient(request("2", methodPrompt, `{"sessionId":"b"}`))
		got := r.fromAgent(request("0", "cursor/ask_question", `{"toolCallId":"t1","questions":[{"id":"q","prompt":"p","options":[{"id":"x"}]}]}`))
		if !strings.Contains(got, `"sessionId":"a"`) || strings.Contains(got, `"sessionId":"b"`) {
			t.Errorf("%.50s: the client is asked %.300s", members, got)
		}
	}
}
