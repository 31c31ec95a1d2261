package v1client

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/calls"
)

// TestOldestSessionIsEvicted exceeds the limit of the connection: the state of the oldest session
// is evicted, and the session itself unless it has a pending prompt. A whole message is then
// shown again.
func TestOldestSessionIsEvicted(t *testing.T) {
	p := newPeer(Options{})
	p.CheckRarely()
	large := call(`,"content":[` + textItem(strings.Repeat("x", 1<<20)) + `]`)
	of := func(i int, update string) (left, lost []string) { return p.Must(t, agent(in(fmt.Sprint(i), update))) }
	p.Must(t, client(`1 session/prompt {"sessionId":"0","prompt":[`+block("hi")+`]}`))
	sessions := 0
	for lost := []string(nil); len(lost) == 0; sessions++ {
		of(sessions, hello)
		_, lost = of(sessions, large)
		if sessions == 10 { // 1 is not the oldest any more
			of(1, chunk("agent_message", "m3", "Hello"))
		}
	}
	if first, _ := p.bridge.sessions.Oldest(); first != "0" || p.bridge.sessions.Len() != sessions {
		t.Errorf("%d of %d sessions are kept, the oldest is %s", p.bridge.sessions.Len(), sessions, first)
	}
	of(sessions, large)
	whole := `{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello") + `]}`
	for _, i := range []int{0, 1, 2, 3, sessions - 1} {
		known := i != 0 && i != 2
		if p.bridge.sessions.Has(fmt.Sprint(i)) != (known || i == 0) {
			t.Errorf("session %d is kept: %t", i, p.bridge.sessions.Has(fmt.Sprint(i)))
		}
		if left, _ := of(i, whole); (len(left) == 0) != known {
			t.Errorf("session %d: %.200q", i, left)
		}
	}
}

// TestMemory makes both sides send as much as possible of all that the bridge keeps, with long ids, in
// many sessions. The memory is bounded, the bridge reports one loss, and a later session works.
func TestMemory(t *testing.T) {
	id := func(i, size int) string { return fmt.Sprintf("%06d", i) + strings.Repeat("i", size-6) }
	update := func(session int, u string) step { return agent(in(id(session, 1<<10), u)) }
	prompt := func(i int, session, text string) step {
		return client(fmt.Sprintf(`%d session/prompt {"sessionId":"%s","prompt":[%s]}`, i, session, block(text)))
	}
	requests := 0
	for _, c := range []struct {
		name            string
		sessions, steps int  // steps in each session
		isOpening       bool // session/new is pending at the end: updates of unknown sessions are buffered
		step            func(session, i int) step
	}{
		{"sessions", 11_500, 1, false, func(s, i int) step { return agent(in(id(s, calls.MaxSession), hello)) }},
		{"tool calls", 9, 1000, false, func(s, i int) step {
			return update(s, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id(i, 4000)+`","title":"`+id(i, 4000)+`"}`)
		}},
		{"contents", 66, 1, false, func(s, i int) step { return update(s, call(`,"content":[`+textItem(id(i, 1<<20))+`]`)) }},
		{"terminals", 40, 256, false, func(s, i int) step {
			return update(s, `{"sessionUpdate":"terminal_update","terminalId":"`+id(i, 4000)+`","command":"`+id(i, 4000)+`","cwd":"`+id(i, 4000)+`"}`)
		}},
		{"messages", 1, 2000, false, func(s, i int) step { return update(s, chunk("agent_message", id(i, 200), "Hello")) }},
		{"options", 270, 1, false, func(s, i int) step {
			return update(s,
				`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"mode","name":"Mode","type":"select",`+
					`"currentValue":"`+id(i, 250<<10)+`","options":[]}]}`)
		}},
		{"ends of turns", 800, 2, false, func(s, i int) step {
			if i == 0 {
				return update(s, state("running"))
			}
			return update(s, `{"sessionUpdate":"state_update","state":"idle","stopReason":"`+id(i, 60<<10)+`","_meta":{"x":"`+id(i, 60<<10)+`"}}`)
		}},
		{"subagents", 40, 240, false, func(s, i int) step {
			kid := id(s*20+i/30, 2000)
			if i%30 == 0 {
				return update(s, `{"sessionUpdate":"subagent_update","sessionId":"`+kid+`"}`)
			}
			return agent(in(kid, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id(i, 10_000)+`","title":"`+id(i, 3000)+`"}`))
		}},
		{"prompts", 3, 2000, false, func(s, i int) step { return prompt(s*2000+i, id(s, 1<<10), id(i, 20_000)) }},
		{"prompts that wait for the end of their turns", 2, 16_500, false, func(s, i int) step {
			if i%2 == 0 {
				return prompt(i, id(s, 1<<10), "hi")
			}
			requests++
			return agent(fmt.Sprintf(`%d = {"messageId":"m%d"}`, requests, i))
		}},
		{"what may be the echo of a prompt", 1, 100, false, func(s, i int) step {
			if i == 0 {
				return prompt(1, "s", strings.Repeat("0", 1<<20))
			}
			return agent(chunk("user_message", fmt.Sprint(i), strings.Repeat("0", 1<<20)))
		}},
		{"updates before the client knows the session", 1, 100, true, func(s, i int) step {
			if i == 0 {
				return client(`0 session/new {"cwd":"/p","mcpServers":[]}`)
			}
			return agent(in("new", chunk("agent_message", fmt.Sprint(i), id(i, 1<<20))))
		}},
		{"directories", 1, 100, true, func(s, i int) step {
			return client(fmt.Sprintf(`%d session/new {"cwd":"/%s","mcpServers":[]}`, i, id(i, 1<<20)))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := heap()
			p := newPeer(Options{})
			p.CheckRarely()
			requests = 0
			for s := range c.sessions {
				for i := range c.steps {
					p.Must(t, c.step(s, i))
					if used := p.bridge.budget.Used(); used > keep.PerConnection {
						t.Fatalf("%d bytes are kept", used)
					}
				}
			}
			if err := p.bridge.check(); err != nil {
				t.Error(err)
			}
			if grown := int(heap()) - int(before); grown > keep.PerConnection*3/2 {
				t.Errorf("%d bytes are in use", grown)
			}
			if !slices.Contains(p.Losses, "memory") {
				t.Errorf("lost is %q only", slices.Compact(p.Losses))
			}
			want := 1
			if c.isOpening {
				want = 0
			}
			if left, _ := p.Must(t, agent(in("later", hello))); len(left) != want {
				t.Errorf("a session that comes later: %q", left)
			}
		})
	}
}

