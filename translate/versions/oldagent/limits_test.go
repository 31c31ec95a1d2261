package oldagent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/link"
)

func start(t *testing.T, steps []step) *peer {
	t.Helper()
	p := newPeer(able)
	for _, s := range steps {
		p.Must(t, s)
	}
	return p
}

func TestTooManySessions(t *testing.T) {
	p := start(t, begun) // its session has a turn and stays
	usage := `,"update":{"sessionUpdate":"usage_update","used":1,"size":2}}`
	for i := range 2 * maxSessions {
		_, lost := p.Must(t, agent(`session/update {"sessionId":"`+strconv.Itoa(i)+`"`+usage))
		if len(lost) > 0 != (i >= maxSessions-1) {
			t.Fatalf("session %d: %q", i, lost)
		}
		oldest := max(0, i-maxSessions+2) // of those that have nothing to do
		if all := &p.bridge.sessions.all; all.Has(strconv.Itoa(oldest-1)) || !all.Has(strconv.Itoa(oldest)) {
			t.Fatalf("session %d: not the oldest was forgotten", i)
		}
	}
	if p.bridge.sessions.all.Len() != maxSessions || !p.bridge.sessions.all.Has("s") {
		t.Errorf("%d sessions are kept", p.bridge.sessions.all.Len())
	}
	left, lost := p.Must(t, agent(`session/update {"sessionId":"`+strings.Repeat("x", maxID+1)+`"`+usage))
	if len(left) > 0 || !slices.Equal(lost, []string{"unreadable message"}) {
		t.Errorf("a long id: %q, %q", left, lost)
	}
}

// The ids of sessions that are over are forgotten in the order in which they ended.
func TestTooManyClosedSessions(t *testing.T) {
	p := start(t, nil)
	usage := `,"update":{"sessionUpdate":"usage_update","used":1,"size":2}}`
	for i := range maxOver + 2 {
		p.Must(t, client(fmt.Sprintf(`%d session/close {"sessionId":"%d"}`, i, i)))
		p.Must(t, agent(fmt.Sprintf(`%d = {}`, i+1)))
	}
	for id, silent := range map[string]bool{"0": false, "1": false, "2": true, strconv.Itoa(maxOver + 1): true} {
		if left, _ := p.Must(t, agent(`session/update {"sessionId":"`+id+`"`+usage)); (len(left) == 0) != silent {
			t.Errorf("session %s: %q", id, left)
		}
	}
}

func TestTooManyRequests(t *testing.T) {
	p := start(t, made)
	for i := range link.MaxOpen {
		p.Must(t, client(fmt.Sprintf(`%d _a {}`, i)))
		p.Must(t, agent(fmt.Sprintf(`%d _a {}`, i)))
	}
	for _, side := range []translate.Side{translate.Client, translate.Agent} {
		left, lost := p.Must(t, step{From: side, Message: `99999 _a {}`})
		if want := bridgetest.To(side, full(`99999 ! {"code":-32603,"message":"too many requests are open"}`)); !slices.Equal(left, []string{want}) || len(lost) != 1 {
			t.Errorf("%v: %q, %q", side, left, lost)
		}
	}
	for _, request := range []string{`session/prompt ` + hi, `session/close {"sessionId":"s"}`} {
		left, lost := p.Must(t, client(`99999 `+request))
		if len(left) != 1 || !strings.Contains(left[0], "too many requests") || !slices.Equal(lost, []string{"too many requests"}) {
			t.Errorf("%s: %q, lost %q", request, left, lost)
		}
	}
	left, _ := p.Must(t,
		agent(`99999 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t","title":"T"},`+
			`"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`))
	if len(left) != 1 || !strings.Contains(left[0], "too many requests") || len(p.bridge.sessions.all.Get("s").questions) > 0 {
		t.Errorf("a question: %q, %d are open", left, len(p.bridge.sessions.all.Get("s").questions))
	}
}

