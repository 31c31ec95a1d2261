package programtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
)

// chunksPerTurn is the number of updates in a turn of jrpc2Agent.
const chunksPerTurn = 50

// jrpc2Agent is an agent of version 1 whose JSON-RPC is that of jrpc2. In a turn it sends numbered
// chunks and a permission request; the reason for the end of the turn is the chosen option.
func jrpc2Agent() {
	type request struct {
		SessionID string `json:"sessionId"`
	}
	prompt := func(ctx context.Context, r request) (any, error) {
		server := jrpc2.ServerFromContext(ctx)
		for i := range chunksPerTurn {
			if err := server.Notify(ctx, "session/update", handler.Obj{"sessionId": r.SessionID, "update": handler.Obj{
				"sessionUpdate": "agent_message_chunk", "content": handler.Obj{"type": "text", "text": fmt.Sprint(i)},
			}}); err != nil {
				return nil, err
			}
		}
		answer, err := server.Callback(ctx, "session/request_permission", handler.Obj{"sessionId": r.SessionID,
			"toolCall": handler.Obj{"toolCallId": "call"}, "options": []handler.Obj{{"optionId": r.SessionID, "name": "Yes", "kind": "allow_once"}}})
		if err != nil {
			return nil, err
		}
		var chosen struct{ Outcome struct{ OptionID string } }
		err = answer.UnmarshalResult(&chosen)
		return handler.Obj{"stopReason": chosen.Outcome.OptionID}, err
	}
	methods := handler.Map{
		"initialize": handler.New(func(context.Context, map[string]any) (any, error) {
			return handler.Obj{"protocolVersion": 1, "agentCapabilities": handler.Obj{}}, nil
		}),
		"session/prompt": handler.New(prompt),
	}
	server := jrpc2.NewServer(methods, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 16})
	if err := server.Start(channel.Line(os.Stdin, os.Stdout)).Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestJRPC2 runs turns of ten sessions at once, between a client and an agent that use jrpc2,
// which accepts nothing but strict JSON-RPC. Responses reach their requests in both directions,
// and each update arrives once. The client does not keep their order.
func TestJRPC2(t *testing.T) {
	proxy := exec.CommandContext(t.Context(), programName, "--", "jrpc2-agent")
	proxy.Stderr = t.Output()
	stdin, err := proxy.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := proxy.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	updates := make(map[string]int) // by session and text
	client := jrpc2.NewClient(channel.Line(stdout, stdin), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) {
			var params struct {
				SessionID string
				Update    struct{ Content struct{ Text string } }
			}
			if err := r.UnmarshalParams(&params); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			updates[params.SessionID+" "+params.Update.Content.Text]++
		},
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			var params struct{ Options []struct{ OptionID string } }
			if err := r.UnmarshalParams(&params); err != nil {
				return nil, err
			}
			return handler.Obj{"outcome": handler.Obj{"outcome": "selected", "optionId": params.Options[0].OptionID}}, nil
		},
	})
	if _, err := client.Call(t.Context(), "initialize", handler.Obj{"protocolVersion": 1, "clientInfo": handler.Obj{"name": "jrpc2", "version": "1"}}); err != nil {
		t.Fatal(err)
	}
	var turns sync.WaitGroup
	for i := range 10 {
		session := fmt.Sprint("session-", i)
		turns.Go(func() {
			var result struct{ StopReason string }
			if err := client.CallResult(t.Context(), "session/prompt", handler.Obj{"sessionId": session, "prompt": []any{}}, &result); err != nil {
				t.Error(err)
			} else if result.StopReason != session {
				t.Errorf("the response of %s is that of %s", session, result.StopReason)
			}
		})
	}
	turns.Wait()
	if _, err := client.Call(t.Context(), "no/such", nil); jrpc2.ErrorCode(err) != jrpc2.MethodNotFound {
		t.Errorf("an unknown method: %v", err)
	}
	client.Close()
	if err := proxy.Wait(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(updates) != 10*chunksPerTurn {
		t.Errorf("%d updates, want %d", len(updates), 10*chunksPerTurn)
	}
	for update, count := range updates {
		if count != 1 {
			t.Errorf("update %s arrived %d times", update, count)
		}
	}
}