// TestNoRoomForAPrompt sends prompts up to the limit. The bridge refuses the next one and keeps
// nothing of it.
func TestNoRoomForAPrompt(t *testing.T) {
	p := newPeer(Options{})
	long := strings.Repeat("x", keep.MaxReserved)
	got, lost := p.Must(t, client(`"`+long+`" session/prompt {"sessionId":"s","prompt":[`+block("hi")+`]}`))
	if len(got) != 1 || !strings.Contains(got[0], "too many prompts") || !slices.Equal(lost, []string{"memory"}) || len(p.bridge.sessions.Get("s").turns.pending) > 0 {
		t.Errorf("%.100q, lost %q", got, lost)
	}
}

// TestKeptOfClosed closes sessions with a pending question. The bridge keeps only the question.
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
	if grown := int(heap()) - int(before); grown > 16<<20 || p.bridge.budget.Used() != keep.SessionCost {
		t.Errorf("%d bytes are in use, %d are counted", grown, p.bridge.budget.Used())
	}
	runtime.KeepAlive(p)
}

// heap returns the number of bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// forgets evicts the state of session s.
func (p *peer) forgets(t *testing.T) (left []string) {
	fill := func(i int) string {
		return fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"large %d","content":[%s]}`, i, textItem(strings.Repeat("x", keep.PerSession)))
	}
	left, lost := p.Must(t, agent(fill(0)))
	if !slices.Equal(lost, []string{"memory"}) {
		t.Errorf("lost is %q", lost)
	}
	return left
}

// TestForgottenToolCall adds to a tool call whose content was evicted: delayed content is sent
// first, and later content replaces it.
func TestForgottenToolCall(t *testing.T) {
	p := newPeer(Options{})
	for _, s := range []step{
		agent(call(`,"title":"T","content":[` + textItem("a") + `]`)), agent(contentChunk(textItem("b"))),
	} {
		p.Must(t, s)
	}
	left := p.forgets(t)
	left = append(left, p.more(t, contentChunk(textItem("c")))...)
	for i, want := range []string{textItem("a") + "," + textItem("b"), "large", `"tool_call_update","toolCallId":"t","content":[` + textItem("[…]") + "," + textItem("c")} {
		if !strings.Contains(left[i], want) {
			t.Errorf("message %d is %.300s, want %s", i, left[i], want)
		}
	}
}

// more sends an update of the agent, and returns the output of the next second.
func (p *peer) more(t *testing.T, update string) (left []string) {
	for _, s := range []step{agent(update), wait(time.Second)} {
		lines, _ := p.Must(t, s)
		left = append(left, lines...)
	}
	return left
}

// TestForgottenSubagents evicts a subagent and its tool call: later text of the subagent is
// shown.
func TestForgottenSubagents(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, agent(`{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","state":{"state":"running"}}`))
	p.more(t, in("k", chunk("agent_message", "m", "one ")))
	s := p.bridge.sessions.Get("s")
	s.toolCalls.Clear()
	if got := p.more(t, in("k", chunk("agent_message", "m", "two"))); len(got) != 1 || !strings.Contains(got[0], `"subagent:k"`) || !strings.Contains(got[0], `"one two"`) {
		t.Errorf("the client gets %s", got)
	}
	p.forgets(t)
	if got := p.more(t, in("k", chunk("agent_message", "m", "three"))); len(got) != 1 || !strings.Contains(got[0], "three") {
		t.Errorf("the client gets %s", got)
	}
}

// TestLongSubagent sends a long text of a subagent. The client sees its end.
func TestLongSubagent(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, agent(`{"sessionUpdate":"subagent_update","sessionId":"k"}`))
	for range 5 {
		p.more(t, in("k", chunk("agent_message", "m", strings.Repeat("x", maxOutput/2+1))))
	}
	if got := p.more(t, in("k", chunk("agent_message", "m", "y"))); len(got) != 1 || !strings.Contains(got[0], `"`+strings.Repeat("x", maxOutput-1)+`y"`) {
		t.Errorf("the client gets %.1000q", got)
	}
}

// TestForgottenQuestion evicts a tool call during its permission request. When the bridge removes the
// question, it does not report the content as empty.
func TestForgottenQuestion(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, agent(call(`,"title":"T","content":[`+textItem("c")+`]`)))
	p.Must(t, agent(`0 session/request_permission {"sessionId":"s","title":"Run the tests?","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":`+yesNo+`}`))
	p.forgets(t)
	got, _ := p.Must(t, client(`1 = {"outcome":{"outcome":"selected","optionId":"y"}}`))
	if want := toC(full(call(`,"content":[` + textItem("[…]") + `]`))); len(got) != 2 || got[1] != want {
		t.Errorf("what leaves is %q, want %q", got, want)
	}
}

