package judge

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/translate/schema"
)

// What is said at the ends of a connection whose proxy joins two versions.
const (
	asks1    = `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`
	asks2    = `{"id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`
	answers1 = `{"id":0,"result":{"protocolVersion":1}}`
	answers2 = `{"id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}`
	plan1    = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`
	plan2    = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}`
	only1    = "version 2 has no session update plan: version 1 has it"
	only2    = "version 1 has no session update state_update: version 2 has it"
	prompt1  = `{"id":7,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"a"}]}}`
	bad1     = `{"id":7,"result":{}}`
	noStop   = "result.stopReason is missing"
)

// TestLegs has who says what to whom, and what is said of that.
func TestLegs(t *testing.T) {
	for name, lines := range map[string][]string{
		"no proxy": {
			"client>agent " + asks1, "agent>client " + answers1,
			"agent>client " + plan2 + " => " + only2,
			"client>agent " + prompt1, "agent>client " + bad1 + " => " + noStop, "agent>client " + bad1,
		},
		"nothing is known before the answer": {
			"agent>client " + plan2, "client>agent " + asks1, "agent>client " + plan2,
			"agent>client " + answers1, "agent>client " + plan2 + " => " + only2,
		},
		"no answer that was not asked for": {
			"agent>client " + answers1, "agent>client " + plan2,
		},
		"an error says no version": {
			"client>agent " + asks1, `agent>client {"id":0,"error":{"code":-32000,"message":"m","protocolVersion":1}}`, "agent>client " + plan2,
			`agent>client {"id":5,"error":{}} => error.code and message are missing`,
		},
		"the answer counts": {
			"client>agent " + asks2, "agent>client " + answers1, "agent>client " + plan2 + " => " + only2,
		},
		"a later answer counts": {
			"client>agent " + asks1, "agent>client " + answers1, "client>agent " + asks2, "agent>client " + answers2, "agent>client " + plan1 + " => " + only1,
		},
		"two versions": {
			"client>proxy " + asks1, "proxy>agent " + asks2, "agent>proxy " + answers2, "proxy>client " + answers1,
			"agent>proxy " + plan2, "proxy>client " + plan1,
			"agent>proxy " + plan1 + " => " + only1, "proxy>client " + plan2 + " => " + only2,
			// What is forwarded all the same is judged by what its sender speaks.
			"agent>client " + plan1 + " => " + only1, "client>agent " + `{"id":1,"method":"authenticate","params":{"methodId":"m"}}`,
			"client>proxy " + prompt1, `proxy>agent {"id":7,"method":"session/list","params":{}}`, "agent>client " + bad1 + " => result.sessions is missing",
			"client>proxy " + prompt1, `proxy>agent {"id":8,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}} => params.prompt is empty`,
			`agent>proxy {"id":8,"result":{}} => result.messageId is missing`, "proxy>client " + bad1 + " => " + noStop,
		},
		"what is forwarded is answered by the proxy": {
			"client>agent " + asks1, "agent>proxy " + answers1, "proxy>client " + answers1,
			"agent>client " + plan2 + " => " + only2, "agent>proxy " + plan2 + " => " + only2, "proxy>client " + plan2 + " => " + only2,
			"client>agent " + prompt1, "proxy>client " + bad1 + " => " + noStop,
			"client>agent " + prompt1, "agent>proxy " + bad1 + " => " + noStop,
		},
		"what is rewritten is answered by the agent": {
			"client>proxy " + asks1, "proxy>agent " + asks1, "agent>client " + answers1,
			"agent>client " + plan2 + " => " + only2, "agent>proxy " + plan2 + " => " + only2, "proxy>client " + plan2 + " => " + only2,
			"client>proxy " + prompt1, "proxy>agent " + prompt1, "agent>client " + bad1 + " => " + noStop, "proxy>client " + bad1, "agent>proxy " + bad1,
		},
		"the same id both ways": {
			"client>agent " + asks1, "agent>client " + answers1,
			"client>agent " + prompt1,
			`agent>client {"id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`,
			"agent>client " + bad1 + " => " + noStop, "client>agent " + bad1 + " => result.outcome is missing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var said, want []string
			for _, line := range lines {
				message, reason, _ := strings.Cut(line, " => ")
				said, want = append(said, message), append(want, reason)
			}
			if found := reasons(t, record(t, said...)); !slices.Equal(found, want) {
				for i := range found {
					if found[i] != want[i] {
						t.Errorf("%s\n%q, want %q", said[i], found[i], want[i])
					}
				}
			}
		})
	}
}

// TestMCP: MCP messages are not judged, nor what answers them, and their initialize says
// nothing of our versions.
func TestMCP(t *testing.T) {
	const asked = `"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}`
	recording := bytes.Join([][]byte{
		record(t, begun(1)...),
		[]byte(`{"type":"request","ts":1,"protocol":"mcp","from":"Agent","to":"Client",` + asked + "}\n"),
		[]byte(`{"type":"response","ts":1,"from":"Client","to":"Agent","id":1,"is_error":false,"payload":{"protocolVersion":2}}` + "\n"),
		[]byte(`{"type":"notification","ts":1,"protocol":"mcp","from":"Agent","to":"Client","method":"tools/list","params":null}` + "\n"),
		record(t, "agent>client "+plan2),
	}, nil)
	if found := reasons(t, recording); !slices.Equal(found, []string{"", "", "", "", "", only2}) {
		t.Errorf("%q", found)
	}
}

// TestDrafts: no draft is forgotten.
func TestDrafts(t *testing.T) {
	var names []string
	for _, of := range draftsOf() {
		names = append(names, of...)
	}
	slices.Sort(names)
	if all := slices.Sorted(slices.Values(schema.Names())); !slices.Equal(names, all) {
		t.Errorf("the drafts of versions are %v, there are %v", names, all)
	}
}

// TestEnormous: an enormous message is not judged, and one that is nearly so is.
func TestEnormous(t *testing.T) {
	plan := func(entries int, text string) string {
		return update(`{"sessionUpdate":"plan","title":"` + text + `","entries":[` + strings.Repeat(`{},`, entries-1) + `{}]}`)
	}
	for _, test := range []struct {
		message string
		judged  bool
	}{
		{plan(maxValues/2-100, ""), true},
		{plan(maxValues/2+1, ""), false},
		{plan(1, strings.Repeat("x", maxText-1000)), true},
		{plan(1, strings.Repeat("x", maxText)), false},
	} {
		found := reasons(t, record(t, append(begun(1), test.message)...))
		if (found[2] != "") != test.judged {
			t.Errorf("%d bytes: %q", len(test.message), found[2])
		}
		if len(found[2]) > 200 {
			t.Errorf("%d bytes of reason", len(found[2]))
		}
	}
}
