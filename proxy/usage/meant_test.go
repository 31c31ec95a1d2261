package usage

import (
	"strings"
	"testing"
)

func TestMeant(t *testing.T) {
	tests := []struct{ before, agent, want string }{
		{"", "help", "some-proxy --help"},
		{"", "help translate", "some-proxy translate --help"},
		{"--merge=latest", "translate F", "some-proxy translate --merge=latest F"},
		{"--merge latest", "view", "some-proxy view --merge latest"},
		{"--log=$X", "demo", `some-proxy demo '--log=$X'`},
		{"", "version", "some-proxy --version"},
		{"", "completion bash", "some-proxy --completion bash"},
		{"", "merge", ""},
		{"", "shows", ""},
		{"", "agent --help", ""},
		{"", "./translate", ""},
	}
	for _, tt := range tests {
		if got := sample().Meant(strings.Fields(tt.before), strings.Fields(tt.agent)); got != tt.want {
			t.Errorf("%s %s: meant %q, want %q", tt.before, tt.agent, got, tt.want)
		}
	}
}