// TestLargeContent shows content of any size in one update.
func TestLargeContent(t *testing.T) {
	p := newPeer(Options{})
	items := strings.TrimSuffix(strings.Repeat(textItem(strings.Repeat("x", 1<<20))+",", 3), ",")
	got, _, err := p.Do(agent(call(`,"title":"T","content":[` + items + `]`)))
	if want := full(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[` + items + `]}`); err != nil || len(got) != 1 || got[0] != toC(want) {
		t.Errorf("%d messages, %v", len(got), err)
	}
	if kept := p.bridge.sessions.Get("s").share.Used() - keep.SessionCost; kept > 2<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}

// TestLargeDiff adds to a diff beyond the limit, which was sent and evicted.
func TestLargeDiff(t *testing.T) {
	p := newPeer(Options{})
	line := strings.Repeat("x", 1000)
	patch := `--- /a\n+++ /a\n` + strings.Repeat(`@@ -1 +1 @@\n-a\n+`+line+`\n`, 2000)
	update := call(`,"title":"T","content":[{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"` + patch + `"}}]`)
	lines, lost := p.Must(t, agent(in("s", update)))
	if n := strings.Count(strings.Join(lines, ""), line); n != 2000 || !slices.Equal(lost, []string{"memory"}) {
		t.Errorf("%d lines are sent, lost %q", n, lost)
	}
	if kept := p.bridge.sessions.Get("s").share.Used() - keep.SessionCost; kept > 2*callCost {
		t.Errorf("%d bytes are kept", kept)
	}
	p.Must(t, agent(contentChunk(textItem("more"))))
	lines, _ = p.Must(t, wait(time.Minute))
	if want := toC(full(call(`,"content":[` + textItem("[…]") + `,` + textItem("more") + `]`))); len(lines) != 1 || lines[0] != want {
		t.Errorf("%q, want %q", lines, want)
	}
}

// TestHostile sends messages that a naive conversion would make much longer.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for name, c := range map[string]struct {
		loses  bool
		update string
	}{
		"a long path with many hunks":  {false, call(`,"content":[{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"diff --git /` + long + ` /` + long + `\n--- /` + long + `\n+++ /` + long + `\n` + strings.Repeat(`@@ -1 +1 @@\n-a\n+b\n`, 10_000) + `"}}]`)},
		"much metadata on many blocks": {true, `{"sessionUpdate":"agent_message","messageId":"m","_meta":{"x":"` + long + `"},"content":[` + strings.TrimSuffix(strings.Repeat(block("a")+",", 10_000), ",") + `]}`},
		"many members":                 {false, `{"sessionUpdate":"agent_message","messageId":"m",` + strings.Repeat(`"x":1,"_meta":{},`, 20_000) + `"content":[` + strings.TrimSuffix(strings.Repeat(block("a")+",", 1000), ",") + `]}`},
		"a long id with many blocks":   {true, `{"sessionUpdate":"agent_message","messageId":"` + long + `","content":[` + strings.TrimSuffix(strings.Repeat(block("a")+",", 10_000), ",") + `]}`},
		"many terminals that are one":  {false, call(`,"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"terminal","terminalId":"x"},`, 10_000), ",") + `]`)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(Options{})
			data := base64.StdEncoding.EncodeToString([]byte(long[:60<<10]))
			p.Must(t, agent(`{"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"`+data+`"}}`))
			lines, lost, err := p.Do(agent(in("s", c.update)))
			if c.loses && len(lost) == 0 {
				t.Error("nothing is lost")
			}
			size := 0
			for _, line := range lines {
				size += len(line)
			}
			if limit := 40*len(c.update) + 8<<20; err != nil || size > limit {
				t.Errorf("%d bytes become %d: %v", len(c.update), size, err)
			}
		})
	}
}

