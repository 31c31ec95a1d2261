package v1client

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/shapes"
)

// check reports an inconsistency in the state of b.
func (b *Bridge) check() error {
	all := b.early.share.Used()
	for id, s := range b.sessions.All() {
		if s.id != id {
			return fmt.Errorf("session %q is kept as %q", s.id, id)
		}
		all += s.share.Used()
		end := s.turns.size() + 2<<10 // of a turn, which may have changed since it was counted
		if n, used := b.size(s), s.share.Used(); used < n || used > n+end {
			return fmt.Errorf("%d bytes are kept of session %q, but %d counted", n, id, used)
		}
		for _, c := range s.toolCalls.All() {
			if c.timer.IsSet() != slices.Contains(s.delayed, c) {
				return fmt.Errorf("the content of tool call %q is delayed: %t", c.id, c.timer.IsSet())
			}
		}
		if err := s.checkEchoes(); err != nil {
			return err
		}
		for _, x := range s.terminals.All() {
			if len(x.output.text) > 2*maxOutput {
				return fmt.Errorf("%d bytes of the terminal %q are kept", len(x.output.text), x.id)
			}
		}
	}
	if all != b.budget.Used() || all > keep.PerConnection {
		return fmt.Errorf("%d bytes are kept, but %d counted", all, b.budget.Used())
	}
	if used := b.early.share.Used(); b.early.pendingOpenings == 0 && used != keep.SessionCost {
		return fmt.Errorf("%d messages wait for nothing, and %d bytes are counted", len(b.early.messages), used)
	}
	return nil
}

// checkEchoes reports buffered updates of a session that wait for nothing.
func (s *session) checkEchoes() error {
	for _, o := range s.echoes.messages {
		if !slices.ContainsFunc(s.turns.pending, o.key.mayRepeat) {
			return fmt.Errorf("user message %q of session %q waits for nothing", o.key.id, s.id)
		}
	}
	return nil
}

// size returns the cost of a session, without the end of its last turn.
func (b *Bridge) size(s *session) int {
	n := keep.SessionCost + len(s.id) + len(s.cwd) + s.sum()
	for _, id := range s.switches {
		n += switchCost + len(id)
	}
	for _, p := range s.turns.pending {
		n += p.size()
	}
	for _, o := range s.echoes.messages {
		n += o.size()
	}
	for id := range s.echoIDs.All() {
		n += keep.EntryCost + len(id)
	}
	for key := range s.messages.All() {
		n += keep.EntryCost + messageCost + 2*len(key)
	}
	if a := s.subagent; a != nil {
		n += keep.EntryCost
		if a.entry != nil {
			n += keep.EntryCost + len(a.title) + len(a.text.text)
		}
	}
	return n
}

// clients are the clients of the fuzz target and the random tests.
var clients = []shapes.V1Client{{}, {TerminalOutput: true, Notices: true, Compaction: true, Booleans: true, Subagents: true}}

