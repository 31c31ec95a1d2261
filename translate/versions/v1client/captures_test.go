package v1client

import (
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
)

// TestCaptures replays sessions of published agents of version 2.
func TestCaptures(t *testing.T) {
	for _, client := range clients {
		bridgetest.Replay{
			Client:     1,
			Initialize: `{"protocolVersion":1,"clientCapabilities":{}}`,
			Convert:    sayInV1,
			Connect: func(result []byte) bridgetest.JoinedPeer {
				told, _ := shapes.InitializeResultToV1(result)
				return bridgetest.JoinedPeer{Result: told, Peer: newPeer(Options{Client: client, Agent: shapes.V2Agent{Stdio: true}}).Peer}
			},
		}.Files(t, func(name string) bool { return strings.HasSuffix(name, "-v2") })
	}
}

// sayInV1 converts messages of a client of version 2 to version 1.
func sayInV1(m map[string]any) {
	params, _ := m["params"].(map[string]any)
	switch m["method"] {
	case "session/resume":
		if params["replayFrom"] != nil {
			m["method"] = "session/load"
			delete(params, "replayFrom")
		}
	case "session/set_config_option":
		if params["type"] == "id" {
			delete(params, "type")
		}
	case "auth/login":
		m["method"] = "authenticate"
	case "auth/logout":
		m["method"] = "logout"
	}
	servers, _ := params["mcpServers"].([]any)
	for _, s := range servers {
		if server := s.(map[string]any); server["type"] == "stdio" {
			delete(server, "type")
		}
	}
}
