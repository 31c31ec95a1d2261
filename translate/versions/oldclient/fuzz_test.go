package oldclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// A ledger counts the requests of a side that the bridge has seen and the
// answers that it has sent.
type ledger struct {
	open map[jsonrpc.ID]int
	byID map[string]bool // the ids under which the bridge asks this side
}

// books are the ledgers of both sides.
type books [2]ledger

func newBooks() *books {
	var b books
	for i := range b {
		b[i] = ledger{open: make(map[jsonrpc.ID]int), byID: make(map[string]bool)}
	}
	return &b
}

// asks notes a request that the bridge is given.
func (b *books) asks(side translate.Side, m *jsonrpc.Message) {
	if m.Method != nil && m.ID != nil {
		b[side].open[jsonrpc.IDOf(m.ID)]++
	}
}

// left notes what leaves. It returns an error if an answer answers nothing.
func (b *books) left(lines []string) error {
	for _, line := range lines {
		to := translate.Client
		if line[0] == 'A' {
			to = translate.Agent
		}
		var m struct {
			ID     json.RawMessage
			Method *json.RawMessage
		}
		if err := json.Unmarshal([]byte(line[2:]), &m); err != nil {
			continue // members of a wrong type in what is passed
		}
		if m.ID == nil && bytes.Contains([]byte(line), []byte(`"id":null`)) {
			m.ID = json.RawMessage("null")
		}
		switch {
		case m.Method != nil && m.ID != nil:
			b[to].byID[string(m.ID)] = true
		case m.ID != nil:
			id := jsonrpc.IDOf(m.ID)
			if b[to].open[id]--; b[to].open[id] < 0 {
				return fmt.Errorf("an answer too many: %s", line)
			}
		}
	}
	return nil
}