// FuzzBridge gives the bridge the lines of any text, see bridgetest.
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
		if err := newPeer(Options{Client: client}).Run(conversation); err != nil {
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
	update := func(u string) string { return full(in("s", u)) }
	return map[string][]string{
		"client": {
			`client> 1 session/new {"cwd":"/p","mcpServers":[{"name":"a","command":"/c","args":[],"env":[]}]}`,
			`client> 2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`,
			`client> "3" session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
			`client> null session/close {"sessionId":"s"}`,
			`client> session/cancel {"sessionId":"s"}`,
			`client> $/cancel_request {"requestId":2}`,
			`client> 4 session/set_mode {"sessionId":"s","modeId":"code"}`,
			`client> 5 session/set_config_option {"sessionId":"s","configId":"b","value":"on"}`,
			`client> 6 authenticate {"methodId":"m"}`,
			`client> 7 session/list`,
			`client> 8 session/prompt {"sessionId":"s","prompt":[]}`,
			`client> 1 = {"outcome":{"outcome":"selected","optionId":"y"}}`,
			`client> 2 ! {"code":-32800,"message":"x"}`,
			`client> 3 = {"action":"accept"}`,
		},
		"answers": {
			`agent> 1 = {"sessionId":"s","configOptions":[` + modeV2 + `],"availableCommands":` + commandsV2 + `}`,
			`agent> 2 = {"messageId":"m1"}`, `agent> 2 = {}`,
			`agent> 3 = null`,
			`agent> 2 ! {"code":-32800,"message":"x"}`,
			`{"jsonrpc":"2.0","id":4}`, `agent> 5 = {"configOptions":[` + codeV2 + `]}`,
			`agent> 6 = {},"method":5`,
		},
		"states": {update(state("running")), update(idle("end_turn")), update(idle("cancelled")), update(state("idle")), update(idle("error")),
			update(state("x"))},
		"messages": {
			update(echo("m1")), update(chunk("user_message", "m1", "hi")), update(chunk("user_message", "other", "hi")),
			update(hello), update(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello you") + `,{"type":"_x"}],"_meta":{}}`),
			update(`{"sessionUpdate":"agent_thought","messageId":"m2","content":null}`),
		},
		"tools": {
			update(call(`,"title":"T","status":"cancelled","content":[{"type":"diff","changes":[{"operation":"move","oldPath":"/a","path":"/b"}],` +
				`"patch":{"format":"git_patch","text":"diff --git /a /b\n--- /a\n+++ /b\n@@ -1 +1 @@\n-x\n+y\n"}},{"type":"terminal","terminalId":"x"}]`)),
			update(contentChunk(textItem("a"))), update(contentChunk(`{"type":"terminal","terminalId":"x"}`)),
			update(`{"sessionUpdate":"terminal_update","terminalId":"x","command":"ls","output":{"data":"aGk="},"exitStatus":null}`),
			update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"w6Q="}`),
			update(`{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":0}}`),
			"wait 180ms", "wait 1.08s", "wait 2s",
		},
		"requests": {
			`agent> 0 session/request_permission {"sessionId":"s","title":"Go?","description":"d","subject":{"type":"tool_call","toolCall":{"toolCallId":"t",` +
				`"content":[]}},"options":` + yesNo + `}`,
			`agent> 0 session/request_permission {"sessionId":"kid","title":"Go?","subject":{"type":"command","command":"c"},"options":` + yesNo + `}`,
			`agent> "n" session/request_permission {"sessionId":"new","title":"Go?","options":` + yesNo + `}`,
			`agent> "e" elicitation/create {"requestId":1,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}`,
			`agent> $/cancel_request {"requestId":0}`,
			`agent> 9 _x`,
		},
		"asked before": {
			`asked> "p" session/request_permission {"sessionId":"s","title":"Go?","options":` + yesNo + `}`,
			`asked> "e" elicitation/create {"mode":"url","message":"m","url":"https://x","elicitationId":"i"}`,
			`agent> $/cancel_request {"requestId":"p"}`,
			`client> "e" = {"action":"accept"}`,
			"wait 1.08s",
		},
		"others": {
			update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K","state":{"state":"running"}}`),
			full(in("kid", hello)), full(in("kid", call(`,"title":"T"`))), full(in("kid", idle("end_turn"))), full(in("new", hello)),
			update(`{"sessionUpdate":"config_option_update","configOptions":[` + codeV2 + `,{"configId":"b","name":"B",` +
				`"type":"boolean","currentValue":true}]}`),
			update(`{"sessionUpdate":"available_commands_update","availableCommands":` + commandsV2 + `}`),
			update(`{"sessionUpdate":"notice","severity":"error","title":"T"}`),
			update(`{"sessionUpdate":"compaction_update","compactionId":"c","status":"failed","summary":[` + block("s") + `]}`),
			update(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("s") + `}`),
			update(`{"sessionUpdate":"usage_update","used":1,"size":2}`), update(`{"sessionUpdate":"current_mode_update","currentModeId":"x"}`),
			update(`{"sessionUpdate":"_x"}`), update(`{"sessionUpdate":"plan_removed","planId":"p"}`),
		},
	}
}
