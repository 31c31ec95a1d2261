package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"
)

// limit is the time for all scenarios of an agent.
const limit = time.Minute

// An application is a client that shows plans, or a transcript if there are none.
type application struct {
	acp.Client
	agent *acp.ClientSideConnection

	mu       sync.Mutex
	sessions map[acp.SessionId]*shown
}

// shown is the screen of the application for one session.
type shown struct {
	plan       []string
	transcript []*item
	modes      []string
}

// An item of a transcript is a message, or a tool call if call is not nil.
type item struct {
	kind, text string
	call       *acp.ToolCallUpdate
}

func (a *application) session(id acp.SessionId) *shown {
	if a.sessions[id] == nil {
		a.sessions[id] = &shown{}
	}
	return a.sessions[id]
}

func (a *application) SessionUpdate(ctx context.Context, params acp.SessionNotification) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.session(params.SessionId)
	switch u := params.Update; {
	case u.Plan != nil:
		s.plan = nil
		for _, entry := range u.Plan.Entries {
			s.plan = append(s.plan, entry.Content)
		}
	case u.UserMessageChunk != nil:
		s.say("user", u.UserMessageChunk.Content)
	case u.AgentThoughtChunk != nil:
		s.say("thought", u.AgentThoughtChunk.Content)
	case u.AgentMessageChunk != nil:
		s.say("agent", u.AgentMessageChunk.Content)
		if u.AgentMessageChunk.Content.Text.Text == "Working" {
			return a.agent.Cancel(ctx, acp.CancelNotification{SessionId: params.SessionId})
		}
	case u.ToolCall != nil:
		s.toolCall(acp.ToolCallUpdate{
			ToolCallId: u.ToolCall.ToolCallId, Title: &u.ToolCall.Title, Kind: &u.ToolCall.Kind,
			Status: &u.ToolCall.Status, Content: u.ToolCall.Content,
		})
	case u.ToolCallUpdate != nil:
		s.toolCall(acp.ToolCallUpdate{
			ToolCallId: u.ToolCallUpdate.ToolCallId, Title: u.ToolCallUpdate.Title, Kind: u.ToolCallUpdate.Kind,
			Status: u.ToolCallUpdate.Status, Content: u.ToolCallUpdate.Content,
		})
	case u.CurrentModeUpdate != nil:
		s.mode(u.CurrentModeUpdate.CurrentModeId)
	case u.ConfigOptionUpdate != nil: // the same as CurrentModeUpdate
	default:
		return fmt.Errorf("unexpected kind of update: %+v", u)
	}
	return nil
}