// unanswered returns the requests of the client that have no answer.
func (b *books) unanswered() (ids []jsonrpc.ID) {
	for id, n := range b[translate.Client].open {
		if n > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// run sends a peer the lines of a conversation: those that begin with > are of
// the client, those that begin with @ let time pass, all others are of the
// agent. Requests that begin with ? were asked before there was a bridge, and count
// at the beginning only. It checks what holds whatever comes.
func run(p *peer, conversation string, check func([]string) error) error {
	account := newBooks()
	done := func(lines []string, err error) error {
		if err == nil {
			err = account.left(lines)
		}
		if err == nil && check != nil {
			err = check(lines)
		}
		return err
	}
	begun := false
	for line := range strings.SplitSeq(conversation, "\n") {
		from := translate.Agent
		if rest, ok := strings.CutPrefix(line, "?"); ok {
			if !begun {
				askedBefore(p, account, rest)
			}
			continue
		}
		begun = true
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			if err := done(p.step(step{wait: time.Duration(len(rest)) * 90 * time.Millisecond})); err != nil {
				return err
			}
			continue
		}
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			line, from = rest, translate.Client
		}
		if !json.Valid([]byte(line)) || line[0] == '[' {
			continue // package proxy does not ask
		}
		var m jsonrpc.Message
		p.cursor.Reset([]byte(line))
		m.Read(&p.cursor, []byte(line), nil)
		account.asks(from, &m)
		if err := done(p.send(from, line)); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	if err := done(p.step(step{gone: "agent exited"})); err != nil {
		return err
	}
	if ids := account.unanswered(); len(ids) > 0 {
		return fmt.Errorf("%d requests of the client have no answer: %q", len(ids), ids)
	}
	return nil
}

// askedBefore tells the Bridge of a request of the agent that the client has got already.
func askedBefore(p *peer, account *books, line string) {
	if !json.Valid([]byte(line)) || line[0] == '[' {
		return
	}
	var m jsonrpc.Message
	p.cursor.Reset([]byte(line))
	if m.Read(&p.cursor, []byte(line), nil); m.IsRequest() {
		account.asks(translate.Agent, &m)
		p.bridge.Asked(m.ID, string(m.Method), string(m.Session))
	}
}

// check reports what is inconsistent in the state of b.
func (b *Bridge) check() error {
	kept, held, texts := 0, 0, 0
	for _, h := range b.held.messages {
		held += h.size()
	}
	for id, s := range b.sessions.all {
		if s.id != id || !slices.Contains(b.sessions.order, id) {
			return fmt.Errorf("session %q is kept as %q", s.id, id)
		}
		size, named := 0, 0
		for key := range s.messages.all {
			named += messageCost + len(key.id)
		}
		for _, c := range s.tools.all {
			size += c.size
			named += callCost + len(c.id) + len(c.title) + len(c.added)
			if !c.due.IsZero() != slices.Contains(s.tools.lacking, c) {
				return fmt.Errorf("tool call %q is due at %v", c.id, c.due)
			}
		}
		for _, x := range s.terminals.all {
			size += len(x.output)
			named += terminalCost + len(x.id) + len(x.command) + len(x.cwd) + len(x.exit.code) + len(x.exit.signal)
		}
		if size != s.tools.size+s.terminals.size {
			return fmt.Errorf("%d bytes are kept, but %d and %d counted", size, s.tools.size, s.terminals.size)
		}
		if counted := s.messages.size + s.tools.named + s.terminals.named; named != counted || s.kept != s.size() {
			return fmt.Errorf("%d bytes are kept besides contents, but %d counted; %d of %d bytes of session %q are counted in all", named, counted, s.kept, s.size(), id)
		}
		if (len(s.tools.lacking) > 0) != !s.tools.due.IsZero() || !s.tools.due.IsZero() != slices.Contains(b.contents.waiting, &s.tools) {
			return fmt.Errorf("session %q is due at %v with %d tool calls", id, s.tools.due, len(s.tools.lacking))
		}
		if err := s.checkSizes(); err != nil {
			return err
		}
		kept += s.kept
		for _, p := range s.turns.waiting {
			if p.answered {
				texts += len(p.echo.text)
			}
		}
		for _, h := range s.echoes.held {
			held += h.size
			if s.echoes.messages[h.message.id] != h.message {
				return fmt.Errorf("user message %q of session %q is held, but not known", h.message.id, id)
			}
		}
		var awaited []*awaitedEcho
		for _, p := range s.turns.waiting {
			if p.inserted == 0 || p.echo.unnamed {
				awaited = append(awaited, p.echo)
			}
		}
		if !slices.Equal(awaited, s.echoes.awaited) {
			return fmt.Errorf("session %q awaits other echoes than those of its prompts", id)
		}
		for _, m := range s.echoes.messages {
			if len(m.of) == 0 || slices.ContainsFunc(m.of, func(e *awaitedEcho) bool { return !slices.Contains(awaited, e) }) {
				return fmt.Errorf("user message %q of session %q waits for nothing", m.id, id)
			}
		}
	}
	if held > maxHeld {
		return fmt.Errorf("%d bytes are held", held)
	}
	b.link.Each(translate.Agent, func(c *link.Call) {
		if p, ok := c.Asked.Of.(*prompt); ok {
			texts += len(p.echo.text) // also of a session that was closed
		}
	})
	if texts != b.prompts.texts.used {
		return fmt.Errorf("%d bytes of prompts are kept, but %d counted", texts, b.prompts.texts.used)
	}
	if kept != b.sessions.kept || held != b.waiting.used {
		return fmt.Errorf("%d bytes are kept, but %d counted; %d are held, but %d counted", kept, b.sessions.kept, held, b.waiting.used)
	}
	if len(b.held.messages) > 0 && b.held.opening == 0 {
		return fmt.Errorf("%d messages wait for nothing", len(b.held.messages))
	}
	if n := len(b.sessions.all); len(b.sessions.order) != n || n > maxSessions {
		return fmt.Errorf("%d sessions, but %d in order", n, len(b.sessions.order))
	}
	if n := len(b.subagents.all); len(b.subagents.order) != n || n > maxSubagents {
		return fmt.Errorf("%d subagents, but %d in order", n, len(b.subagents.order))
	}
	for id, c := range b.subagents.all {
		if len(c.said) > 2*maxSubagentText {
			return fmt.Errorf("%d bytes of the subagent %q are kept", len(c.said), id)
		}
	}
	for _, e := range b.questions.cancelled {
		if b.link.Find(translate.Client, e.call.FarID()) != e.call {
			return fmt.Errorf("request %s is overdue, and answered", e.call.FarID())
		}
	}
	return nil
}

// checkSizes reports if more is kept of s than may be, or than has an order.
func (s *session) checkSizes() error {
	for _, of := range []struct {
		what             string
		all, order, most int
	}{
		{"messages", len(s.messages.all), len(s.messages.order), maxMessages},
		{"tool calls", len(s.tools.all), len(s.tools.order), maxToolCalls},
		{"terminals", len(s.terminals.all), len(s.terminals.order), maxTerminals},
		{"prompts", len(s.turns.waiting), len(s.turns.waiting), maxPrompts},
		{"echoes", len(s.echoes.known), len(s.echoes.known), maxEchoes},
	} {
		if of.all != of.order || of.all > of.most {
			return fmt.Errorf("session %q has %d %s, but %d in order", s.id, of.all, of.what, of.order)
		}
	}
	for _, x := range s.terminals.all {
		if len(x.output) > 2*maxOutput {
			return fmt.Errorf("%d bytes of the terminal %q are kept", len(x.output), x.id)
		}
	}
	return nil
}

// clients are the kinds of clients that the fuzz target and the property tests
// use.
var clients = []words.OldClient{{}, {TerminalOutput: true, Notices: true, Compaction: true, Booleans: true, Subagents: true}}

// FuzzBridge gives the bridge the lines of any text, see run.
func FuzzBridge(f *testing.F) {
	for _, conversation := range conversations() {
		f.Add(conversation, false)
		f.Add(conversation, true)
	}
	f.Fuzz(func(t *testing.T, conversation string, capable bool) {
		client := clients[0]
		if capable {
			client = clients[1]
		}
		if err := run(newPeer(Options{Client: client}), conversation, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// conversations are seeds: each line of the vocabulary, and all of them.
func conversations() []string {
	words := vocabulary()
	names := slices.Sorted(maps.Keys(words))
	var all []string
	for _, name := range names {
		all = append(all, words[name]...)
	}
	seeds := []string{strings.Join(all, "\n")}
	for _, name := range names {
		seeds = append(seeds, strings.Join(words[name], "\n"))
	}
	return seeds
}

// vocabulary are messages that the seeds and the property tests are made of.
func vocabulary() map[string][]string {
	update := func(u string) string { return complete(in("s", u)) }
	return map[string][]string{
		"client": {
			`>{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[{"name":"a","command":"/c","args":[],"env":[]}]}}`,
			`>{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}`,
			`>{"jsonrpc":"2.0","id":"3","method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
			`>{"jsonrpc":"2.0","id":null,"method":"session/close","params":{"sessionId":"s"}}`,
			`>{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`,
			`>{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`,
			`>{"jsonrpc":"2.0","id":4,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
			`>{"jsonrpc":"2.0","id":5,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":"on"}}`,
			`>{"jsonrpc":"2.0","id":6,"method":"authenticate","params":{"methodId":"m"}}`,
			`>{"jsonrpc":"2.0","id":7,"method":"session/list"}`,
			`>{"jsonrpc":"2.0","id":8,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`,
			`>{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`,
			`>{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"x"}}`,
			`>{"jsonrpc":"2.0","id":3,"result":{"action":"accept"}}`,
		},
		"answers": {
			`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[` + modeV2 + `],"availableCommands":` + commandsV2 + `}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"messageId":"m1"}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`,
			`{"jsonrpc":"2.0","id":3,"result":null}`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"x"}}`,
			`{"jsonrpc":"2.0","id":4}`, `{"jsonrpc":"2.0","id":5,"result":{"configOptions":[` + codeV2 + `]}}`,
			`{"jsonrpc":"2.0","id":6,"result":{},"method":5}`,
		},
		"states": {update(state("running")), update(idle("end_turn")), update(idle("cancelled")), update(state("idle")), update(idle("error")), update(state("x"))},
		"messages": {
			update(echo("m1")), update(chunk("user_message", "m1", "hi")), update(chunk("user_message", "other", "hi")),
			update(hello), update(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello you") + `,{"type":"_x"}],"_meta":{}}`),
			update(`{"sessionUpdate":"agent_thought","messageId":"m2","content":null}`),
		},
		"tools": {
			update(call(`,"title":"T","status":"cancelled","content":[{"type":"diff","changes":[{"operation":"move","oldPath":"/a","path":"/b"}],"patch":{"format":"git_patch","text":"diff --git /a /b\n--- /a\n+++ /b\n@@ -1 +1 @@\n-x\n+y\n"}},{"type":"terminal","terminalId":"x"}]`)),
			update(contentChunk(textItem("a"))), update(contentChunk(`{"type":"terminal","terminalId":"x"}`)),
			update(`{"sessionUpdate":"terminal_update","terminalId":"x","command":"ls","output":{"data":"aGk="},"exitStatus":null}`),
			update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"w6Q="}`),
			update(`{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":0}}`),
			"@@", "@@@@@@@@@@@@",
		},
		"requests": {
			`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Go?","description":"d","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","content":[]}},"options":` + yesNo + `}}`,
			`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"kid","title":"Go?","subject":{"type":"command","command":"c"},"options":` + yesNo + `}}`,
			`{"jsonrpc":"2.0","id":"n","method":"session/request_permission","params":{"sessionId":"new","title":"Go?","options":` + yesNo + `}}`,
			`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"requestId":1,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`,
			`{"jsonrpc":"2.0","id":9,"method":"_x"}`,
		},
		"asked before": {
			`?{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","title":"Go?","options":` + yesNo + `}}`,
			`?{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`,
			`>{"jsonrpc":"2.0","id":"e","result":{"action":"accept"}}`,
			"@@@@@@@@@@@@",
		},
		"others": {
			update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K","state":{"state":"running"}}`),
			complete(in("kid", hello)), complete(in("kid", call(`,"title":"T"`))), complete(in("kid", idle("end_turn"))), complete(in("new", hello)),
			update(`{"sessionUpdate":"config_option_update","configOptions":[` + codeV2 + `,{"configId":"b","name":"B","type":"boolean","currentValue":true}]}`),
			update(`{"sessionUpdate":"available_commands_update","availableCommands":` + commandsV2 + `}`),
			update(`{"sessionUpdate":"notice","severity":"error","title":"T"}`),
			update(`{"sessionUpdate":"compaction_update","compactionId":"c","status":"failed","summary":[` + block("s") + `]}`),
			update(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("s") + `}`),
			update(`{"sessionUpdate":"usage_update","used":1,"size":2}`), update(`{"sessionUpdate":"current_mode_update","currentModeId":"x"}`),
			update(`{"sessionUpdate":"_x"}`), update(`{"sessionUpdate":"plan_removed","planId":"p"}`),
		},
	}
}
