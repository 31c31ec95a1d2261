package judge

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"acp-plan-proxy/proxy/recording/redact"
)

// TestRedacted: what is allowed is allowed without what is private in it, too.
func TestRedacted(t *testing.T) {
	update := func(s string) string {
		return `agent {"method":"session/update","params":{"sessionId":"s","update":` + s + `}}`
	}
	answered := func(method, params, result string) []string {
		return []string{
			fmt.Sprintf(`client {"id":1,"method":"%s","params":%s}`, method, params),
			fmt.Sprintf(`agent {"id":1,"result":%s}`, result),
		}
	}
	link := func(uri string) string {
		return update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"resource_link","name":"n","uri":"` + uri + `"}}`)
	}
	const initialize = `{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}`
	for name, lines := range map[string][]string{
		"a file":                  {link("file:///home/bob")},
		"another scheme":          {link("zed:///agent/thread/1")},
		"a URI without slashes":   {link("urn:isbn:1")},
		"a file on Windows":       {link("file:///C:/Users/bob%20b")},
		"an image":                {update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"image","mimeType":"image/png","data":"QUJDRA=="}}`)},
		"output of a terminal":    {update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"QUJDRA=="}`)},
		"a time":                  {update(`{"sessionUpdate":"session_info_update","updatedAt":"2026-01-31t12:00:00z"}`)},
		"the ways to sign in":     answered("initialize", initialize+`}`, initialize+`,"authMethods":[{"type":"terminal","methodId":"m","name":"n","env":[{"name":"K","value":"v"}]}]}`),
		"a proxy":                 {`client>Proxy(0) {"id":1,"method":"proxy/initialize","params":` + initialize + `}}`, `Proxy(0)>client {"id":1,"result":` + initialize + `}}`},
		"the status of a session": answered("session/status", `{"sessionId":"s"}`, `{"status":"active","state":{"state":"idle"}}`),
		"the status of a sign-in": {`agent {"method":"auth/status_update","params":{"state":"authenticated"}}`},
	} {
		expectAllowed(t, name, record(t, append(begun(2), lines...)...))
	}
	// Of earlier drafts.
	for name, lines := range map[string][]string{
		"a provider": answered("providers/set", `{"id":"p","apiType":"openai","baseUrl":"https://h"}`, `{}`),
		"MCP":        {`agent {"id":1,"method":"mcp/connect","params":{"acpId":"a"}}`, `client {"id":1,"result":{"connectionId":"c"}}`},
	} {
		expectAllowed(t, name, record(t, append(begun(1), lines...)...))
	}
}

// expectAllowed expects that nothing is wrong with a recording, redacted or not.
func expectAllowed(t *testing.T, name string, recording []byte) {
	t.Helper()
	before, after := reasons(t, recording), reasons(t, redacted(recording))
	for i := range before {
		if before[i] != "" || after[i] != "" {
			t.Errorf("%s: message %d: %q, redacted: %q", name, i, before[i], after[i])
		}
	}
}

// TestRedactedCaptures: the mistakes of real agents are in the same messages when what is
// private has been hidden, and only there.
func TestRedactedCaptures(t *testing.T) {
	for _, file := range captures(t) {
		recording := captured(t, file)
		before, after := reasons(t, recording), reasons(t, redacted(recording))
		for i := range before {
			if (before[i] == "") != (after[i] == "") {
				t.Errorf("%s: message %d: %q, redacted: %q", filepath.Base(file), i, before[i], after[i])
			}
		}
	}
}

func redacted(recording []byte) (out []byte) {
	r := redact.New()
	for line := range bytes.Lines(recording) {
		out = r.Event(out, line)
	}
	return out
}