func TestTooManyHeld(t *testing.T) {
	p := start(t, begun)
	for i := range maxHeld {
		if left, _ := p.Must(t, client(fmt.Sprintf(`%d session/prompt %s`, i+10, hi))); len(left) > 0 {
			t.Fatalf("prompt %d: %q", i, left)
		}
	}
	left, lost := p.Must(t, client(`9999 session/prompt `+hi))
	if len(left) != 1 || !strings.Contains(left[0], `"error"`) || len(lost) != 1 {
		t.Errorf("%q, %q", left, lost)
	}
	// All are refused while the queue is begun. None may be lost, and the stack
	// must not grow.
	answered := 0
	for i := range maxHeld + 1 {
		left, _ := p.Must(t, agent(fmt.Sprintf(`%d ! {"code":-32603,"message":"no"}`, i+2)))
		answered += strings.Count(strings.Join(left, ""), `"error":`)
	}
	if answered != maxHeld+1 || p.bridge.link.Waiting(translate.Agent) != 0 {
		t.Errorf("%d were answered, %d are open", answered, p.bridge.link.Waiting(translate.Agent))
	}
}

// What waits in several sessions is refused in the order in which it came.
func TestHeldAreRefusedInOrder(t *testing.T) {
	p := start(t, nil)
	prompt := func(id, session int) {
		p.Must(t, client(fmt.Sprintf(`%d session/prompt {"sessionId":"%d","prompt":[{"type":"text","text":"hi"}]}`, id, session)))
	}
	var want []string
	for i := range 8 {
		prompt(i, i)
		p.Must(t, client(fmt.Sprintf(`"c%d" session/close {"sessionId":"closes %d"}`, i, i)))
	}
	for i := range 40 {
		session := i * 5 % 8
		if i%2 == 0 {
			prompt(100+i, session)
		} else {
			p.Must(t, client(fmt.Sprintf(`%d session/resume {"sessionId":"closes %d","cwd":"/p"}`, 100+i, session)))
		}
		want = append(want, toC(full(fmt.Sprintf(`%d ! {"code":-32800,"message":"over"}`, 100+i))))
	}
	got, _, err := p.Have(func(out *translate.Out) { p.bridge.RefuseHeld("over", p.Now, out) })
	if diff := cmp.Diff(want, got); diff != "" || err != nil || p.bridge.Holds() {
		t.Errorf("%v; refused (-want +got):\n%s", err, diff)
	}
}

// Requests wait until a close is answered, but not any number of them.
func TestTooManyBehindAClose(t *testing.T) {
	p := start(t, made)
	for i := range maxHeld + 1 { // the first does not wait
		left, _ := p.Must(t, client(fmt.Sprintf(`%d session/close {"sessionId":"s"}`, i+10)))
		if waits := len(left) == 0; waits != (i > 0) {
			t.Fatalf("close %d: %q", i, left)
		}
	}
	left, lost := p.Must(t, client(`9999 session/resume {"sessionId":"s","cwd":"/p"}`))
	if len(left) != 1 || !strings.Contains(left[0], "too many requests wait") || len(lost) != 1 {
		t.Errorf("%q, %q", left, lost)
	}
	for i := range maxHeld { // the next is sent when the one before is answered
		left, _ := p.Must(t, agent(fmt.Sprintf(`%d = {}`, i+2)))
		if len(left) != 2 || !strings.Contains(left[1], "session/close") {
			t.Fatalf("answer %d: %q", i, left)
		}
	}
}