// TestLongIDs sends messages with long session ids.
func TestLongIDs(t *testing.T) {
	p := newPeer(Options{})
	long := strings.Repeat("x", calls.MaxSession+1)
	for _, c := range []struct{ from, message, answer, lost string }{
		{"client", `1 session/prompt {"sessionId":"` + long + `","prompt":[` + block("hi") + `]}`, "Invalid request", "unreadable message"},
		{"agent", `1 _x {"sessionId":"` + long + `"}`, "Invalid request", "unreadable message"},
		{"agent", in(long, hello), "", "unreadable message"},
		{"agent", `{"sessionUpdate":"subagent_update","sessionId":"` + long + `"}`, "", "unreadable update"},
	} {
		st := agent(c.message)
		if c.from == "client" {
			st = client(c.message)
		}
		left, lost := p.Must(t, st)
		if !strings.Contains(strings.Join(left, ""), c.answer) || (len(left) > 0) != (c.answer != "") || !slices.Equal(lost, []string{c.lost}) {
			t.Errorf("%.60s: %.200q, lost %q", c.message, left, lost)
		}
	}
}

// TestLargeMessage checks that the bridge does not retain the memory for a large message.
func TestLargeMessage(t *testing.T) {
	p := newPeer(Options{})
	long := strings.Repeat("x", 2<<20)
	for _, update := range []string{
		call(`,"title":"T","content":[` + textItem(long) + `,{"type":"content","content":{"type":"_x","text":"` + long + `"}}]`),
		call(`,"content":[{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"--- /a\n+++ /a\n@@ -1 +1 @@\n-` + long + `\n+` + long + `\n"}}]`),
		`{"sessionUpdate":"agent_message","messageId":"m","content":[` + block(long) + `]}`,
		hello,
	} {
		p.Must(t, agent(update))
	}
	b := p.bridge
	if n := cap(b.link.Scratch().Out) + cap(b.content.Out); n > 2<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}

