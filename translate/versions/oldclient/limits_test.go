package oldclient

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// TestOldestIsForgotten has too many sessions: the one that came first is forgotten, of
// those in which no prompt waits. A message that comes whole is shown again there.
func TestOldestIsForgotten(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, client(`1 session/prompt {"sessionId":"0","prompt":[`+block("hi")+`]}`))
	for i := range maxSessions + 2 {
		_, lost := p.Must(t, agent(in(fmt.Sprint(i), hello)))
		if (len(lost) > 0) != (i >= maxSessions) {
			t.Fatalf("session %d: lost %q", i, lost)
		}
	}
	whole := `{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello") + `]}`
	for _, c := range []struct {
		session string
		shown   bool
	}{{"0", false}, {"3", false}, {fmt.Sprint(maxSessions + 1), false}, {"1", true}, {"2", true}} {
		if left, _ := p.Must(t, agent(in(c.session, whole))); (len(left) > 0) != c.shown {
			t.Errorf("session %s: %q", c.session, left)
		}
	}
}

// TestOldestContentIsForgotten has too much content: that of the session that came first
// goes, and no more than that.
func TestOldestContentIsForgotten(t *testing.T) {
	p := newPeer(Options{})
	content := call(`,"content":[` + textItem(strings.Repeat("x", 1<<20)) + `]`)
	for i := 0; ; i++ {
		if _, lost := p.Must(t, agent(in(fmt.Sprint(i), content))); len(lost) > 0 {
			break
		}
	}
	for id, s := range p.bridge.sessions.all.All() {
		if kept := s.contents() > 0; kept != (id != "0") {
			t.Errorf("content of session %s is kept: %t", id, kept)
		}
	}
}

// TestLimits passes each limit. That costs fidelity, which is noted, and never
// an answer.
func TestLimits(t *testing.T) {
	prompt := func(i int, session string) string {
		return fmt.Sprintf(`client> %d session/prompt {"sessionId":"%s","prompt":[%s]}`, i, session, block("hi"))
	}
	says := func(text string) string { return strings.Replace(prompt(0, "s"), block("hi"), block(text), 1) }
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name string
		line func(i int) string
		n    int
		loss string // may be ""
	}{
		{"sessions", func(i int) string { return full(in(fmt.Sprint(i), hello)) }, maxSessions + 2, "too many sessions"},
		{"messages", func(i int) string { return full(chunk("agent_message", fmt.Sprint(i), "x")) }, maxMessages + 2, ""},
		{"blocks of a message", func(int) string {
			return full(`{"sessionUpdate":"agent_message","messageId":"` + long + `","content":[` + strings.TrimSuffix(strings.Repeat(block("a")+",", 100), ",") + `]}`)
		}, 1, "message of many blocks"},
		{"id of a session", func(int) string { return full(in(long, hello)) }, 1, "unreadable update"},
		{"tool calls", func(i int) string {
			return full(`{"sessionUpdate":"tool_call_update","toolCallId":"` + fmt.Sprint(i) + `"}`)
		}, maxToolCalls + 2, "too many tool calls"},
		{"title of a tool call", func(i int) string { return full(call(`,"title":"` + long + `"`)) }, 1, "long title of a tool call"},
		{"output of a terminal", func(int) string {
			return full(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"` + base64.StdEncoding.EncodeToString([]byte(long)) + `"}`)
		}, 4, ""},
		{"echoes", func(i int) string {
			if i%3 == 0 {
				return prompt(i, "s")
			} else if i%3 == 1 {
				return fmt.Sprintf(`agent> %d = {"messageId":"m%[1]d"}`, i/3+1)
			}
			return full(idle("end_turn"))
		}, 3 * (maxEchoes + 2), ""},
		{"ids of messages, tool calls and terminals", func(i int) string {
			return full(in("s", []string{
				chunk("agent_message", long, "x"), `{"sessionUpdate":"tool_call_update","toolCallId":"` + long + `"}`,
				`{"sessionUpdate":"terminal_output_chunk","terminalId":"` + long + `","data":"b2s="}`,
			}[i]))
		}, 3, ""},
		{"terminals", func(i int) string {
			return full(`{"sessionUpdate":"terminal_update","terminalId":"` + fmt.Sprint(i) + `","output":{"data":"b2s="}}`)
		}, maxTerminals + 2, "too many terminals"},
		{"text of a subagent", func(i int) string {
			if i == 0 {
				return full(`{"sessionUpdate":"subagent_update","sessionId":"kid"}`)
			}
			return full(in("kid", chunk("agent_message", "m", long)))
		}, 3, ""},
		{"subagents", func(i int) string {
			return full(`{"sessionUpdate":"subagent_update","sessionId":"` + fmt.Sprint("k", i) + `"}`)
		}, maxSubagents + 2, "too many subagents"},
		{"content of a tool call", func(i int) string { return full(contentChunk(textItem(long[:1<<18]))) }, 8, "too much content of a tool call"},
		{"contents of all", func(i int) string {
			return full(in(fmt.Sprint(i), call(`,"content":[`+textItem(long)+`]`)))
		}, 80, "too much content of tool calls"},
		{"outputs of all", func(i int) string {
			data := base64.StdEncoding.EncodeToString([]byte(long[:100<<10]))
			return full(in(fmt.Sprint(i/200), `{"sessionUpdate":"terminal_output_chunk","terminalId":"`+fmt.Sprint(i)+`","data":"`+data+`"}`))
		}, 1200, "too much content of tool calls"},
		{"options", func(int) string {
			return full(`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"a",` +
				`"options":[{"value":"a","name":"` + long[:maxOptions] + `"}]}]}`)
		}, 1, "too many options"},
		{"prompts of a session", func(i int) string { return prompt(i, "s") }, maxPrompts + 2, "too many prompts"},
		{"prompts", func(i int) string { return prompt(i, fmt.Sprint(i/200)) }, link.MaxOpen + 2, "too many requests"},
		{"prompts that wait for the end of their turns", func(i int) string {
			if i%2 == 0 {
				return prompt(i/2, fmt.Sprint(i/400))
			}
			return fmt.Sprintf(`agent> %d = {"messageId":"m%d"}`, i/2+1, i)
		}, 2*link.MaxOpen + 2, "too many prompts"},
		{"ids of sessions of the client", func(i int) string {
			return fmt.Sprintf(`client> %d session/prompt {"sessionId":"%s","prompt":[%s]}`, i, long, block("hi"))
		}, 2, "long id"},
		{"ids of sessions of the agent", func(i int) string {
			return fmt.Sprintf(`agent> %d _x {"sessionId":"%s"}`, i, long)
		}, 2, "long id"},
		{"directory of a session", func(i int) string {
			return fmt.Sprintf(`client> %d session/new {"cwd":"/%s","mcpServers":[]}`, i, long)
		}, 2, "long directory"},
		{"metadata of added content", func(i int) string {
			return full(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem("a") + `,"_meta":{"x":"` + long + `"}}`)
		}, 1, "too much metadata"},
		{"requests of the agent", func(i int) string {
			return fmt.Sprintf(`agent> %d _x`, i)
		}, link.MaxOpen + 2, "too many requests"},
		{"messages before the answer to session/new", func(i int) string {
			if i == 0 {
				return `client> 0 session/new {"cwd":"/p","mcpServers":[]}`
			}
			return full(in("new", chunk("agent_message", "m", long)))
		}, 8, "too many messages before the answer to session/new"},
		{"user messages before the answer to a prompt", func(i int) string {
			if i == 0 {
				return says(long + long)
			}
			return full(chunk("user_message", fmt.Sprint(i), long))
		}, 8, "too many user messages before the answer to a prompt"},
		{"user messages before the answer to a prompt that is too long to be compared", func(i int) string {
			if i == 0 {
				return says(strings.Repeat(long, 5))
			}
			return full(chunk("user_message", fmt.Sprint(i), "not "+long))
		}, 8, "too many user messages before the answer to a prompt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := make([]string, c.n)
			for i := range lines {
				lines[i] = c.line(i)
			}
			p := newPeer(Options{})
			if err := p.Run(strings.Join(lines, "\n")); err != nil {
				t.Fatal(err)
			}
			if c.loss != "" && !slices.Contains(p.Lost, c.loss) {
				t.Errorf("lost is %q only", slices.Compact(p.Lost))
			}
			if kept := p.bridge.sessions.kept; kept > maxKept {
				t.Errorf("%d bytes are kept", kept)
			}
			kept := 0
			for _, s := range p.bridge.sessions.all.All() {
				kept += s.toolCalls.size + s.terminals.size
				for _, c := range s.toolCalls.all.All() {
					if len(c.title) > 2*maxTitle {
						t.Errorf("%d bytes of a title are kept", len(c.title))
					}
				}
			}
			if kept > maxKept {
				t.Errorf("%d bytes are kept", kept)
			}
		})
	}
}