func (a *application) RequestPermission(_ context.Context, params acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.session(params.SessionId)
	s.toolCall(params.ToolCall)
	s.transcript = append(s.transcript, &item{kind: "asked", text: *params.ToolCall.Title})
	for _, option := range params.Options {
		if option.Kind == acp.PermissionOptionKindAllowOnce {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(option.OptionId)}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func (s *shown) say(kind string, content acp.ContentBlock) {
	if n := len(s.transcript); n > 0 && s.transcript[n-1].kind == kind {
		s.transcript[n-1].text += content.Text.Text
		return
	}
	s.transcript = append(s.transcript, &item{kind: kind, text: content.Text.Text})
}

func (s *shown) toolCall(update acp.ToolCallUpdate) {
	for _, i := range s.transcript {
		if i.call != nil && i.call.ToolCallId == update.ToolCallId {
			merge(i.call, update)
			return
		}
	}
	s.transcript = append(s.transcript, &item{call: &update})
}

func merge(call *acp.ToolCallUpdate, update acp.ToolCallUpdate) {
	call.Title = cmp.Or(update.Title, call.Title)
	call.Kind = cmp.Or(update.Kind, call.Kind)
	call.Status = cmp.Or(update.Status, call.Status)
	if update.Content != nil {
		call.Content = update.Content
	}
}

func (s *shown) mode(id acp.SessionModeId) {
	if n := len(s.modes); n == 0 || s.modes[n-1] != string(id) {
		s.modes = append(s.modes, string(id))
	}
}

func (s *shown) lines(scenario string) []string {
	if len(s.plan) > 0 {
		return s.plan
	}
	lines := []string{}
	for _, i := range s.transcript {
		if i.call != nil {
			lines = append(lines, shownCall(i.call))
		} else {
			lines = append(lines, i.kind+": "+i.text)
		}
	}
	if scenario == "mode" {
		lines = append(lines, "modes: "+strings.Join(s.modes, " "))
	}
	return lines
}

func shownCall(call *acp.ToolCallUpdate) string {
	parts := []string{"tool: " + *call.Title, string(*call.Kind), string(*call.Status)}
	for _, c := range call.Content {
		switch {
		case c.Content != nil:
			parts = append(parts, c.Content.Content.Text.Text)
		case c.Diff != nil:
			before, after := strings.Split(*c.Diff.OldText, "\n"), strings.Split(c.Diff.NewText, "\n")
			parts = append(parts, fmt.Sprintf("%s: -%s +%s", c.Diff.Path, without(before, after), without(after, before)))
		}
	}
	return strings.Join(parts, ", ")
}

func without(lines, others []string) string {
	var left []string
	for _, line := range lines {
		if line != "" && !slices.Contains(others, line) {
			left = append(left, line)
		}
	}
	return strings.Join(left, ",")
}

// An outcome is the result of a conversation with an agent.
type outcome struct {
	Sessions []session `json:"sessions"`
	Lines    []string  `json:"lines"`
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
	result := &outcome{}
	r := &record{note: func(line string) { result.Lines = append(result.Lines, line) }}
	app := &application{sessions: map[acp.SessionId]*shown{}}
	app.agent = acp.NewClientSideConnection(app, r.output(stdin), r.input(stdout))
	if err := result.play(ctx, app, rejected, scenarios); err != nil {
		result.Failure = err.Error()
	}
	stdin.Close()
	<-app.agent.Done()
	cmd.Wait() // Exit reports the status
	result.Exit = cmd.ProcessState.ExitCode()
	result.Stderr = stderr.String()
	return result, nil
}

func (o *outcome) play(ctx context.Context, app *application, rejected *complaints, scenarios []string) error {
	hello, err := app.agent.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
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
		var s session
		switch {
		case scenario == "load":
			s, err = app.load(ctx, cwd)
		case scenario == "list":
			s, err = app.list(ctx, hello)
		default:
			s, err = app.converse(ctx, scenario, cwd)
		}
		if err != nil {
			return err
		}
		s.Scenario, s.Rejected = scenario, rejected.take()
		o.Sessions = append(o.Sessions, s)
	}
	return nil
}

// converse sends a scenario as a prompt in a new session.
func (a *application) converse(ctx context.Context, scenario, cwd string) (session, error) {
	opened, err := a.agent.NewSession(ctx, acp.NewSessionRequest{Cwd: cwd, McpServers: []acp.McpServer{}})
	if err != nil {
		return session{}, err
	}
	id := opened.SessionId
	if scenario == "mode" {
		a.noteMode(id, opened.Modes.CurrentModeId)
		if _, err := a.agent.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: id, ModeId: "plan"}); err != nil {
			return session{}, err
		}
		a.noteMode(id, "plan")
	}
	prompt := acp.TextBlock(scenario)
	a.mu.Lock()
	a.session(id).say("user", prompt)
	a.mu.Unlock()
	response, err := a.agent.Prompt(ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{prompt}})
	if err != nil {
		return session{}, err
	}
	return session{Played: response.Meta["played"], StopReason: response.StopReason, Shown: a.shown(id, scenario)}, nil
}

func (a *application) load(ctx context.Context, cwd string) (session, error) {
	_, err := a.agent.LoadSession(ctx, acp.LoadSessionRequest{SessionId: "old", Cwd: cwd, McpServers: []acp.McpServer{}})
	return session{Played: []string{"load"}, StopReason: acp.StopReasonEndTurn, Shown: a.shown("old", "load")}, err
}

func (a *application) list(ctx context.Context, hello acp.InitializeResponse) (session, error) {
	if hello.AgentCapabilities.SessionCapabilities.List == nil {
		return session{Played: []string{}}, nil
	}
	listed, err := a.agent.ListSessions(ctx, acp.ListSessionsRequest{})
	s := session{Played: []string{"list"}, StopReason: acp.StopReasonEndTurn}
	for _, info := range listed.Sessions {
		s.Shown = append(s.Shown, *info.Title)
	}
	return s, err
}

func (a *application) noteMode(id acp.SessionId, mode acp.SessionModeId) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session(id).mode(mode)
}

func (a *application) shown(id acp.SessionId, scenario string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session(id).lines(scenario)
}

// complaints collects the log of the SDK, which reports rejected messages.
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
