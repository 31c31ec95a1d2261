package v1agent

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/calls"
)

func start(t *testing.T, steps []step) *peer {
	t.Helper()
	p := newPeer(able)
	for _, s := range steps {
		p.Must(t, s)
	}
	return p
}

// The session without additions for the longest time is evicted, unless it is busy.
func TestOldestSessionIsEvicted(t *testing.T) {
	p := start(t, begun) // its session has a turn and is kept
	p.CheckRarely()
	all := &p.bridge.sessions
	of := func(session int, title string) (lost []string) {
		_, lost = p.Must(t, agent(fmt.Sprintf(`session/update {"sessionId":"%d","update":{"sessionUpdate":"tool_call","toolCallId":"%s","title":"T"}}`, session, title)))
		return lost
	}
	last := 0
	for large := strings.Repeat("x", 1<<20); len(of(last, large)) == 0; last++ {
		if last == 20 {
			of(0, "again")
		}
	}
	for session, stays := range map[string]bool{"s": true, "0": true, "1": false, "2": true, strconv.Itoa(last): true} {
		if all.Has(session) != stays {
			t.Errorf("session %s is kept: %t", session, !stays)
		}
	}
	for i := range 5500 {
		p.Must(t, agent(`session/update {"sessionId":"`+strconv.Itoa(1000+i)+strings.Repeat("x", calls.MaxSession-4)+`","update":{"sessionUpdate":"tool_call","toolCallId":"`+strings.Repeat("x", 10_000)+`","title":"T"}}`))
	}
	if err := p.bridge.check(); err != nil || !all.Has("s") || all.Len() > 5000 {
		t.Errorf("%d sessions are kept: %v", all.Len(), err)
	}
}

func TestTooManyRequests(t *testing.T) {
	p := start(t, made)
	for i := range calls.MaxOpen {
		p.Must(t, client(fmt.Sprintf(`%d _a {}`, i)))
		p.Must(t, agent(fmt.Sprintf(`%d _a {}`, i)))
	}
	for _, side := range []translate.Side{translate.Client, translate.Agent} {
		output, lost := p.Must(t, step{From: side, Message: `99999 _a {}`})
		if want := bridgetest.To(side, full(`99999 ! {"code":-32603,"message":"too many requests are open"}`)); !slices.Equal(output, []string{want}) || len(lost) != 1 {
			t.Errorf("%v: %q, %q", side, output, lost)
		}
	}
	for _, request := range []string{`session/prompt ` + hi, `session/close {"sessionId":"s"}`, `session/new {"cwd":"/p"}`, `session/resume {"sessionId":"s","cwd":"/p"}`} {
		output, lost := p.Must(t, client(`99999 `+request))
		if len(output) != 1 || !strings.Contains(output[0], "too many requests") || !slices.Equal(lost, []string{"memory"}) {
			t.Errorf("%s: %q, lost %q", request, output, lost)
		}
	}
	output, _ := p.Must(t,
		agent(`99999 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t","title":"T"},`+
			`"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`))
	if len(output) != 1 || !strings.Contains(output[0], "too many requests") || len(p.bridge.sessions.Get("s").questions) > 0 {
		t.Errorf("a question: %q, %d are open", output, len(p.bridge.sessions.Get("s").questions))
	}
}

func TestTooManyQueued(t *testing.T) {
	p := start(t, begun)
	p.CheckRarely()
	queued := 0
	for ; ; queued++ {
		output, lost := p.Must(t, client(fmt.Sprintf(`%d session/prompt %s`, queued+10, hi)))
		if len(output) > 0 {
			if want := toC(full(fmt.Sprintf(`%d ! {"code":-32603,"message":"too many prompts wait for their turn"}`, queued+10))); !slices.Equal(output, []string{want}) || !slices.Equal(lost, []string{"memory"}) {
				t.Errorf("%q, %q", output, lost)
			}
			break
		}
	}
	// The agent refuses each prompt, and receives the next one. None may be lost, and the stack must
	// not grow.
	answered := 0
	for i := range queued + 1 {
		output, _ := p.Must(t, agent(fmt.Sprintf(`%d ! {"code":-32603,"message":"no"}`, i+2)))
		answered += strings.Count(strings.Join(output, ""), `"error":`)
	}
	if answered != queued+1 || queued < 4096 || p.bridge.link.Pending[translate.Agent].Len() != 0 {
		t.Errorf("%d of %d were answered, %d are open", answered, queued, p.bridge.link.Pending[translate.Agent].Len())
	}
}

