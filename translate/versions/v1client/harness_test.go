package v1client

import (
	"encoding/json"
	"testing"

	"acp-plan-proxy/translate/selectors"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
)

// Steps of conversations, see package bridgetest.
type step = bridgetest.Step

var (
	client, agent, wait = bridgetest.Client, bridgetest.Agent, bridgetest.Wait
	toC                 = bridgetest.ToClient
	full, in            = bridgetest.Full, bridgetest.UpdateIn
)

// chunk is a message chunk, block is a content block.
func chunk(kind, id, text string) string {
	return `{"sessionUpdate":"` + kind + `_chunk","messageId":"` + id + `","content":` + block(text) + `}`
}

func block(text string) string { return `{"type":"text","text":"` + text + `"}` }

func state(s string) string { return `{"sessionUpdate":"state_update","state":"` + s + `"}` }

func idle(reason string) string {
	return `{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}`
}

// hello is a chunk, echo the echo of a prompt.
var hello = chunk("agent_message", "m2", "Hello")

func echo(message string) string {
	return `{"sessionUpdate":"user_message","messageId":"` + message + `","content":[` + block("hi") + `]}`
}

func textItem(text string) string { return `{"type":"content","content":` + block(text) + `}` }

// call is a tool_call_update of the tool call t with these members.
func call(members string) string {
	return `{"sessionUpdate":"tool_call_update","toolCallId":"t"` + members + `}`
}

func contentChunk(item string) string {
	return `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + item + `}`
}

const (
	yesNo  = `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	modeV2 = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},` +
		`{"value":"code","name":"Code","description":"d"}]}`
	codeV2     = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"code","name":"Code"}]}`
	commandsV2 = `[{"type":"command","name":"plan","description":"Plan","input":{"type":"text","hint":"what"}}]`
)

// talks plays the conversations that have the name of the test, with an agent that starts MCP
// servers unless their options differ.
func talks(t *testing.T) {
	t.Helper()
	bridgetest.Talks(t, 1, func(options string) *bridgetest.Peer {
		o := Options{Agent: shapes.V2Agent{Stdio: true}}
		if options != "" {
			if err := json.Unmarshal([]byte(options), &o); err != nil {
				t.Fatal(err)
			}
		}
		return newPeer(o).Peer
	})
}

func TestMessages(t *testing.T)           { talks(t) }
func TestUpdates(t *testing.T)            { talks(t) }
func TestPermissions(t *testing.T)        { talks(t) }
func TestElicitations(t *testing.T)       { talks(t) }
func TestNotices(t *testing.T)            { talks(t) }
func TestSubagents(t *testing.T)          { talks(t) }
func TestPrompts(t *testing.T)            { talks(t) }
func TestCancelledPrompts(t *testing.T)   { talks(t) }
func TestPromptsOfOddAgents(t *testing.T) { talks(t) }
func TestSessions(t *testing.T)           { talks(t) }
func TestSessionsAgain(t *testing.T)      { talks(t) }
func TestResults(t *testing.T)            { talks(t) }
func TestOptions(t *testing.T)            { talks(t) }
func TestModes(t *testing.T)              { talks(t) }
func TestToolCalls(t *testing.T)          { talks(t) }
func TestDiffs(t *testing.T)              { talks(t) }
func TestTerminals(t *testing.T)          { talks(t) }
func TestDelayedContent(t *testing.T)     { talks(t) }

// A peer hands messages to a Bridge.
type peer struct {
	*bridgetest.Peer
	bridge *Bridge
}

func newPeer(o Options) *peer {
	b := New(o)
	return &peer{bridgetest.NewPeer(bridgetest.WithSelectors(b, new(selectors.Stage), 1), func() error {
		if b.link.Ended {
			return nil // buffers are no longer needed
		}
		return b.check()
	}), b}
}
