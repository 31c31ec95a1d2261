package judge

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/translate/versions/v1agent"
	"acp-plan-proxy/translate/versions/v1client"
)

// updateRules has, for each session update of both versions, the rules that hold for it, and its
// members.
//
//	history  v1agent drops it in a replay that the client has not requested
//	work     v1client counts it as work of the agent in a turn (onUpdate)
//	turn     lint reports it after the end of a turn
var updateRules = map[string]struct{ rules, members string }{
	"user_message_chunk":        {"history work", `"messageId":"m","content":{"type":"text","text":"x"}`},
	"user_message":              {"history work", `"messageId":"m","content":[{"type":"text","text":"x"}]`},
	"agent_message_chunk":       {"history work turn", `"messageId":"m","content":{"type":"text","text":"x"}`},
	"agent_message":             {"history work turn", `"messageId":"m","content":[{"type":"text","text":"x"}]`},
	"agent_thought_chunk":       {"history work turn", `"messageId":"m","content":{"type":"text","text":"x"}`},
	"agent_thought":             {"history work turn", `"messageId":"m","content":[{"type":"text","text":"x"}]`},
	"tool_call":                 {"history work turn", `"toolCallId":"t","title":"T"`},
	"tool_call_update":          {"history work turn", `"toolCallId":"t","title":"T"`},
	"tool_call_content_chunk":   {"history work turn", `"toolCallId":"t","content":{"type":"content","content":{"type":"text","text":"x"}}`},
	"plan":                      {"history work turn", `"entries":[]`},
	"plan_update":               {"history work turn", `"plan":{"type":"items","planId":"p","entries":[]}`},
	"plan_removed":              {"history work turn", `"planId":"p"`},
	"terminal_update":           {"history work", `"terminalId":"x","command":"ls"`},
	"terminal_output_chunk":     {"history work", `"terminalId":"x","data":"eA=="`},
	"compaction_update":         {"history work", `"compactionId":"c","status":"in_progress"`},
	"compaction_summary_chunk":  {"history work", `"compactionId":"c","content":{"type":"text","text":"x"}`},
	"subagent_update":           {"work", `"sessionId":"k","title":"K"`},
	"session_message":           {"history", `"messageId":"m","senderSessionId":"s","recipientSessionId":"k","content":[]`},
	"session_message_chunk":     {"history", `"messageId":"m","content":{"type":"text","text":"x"}`},
	"notice":                    {"", `"severity":"warning","title":"T"`},
	"state_update":              {"", `"state":"idle"`},
	"available_commands_update": {"", `"availableCommands":[]`},
	"current_mode_update":       {"", `"currentModeId":"ask"`},
	"config_option_update":      {"", `"configOptions":[]`},
	"session_info_update":       {"", `"title":"T"`},
	"usage_update":              {"", `"used":1,"size":2`},
	"prompt_suggestions_update": {"", `"suggestions":[]`},
	"cursor_update":             {"", `"cursorId":"c"`},
	"replay_complete":           {"", ""},
	"unknown_chunk":             {"history", `"content":{"type":"text","text":"x"}`},
	"unknown":                   {"", ""},
}

