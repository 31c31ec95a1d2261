package demo

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// With one of these as the path, [Agent] speaks only that version of the
// protocol.
const (
	Version1 = "version-1"
	Version2 = "version-2"
)

// The turns of these agents. The empty line is where they wait for the answer to
// their permission request, promptID is where the id of the prompt will be.
const (
	turn1 = `{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"tool_call","toolCallId":"edit","title":"Edit cache.go","kind":"edit","status":"pending","content":[{"type":"diff","path":"/src/cache.go","oldText":"size := 10","newText":"size := 1000"}]}}}
{"id":"may-i","method":"session/request_permission","params":{"sessionId":"demo","toolCall":{"toolCallId":"edit","title":"Edit cache.go"},"options":[{"optionId":"y","name":"Allow","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}]}}

{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"completed"}}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The cache holds more now."}}}}
{"id":` + promptID + `,"result":{"stopReason":"end_turn"}}
`
	turn2 = `{"id":` + promptID + `,"result":{"messageId":"p"}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"state_update","state":"running"}}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"tool_call_update","toolCallId":"edit","title":"Edit cache.go","kind":"edit","status":"pending","content":[{"type":"diff","changes":[{"operation":"modify","path":"/src/cache.go"}],"patch":{"format":"git_patch","text":"diff --git /src/cache.go /src/cache.go\n--- /src/cache.go\n+++ /src/cache.go\n@@ -1 +1 @@\n-size := 10\n+size := 1000\n"}}]}}}
{"id":"may-i","method":"session/request_permission","params":{"sessionId":"demo","title":"Edit cache.go","subject":{"type":"tool_call","toolCall":{"toolCallId":"edit"}},"options":[{"optionId":"y","name":"Allow","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}]}}

{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"completed"}}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"The cache holds more now."}]}}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
`
	promptID = "PROMPT"
)

// version1Agent and version2Agent play these agents.
func version1Agent(in io.Reader, out io.Writer) error {
	return singleVersionAgent(in, out, turn1, func(int) (result, failure string) {
		return `{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"old-agent","version":"1.0.0"}}`, ""
	})
}

func version2Agent(in io.Reader, out io.Writer) error {
	return singleVersionAgent(in, out, turn2, func(version int) (result, failure string) {
		if version != 2 {
			return "", `{"code":-32602,"message":"unsupported protocol version","data":{"supported":[2]}}`
		}
		return `{"protocolVersion":2,"capabilities":{},"info":{"name":"new-agent","version":"2.0.0"}}`, ""
	})
}

// singleVersionAgent plays a turn. initialize returns the answer to an initialize
// for a version.
func singleVersionAgent(in io.Reader, out io.Writer, turn string, initialize func(version int) (result, failure string)) error {
	parts := strings.Split(turn, "\n\n")
	say := func(prompt json.RawMessage) (text string) {
		if len(parts) == 0 {
			return ""
		}
		for line := range strings.Lines(parts[0]) {
			text += `{"jsonrpc":"2.0",` + strings.Replace(strings.TrimSpace(line)[1:], promptID, string(prompt), 1) + "\n"
		}
		parts = parts[1:]
		return text
	}
	var prompt json.RawMessage
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion int }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		text, result, failure := "", "", ""
		switch m.Method {
		case "":
			text = say(prompt)
		case "session/prompt":
			prompt = m.ID
			text = say(prompt)
		case "initialize":
			result, failure = initialize(m.Params.ProtocolVersion)
		case "session/new":
			result = `{"sessionId":"demo"}`
		default:
			failure = `{"code":-32601,"message":"method not found"}`
		}
		switch {
		case result != "":
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		case failure != "":
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`+"\n", m.ID, failure)
		}
		if _, err := io.WriteString(out, text); err != nil {
			return fmt.Errorf("demo agent: %w", err)
		}
	}
	return nil
}