// Queued requests are never evicted. Further requests are refused if the budget has no room.
func TestNoRoomToWait(t *testing.T) {
	p := start(t, begun)
	half := strings.Repeat("x", keep.MaxReserved/2)
	prompt := func(id, session, text string) (output, lost []string) {
		return p.Must(t, client(id+` session/prompt {"sessionId":"`+session+`","idempotencyKey":"`+id+`","prompt":[{"type":"text","text":"`+text+`"}]}`))
	}
	for _, c := range []struct {
		id, session, text string
		refused           bool
	}{{"4", "s", half, false}, {"5", "s", half, true}, {"3", "o", "hi", false}, {"6", "o", half, true}} {
		output, lost := prompt(c.id, c.session, c.text)
		if refused := len(lost) > 0; refused != c.refused || refused && !strings.Contains(output[0], "too many prompts") {
			t.Errorf("prompt %s: %.200q, lost %q", c.id, output, lost)
		}
	}
	p.Must(t, agent(report("tool_call", `"toolCallId":"`+half+`","title":"T"`)))
	p.Must(t, client(`session/cancel {"sessionId":"s"}`))
	if output, lost := prompt("8", "s", half); len(output) > 0 || len(lost) > 0 {
		t.Errorf("when there is room: %.200q, lost %q", output, lost)
	}
	p.Must(t, client(`9 session/close {"sessionId":"c"}`))
	for i, id := range []string{"10", `"` + half + half + `"`} {
		output, lost := p.Must(t, client(id+` session/resume {"sessionId":"c","cwd":"/p"}`))
		if refused := len(output) > 0; refused != (i > 0) || refused && (!strings.Contains(output[0], "too many requests wait") || !slices.Equal(lost, []string{"memory"})) {
			t.Errorf("behind a close: %.200q, lost %q", output, lost)
		}
	}
}

// A turn with a large answer does not linger.
func TestLargeAnswer(t *testing.T) {
	p := start(t, prompted)
	output, _ := p.Must(t, agent(`2 = {"stopReason":"end_turn","x":"`+strings.Repeat("x", maxAnswer)+`"}`))
	if !strings.Contains(strings.Join(output, ""), `"idle"`) {
		t.Error("a large answer is kept")
	}
}

// TestNoRoom uses a session whose state does not fit in the budget.
func TestNoRoom(t *testing.T) {
	p := start(t, made)
	s := p.bridge.sessions.Get("s")
	for _, share := range []*keep.Share{s.share, p.bridge.share} {
		for n := keep.MaxReserved; n > 0; n /= 2 {
			share.Reserve(n)
		}
	}
	p.bridge.budget.EvictExcess()
	p.CheckRarely()
	for _, c := range []struct {
		from    translate.Side
		message string
		output  string // is in the output
	}{
		{translate.Client, `4 session/resume {"sessionId":"s","cwd":"/` + strings.Repeat("d", 200) + `","replayFrom":{"type":"start"}}`, "session/load"},
		{translate.Client, `5 session/new {"cwd":"/` + strings.Repeat("d", 200) + `"}`, "session/new"},
	} {
		output, lost := p.Must(t, step{From: c.from, Message: c.message})
		if len(output) != 1 || !strings.Contains(output[0], c.output) || !slices.Equal(lost, []string{"memory"}) {
			t.Errorf("%s: %q, lost %q", c.message, output, lost)
		}
	}
	p.Must(t, agent(`2 = {}`))
	p.Must(t, agent(`3 = {"sessionId":"t"}`))
	if s.cwd != "" || p.bridge.sessions.Get("t").cwd != "" {
		t.Error("something is kept without room")
	}
}