// TestKept has many sessions, with long ids and titles, keep as much as they may:
// the memory that they take is bounded, and what they lose is named.
func TestKept(t *testing.T) {
	id := func(i, size int) string { return fmt.Sprintf("%06d", i) + strings.Repeat("i", size-6) }
	update := func(session int, u string) string { return full(in(id(session, 1<<10), u)) }
	for _, c := range []struct {
		name  string
		line  func(session, i int) string
		sized [2]int // sessions, and lines of each
		loss  string
	}{
		{name: "tool calls", sized: [2]int{16, maxToolCalls}, loss: "too many ids, titles and options", line: func(s, i int) string {
			return update(s, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id(i, 4000)+`","title":"`+id(i, 4000)+`"}`)
		}},
		{name: "metadata of content", sized: [2]int{2, 2 * maxToolCalls}, loss: "too much content of tool calls", line: func(s, i int) string {
			call := id(i%maxToolCalls, 20)
			if i < maxToolCalls {
				return update(s, `{"sessionUpdate":"tool_call_update","toolCallId":"`+call+`"}`)
			}
			return update(s,
				`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"`+call+`","content":`+textItem("a")+`,"_meta":{"x":"`+id(i, 60<<10)+`"}}`)
		}},
		{name: "terminals", sized: [2]int{40, maxTerminals}, loss: "too many ids, titles and options", line: func(s, i int) string {
			return update(s, `{"sessionUpdate":"terminal_update","terminalId":"`+id(i, 4000)+`","command":"`+id(i, 4000)+`","cwd":"`+id(i, 4000)+`"}`)
		}},
		{name: "messages", sized: [2]int{4, maxMessages}, line: func(s, i int) string {
			return update(s, chunk("agent_message", id(i, 60<<10), "x"))
		}},
		{name: "tool calls of one session, which is not the last", sized: [2]int{2, 80}, loss: "too much content of tool calls", line: func(s, i int) string {
			if s == 0 && i == 0 {
				return update(1, hello)
			}
			return update(0, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id(i+s*80, 20)+`","content":[`+textItem(id(i, 1<<20))+`]}`)
		}},
		{name: "options", sized: [2]int{400, 1}, loss: "too many ids, titles and options", line: func(s, i int) string {
			return update(s,
				`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"a",`+
					`"options":[{"value":"a","name":"`+id(i, 250<<10)+`"}]}]}`)
		}},
		{name: "ends of turns", sized: [2]int{maxSessions, 2}, line: func(s, i int) string {
			if i == 0 {
				return update(s, state("running"))
			}
			return update(s, `{"sessionUpdate":"state_update","state":"idle","stopReason":"`+id(i, 60<<10)+`","_meta":{"x":"`+id(i, 60<<10)+`"}}`)
		}},
		{name: "subagents", sized: [2]int{2, 20 * 300}, loss: "subagent", line: func(s, i int) string {
			kid := id(s*20+i/300, 2000)
			if i%300 == 0 {
				return update(s, `{"sessionUpdate":"subagent_update","sessionId":"`+kid+`"}`)
			}
			return full(in(kid, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id(i, 10_000)+`","title":"x"}`))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := heap()
			p := newPeer(Options{})
			p.CheckRarely()
			for s := range c.sized[0] {
				for i := range c.sized[1] {
					p.Must(t, agent(c.line(s, i)))
				}
			}
			if err := p.bridge.check(); err != nil {
				t.Error(err)
			}
			if kept := p.bridge.sessions.kept; kept > maxKept {
				t.Errorf("%d bytes are kept", kept)
			}
			if grown := int(heap()) - int(before); grown > maxKept*3/2 {
				t.Errorf("%d bytes are in use", grown)
			}
			runtime.KeepAlive(p)
			if c.loss != "" && !slices.Contains(p.Lost, c.loss) {
				t.Errorf("lost is %q only", slices.Compact(p.Lost))
			}
		})
	}
}

