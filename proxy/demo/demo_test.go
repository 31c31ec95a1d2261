package demo

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/translate/plans"
)

// TestMain lets the test program be an agent: one that ends at once, with status 3, one
// that says all of its script at once, or that of the demo.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "end":
		os.Exit(3)
	case len(os.Args) > 2 && os.Args[1] == "hurry" && os.Args[2] == Version2:
		Agent(os.Stdin, os.Stdout, Version2)
		os.Exit(0)
	case len(os.Args) > 2 && os.Args[1] == "play":
		Agent(os.Stdin, os.Stdout, os.Args[2])
		os.Exit(0)
	case len(os.Args) > 1 && os.Args[1] == "hurry":
		hurriedAgent()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func hurriedAgent() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			return
		}
		all := ""
		if m.Method == "session/prompt" {
			for _, l := range conversations[Plans].steps() {
				all += `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"demo","update":` + strings.ReplaceAll(l.text, planURI, "file:///plan.md") + "}}\n"
			}
		}
		os.Stdout.WriteString(all + `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"protocolVersion":1,"sessionId":"demo","stopReason":"end_turn"}}` + "\n")
	}
}

func options(agent ...string) Options {
	return Options{Agent: agent, Client: "legacy", Width: 80, Proxy: proxy.Options{
		Log:   slog.New(slog.DiscardHandler),
		Plans: plans.Options{SyntheticID: "main", Merge: plans.MergeAll, Markdown: plans.MarkdownEntries, Files: plans.FilesRead, Empty: plans.EmptyUpdate},
	}}
}

// TestHurry has messages of the agent come together.
func TestHurry(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := options(self, "hurry")
	o.Verbose = true
	var out strings.Builder
	if err := Run(&out, o); err != nil || strings.Count(out.String(), "editor shows") != len(conversations[Plans].steps()) {
		t.Errorf("%v, printed\n%s", err, &out)
	}
}

// TestAgentFails checks that the demo ends, and says why, if the agent cannot start.
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
			o := options(tt.agent...)
			ended := make(chan error, 2)
			go func() { ended <- Run(io.Discard, o) }()
			go func() { ended <- o.play(Version2, clients[o.Client], func(proxy.Event) {}) }()
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
