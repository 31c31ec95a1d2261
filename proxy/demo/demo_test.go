package demo

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/translate/plans"
)

// TestMain lets the test program be an agent that ends at once, with status 3.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "end" {
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// TestAgentFails checks that the demo ends, and says why, if there is no agent.
func TestAgentFails(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		agent []string
		want  string
	}{
		{"it cannot be started", []string{"./no-such-agent", "demo"}, "start agent"},
		{"it is another program, which ends", []string{self, "end"}, "status 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Agent: tt.agent, Client: "legacy", Proxy: proxy.Options{
				Log:   slog.New(slog.DiscardHandler),
				Plans: plans.Options{SyntheticID: "main", Merge: plans.MergeAll, Markdown: plans.MarkdownEntries, Files: plans.FilesRead, Empty: plans.EmptyUpdate},
			}}
			ended := make(chan error, 2)
			go func() { ended <- Run(io.Discard, o) }()
			go func() { ended <- runBridged(&screen{w: io.Discard}, o) }()
			for range 2 {
				select {
				case err := <-ended:
					if err == nil || !strings.Contains(err.Error(), tt.want) {
						t.Errorf("the demo ended with %v, not with %q", err, tt.want)
					}
				case <-time.After(20 * time.Second):
					t.Fatal("the demo does not end")
				}
			}
		})
	}
}