// TestUpdateRules pins the rules that depend on [translate.RoleOf], and the updates that onUpdate records.
// It fails for a new kind of a schema that updateRules lacks.
func TestUpdateRules(t *testing.T) {
	for _, d := range capabilities.Drafts() {
		if d.Schema == "" {
			continue
		}
		text, err := schema.Text(d.Schema)
		if err != nil {
			t.Fatal(err)
		}
		checkListed(t, d.Schema, text, 8)
	}
	newer, err := os.ReadFile("../../../translate/schema/newer.json")
	if err != nil {
		t.Fatal(err)
	}
	var documents []json.RawMessage
	if err := json.Unmarshal(newer, &documents); err != nil {
		t.Fatal(err)
	}
	for _, text := range documents {
		checkListed(t, "newer.json", text, 0)
	}
	for _, kind := range slices.Sorted(maps.Keys(updateRules)) {
		want, update := updateRules[kind].rules, bridgetest.UpdateOf(kind, updateRules[kind].members)
		var rules []string
		for _, rule := range []struct {
			name  string
			holds func(t *testing.T, update string) bool
		}{{"history", isHistory}, {"work", isWork}, {"turn", isReportedAfterTurn}} {
			if rule.holds(t, update) {
				rules = append(rules, rule.name)
			}
		}
		if got := strings.Join(rules, " "); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// checkListed checks that updateRules has the kinds of session updates of a schema, at least that many.
func checkListed(t *testing.T, name string, text []byte, least int) {
	t.Helper()
	type kind struct {
		Properties struct{ SessionUpdate struct{ Const string } }
	}
	var document struct {
		Definitions map[string]struct{ OneOf, AnyOf []kind } `json:"$defs"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	definition, found := document.Definitions["SessionUpdate"], 0
	for _, k := range append(definition.OneOf, definition.AnyOf...) {
		update := k.Properties.SessionUpdate.Const
		if update == "" {
			continue
		}
		found++
		if _, listed := updateRules[update]; !listed {
			t.Errorf("%s defines %s, which updateRules lacks", name, update)
		}
	}
	if found < least {
		t.Errorf("%s has %d session updates", name, found)
	}
}

// steps sends messages through a bridge, and returns the output and the losses of the last one.
func steps(t *testing.T, b versions.Bridge, all ...bridgetest.Step) (output, lost []string) {
	p := bridgetest.NewPeer(b, func() error { return nil })
	for _, s := range all {
		output, lost = p.Must(t, s)
	}
	return output, lost
}

// isHistory reports whether v1agent drops an update silently in a replay that the client has not
// requested, but not without a replay.
func isHistory(t *testing.T, update string) bool {
	resumed := func(agent shapes.V1Agent) int {
		b := v1agent.New(v1agent.Options{Agent: agent, Options: func([]byte) []byte { return nil }, NewID: func() string { return "new" }})
		output, lost := steps(t, b, bridgetest.Client(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`), bridgetest.Agent(update))
		return len(output) + len(lost)
	}
	return resumed(shapes.V1Agent{Load: true}) < resumed(shapes.V1Agent{Resume: true})
}

// isWork reports whether an idle without a stop reason ends the turn if the update precedes it. The
// answer is the same for clients with and without the optional updates, except for a subagent_update,
// which only some clients are shown as a tool call.
func isWork(t *testing.T, update string) bool {
	plain := endsTurn(t, shapes.V1Client{}, update)
	optional := shapes.V1Client{Notices: true, Compaction: true, Subagents: !strings.Contains(update, "subagent_update"), Suggestions: true}
	if endsTurn(t, optional, update) != plain {
		t.Errorf("%s is work for some clients only", update)
	}
	return plain
}

func endsTurn(t *testing.T, client shapes.V1Client, update string) bool {
	output, _ := steps(t, v1client.New(v1client.Options{Client: client}),
		bridgetest.Client(`1 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`),
		bridgetest.Agent(`1 = {"messageId":"u"}`),
		bridgetest.Agent(`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hi"}]}`),
		bridgetest.Agent(update), bridgetest.Agent(`{"sessionUpdate":"state_update","state":"idle"}`))
	return strings.Contains(fmt.Sprint(output), "stopReason")
}

// isReportedAfterTurn reports whether lint finds an update after the end of its turn.
func isReportedAfterTurn(t *testing.T, update string) bool {
	var recorded strings.Builder
	w := trace.New(&recorded, slog.New(slog.DiscardHandler))
	for _, s := range []bridgetest.Step{
		bridgetest.Client(`0 initialize {"protocolVersion":1,"clientCapabilities":{}}`),
		bridgetest.Agent(`0 = {"protocolVersion":1,"agentCapabilities":{}}`),
		bridgetest.Client(`1 session/new {"cwd":"/p","mcpServers":[]}`),
		bridgetest.Agent(`1 = {"sessionId":"s"}`),
		bridgetest.Client(`2 session/prompt {"sessionId":"s","prompt":[]}`),
		bridgetest.Agent(`2 = {"stopReason":"end_turn"}`),
		bridgetest.Agent(update),
	} {
		w.Message(component(s.From.String()), component(s.From.Other().String()), []byte(bridgetest.Full(s.Message)))
	}
	found, _ := lint(t, []byte(recorded.String()))
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == "after-turn" })
}