// TestCwdReplaced sets the directory of a session many times. Only the last one counts in the budget.
func TestCwdReplaced(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, agent(hello))
	s := p.bridge.sessions.Get("s")
	used := s.share.Used() - len(s.cwd)
	for _, cwd := range []string{"/long/folder", "/b", strings.Repeat("c", keep.MaxReserved)} {
		s.setCwd(cwd)
		if got := s.share.Used(); got != used+len(s.cwd) {
			t.Errorf("%d bytes count, want %d", got, used+len(s.cwd))
		}
	}
	if s.cwd != "" {
		t.Error("a directory beyond the limit is kept")
	}
}

// TestManyBeforeTheAnswer sends more messages of a session before the response to session/new than
// the bridge buffers. The client receives them in order.
func TestManyBeforeTheAnswer(t *testing.T) {
	p := newPeer(Options{})
	p.Must(t, client(`1 session/new {"cwd":"/p","mcpServers":[]}`))
	long := strings.Repeat("x", keep.MaxReserved/5)
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

// The cost of a message does not depend on the number of sessions: no message visits a session
// that the message does not concern.
func TestOtherSessions(t *testing.T) {
	p := newPeer(Options{})
	p.Peer = bridgetest.NewPeer(p.bridge, func() error { return nil })
	p.bridge.sessions.Put("other", nil) // to visit it is a panic
	hi := `"prompt":[` + block("hi") + `]}`
	for _, s := range []step{
		client(`1 session/new {"cwd":"/p","mcpServers":[]}`),
		agent(`1 = {"sessionId":"s"}`),
		client(`2 session/prompt {"sessionId":"s",` + hi),
		agent(`2 = {"messageId":"m"}`),
		agent(in("s", state("running"))),
		agent(in("s", hello)),
		agent(in("s", call(`,"title":"t"`))),
		agent(in("s", contentChunk(textItem("x")))),
		wait(time.Second),
		agent(in("s", `{"sessionUpdate":"subagent_update","sessionId":"k","title":"t","state":{"state":"running"}}`)),
		agent(in("k", hello)),
		client(`$/cancel_request {"requestId":2}`),
		agent(in("s", idle("cancelled"))),
		agent(`5 session/request_permission {"sessionId":"s","title":"Go?","options":` + yesNo + `}`),
		agent(`$/cancel_request {"requestId":5}`),
		wait(time.Second),
		client(`3 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`),
		agent(in("s", hello)),
		agent(`3 = {}`),
		client(`4 session/close {"sessionId":"s"}`),
		agent(`4 = {}`),
	} {
		p.Must(t, s)
	}
}
