// Gosdk is the counterpart of ../agent.mjs and ../client.mjs for the Go SDK,
// which knows the legacy dialect: gosdk agent, or gosdk client AGENTS SCENARIOS.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"
)

// limit is for one agent, so that a turn that does not end fails.
const limit = 30 * time.Second

func main() {
	var err error
	switch os.Args[1] {
	case "agent":
		err = runAgent()
	case "client":
		err = runClient([]byte(os.Args[2]), []byte(os.Args[3]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(1)
	}
}

// An agent implements what a prompt turn needs of [acp.Agent].
type agent struct {
	acp.Agent
	client   *acp.AgentSideConnection
	turns    map[string]turn
	sessions int
}

type turn struct {
	Updates []struct{ Entries []acp.PlanEntry }
}

func runAgent() error {
	logTo(os.Stderr)
	text, err := os.ReadFile("turns.json")
	if err != nil {
		return err
	}
	a := &agent{}
	if err := json.Unmarshal(text, &a.turns); err != nil {
		return err
	}
	a.client = acp.NewAgentSideConnection(a, os.Stdout, os.Stdin)
	<-a.client.Done()
	return nil
}

func (a *agent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (a *agent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	a.sessions++
	return acp.NewSessionResponse{SessionId: acp.SessionId(fmt.Sprint("session-", a.sessions))}, nil
}

func (a *agent) Prompt(ctx context.Context, params acp.PromptRequest) (acp.PromptResponse, error) {
	played := []string{}
	switch params.Prompt[0].Text.Text {
	case "negotiated":
		played = append(played, "plan")
	case "unknown entries":
		played = append(played, "plan with unknown entries")
	}
	for _, name := range played {
		for _, update := range a.turns[name].Updates {
			err := a.client.SessionUpdate(ctx, acp.SessionNotification{
				SessionId: params.SessionId,
				Update:    acp.UpdatePlan(update.Entries...),
			})
			if err != nil {
				return acp.PromptResponse{}, err
			}
		}
	}
	meta := map[string]any{"played": played}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn, Meta: meta}, nil
}

// An application is a client that shows plans.
type application struct {
	acp.Client
	shown map[acp.SessionId][]string
}

func (a *application) SessionUpdate(_ context.Context, params acp.SessionNotification) error {
	if params.Update.Plan == nil {
		// Agents send nothing but plans: the SDK took one for something else.
		return fmt.Errorf("not a plan: %+v", params.Update)
	}
	entries := []string{}
	for _, entry := range params.Update.Plan.Entries {
		entries = append(entries, entry.Content)
	}
	a.shown[params.SessionId] = entries
	return nil
}

// An outcome is what a conversation with an agent came to.
type outcome struct {
	Sessions []session `json:"sessions"`
	Failure  string    `json:"failure,omitempty"`
	Exit     any       `json:"exit"`
	Stderr   string    `json:"stderr"`
}

type session struct {
	Scenario   string         `json:"scenario"`
	Played     any            `json:"played"`
	StopReason acp.StopReason `json:"stopReason"`
	Shown      []string       `json:"shown"`
	Rejected   []string       `json:"rejected"`
}

func runClient(agentsJSON, scenariosJSON []byte) error {
	var agents [][]string
	if err := json.Unmarshal(agentsJSON, &agents); err != nil {
		return err
	}
	var scenarios []string
	if err := json.Unmarshal(scenariosJSON, &scenarios); err != nil {
		return err
	}
	for _, command := range agents {
		result, err := converse(command, scenarios)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
			return err
		}
	}
	return nil
}

func converse(command, scenarios []string) (*outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	rejected := &complaints{}
	logTo(rejected)
	app := &application{shown: map[acp.SessionId][]string{}}
	agent := acp.NewClientSideConnection(app, stdin, stdout)
	result := &outcome{}
	if err := result.play(ctx, agent, app, rejected, scenarios); err != nil {
		result.Failure = err.Error()
	}
	stdin.Close()
	<-agent.Done()
	cmd.Wait() // the status is reported
	result.Exit = cmd.ProcessState.ExitCode()
	result.Stderr = stderr.String()
	return result, nil
}

func (o *outcome) play(ctx context.Context, agent *acp.ClientSideConnection, app *application, rejected *complaints, scenarios []string) error {
	hello, err := agent.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err != nil {
		return err
	}
	if hello.ProtocolVersion != acp.ProtocolVersionNumber {
		return fmt.Errorf("the agent speaks version %d", hello.ProtocolVersion)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	for _, scenario := range scenarios {
		rejected.take()
		opened, err := agent.NewSession(ctx, acp.NewSessionRequest{Cwd: cwd, McpServers: []acp.McpServer{}})
		if err != nil {
			return err
		}
		response, err := agent.Prompt(ctx, acp.PromptRequest{
			SessionId: opened.SessionId,
			Prompt:    []acp.ContentBlock{acp.TextBlock(scenario)},
		})
		if err != nil {
			return err
		}
		o.Sessions = append(o.Sessions, session{
			Scenario:   scenario,
			Played:     response.Meta["played"],
			StopReason: response.StopReason,
			Shown:      app.shown[opened.SessionId],
			Rejected:   rejected.take(),
		})
	}
	return nil
}

// Complaints collects what the SDK logs, which is how it reports a message that
// it rejects.
type complaints struct {
	mu    sync.Mutex
	lines []string
}

func (c *complaints) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, strings.TrimSpace(string(line)))
	return len(line), nil
}

func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines
	c.lines = nil
	return lines
}

func logTo(w io.Writer) {
	slog.SetDefault(slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn})))
}