// TestMemory makes both sides send long texts for all that the bridge keeps, in many sessions. The
// state is bounded, and a later session works.
func TestMemory(t *testing.T) {
	before := heap()
	p := start(t, nil)
	p.Bridge = p.bridge // without the selectors, which have a budget of their own
	p.CheckRarely()
	long := func(i int) string { return fmt.Sprintf("%d-%s", i, strings.Repeat("x", calls.MaxSession-10)) }
	of := func(session, update string) string {
		return `session/update {"sessionId":"` + session + `","update":{"sessionUpdate":` + update + `}}`
	}
	passed := false
	send := func(side translate.Side, message string) (output []string) {
		output, lost := p.Must(t, step{From: side, Message: message})
		passed = passed || slices.Contains(lost, "memory")
		if used := p.bridge.budget.Used(); used > keep.PerConnection {
			t.Fatalf("%d bytes are kept", used)
		}
		return output
	}
	ask := func(message string) (id string) { // as the agent gets it
		for _, l := range send(translate.Client, message) {
			if rest, ok := strings.CutPrefix(l, toA(`{"jsonrpc":"2.0","id":`)); ok {
				id, _, _ = strings.Cut(rest, ",")
			}
		}
		return id
	}
	for i := range 1024 {
		id := long(i)
		load := ask(`1 session/resume {"sessionId":"` + id + `","cwd":"/` + strings.Repeat("d", 32<<10) + `","replayFrom":{"type":"start"}}`)
		send(translate.Agent, of(id, `"session_info_update","title":"`+strings.Repeat("t", 4000)+`"`))
		for j := range 8 {
			send(translate.Agent, of(id, `"agent_message_chunk","messageId":"`+long(j)+`","content":{"type":"text","text":"a"}`))
			send(translate.Agent,
				of(id,
					`"tool_call","toolCallId":"`+long(j)+`","title":"`+strings.Repeat("t", 1000)+`","_meta":{"terminal_info":{"terminal_id":"`+long(j)+`"}}`))
		}
		if i%2 == 0 {
			send(translate.Agent, load+` = {"configOptions":[{"id":"o","name":"`+strings.Repeat("n", 128<<10)+`","type":"boolean","currentValue":true}]}`)
		}
		prompt := ask(`2 session/prompt {"sessionId":"` + id + `","prompt":[{"type":"text","text":"` + strings.Repeat("p", 10000) + `"}],"idempotencyKey":"` + long(i) + `"}`)
		send(translate.Agent, of(id, `"user_message_chunk","messageId":"`+long(-i)+`","content":{"type":"text","text":"`+strings.Repeat("p", 9999)+`"}`))
		if i%3 == 0 {
			send(translate.Agent, prompt+` = {"stopReason":"end_turn"}`)
		}
	}
	if err := p.bridge.check(); err != nil {
		t.Fatal(err)
	}
	if grown := int(heap()) - int(before); !passed || grown > keep.PerConnection*3/2 {
		t.Errorf("%d bytes are in use; lost %t", grown, passed)
	}
	prompt := ask(`3 session/prompt ` + hi)
	output := send(translate.Agent, report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"Hello"}`))
	output = append(output, send(translate.Agent, prompt+` = {"stopReason":"end_turn"}`)...)
	if got := strings.Join(output, "\n"); !strings.Contains(got, "Hello") || !strings.Contains(got, `"stopReason":"end_turn"`) {
		t.Errorf("a session that comes later: %s", got)
	}
	if _, _, err := p.Do(gone()); err != nil {
		t.Error(err)
	}
}

// heap returns the number of bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLargePrompt sends a prompt that does not fit in the budget. It counts as inserted at once.
func TestLargePrompt(t *testing.T) {
	p := start(t, made)
	output, lost := p.Must(t, client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"`+strings.Repeat("x", keep.MaxReserved)+`"}]}`))
	if len(output) != 4 || !strings.Contains(output[1], `"user_message"`) || !slices.Equal(lost, []string{"memory"}) {
		t.Errorf("%d messages leave, lost %q", len(output), lost)
	}
	if output, _ := p.Must(t, agent(`2 = {"stopReason":"end_turn"}`)); len(output) > 0 && !strings.Contains(output[0], "idle") {
		t.Errorf("%.200q", output)
	}
}

// TestForgottenSessionIsEmpty verifies that a pending request keeps no state of a closed session.
func TestForgottenSessionIsEmpty(t *testing.T) {
	p := start(t, []step{client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`),
		agent(report("subagent_update", `"sessionId":"x"`)),
		agent(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"t"}`))})
	s := p.bridge.sessions.Get("s")
	for _, message := range []string{`5 session/close {"sessionId":"s"}`, `6 session/close {"sessionId":"x"}`} {
		p.Must(t, client(message))
	}
	p.Must(t, agent(`2 = {}`))
	p.Must(t, agent(`3 = {}`))
	if kept := p.bridge.budget.Used(); s.replay != nil || kept != keep.SessionCost+2*keep.EntryCost+len("sx") {
		t.Errorf("its replay is %v, %d bytes are kept", s.replay, kept)
	}
	output, _ := p.Must(t, agent(`1 = {}`))
	if want := []string{toC(full(`4 = {}`))}; !slices.Equal(output, want) {
		t.Errorf("output %q", output)
	}
}

func TestLongIDs(t *testing.T) {
	p := start(t, made)
	long := strings.Repeat("x", calls.MaxSession+1)
	for _, side := range []translate.Side{translate.Client, translate.Agent} {
		output, lost := p.Must(t, step{From: side, Message: `5 _a {"sessionId":"` + long + `"}`})
		if want := bridgetest.To(side, full(`5 ! {"code":-32600,"message":"Invalid request"}`)); !slices.Equal(output, []string{want}) || len(lost) != 1 {
			t.Errorf("%v: %.100q, lost %q", side, output, lost)
		}
	}
}

// The cost of a message does not depend on the number of sessions: no message visits a session,
// or a request to close one, that the message does not concern.
func TestOtherSessions(t *testing.T) {
	p := newPeer(able)
	p.Peer = bridgetest.NewPeer(p.bridge, func() error { return nil })
	p.bridge.sessions.Put("other", nil) // to visit it is a panic
	for _, s := range then(begun,
		agent(report("agent_message_chunk", `"content":{"type":"text","text":"hi"}`)),
		client(`3 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`),
		client(`$/cancel_request {"requestId":3}`),
		agent(`2 = {"stopReason":"end_turn"}`),
		wait(time.Second),
		client(`4 session/close {"sessionId":"s"}`),
		agent(`3 = {}`),
	) {
		p.Must(t, s)
	}
}