// TestKeptOfClosed closes sessions while the client is asked something: only the
// question is kept.
func TestKeptOfClosed(t *testing.T) {
	p := newPeer(Options{})
	before := heap()
	for i := range 50 {
		s, large := fmt.Sprint("s", i), `"content":[`+textItem(strings.Repeat("x", 1<<20))+`]`
		for _, st := range []step{
			agent(in(s, `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T",`+large+`}`)),
			agent(in(s, `{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"U","status":"completed"}`)),
			agent(fmt.Sprint(i) + ` session/request_permission {"sessionId":"` + s + `","title":"Go?","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":` + yesNo + `}`),
			client(fmt.Sprint(i) + ` session/close {"sessionId":"` + s + `"}`),
			agent(fmt.Sprint(i+1) + ` = {}`),
		} {
			p.Must(t, st)
		}
	}
	if grown := int(heap()) - int(before); grown > 16<<20 || p.bridge.sessions.kept != 0 || p.bridge.contents.doneSize != 0 {
		t.Errorf("%d bytes are in use, %d and %d are counted", grown, p.bridge.sessions.kept, p.bridge.contents.doneSize)
	}
	runtime.KeepAlive(p)
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestDoneContents adds to tool calls that have ended: the content of the last
// ones is kept, the content of earlier ones is not.
func TestDoneContents(t *testing.T) {
	p := newPeer(Options{})
	long := textItem(strings.Repeat("x", 100<<10))
	report := func(i int) string { return fmt.Sprintf(`{"toolCallId":"c%d","sessionUpdate":`, i) }
	for i := range 20 {
		p.Must(t, agent(in("s", report(i)+`"tool_call_update","status":"completed","content":[`+long+`]}`)))
	}
	if kept := p.bridge.sessions.kept; kept > maxDone {
		t.Errorf("%d bytes are kept", kept)
	}
	for i, want := range map[int]string{19: long, 0: textItem("[…]")} {
		p.Must(t, agent(in("s", report(i)+`"tool_call_content_chunk","content":`+textItem("more")+`}`)))
		lines, _, err := p.Do(agent(in("s", report(i)+`"tool_call_update","status":"failed"}`)))
		if err != nil || !strings.Contains(strings.Join(lines, ""), `"content":[`+want+`,`+textItem("more")+`]`) {
			t.Errorf("tool call %d: %d messages, %v", i, len(lines), err)
		}
	}
	if !slices.Contains(p.Lost, "too much content of tool calls") {
		t.Error("no loss is noted")
	}
}

// TestDoneOnce updates a tool call that has ended: its content counts once.
func TestDoneOnce(t *testing.T) {
	p := newPeer(Options{})
	long, more := textItem(strings.Repeat("x", 300<<10)), textItem("more")
	steps := []step{agent(call(`,"title":"T","status":"completed","content":[` + long + `]`))}
	steps = append(steps, slices.Repeat([]step{agent(call(`,"title":"U"`))}, 8)...)
	var last []string
	for _, s := range append(steps, agent(contentChunk(more)), wait(time.Minute)) {
		last, _ = p.Must(t, s)
	}
	if text := strings.Join(last, ""); !strings.Contains(text, `"content":[`+long+`,`+more+`]`) {
		t.Errorf("the client gets %d bytes", len(text))
	}
	if size := p.bridge.contents.doneSize; size > 310<<10 {
		t.Errorf("%d bytes are counted", size)
	}
}

// TestForgottenContents has tool calls that have ended, and so many others behind
// them that their contents are forgotten, except what may still change.
func TestForgottenContents(t *testing.T) {
	long := textItem(strings.Repeat("x", 100<<10))
	const terminal = `{"type":"terminal","terminalId":"x"}`
	completed := call(`,"title":"T","status":"completed","content":[` + textItem("a") + `]`)
	more := contentChunk(textItem("b"))
	for _, c := range []struct {
		name         string
		before, then []step
		want         string // is in what leaves from the forgetting on
	}{
		{"content that was added and not sent leaves first", []step{agent(completed), agent(more)}, nil,
			`"content":[` + textItem("a") + `,` + textItem("b") + `]`},
		{"what was added later takes its place", []step{agent(completed)}, []step{agent(more), wait(time.Minute)},
			`"content":[` + textItem("[…]") + `,` + textItem("b") + `]`},
		{"a tool call that goes on keeps it", []step{agent(completed), agent(call(`,"status":"in_progress"`))}, []step{agent(more), wait(time.Minute)},
			`"content":[` + textItem("a") + `,` + textItem("b") + `]`},
		{"a tool call with a terminal keeps it", []step{agent(call(`,"title":"T","status":"completed","content":[` + textItem("a") + `,` + terminal + `]`))},
			[]step{agent(`{"sessionUpdate":"terminal_update","terminalId":"x","command":"ls"}`), wait(time.Minute)},
			textItem("a") + `,` + textItem("```\\n$ ls\\n```")},
		{"a session that is closed has none", []step{agent(in("r", completed)), client(`1 session/close {"sessionId":"r"}`), agent(`1 = {}`)},
			[]step{agent(in("r", more))}, `"content":[` + textItem("b") + `]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(Options{})
			var left []string
			do := func(s step) {
				lines, _ := p.Must(t, s)
				left = append(left, lines...)
			}
			for _, s := range c.before {
				do(s)
			}
			left = nil
			for i := range 20 {
				do(agent(in("others", fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c%d","status":"completed","content":[%s]}`, i, long))))
			}
			for _, s := range c.then {
				do(s)
			}
			if !strings.Contains(strings.Join(left, "\n"), c.want) {
				t.Errorf("%s does not leave", c.want)
			}
		})
	}
}

