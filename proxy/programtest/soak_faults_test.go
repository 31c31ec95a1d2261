package programtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
)

// The kinds of losses that only faults lead to: each fault to one. Whatever a
// bridged soak sends that cannot be converted is in the log, and nothing else.
const (
	notPassed   = "message not passed on"
	unreadable  = "unreadable message"
	noUpdate    = "unreadable update"
	noRequest   = "answer to no request"
	otherUpdate = "update of version 2"
	hologram    = "session update hologram"
	stray       = "stray line"
)

var soakLosses = []string{notPassed, unreadable, noUpdate, noRequest, otherUpdate, hologram, stray}

// A soakFault is a line that breaks the protocol.
type soakFault struct{ line, loss string }

// soakFaults are the faults of either side. A line of the agent that does not begin
// like a message is a stray line.
var soakFaults = []soakFault{
	{`not json`, notPassed}, {`{"jsonrpc":`, notPassed}, {`{"a":1}{"b":2}`, notPassed}, {"\xff\xfe", notPassed}, {`[]`, notPassed},
	{strings.Repeat("[", 5000), notPassed}, {strings.Repeat("x", soakLimit+1), notPassed},
	{`{"jsonrpc":"2.0","method":"_soak/long","params":"` + strings.Repeat("x", soakLimit) + `"}`, notPassed},
	{`7`, notPassed}, {`null`, notPassed}, {`"text"`, notPassed}, {`{}`, notPassed}, {`[7]`, notPassed},
	{`{"jsonrpc":"2.0","result":{}}`, unreadable}, {`{"id":null,"error":7}`, noRequest},
	{`{"jsonrpc":"2.0","id":"no","result":{}}`, noRequest}, {`{"jsonrpc":"2.0","id":999999999,"error":{"code":1,"message":"m"}}`, noRequest},
	{`{"jsonrpc":"2.0","method":"_soak/other","params":[7]}`, ""},
	{`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"no"}}`, ""}, {`{"jsonrpc":"2.0","method":"$/cancel_request","params":7}`, ""},
}

// soakAgentFaults are the faults of an agent of a version, in the session
// SESSION.
func soakAgentFaults(version int) []soakFault {
	update := func(update, loss string) soakFault {
		return soakFault{`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":` + update + `}}`, loss}
	}
	faults := append([]soakFault{
		{`{"jsonrpc":"2.0","method":"session/update","params":[]}`, noUpdate}, {`{"jsonrpc":"2.0","method":"session/update"}`, noUpdate},
		update(`7`, noUpdate), update(`null`, noUpdate), update(`{}`, noUpdate), update(`{"sessionUpdate":7}`, noUpdate),
		update(`{"sessionUpdate":"tool_call_update","title":"T"}`, noUpdate), update(`{"sessionUpdate":"tool_call","toolCallId":7}`, noUpdate),
		update(`{"sessionUpdate":"usage_update","used":"x","size":1}`, noUpdate),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"w","status":7,"kind":{},"content":7,"locations":"x","title":[]}`, ""),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"w","content":[7,{"type":"diff"},{"type":"terminal","terminalId":7},{"type":"hologram"}]}`, ""),
		update(`{"sessionUpdate":"agent_message_chunk","messageId":7,"content":{"type":"hologram"}}`, ""),
		update(`{"sessionUpdate":"available_commands_update","availableCommands":[7,{"name":7}]}`, ""),
		update(`{"sessionUpdate":"config_option_update","configOptions":[7,{"id":"x"},{"configId":"y","type":"select","options":7}]}`, ""),
	}, soakFaults...)
	for i := range faults {
		if jsonrpc.IsStray([]byte(faults[i].line)) {
			faults[i].loss = stray
		}
	}
	if version == 1 {
		return append(faults, update(`{"sessionUpdate":"state_update","state":"idle"}`, otherUpdate))
	}
	return append(faults, update(`{"sessionUpdate":"state_update"}`, noUpdate), update(`{"sessionUpdate":"agent_message_chunk","messageId":"m"}`, noUpdate),
		update(`{"sessionUpdate":"agent_message","content":[]}`, noUpdate), update(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"w"}`, noUpdate),
		update(`{"sessionUpdate":"hologram"}`, hologram))
}

// step says one thing, asks one, or breaks the protocol once.
func (a *soakingAgent) step(s *soakSession, t *soakTurn) {
	chunk := `{"sessionUpdate":"agent_message_chunk","messageId":"m` + strconv.Itoa(t.number) + `","content":{"type":"text","text":"#%d %s"}}`
	switch s.rnd.IntN(40) {
	case 0:
		time.Sleep(time.Duration(s.rnd.IntN(15)) * time.Millisecond)
	case 1:
		a.askPermission(s)
	case 2:
		a.askOtherwise(s)
	case 3, 4, 5, 6:
		kind := "tool_call"
		if a.version == 2 || s.rnd.IntN(4) == 0 {
			kind = "tool_call_update" // in version 1 without a begin
		}
		a.numbered(s, `{"sessionUpdate":"`+kind+`","toolCallId":"t%d","title":"#%[1]d %s"}`, s.rnd.IntN(300))
	case 7:
		a.longToolCall(s)
	case 8:
		plan := `{"sessionUpdate":"plan","entries":[{"content":"#%d %s","priority":"low","status":"pending"}]}`
		if a.version == 2 {
			plan = `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"#%d %s","priority":"low","status":"pending"}]}}`
		}
		a.numbered(s, plan, s.rnd.IntN(100))
	case 9:
		if a.version == 2 {
			a.numbered(s, `{"sessionUpdate":"agent_message","messageId":"w%d","content":[{"type":"text","text":"#%[1]d %s"}]}`, s.rnd.IntN(300))
		} else {
			a.numbered(s, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"#%d %s"}}`, s.rnd.IntN(300))
		}
	case 10:
		faults := soakAgentFaults(a.version)
		fault := faults[s.rnd.IntN(len(faults))]
		a.out.say("%s", strings.ReplaceAll(fault.line, "SESSION", s.id))
		a.lost(fault.loss)
	default:
		size := s.rnd.IntN(200)
		if s.rnd.IntN(50) == 0 {
			size = bufferEdge(s.rnd)
		}
		a.numbered(s, chunk, size)
	}
}

