package shapes

import "testing"

func TestMCPServersToV1(t *testing.T) {
	for servers, want := range map[string]string{
		``: `[]`, `null`: `[]`, `[]`: `[]`,
		`[{"type":"stdio","name":"n","command":"/c","args":null,"_meta":null},{"type":"acp","name":"a","serverId":"i"}]`:        `[{"name":"n","command":"/c","_meta":null,"args":[],"env":[]},{"type":"acp","name":"a","serverId":"i"}]`,
		`[{"type":"stdio","name":"n","command":"/c","args":["x"],"env":[{"name":"A","value":"1"}]},{"type":"http","url":"u:"}]`: `[{"name":"n","command":"/c","args":["x"],"env":[{"name":"A","value":"1"}]},{"type":"http","url":"u:","headers":[]}]`,
	} {
		got, _, ok := MCPServersToV1([]byte(servers))
		if !ok || string(got) != want {
			t.Errorf("%s:\ngot  %s\nwant %s", servers, got, want)
		}
	}
	for _, servers := range []string{`[{"type":"sse"}]`, `[{}]`, `[1]`} {
		if got, _, ok := MCPServersToV1([]byte(servers)); ok {
			t.Errorf("%s: %s", servers, got)
		}
	}
}

func TestMCPServersToV2(t *testing.T) {
	for servers, want := range map[string]string{
		`null`: `[]`,
		`[]`:   `[]`,
		`[{"name":"a","command":"c","args":[],"env":[]}]`: `[{"name":"a","command":"c","args":[],"env":[],"type":"stdio"}]`,
		`[{"type":"sse","name":"\u0061"},{"name":"a"},{"name":"a-2"},{"name":"a"}]`: `[{"type":"sse","name":"\u0061"},{"name":"a-2","type":"stdio"},` +
			`{"name":"a-2-2","type":"stdio"},{"name":"a-3","type":"stdio"}]`,
		`[5]`: `[5]`,
	} {
		if got, ok := MCPServersToV2([]byte(servers)); !ok || string(got) != want {
			t.Errorf("%s became %s, want %s", servers, got, want)
		}
	}
	if _, ok := MCPServersToV2([]byte(`{}`)); ok {
		t.Error("takes an object")
	}
}