// TestForgottenSubagents forgets the tool call that shows a subagent, or only contents:
// the client is shown what the subagent says later.
func TestForgottenSubagents(t *testing.T) {
	for name, forget := range map[string]func(t *testing.T, p *peer){
		"of many tool calls": func(t *testing.T, p *peer) {
			for i := range maxToolCalls {
				p.Must(t, agent(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"t%d","title":"T"}`, i)))
			}
		},
		"of contents": func(t *testing.T, p *peer) {
			s := p.bridge.sessions.find("s")
			s.forgetContents()
			p.bridge.sessions.account(s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(Options{})
			var got []string
			for _, s := range []step{
				agent(`{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","state":{"state":"running"}}`),
				agent(in("k", chunk("agent_message", "m", "one "))), wait(time.Second), {},
				agent(in("k", chunk("agent_message", "m", "two"))), wait(time.Second),
			} {
				if s.Message == "" && s.Wait == 0 {
					forget(t, p)
					got = nil
					continue
				}
				lines, _ := p.Must(t, s)
				got = append(got, lines...)
			}
			if text := strings.Join(got, "\n"); len(got) != 1 || !strings.Contains(text, `"subagent:k"`) || !strings.Contains(text, `"one two"`) {
				t.Errorf("the client gets %s", text)
			}
		})
	}
}

// TestForgottenQuestion forgets the content of a tool call that the client is asked
// about: when the question goes, the content is not said to be empty.
func TestForgottenQuestion(t *testing.T) {
	const terminal = `{"type":"terminal","terminalId":"x"}`
	contents := func(t *testing.T, p *peer) {
		s := p.bridge.sessions.find("s")
		s.forgetContents()
		p.bridge.sessions.account(s)
	}
	for _, c := range []struct {
		name, content string
		forget        func(t *testing.T, p *peer)
		want          string
	}{
		{"contents", textItem("c"), contents, textItem("[…]")},
		{"contents, and there is a terminal", textItem("c") + `,` + terminal, contents, textItem("[…]") + `,` + textItem("exit code 0")},
		{"contents, and there is nothing but a terminal", terminal, contents, textItem("exit code 0")},
		{"the oldest of many tool calls", textItem("c"), func(t *testing.T, p *peer) {
			for i := range maxToolCalls {
				p.Must(t, agent(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"t%d","title":"T"}`, i)))
			}
		}, textItem("[…]")},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(Options{})
			p.Must(t, agent(`{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":0}}`))
			p.Must(t, agent(call(`,"title":"T","content":[`+c.content+`]`)))
			p.Must(t, asks(`"title":"Run the tests?","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":`+yesNo))
			c.forget(t, p)
			got, _ := p.Must(t, client(`1 `+chosen))
			want := toC(full(call(`,"content":[` + c.want + `]`)))
			if len(got) != 2 || got[1] != want {
				t.Errorf("what leaves is %q, want %q", got, want)
			}
		})
	}
}

// TestForgottenOutput forgets what a terminal has shown: the client is told what it
// shows later, and how its command ends.
func TestForgottenOutput(t *testing.T) {
	chunk := `{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"YWJj"}`
	for _, convention := range []bool{true, false} {
		p := newPeer(Options{Client: words.OldClient{TerminalOutput: convention}})
		var got []string
		for _, s := range []step{
			agent(call(`,"title":"T","content":[{"type":"terminal","terminalId":"x"}]`)), agent(chunk), wait(time.Second), {},
			agent(chunk), agent(`{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":7}}`),
		} {
			if s.Message == "" && s.Wait == 0 {
				s := p.bridge.sessions.find("s")
				s.forgetContents()
				p.bridge.sessions.account(s)
				got = nil
				continue
			}
			lines, _ := p.Must(t, s)
			got = append(got, lines...)
		}
		want := textItem("```\\nabc\\n```\\nexit code 7")
		if convention {
			want = `"terminal_exit":{"terminal_id":"x","exit_code":7,"signal":null}`
		}
		if text := strings.Join(got, "\n"); !strings.Contains(text, want) || strings.Count(text, "abc") != 1 {
			t.Errorf("the client gets %s", text)
		}
	}
}

// TestLargeContent shows content of any size that comes at once.
func TestLargeContent(t *testing.T) {
	p := newPeer(Options{})
	items := strings.TrimSuffix(strings.Repeat(textItem(strings.Repeat("x", 1<<20))+",", 3), ",")
	got, _, err := p.Do(agent(call(`,"title":"T","content":[` + items + `]`)))
	if want := full(begun(`,"title":"T","content":[` + items + `]`)); err != nil || len(got) != 1 || got[0] != toC(want) {
		t.Errorf("%d messages, %v", len(got), err)
	}
	if kept := p.bridge.sessions.kept; kept > 2<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}

// TestLargeDiff adds to a diff of more than is kept: its end stays.
func TestLargeDiff(t *testing.T) {
	p := newPeer(Options{})
	line := strings.Repeat("x", 1000)
	patch := `--- /a\n+++ /a\n` + strings.Repeat(`@@ -1 +1 @@\n-a\n+`+line+`\n`, 2000)
	update := call(`,"title":"T","content":[{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"` + patch + `"}}]`)
	p.Must(t, agent(in("s", update)))
	if kept := p.bridge.sessions.kept; kept > maxContent || kept < maxContent/2 {
		t.Errorf("%d bytes are kept", kept)
	}
	p.Must(t, agent(contentChunk(textItem("more"))))
	lines, _ := p.Must(t, wait(time.Minute))
	if text := strings.Join(lines, ""); strings.Count(text, line) < 500 || !strings.Contains(text, "more") || !strings.Contains(text, "[…]") {
		t.Errorf("%d lines stay", strings.Count(text, line))
	}
}

// TestHostile gives the bridge messages that a naive conversion would make very
// much longer.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for name, update := range map[string]string{
		"a long path with many hunks":  call(`,"content":[{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"diff --git /` + long + ` /` + long + `\n--- /` + long + `\n+++ /` + long + `\n` + strings.Repeat(`@@ -1 +1 @@\n-a\n+b\n`, 10_000) + `"}}]`),
		"much metadata on many blocks": `{"sessionUpdate":"agent_message","messageId":"m","_meta":{"x":"` + long + `"},"content":[` + strings.TrimSuffix(strings.Repeat(block("a")+",", 10_000), ",") + `]}`,
		"many members":                 `{"sessionUpdate":"agent_message","messageId":"m",` + strings.Repeat(`"x":1,"_meta":{},`, 20_000) + `"content":[` + strings.TrimSuffix(strings.Repeat(block("a")+",", 1000), ",") + `]}`,
		"a long id with many blocks":   `{"sessionUpdate":"agent_message","messageId":"` + long + `","content":[` + strings.TrimSuffix(strings.Repeat(block("a")+",", 10_000), ",") + `]}`,
		"many terminals that are one":  call(`,"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"terminal","terminalId":"x"},`, 10_000), ",") + `]`),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(Options{})
			data := base64.StdEncoding.EncodeToString([]byte(long[:60<<10]))
			p.Must(t, agent(`{"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"`+data+`"}}`))
			lines, _, err := p.Do(agent(in("s", update)))
			size := 0
			for _, line := range lines {
				size += len(line)
			}
			if limit := 40*len(update) + 2*maxHeld; err != nil || size > limit {
				t.Errorf("%d bytes become %d: %v", len(update), size, err)
			}
		})
	}
}

