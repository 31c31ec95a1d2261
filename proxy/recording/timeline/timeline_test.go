package timeline_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
)

// read returns the rows of a recording in order, as the last change left them.
func read(t testing.TB, recorded string) (rows []*timeline.Row, sessions []timeline.Session, ends timeline.Ends) {
	t.Helper()
	at := make(map[int]int)
	tl := timeline.New()
	add := func(c timeline.Changes) {
		sessions = append(sessions, c.Sessions...)
		if c.Ends != nil {
			ends = *c.Ends
		}
		for _, r := range c.Rows {
			clone := *r
			if i, ok := at[r.Number]; ok {
				rows[i] = &clone
				continue
			}
			at[r.Number] = len(rows)
			rows = append(rows, &clone)
		}
	}
	for e, err := range recording.Events(strings.NewReader(recorded)) {
		if err != nil {
			add(tl.Skip(0))
			continue
		}
		add(tl.Add(&e))
	}
	return rows, sessions, ends
}

func events(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func event(kind string, seconds float64, from, to, rest string) string {
	return fmt.Sprintf(`{"type":%q,"ts":%v,"from":%q,"to":%q,%s}`, kind, seconds, from, to, rest)
}

func request(seconds float64, from, to string, id int, method, params string) string {
	return event("request", seconds, from, to, fmt.Sprintf(`"id":%d,"method":%q,"params":%s`, id, method, params))
}

func response(seconds float64, from, to string, id int, result string) string {
	return event("response", seconds, from, to, fmt.Sprintf(`"id":%d,"is_error":false,"payload":%s`, id, result))
}

func refusal(seconds float64, from, to string, id int) string {
	return event("response", seconds, from, to, fmt.Sprintf(`"id":%d,"is_error":true,"payload":{"code":-32603,"message":"no"}`, id))
}

func update(seconds float64, from, to, session, update string) string {
	return event("notification", seconds, from, to, fmt.Sprintf(`"method":"session/update","session":%q,"params":{"sessionId":%[1]q,"update":%s}`, session, update))
}

// brief says a row in a line: what each table below compares.
func brief(r *timeline.Row) string {
	parts := []string{fmt.Sprint(r.Number), string(r.About), string(r.Fate)}
	note := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	note(r.Session != 0, "S%d", r.Session)
	note(r.Says != "", "%q", r.Says)
	note(r.Error != "", "error %q", r.Error)
	note(r.Became != "", "→ %q", r.Became)
	note(r.Took != nil, "took %v", deref(r.Took))
	note(r.Request != 0, "answers %d", r.Request)
	note(r.Answer != 0, "answered %d", r.Answer)
	note(r.Failed, "failed")
	note(r.Unseen, "unseen")
	note(r.Of != 0, "of %d", r.Of)
	note(r.Caused != nil, "caused %v", r.Caused)
	note(r.IDOnly, "id only")
	note(r.Tool != 0, "T%d", r.Tool)
	note(r.Run != 0, "run %d", r.Run)
	note(r.Opens, "opens")
	note(r.InTurn, "in")
	note(r.Closes, "closes")
	note(r.Stop != "", "%s after %v", r.Stop, r.Turn)
	note(r.Forgets != "", "forgets %s", r.Forgets)
	for _, l := range r.Lost {
		note(true, "lost %s %s: %s", l.Kind, l.Name, l.Detail)
	}
	if p := r.Plan; p != nil {
		note(true, "plan %q %s %d/%d", p.ID, p.Form, p.Done, p.Total)
	}
	return strings.Join(parts, " ")
}

func deref(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

func TestRows(t *testing.T) {
	const (
		agent, client, proxy = "Agent", "Client", "Proxy"
		text                 = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}`
		thought              = `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}}`
		tool                 = `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","status":"pending"}`
		commands             = `{"sessionUpdate":"available_commands_update","availableCommands":[]}`
		userMessage          = `{"sessionUpdate":"user_message","messageId":"m"}`
		running              = `{"sessionUpdate":"state_update","state":"running"}`
		usage                = `{"sessionUpdate":"usage_update","used":1,"size":2}`
		list                 = `{"sessionUpdate":"plan","entries":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}`
	)
	for _, tt := range []struct {
		name     string
		recorded string
		want     []string
	}{
		{"forwarded", events(update(1, agent, client, "s", text)), []string{`1 text forwarded S1 "Hello" run 1`}},
		{"rewritten, with another time", events(update(1, agent, proxy, "s", text), update(1.0005, proxy, client, "s", thought)),
			[]string{`1 text rewritten S1 "Hello" → "agent_thought_chunk: Hm" run 1`}},
		{"sent as it came, behind what the proxy says of the prompt", events(request(1, client, proxy, 1, "session/prompt", `{"sessionId":"s","prompt":[]}`),
			request(1, proxy, agent, 2, "session/prompt", `{"sessionId":"s","prompt":[]}`), update(2, agent, proxy, "s", commands), update(2, proxy, client, "s", userMessage),
			response(2, proxy, client, 1, "{}"), update(2, proxy, client, "s", running), update(2, proxy, client, "s", commands), update(3, agent, proxy, "s", usage), update(4, agent, client, "s", usage)),
			[]string{`1 turn rewritten S1 answered 5 caused [4 5 6] id only opens in`, `3 other forwarded S1 in`, `4 text added S1 of 1 in`,
				`5 turn added S1 "accepted" took 1 answers 1 of 1 in`, `6 turn added S1 "running" of 1 in`, `8 usage dropped S1 in`, `9 usage forwarded S1 in`}},
		{"what the proxy says around a permission request", events(request(1, agent, proxy, 1, "session/request_permission", `{"sessionId":"s"}`), update(1, proxy, client, "s", text),
			update(1, proxy, client, "s", running), request(1, proxy, client, 9, "session/request_permission", `{"sessionId":"s"}`),
			response(2, client, proxy, 9, "{}"), response(2, proxy, agent, 1, "{}"), update(2.01, proxy, client, "s", running), update(2.2, proxy, client, "s", running)),
			[]string{`1 permission rewritten S1 "asks:" answered 6 caused [2 3 7] id only`, `2 text added S1 "Hello" of 1 run 2`, `3 turn added S1 "running" of 1`,
				`5 permission rewritten S1 took 1 answers 1 id only`, `7 turn added S1 "running" of 1`, `8 turn added S1 "running"`}},
		{"a plan of todos", events(update(1, agent, client, "s", tool), update(1.0001, proxy, client, "s", list), update(2, agent, client, "s", tool), update(2.0001, proxy, client, "r", list)),
			[]string{`1 tool forwarded S1 "Read · pending" caused [2] T1`, `2 plan added S1 of 1 plan "" plan 1/2`, `3 tool forwarded S1 "Read · pending" T1`, `4 plan added S2 plan "" plan 1/2`}},
		{"an answer to the proxy first", events(request(1, client, agent, 1, "initialize", "{}"), refusal(1.5, agent, proxy, 1), request(1.5001, proxy, agent, 9, "initialize", "{}"),
			response(2.7, agent, proxy, 9, `{"protocolVersion":2}`), response(2.7001, proxy, client, 1, `{"protocolVersion":1}`)),
			[]string{"1 other forwarded answered 5 caused [3] forgets all", `2 other dropped "failed" error "no" answers 1`, `3 other added "offers nothing" answered 4 of 1 forgets all`, "4 other rewritten took 1.7001 answers 1"}},
		{"a turn that is ended in the words of the other version", events(request(1, client, proxy, 1, "session/prompt", `{"sessionId":"s","prompt":[]}`), request(1, proxy, agent, 1, "session/prompt", `{"sessionId":"s","prompt":[]}`),
			update(3, agent, proxy, "s", `{"sessionUpdate":"state_update","state":"idle"}`), response(3, proxy, client, 1, `{"stopReason":"end_turn"}`)),
			[]string{"1 turn rewritten S1 answered 4 id only opens in idle after 2", `3 turn rewritten S1 "turn ended: idle" → "answer: session/prompt" took 2 answers 1 in closes idle after 2`}},
		{"what the client cannot be asked", events(request(1, agent, client, 1, "_x.ai/exit_plan_mode", "{}"), event("response", 2, client, proxy, `"id":1,"is_error":true,"payload":{"code":-32601,"message":"no"}`),
			update(2.0001, proxy, client, "s", list), response(3, proxy, agent, 1, "{}"), request(4, client, agent, 1, "_x", "{}"), event("response", 5, agent, client, `"id":1,"is_error":true,"payload":{"code":-32601,"message":"no"}`)),
			[]string{`1 permission forwarded "asks:" answered 4 unseen caused [3 4]`, `2 permission dropped "failed" error "no" answers 1`, `3 plan added S1 of 1 plan "" plan 1/2`,
				"4 permission added took 2 answers 1 of 1", "5 other forwarded answered 6", `6 other forwarded "failed" error "no" took 1 answers 5 failed`}},
		{"dropped, and another one by itself", events(update(1, agent, proxy, "s", text), update(2, proxy, client, "s", list)),
			[]string{`1 text dropped S1 "Hello" run 1`, `2 plan added S1 plan "" plan 1/2`}},
		{"the end", events(update(1, agent, proxy, "s", list)), []string{`1 plan unknown S1 plan "" plan 1/2`}},
		{"a line that cannot be read", events(update(1, agent, proxy, "s", list), "{", update(1, proxy, client, "s", list)),
			[]string{`1 plan unknown S1 plan "" plan 1/2`, `3 plan added S1 plan "" plan 1/2`}},
		{"another id only", events(request(1, client, proxy, 1, "session/new", "{}"), request(1, proxy, agent, 9, "session/new", "{}")),
			[]string{"1 other rewritten id only"}},
		{"an answer", events(request(1, client, agent, 1, "session/new", "{}"), response(3.5, agent, client, 1, `{"sessionId":"s"}`)),
			[]string{"1 other forwarded answered 2", "2 other forwarded took 2.5 answers 1"}},
		{"an error", events(request(1, client, agent, 1, "session/new", "{}"), refusal(2, proxy, client, 1)),
			[]string{"1 other forwarded answered 2 caused [2]", `2 other added "failed" error "no" took 1 answers 1 failed of 1`}},
		{"the same id from the other side", events(request(1, client, agent, 1, "session/new", "{}"), request(2, agent, client, 1, "fs/read_text_file", "{}"),
			response(3, client, agent, 1, "{}"), response(4, agent, client, 1, "{}")),
			[]string{"1 other forwarded answered 4", "2 other forwarded answered 3", "3 other forwarded took 1 answers 2", "4 other forwarded took 3 answers 1"}},
		{"an answer to nothing", events(response(1, agent, client, 7, "{}")), []string{"1 other forwarded"}},
		{"a permission", events(request(1, agent, client, 1, "session/request_permission", `{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Edit"},"options":[{"optionId":"o","name":"Allow"}]}`),
			response(2, client, agent, 1, `{"outcome":{"outcome":"selected","optionId":"o"}}`)),
			[]string{`1 permission forwarded S1 "asks: Edit" answered 2 T1`, `2 permission forwarded S1 "Allow" took 1 answers 1`}},
		{"a turn", events(request(1, client, agent, 1, "session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"Do\nit"}]}`),
			update(2, agent, client, "s", text), response(3, agent, client, 1, `{"stopReason":"end_turn"}`)),
			[]string{`1 turn forwarded S1 "Do it" answered 3 opens in end_turn after 2`, `2 text forwarded S1 "Hello" run 2 in`,
				`3 turn forwarded S1 "turn ended: end_turn" took 2 answers 1 in closes end_turn after 2`}},
		{"a turn that a state ends", events(request(1, client, agent, 1, "session/prompt", `{"sessionId":"s","prompt":[]}`),
			response(2, agent, client, 1, `{}`), update(3, agent, client, "s", `{"sessionUpdate":"state_update","state":"idle"}`)),
			[]string{`1 turn forwarded S1 answered 2 opens in idle after 2`, `2 turn forwarded S1 "accepted" took 1 answers 1 in`,
				`3 turn forwarded S1 "turn ended: idle" in closes idle after 2`}},
		{"a prompt that is refused in a turn", events(request(1, client, agent, 1, "session/prompt", `{"sessionId":"s","prompt":[]}`),
			request(2, client, agent, 2, "session/prompt", `{"sessionId":"s","prompt":[]}`), refusal(3, agent, client, 2), refusal(4, agent, client, 1)),
			[]string{`1 turn forwarded S1 answered 4 opens in error after 3`, `2 turn forwarded S1 answered 3 in`,
				`3 turn forwarded S1 "failed" error "no" took 1 answers 2 failed in`, `4 turn forwarded S1 "turn ended: error" error "no" took 3 answers 1 failed in closes error after 3`}},
		{"runs", events(update(1, agent, client, "s", text), update(2, agent, client, "s", usage), update(3, agent, client, "s", text), update(4, agent, client, "r", text),
			update(5, agent, client, "s", text), update(6, agent, client, "s", thought), update(7, agent, client, "s", list), update(8, agent, client, "s", thought)),
			[]string{`1 text forwarded S1 "Hello" run 1`, `2 usage forwarded S1`, `3 text forwarded S1 "Hello" run 1`, `4 text forwarded S2 "Hello" run 4`,
				`5 text forwarded S1 "Hello" run 1`, `6 text forwarded S1 "Hm" run 6`, `7 plan forwarded S1 plan "" plan 1/2`, `8 text forwarded S1 "Hm" run 8`}},
		{"messages with ids", events(update(1, agent, client, "s", strings.Replace(text, "{", `{"messageId":"a",`, 1)), update(2, agent, client, "s", strings.Replace(text, "{", `{"messageId":"b",`, 1))),
			[]string{`1 text forwarded S1 "Hello" run 1`, `2 text forwarded S1 "Hello" run 2`}},
		{"tool calls", events(update(1, agent, client, "s", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","status":"pending"}`),
			update(2, agent, client, "s", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress"}`), update(3, agent, client, "r", `{"sessionUpdate":"tool_call_update","toolCallId":"t"}`),
			update(4, agent, client, "s", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}`)),
			[]string{`1 tool forwarded S1 "Read · pending" T1`, `2 tool forwarded S1 "Read · in progress" T1`, `3 tool forwarded S2 "t" T2`, `4 tool forwarded S1 "Read · failed" failed T1`}},
		{"what errors say", events(
			update(1, agent, client, "s", `{"sessionUpdate":"tool_call","toolCallId":"t","status":"failed","content":[{"type":"content","content":{"type":"text","text":"\u0060\u0060\u0060\nno\n file\n\u0060\u0060\u0060"}}],"rawOutput":"none"}`),
			update(2, agent, client, "s", `{"sessionUpdate":"tool_call","toolCallId":"t","status":"failed","rawOutput":"no file"}`),
			update(3, agent, client, "s", `{"sessionUpdate":"tool_call","toolCallId":"t","status":"failed","content":[],"rawOutput":{"error":"no file"}}`),
			update(4, agent, client, "s", `{"sessionUpdate":"tool_call","toolCallId":"t","status":"failed","rawOutput":{"message":"no file"}}`),
			update(5, agent, client, "s", `{"sessionUpdate":"tool_call","toolCallId":"t","status":"completed","rawOutput":"a file"}`),
			event("response", 6, agent, client, `"id":1,"is_error":true,"payload":{"code":1,"message":"no","data":"file"}`),
			event("response", 7, agent, client, `"id":1,"is_error":true,"payload":{"code":1,"message":"no","data":{"details":"file"}}`)),
			[]string{`1 tool forwarded S1 "t · failed" error "no file" failed T1`, `2 tool forwarded S1 "t · failed" error "no file" failed T1`, `3 tool forwarded S1 "t · failed" error "no file" failed T1`,
				`4 tool forwarded S1 "t · failed" error "no file" failed T1`, `5 tool forwarded S1 "t · completed" T1`,
				`6 other forwarded "failed" error "no: file" failed`, `7 other forwarded "failed" error "no: file" failed`}},
		{"plans", events(update(1, agent, client, "s", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# A\n- [x] b\n 1. [ ] c\n* [✓] c\n- d\n- []\n-[ ] e\n"}}`),
			update(2, agent, client, "s", `{"sessionUpdate":"plan_removed","id":"p"}`), update(3, agent, client, "s", `{"sessionUpdate":"plan_update"}`)),
			[]string{`1 plan forwarded S1 plan "p" markdown 1/3`, `2 plan forwarded S1 plan "p" removed 0/0`, `3 plan forwarded S1 plan "" items 0/0`}},
		{"what is hidden from the agent", events(
			request(1, client, proxy, 1, "initialize", `{"clientCapabilities":{"fs":{"readTextFile":true},"terminal":true}}`),
			request(1, proxy, agent, 1, "initialize", `{"clientCapabilities":{}}`)),
			[]string{`1 other rewritten "offers fs,terminal" → "initialize: offers nothing" forgets all`}},
		{"what is told again", events(request(1, client, agent, 1, "initialize", "{}"), request(2, client, agent, 2, "session/load", `{"sessionId":"s"}`),
			request(3, client, agent, 3, "session/resume", `{"sessionId":"s"}`), request(4, client, agent, 4, "session/resume", `{"sessionId":"s","replayFrom":{}}`)),
			[]string{"1 other forwarded forgets all", "2 other forwarded S1 forgets session", "3 other forwarded S1", "4 other forwarded S1 forgets session"}},
		{"a vendor's question", events(request(1, agent, client, 1, "_cursor/ask_question", `{"questions":[{"question":"Why?"}]}`)), []string{`1 permission forwarded "asks: Why?"`}},
		{"a vendor's todos", events(request(1, agent, client, 1, "_cursor/update_todos", `{"todos":[]}`)), []string{`1 other forwarded`}},
		{"what was lost", events(event("notification", 1, agent, proxy, `"method":"session/update","params":{},"lost":[{"kind":"notice","detail":"shown"},{"kind":"command","name":"x"}]`)),
			[]string{"1 other unknown lost notice : shown lost command x: "}},
		{"odd values", events(event("notification", 1, agent, client, `"method":"session/update","params":7`), event("request", 1, agent, client, `"method":""`), event("response", 1, agent, client, `"id":[]`)),
			[]string{"1 other forwarded", "2 other forwarded", "3 other forwarded"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, _, _ := read(t, tt.recorded)
			var got []string
			for _, r := range rows {
				got = append(got, brief(r))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// TestEnds: the two ends are named when they have answered.
func TestEnds(t *testing.T) {
	recorded, err := os.ReadFile("../view/testdata/bridge.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	_, sessions, got := read(t, string(recorded))
	want := timeline.Ends{Client: "old-editor 1.8", Agent: "new-agent 2.1", ClientProtocol: "1", AgentProtocol: "2", Joined: true}
	if got != want {
		t.Errorf("%+v", got)
	}
	if len(sessions) != 1 || sessions[0] != (timeline.Session{Number: 1, ID: "s-7f3a"}) {
		t.Errorf("%+v", sessions)
	}
}

// TestLines: each line says where the message was, and what it did to which plan.
func TestLines(t *testing.T) {
	rows, _, _ := read(t, events(update(1, "Agent", "Proxy", "s", `{"sessionUpdate":"plan_removed","planId":"p"}`),
		update(1, "Proxy", "Client", "s", `{"sessionUpdate":"plan","entries":[]}`)))
	got, err := json.Marshal(rows[0].Lines)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"n":1,"from":"Agent","to":"Proxy","bytes":125,"plan":"id:p","removed":true},{"n":2,"from":"Proxy","to":"Client","bytes":117,"plan":"plan"}]`
	if string(got) != want {
		t.Errorf("%s", got)
	}
}

// TestBounded reads far more of everything than is remembered, and things that are far
// longer.
func TestBounded(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	for _, tt := range []struct {
		name  string
		many  int
		lines func(i int) []string
	}{
		{"tool calls, sessions and requests", 70_000, func(i int) []string {
			return []string{
				update(float64(i), "Agent", "Client", fmt.Sprint("s", i), fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d"}`, i)),
				request(float64(i), "Client", "Agent", i, "session/prompt", fmt.Sprintf(`{"sessionId":"s%d","prompt":[]}`, i)),
			}
		}},
		{"long sessions and methods", 2_000, func(i int) []string {
			return []string{request(0, "Client", "Agent", i, long, fmt.Sprintf(`{"sessionId":"%d%s"}`, i, long))}
		}},
		{"long messages", 2_000, func(i int) []string {
			return []string{update(0, "Agent", "Client", fmt.Sprint("s", i), fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"%s","content":{"type":"text","text":"a"}}`, long))}
		}},
		{"long components", 2_000, func(i int) []string {
			return []string{request(0, fmt.Sprintf("Proxy(%d)%s", i, long), "Agent", i, "a", "{}")}
		}},
		{"titles with spaces", 2_000, func(i int) []string {
			return []string{update(0, "Agent", "Client", "s", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"a%s"}`, i, strings.Repeat(" ", len(long))))}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tl := timeline.New()
			before := inUse()
			var follower recording.Follower
			for i := range tt.many {
				for _, line := range tt.lines(i) {
					e, err := trace.ReadLine([]byte(line), i+1)
					if err != nil {
						t.Fatal(err)
					}
					m := recording.Message{Event: e}
					follower.Follow(&m)
					if c := tl.Add(&m); len(c.Rows) != 1 {
						t.Fatalf("%d rows", len(c.Rows))
					}
				}
			}
			const most = 40 << 20
			if grown := inUse() - before; grown > most {
				t.Errorf("%d MiB", grown>>20)
			}
			runtime.KeepAlive(tl)
		})
	}
}

