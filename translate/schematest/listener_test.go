package schematest

import (
	"testing"

	"acp-plan-proxy/translate"
)

// TestListener checks that a Listener accepts valid lines, and reports similar lines of the other
// version or with a missing member.
func TestListener(t *testing.T) {
	update := func(update string) string {
		return `{"method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
	}
	for _, test := range []struct {
		schema    string
		side      translate.Side
		good, bad string
	}{
		{"v1", translate.Client, update(`{"sessionUpdate":"current_mode_update","currentModeId":"a"}`), update(`{"sessionUpdate":"state_update","state":"idle"}`)},
		{"v1", translate.Client, update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`), update(`{"sessionUpdate":"tool_call","toolCallId":"t"}`)},
		{"v1", translate.Client, update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}`),
			update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"a","description":"b"}]}`)},
		{"v1", translate.Agent, `{"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"c","value":"v"}}`,
			`{"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"c","type":"id","value":"v"}}`},
		{"v2", translate.Client, update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T"}`), update(`{"sessionUpdate":"tool_call",` +
			`"toolCallId":"t","title":"T"}`)},
		{"v2", translate.Client, update(`{"sessionUpdate":"config_option_update","configOptions":[]}`), update(`{"sessionUpdate":"current_mode_update","currentModeId":"a"}`)},
		{"v2", translate.Client, update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"a","description":"b"}]}`),
			update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}`)},
		{"v2", translate.Client, `{"id":"new","result":{"sessionId":"s"}}`, `{"id":"new","result":{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[]}}}`},
		{"v2", translate.Client, `{"id":"new","error":{"code":1,"message":"m"}}`, `{"id":"old","error":{"code":1,"message":"m"}}`},
	} {
		l := NewListener(t, test.schema, test.side)
		for _, line := range []string{test.good, test.bad} {
			l.RecordSent(`{"id":"new","method":"session/new","params":{}}`)
			if err := l.Check(line); (err == nil) != (line == test.good) {
				t.Errorf("%s: %s: %v", test.schema, line, err)
			}
		}
	}
}