// TestLongIDs says something of a tool call, a terminal and a subagent whose ids
// are too long to be remembered, and of a message, of whose id a digest is kept.
func TestLongIDs(t *testing.T) {
	p := newPeer(Options{})
	id := strings.Repeat("x", maxID+1)
	for _, update := range []string{
		chunk("agent_message", id, "x"), `{"sessionUpdate":"tool_call_update","toolCallId":"` + id + `","title":"T"}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"` + id + `","data":"b2s="}`, `{"sessionUpdate":"subagent_update","sessionId":"` + id + `"}`,
	} {
		p.Must(t, agent(update))
	}
	s := p.bridge.sessions.find("s")
	if n := s.toolCalls.all.Len() + s.terminals.all.Len() + p.bridge.subagents.all.Len(); n > 0 {
		t.Errorf("%d of them are kept", n)
	}
	for key := range s.messages.all.All() {
		if len(key) > 1+maxKey {
			t.Errorf("%d bytes of the id of a message are kept", len(key))
		}
	}
}

// TestLargeMessage pins that the memory for one large message is not kept.
func TestLargeMessage(t *testing.T) {
	p := newPeer(Options{})
	long := strings.Repeat("x", 2<<20)
	for _, update := range []string{
		call(`,"title":"T","content":[` + textItem(long) + `,{"type":"content","content":{"type":"_x","text":"` + long + `"}}]`),
		call(`,"content":[{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"--- /a\n+++ /a\n@@ @@\n-` + long + `\n+` + long + `\n"}}]`),
		`{"sessionUpdate":"agent_message","messageId":"m","content":[` + block(long) + `]}`,
		hello,
	} {
		p.Must(t, agent(update))
	}
	b := p.bridge
	if n := cap(b.contents.item.Out) + cap(b.contents.content.Out) + cap(b.contents.diffs.w.Out); n > 2<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}