// What waits is bounded over all sessions together.
func TestHeldAreTooLarge(t *testing.T) {
	p := start(t, begun)
	prompt := func(id, session, text string) (left, lost []string) {
		return p.Must(t, client(id+` session/prompt {"sessionId":"`+session+`","prompt":[{"type":"text","text":"`+text+`"}]}`))
	}
	prompt("3", "other", "hi")
	half := strings.Repeat("x", maxHeldBytes/2)
	if left, lost := prompt("4", "s", half); len(left) > 0 || len(lost) > 0 {
		t.Fatalf("the first: %.200q, lost %q", left, lost)
	}
	left, lost := prompt("5", "other", half)
	if len(left) != 1 || !strings.Contains(left[0], "too many prompts") || !slices.Equal(lost, []string{"too many prompts"}) {
		t.Errorf("the second: %.200q, lost %q", left, lost)
	}
	p.Must(t, client(`session/cancel {"sessionId":"s"}`))
	if left, lost := prompt("6", "other", half); len(left) > 0 || len(lost) > 0 {
		t.Errorf("the second again: %.200q, lost %q", left, lost)
	}
}

// TestNoMoreTurnsLinger answers prompts without a word before: their turns
// linger, unless there are too many of them or the answer is large.
func TestNoMoreTurnsLinger(t *testing.T) {
	p := start(t, nil)
	for i := range maxLingering + 2 {
		p.Must(t, client(fmt.Sprintf(`%d session/prompt {"sessionId":"s%d","prompt":[{"type":"text","text":"hi"}]}`, i, i)))
		if i == 0 {
			left, _ := p.Must(t, agent(`1 = {"stopReason":"end_turn","x":"`+strings.Repeat("x", maxAnswer)+`"}`))
			if !strings.Contains(strings.Join(left, ""), `"idle"`) {
				t.Error("a large answer is kept")
			}
			continue
		}
		left, _ := p.Must(t, agent(fmt.Sprintf(`%d = {"stopReason":"end_turn"}`, i+1)))
		if over := strings.Contains(strings.Join(left, ""), `"idle"`); over != (i > maxLingering) {
			t.Fatalf("turn %d is over: %v", i, over)
		}
	}
}

func TestDirectoryIsTooLong(t *testing.T) {
	p := start(t, nil)
	for i, length := range []int{maxCwd - 1, maxCwd} {
		cwd := "/" + strings.Repeat("d", length)
		_, lost := p.Must(t, client(`7 session/new {"cwd":"`+cwd+`"}`))
		p.Must(t, agent(fmt.Sprintf(`%d = {"sessionId":"s%d"}`, i+1, i)))
		if kept := p.bridge.sessions.all.Get("s"+strconv.Itoa(i)).cwd != ""; kept == (len(cwd) > maxCwd) || kept == (len(lost) > 0) {
			t.Errorf("a directory of %d bytes: kept %v, lost %q", len(cwd), kept, lost)
		}
	}
}

func TestTooManyToolCalls(t *testing.T) {
	p := start(t, made)
	p.CheckRarely()
	for i := range maxToolCalls + 10 {
		id := strconv.Itoa(i)
		left, lost := p.Must(t, agent(report("tool_call", `"toolCallId":"`+id+`","title":"T","_meta":{"terminal_info":{}}`)))
		var want []string
		if i >= maxToolCalls {
			want = []string{"too many tool calls"}
		}
		if len(left) != 2 || !slices.Equal(lost, want) {
			t.Fatalf("tool call %d: %q, lost %q", i, left, lost)
		}
	}
	calls := p.bridge.sessions.all.Get("s").toolCalls
	if calls.Len() != maxToolCalls || calls.Has("0") || !calls.Has(strconv.Itoa(maxToolCalls+9)) {
		t.Errorf("%d tool calls are kept", calls.Len())
	}
	terminals := p.bridge.sessions.all.Get("s").terminals
	if len(terminals) != maxToolCalls || terminals["0"] != nil || terminals[strconv.Itoa(maxToolCalls+9)] == nil {
		t.Errorf("%d terminals are kept, the latest is %v", len(terminals), terminals[strconv.Itoa(maxToolCalls+9)])
	}
	left, lost := p.Must(t, agent(`session/update {"sessionId":"other","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}}`))
	if len(left) != 1 || !slices.Equal(lost, []string{"too many tool calls"}) {
		t.Errorf("in another session: %q, %q", left, lost)
	}
}