// lost notes that something was sent that must be said to be lost.
func (a *soakingAgent) lost(kind string) {
	if kind != "" {
		a.mu.Lock()
		a.report.Faults[kind]++
		a.mu.Unlock()
	}
}

// longToolCall begins a tool call, or does not, gives it content piece by piece,
// and says at the end how many pieces there were.
func (a *soakingAgent) longToolCall(s *soakSession) {
	a.mu.Lock()
	a.requests++
	id := fmt.Sprint("long", a.requests)
	a.mu.Unlock()
	item := func(n int) string {
		return fmt.Sprintf(`{"type":"content","content":{"type":"text","text":"%d %s"}}`, n, strings.Repeat("o", 50))
	}
	if s.rnd.IntN(2) == 0 {
		a.update(s, `{"sessionUpdate":"%s","toolCallId":"%s","title":"long","status":"in_progress"}`,
			[]string{"tool_call", "tool_call_update"}[a.version-1], id)
	}
	pieces := 1 + s.rnd.IntN(20)
	var all []string
	for n := range pieces {
		all = append(all, item(n))
		if a.version == 2 {
			a.update(s, `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"%s","content":%s}`, id, item(n))
		} else {
			a.update(s, `{"sessionUpdate":"tool_call_update","toolCallId":"%s","content":[%s]}`, id, strings.Join(all, ","))
		}
	}
	a.numbered(s, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id+`","status":"completed","title":"#%d pieces `+strconv.Itoa(pieces)+` %s"}`, 0)
}

// ask sends requests of the same id at once, and waits for as many answers.
func (a *soakingAgent) ask(s *soakSession, requests ...string) {
	a.mu.Lock()
	a.requests++
	id := strconv.Itoa(a.requests)
	if a.requests%3 == 0 {
		id = `"ask ` + id + `"`
	}
	answers := make([]chan struct{}, len(requests))
	for i := range answers {
		answers[i] = make(chan struct{})
	}
	a.asked[id] = answers
	a.mu.Unlock()
	for _, r := range requests {
		a.out.say(`{"jsonrpc":"2.0","id":%s,%s}`, id, r)
	}
	if strings.Contains(requests[0], soakHold) {
		time.Sleep(time.Millisecond)
		a.out.say(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, id)
	}
	for _, answer := range answers {
		<-answer
	}
	a.mu.Lock()
	delete(a.asked, id)
	a.mu.Unlock()
}

// soakHold is the question to a client that does not answer at once.
const soakHold = "Hold?"

func (a *soakingAgent) askPermission(s *soakSession) {
	permission := func(title string) string {
		what := `"toolCall":{"toolCallId":"ask","title":"` + title + `"}`
		if a.version == 2 {
			what = `"title":"` + title + `","subject":{"type":"tool_call","toolCall":{"toolCallId":"ask","title":"ask"}}`
		}
		return `"method":"session/request_permission","params":{"sessionId":"` + s.id + `",` + what + `,"options":[{"optionId":"y",` +
			`"name":"Y","kind":"allow_once"}]}`
	}
	switch s.rnd.IntN(100) {
	case 0:
		a.ask(s, permission(soakHold))
	case 1, 2, 3, 4, 5:
		a.ask(s, permission("One?"), permission("Two?"))
	default:
		a.ask(s, permission("May I?"))
	}
}

// askOtherwise asks something that has no answer from a user.
func (a *soakingAgent) askOtherwise(s *soakSession) {
	requests := []string{
		`"method":"_soak/ask","params":{"sessionId":"` + s.id + `"}`,
		`"method":"fs/read_text_file","params":{"sessionId":"` + s.id + `","path":"/x"}`,
		`"method":"session/request_permission","params":7`,
		`"method":"session/request_permission","params":{"sessionId":"` + s.id + `","options":7}`,
		`"method":"_soak/ask","result":{}`,
		`"method":"_soak/ask","params":{"text":"` + strings.Repeat("x", soakLimit) + `"}`,
	}
	n := s.rnd.IntN(len(requests))
	a.ask(s, requests[n])
	switch {
	case n == 4 && a.version == 1:
		a.lost(unreadable)
	case n == 5:
		a.lost(notPassed)
	}
}

// numbered says a text with the session's next number and that many letters. When
// that was enough, the agent is killed.
func (a *soakingAgent) numbered(s *soakSession, format string, size int) {
	a.update(s, format, s.said, strings.Repeat("x", size))
	a.mu.Lock()
	s.said++
	a.report.Said++
	a.mu.Unlock()
	if a.limit > 0 {
		a.killEnough()
	}
}