// TestLargeTurnEnd has what is kept of the end of a turn whose prompt is not yet
// inserted: not more than 64 KiB of each.
func TestLargeTurnEnd(t *testing.T) {
	long := strings.Repeat("x", 64<<10)
	for end, want := range map[string]string{
		`"stopReason":"refusal","_meta":{"x":"` + long + `"}`:                    `{"stopReason":"refusal"}`,
		`"stopReason":"refusal","_meta":{"x":1}`:                                 `{"stopReason":"refusal","_meta":{"x":1}}`,
		`"stopReason":"error","error":{"code":1,"message":"` + long + `"}`:       `{"stopReason":"end_turn"}`,
		`"stopReason":"error","error":{"code":1,"message":"m"},"_meta":{}`:       `{"code":1,"message":"m"}`,
		`"stopReason":"max_tokens","usage":{"totalTokens":1,"x":"` + long + `"}`: `{"stopReason":"max_tokens"}`,
	} {
		p := newPeer(Options{})
		var got []string
		for _, s := range []step{
			prompted("2", "1"), agent(state("running")), agent(hello),
			agent(`{"sessionUpdate":"state_update","state":"idle",` + end + `}`), inserted("1", "m1"),
		} {
			lines, _ := p.Must(t, s)
			got = lines
		}
		if len(got) != 1 || !strings.HasSuffix(got[0], want+"}") {
			t.Errorf("%.60s is answered with %.200q", end, got)
		}
	}
}

