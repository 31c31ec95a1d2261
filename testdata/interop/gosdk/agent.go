package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/coder/acp-go-sdk"
)

// An agent implements the methods of [acp.Agent] that the scenarios use.
type agent struct {
	acp.Agent
	client *acp.AgentSideConnection
	turns  map[string]turn

	mu       sync.Mutex
	sessions map[acp.SessionId]*agentSession
}

type agentSession struct {
	mode      acp.SessionModeId
	cancelled chan struct{}
}

type turn struct {
	Updates []struct{ Entries []acp.PlanEntry }
}

func runAgent(args []string) error {
	logTo(os.Stderr)
	text, err := os.ReadFile("turns.json")
	if err != nil {
		return err
	}
	a := &agent{sessions: make(map[acp.SessionId]*agentSession)}
	if err := json.Unmarshal(text, &a.turns); err != nil {
		return err
	}
	out, in := io.Writer(os.Stdout), io.Reader(os.Stdin)
	if len(args) > 0 {
		file, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer file.Close()
		r := &record{note: func(line string) { fmt.Fprintln(file, line) }}
		out, in = r.output(out), r.input(in)
	}
	a.client = acp.NewAgentSideConnection(a, out, in)
	<-a.client.Done()
	return nil
}

// open opens a session, with a new id if id is empty.
func (a *agent) open(id acp.SessionId) acp.SessionId {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id == "" {
		id = acp.SessionId(fmt.Sprint("session-", len(a.sessions)+1))
	}
	a.sessions[id] = &agentSession{mode: "ask", cancelled: make(chan struct{})}
	return id
}

func (a *agent) session(id acp.SessionId) *agentSession {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

func (a *agent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:         true,
			SessionCapabilities: acp.SessionCapabilities{List: &acp.SessionListCapabilities{}},
		},
	}, nil
}

func (a *agent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: a.open(""), Modes: modes("ask")}, nil
}

func (a *agent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return acp.ListSessionsResponse{}, err
	}
	old := acp.SessionInfo{SessionId: "old", Cwd: cwd, Title: acp.Ptr("Yesterday")}
	return acp.ListSessionsResponse{Sessions: []acp.SessionInfo{old}}, nil
}

func (a *agent) SetSessionMode(_ context.Context, params acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	a.session(params.SessionId).mode = params.ModeId
	return acp.SetSessionModeResponse{}, nil
}

func (a *agent) Cancel(_ context.Context, params acp.CancelNotification) error {
	close(a.session(params.SessionId).cancelled)
	return nil
}

func (a *agent) LoadSession(ctx context.Context, params acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	a.open(params.SessionId)
	err := a.say(ctx, params.SessionId,
		acp.UpdateUserMessageText("Hi"), acp.UpdateAgentMessageText("Hello "), acp.UpdateAgentMessageText("again"))
	return acp.LoadSessionResponse{Modes: modes("ask")}, err
}

func (a *agent) Prompt(ctx context.Context, params acp.PromptRequest) (acp.PromptResponse, error) {
	scenario := params.Prompt[0].Text.Text
	response := acp.PromptResponse{StopReason: acp.StopReasonEndTurn}
	played := []string{scenario}
	var err error
	switch scenario {
	case "turn":
		err = a.say(ctx, params.SessionId,
			acp.UpdateAgentThoughtText("Let me "), acp.UpdateAgentThoughtText("see."),
			acp.UpdateAgentMessageText("Hello, "), acp.UpdateAgentMessageText("world."))
	case "tool":
		err = a.edit(ctx, params.SessionId)
	case "permission":
		err = a.askPermission(ctx, params.SessionId)
	case "cancel":
		err = a.say(ctx, params.SessionId, acp.UpdateAgentMessageText("Working"))
		<-a.session(params.SessionId).cancelled
		response.StopReason = acp.StopReasonCancelled
	case "mode":
		mode := a.session(params.SessionId).mode
		err = a.say(ctx, params.SessionId,
			acp.UpdateAgentMessageText(fmt.Sprintf("The mode is %s.", mode)),
			acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: "ask"}})
	case "negotiated":
		played = []string{"plan"}
		err = a.playPlans(ctx, params.SessionId, played[0])
	case "unknown entries":
		played = []string{"plan with unknown entries"}
		err = a.playPlans(ctx, params.SessionId, played[0])
	default:
		played = []string{}
	}
	response.Meta = map[string]any{"played": played}
	return response, err
}

func (a *agent) edit(ctx context.Context, session acp.SessionId) error {
	return a.say(ctx, session,
		acp.StartToolCall("edit", "Edit a.txt", acp.WithStartKind(acp.ToolKindEdit), acp.WithStartStatus(acp.ToolCallStatusPending)),
		acp.UpdateToolCall("edit", acp.WithUpdateStatus(acp.ToolCallStatusInProgress)),
		acp.UpdateToolCall("edit", acp.WithUpdateStatus(acp.ToolCallStatusCompleted), acp.WithUpdateContent([]acp.ToolCallContent{
			acp.ToolDiffContent("/work/a.txt", "one\nthree\n", "one\ntwo\n"),
			acp.ToolContent(acp.TextBlock("Done")),
		})))
}

func (a *agent) askPermission(ctx context.Context, session acp.SessionId) error {
	err := a.say(ctx, session,
		acp.StartToolCall("run", "Run the tests", acp.WithStartKind(acp.ToolKindExecute), acp.WithStartStatus(acp.ToolCallStatusPending)))
	if err != nil {
		return err
	}
	answer, err := a.client.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: session,
		ToolCall:  acp.ToolCallUpdate{ToolCallId: "run", Title: acp.Ptr("Run the tests"), Kind: acp.Ptr(acp.ToolKindExecute)},
		Options: []acp.PermissionOption{
			{OptionId: "yes", Name: "Yes", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: "no", Name: "No", Kind: acp.PermissionOptionKindRejectOnce},
		},
	})
	if err != nil {
		return err
	}
	chosen := "cancelled"
	if answer.Outcome.Selected != nil {
		chosen = string(answer.Outcome.Selected.OptionId)
	}
	return a.say(ctx, session,
		acp.UpdateAgentMessageText(fmt.Sprintf("The answer is %s.", chosen)),
		acp.UpdateToolCall("run", acp.WithUpdateStatus(acp.ToolCallStatusCompleted)))
}

func (a *agent) playPlans(ctx context.Context, session acp.SessionId, name string) error {
	for _, update := range a.turns[name].Updates {
		if err := a.say(ctx, session, acp.UpdatePlan(update.Entries...)); err != nil {
			return err
		}
	}
	return nil
}

func (a *agent) say(ctx context.Context, session acp.SessionId, updates ...acp.SessionUpdate) error {
	for _, update := range updates {
		if err := a.client.SessionUpdate(ctx, acp.SessionNotification{SessionId: session, Update: update}); err != nil {
			return err
		}
	}
	return nil
}
