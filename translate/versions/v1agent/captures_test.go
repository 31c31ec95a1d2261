package v1agent

import (
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
)

type object = map[string]any

// TestCaptures replays sessions of published agents of version 1.
func TestCaptures(t *testing.T) {
	bridgetest.Replay{
		Client:     2,
		Initialize: `{"protocolVersion":2,"info":{"name":"rig-drive","version":"0.0.1"},"capabilities":{}}`,
		Convert:    sayInV2,
		Connect: func(result []byte) bridgetest.JoinedPeer {
			told, agent := shapes.InitializeResultToV2(result, "agent")
			return bridgetest.JoinedPeer{Result: told, Peer: newPeer(agent).Peer}
		},
	}.Files(t, func(name string) bool { return !strings.Contains(name, "-v2") })
}

// sayInV2 converts messages of a client of version 1 to version 2.
func sayInV2(m object) {
	params, _ := m["params"].(object)
	switch m["method"] {
	case "authenticate":
		m["method"] = "auth/login"
	case "logout":
		m["method"] = "auth/logout"
	case "session/load":
		m["method"] = "session/resume"
		params["replayFrom"] = object{"type": "start"}
	case "session/set_mode":
		m["method"] = "session/set_config_option"
		m["params"] = object{"sessionId": params["sessionId"], "configId": "mode", "type": "id", "value": params["modeId"]}
	case "session/set_config_option":
		if _, ok := params["value"].(string); ok {
			params["type"] = "id"
		}
	}
	servers, _ := params["mcpServers"].([]any)
	for _, s := range servers {
		if s := s.(object); s["type"] == nil {
			s["type"] = "stdio"
		}
	}
}