// TestTooManyTerminals has a tool call that shows one terminal after the other.
func TestTooManyTerminals(t *testing.T) {
	p := start(t, made)
	show := func(id string) (left, lost []string) {
		return p.Must(t, agent(report("tool_call_update", `"toolCallId":"t","_meta":{"terminal_info":{"terminal_id":"`+id+`"}}`)))
	}
	if _, lost := show(strings.Repeat("x", maxID+1)); !slices.Equal(lost, []string{"too many terminals"}) {
		t.Errorf("a long id: lost %q", lost)
	}
	for i := range maxToolCalls {
		if left, lost := show(strconv.Itoa(i)); len(left) != 1 || len(lost) > 0 {
			t.Fatalf("terminal %d: %q, lost %q", i, left, lost)
		}
	}
	if left, lost := show("more"); len(left) > 0 || !slices.Equal(lost, []string{"too many terminals"}) {
		t.Errorf("one more: %q, lost %q", left, lost)
	}
	if left, lost := show("0"); len(left)+len(lost) > 0 {
		t.Errorf("one that is known: %q, lost %q", left, lost)
	}
}

func TestTooManyReplayed(t *testing.T) {
	p := start(t, []step{client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`)})
	chunk := report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"t"}`)
	s := p.bridge.sessions.all.Get("s")
	for i := range maxReplayed - 1 {
		key := strconv.Itoa(i)
		s.replay.begun[key] = true
		s.replay.size += entrySize + len(key)
	}
	s.keep(s.replay.size)
	for i, c := range []struct {
		chunk  string
		leaves int
		lost   []string
	}{
		{chunk, 2, nil},
		{chunk, 1, nil},
		{strings.ReplaceAll(chunk, `"m"`, `"n"`), 1, []string{"too many messages in a replay"}},
	} {
		if left, lost := p.Must(t, agent(c.chunk)); len(left) != c.leaves || !slices.Equal(lost, c.lost) {
			t.Errorf("chunk %d: %q, lost %q", i, left, lost)
		}
	}
}

func TestTooManyOptions(t *testing.T) {
	p := start(t, made)
	long := `{"id":"o","name":"` + strings.Repeat("x", maxOptions) + `","type":"boolean","currentValue":true}`
	left, lost := p.Must(t, agent(report("config_option_update", `"configOptions":[`+long+`]`)))
	if len(left) != 1 || !strings.Contains(left[0], `"configOptions":[]`) || !slices.Equal(lost, []string{"too many options"}) {
		t.Errorf("%d leave, lost %q", len(left), lost)
	}
	p.Must(t, client(`7 session/new {"cwd":"/p"}`))
	left, lost = p.Must(t,
		agent(`2 = {"sessionId":"t","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"`+strings.Repeat("x", maxOptions)+`"}]}}`))
	if len(left) != 1 || strings.Contains(left[0], `"mode"`) || !slices.Equal(lost, []string{"too many options"}) {
		t.Errorf("modes: %.300q leave, lost %q", left, lost)
	}
}

// TestTooMuchIsKept has two hostile sides use long texts for everything that is
// kept, in as many sessions as there can be. What is kept stays bounded, and a
// session that comes later still works.
func TestTooMuchIsKept(t *testing.T) {
	p := start(t, nil)
	p.CheckRarely()
	long := func(i int) string { return fmt.Sprintf("%d-%s", i, strings.Repeat("x", maxID-10)) }
	of := func(session, update string) string {
		return `session/update {"sessionId":"` + session + `","update":{"sessionUpdate":` + update + `}}`
	}
	losses := make(map[string]bool)
	send := func(side translate.Side, message string) (left []string) {
		left, lost := p.Must(t, step{From: side, Message: message})
		for _, kind := range lost {
			losses[kind] = true
		}
		return left
	}
	ask := func(message string) (id string) { // as the agent gets it
		for _, l := range send(translate.Client, message) {
			if rest, ok := strings.CutPrefix(l, toA(`{"jsonrpc":"2.0","id":`)); ok {
				id, _, _ = strings.Cut(rest, ",")
			}
		}
		return id
	}
	for i := range maxSessions {
		id := long(i)
		load := ask(`1 session/resume {"sessionId":"` + id + `","cwd":"/` + strings.Repeat("d", maxCwd-1) + `","replayFrom":{"type":"start"}}`)
		send(translate.Agent, of(id, `"session_info_update","title":"`+strings.Repeat("t", 4000)+`"`))
		for j := range 8 {
			send(translate.Agent, of(id, `"agent_message_chunk","messageId":"`+long(j)+`","content":{"type":"text","text":"a"}`))
			send(translate.Agent,
				of(id,
					`"tool_call","toolCallId":"`+long(j)+`","title":"`+strings.Repeat("t", 1000)+`","_meta":{"terminal_info":{"terminal_id":"`+long(j)+`"}}`))
		}
		if i%2 == 0 {
			send(translate.Agent, load+` = {"configOptions":[{"id":"o","name":"`+strings.Repeat("n", maxOptions/2)+`","type":"boolean","currentValue":true}]}`)
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
	if p.bridge.sessions.budget.kept < maxKept*9/10 {
		t.Errorf("%d bytes are kept: the test is too small", p.bridge.sessions.budget.kept)
	}
	for _, kind := range []string{"too many tool calls", "too many terminals", "too many messages in a replay", "too many options",
		"long directory", "too much is kept", "too many prompts with keys"} {
		if !losses[kind] {
			t.Errorf("nothing is lost as %q, but %v", kind, losses)
		}
	}

	prompt := ask(`3 session/prompt ` + hi)
	left := send(translate.Agent, report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"Hello"}`))
	left = append(left, send(translate.Agent, prompt+` = {"stopReason":"end_turn"}`)...)
	if got := strings.Join(left, "\n"); !strings.Contains(got, "Hello") || !strings.Contains(got, `"stopReason":"end_turn"`) {
		t.Errorf("a session that comes later: %s", got)
	}
	if _, _, err := p.Do(gone("agent exited")); err != nil {
		t.Error(err)
	}
}

// TestForgottenSessionIsEmpty pins that an open request keeps nothing of a session
// that was closed.
func TestForgottenSessionIsEmpty(t *testing.T) {
	p := start(t, []step{client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`),
		agent(report("subagent_update", `"sessionId":"x"`)),
		agent(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"t"}`))})
	s := p.bridge.sessions.all.Get("s")
	for _, message := range []string{`5 session/close {"sessionId":"s"}`, `6 session/close {"sessionId":"x"}`} {
		p.Must(t, client(message))
	}
	p.Must(t, agent(`2 = {}`))
	p.Must(t, agent(`3 = {}`))
	if s.replay != nil || p.bridge.sessions.budget.kept != 0 {
		t.Errorf("its replay is %v, %d bytes are kept", s.replay, p.bridge.sessions.budget.kept)
	}
	left, _ := p.Must(t, agent(`1 = {}`))
	if want := []string{toC(full(`4 = {}`))}; !slices.Equal(left, want) || p.bridge.replays.children != 0 {
		t.Errorf("left %q, %d subagents are in a replay", left, p.bridge.replays.children)
	}
}

func TestLongIDs(t *testing.T) {
	p := start(t, made)
	long := strings.Repeat("x", maxID+1)
	for _, side := range []translate.Side{translate.Client, translate.Agent} {
		left, lost := p.Must(t, step{From: side, Message: `5 _a {"sessionId":"` + long + `"}`})
		if want := bridgetest.To(side, full(`5 ! {"code":-32600,"message":"Invalid request"}`)); !slices.Equal(left, []string{want}) || len(lost) != 1 {
			t.Errorf("%v: %.100q, lost %q", side, left, lost)
		}
	}
}