// inUse returns how much memory is in use.
func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestManyLines: the lines of a row are bounded, since each repeats the row.
func TestManyLines(t *testing.T) {
	for name, hops := range map[string][2][2]string{
		"much leaves the proxy":      {{"Agent", "Proxy"}, {"Proxy", "Client"}},
		"a proxy speaks with itself": {{"Client", "Proxy"}, {"Proxy", "Proxy"}},
	} {
		lines := []string{update(0, hops[0][0], hops[0][1], "s", "{}")}
		for range 300 {
			lines = append(lines, update(0, hops[1][0], hops[1][1], "s", "{}"))
		}
		rows, _, _ := read(t, events(lines...))
		total := 0
		for _, r := range rows {
			total += len(r.Lines)
			if len(r.Lines) > 64 {
				t.Errorf("%s: row %d has %d lines", name, r.Number, len(r.Lines))
			}
		}
		if total != len(lines) {
			t.Errorf("%s: the rows have %d lines", name, total)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	recorded, err := os.ReadFile("../view/testdata/bridge.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(recorded)))
	b.ReportAllocs()
	for b.Loop() {
		tl := timeline.New()
		for e, err := range recording.Events(strings.NewReader(string(recorded))) {
			if err != nil {
				b.Fatal(err)
			}
			tl.Add(&e)
		}
	}
}