// TestManyBeforeTheAnswer has more messages for a session that is being made than
// are held. They leave in order.
func TestManyBeforeTheAnswer(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, client(`1 session/new {"cwd":"/p","mcpServers":[]}`))
	long := strings.Repeat("x", 1<<20)
	var left []string
	for i := range 8 {
		lines, _ := p.Must(t, agent(in("new", chunk("agent_message", fmt.Sprint(i), long))))
		left = append(left, lines...)
	}
	for i, line := range left {
		if !strings.Contains(line, fmt.Sprintf(`"messageId":"%d"`, i)) {
			t.Errorf("message %d is %.200s", i, line)
		}
	}
	if len(left) != 8 {
		t.Errorf("%d messages leave", len(left))
	}
}

// TestLargePrompt has a prompt that is too long to be compared, and an agent that does
// not name its message: the next user message counts as that.
func TestLargePrompt(t *testing.T) {
	p := newPeer(Options{})
	long := strings.Repeat("x", maxPromptTexts+1)
	var left []string
	for _, s := range []step{
		client(`2 session/prompt {"sessionId":"s","prompt":[` + block(long) + `]}`), agent(`1 = {}`), {},
		agent(chunk("user_message", "m1", "x")), agent(chunk("user_message", "m2", "y")), agent(chunk("user_message", "m1", "x")),
	} {
		if s.Message == "" {
			left = nil
			continue
		}
		lines, _ := p.Must(t, s)
		left = append(left, lines...)
	}
	if want := toC(full(chunk("user_message", "m2", "y"))); len(left) != 1 || left[0] != want {
		t.Errorf("what leaves is %.1000q, want %q", left, want)
	}
}

// TestGoneWithoutAReason has an agent of which nobody says why it has ended.
func TestGoneWithoutAReason(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, prompted("2", "1"))
	lines, _, err := p.Have(func(out *translate.Out) { p.bridge.Gone("", p.Now, out) })
	if want := toC(full(`2 ! {"code":-32603,"message":"agent exited"}`)); err != nil || len(lines) != 1 || lines[0] != want {
		t.Errorf("%q leave, %v", lines, err)
	}
}
