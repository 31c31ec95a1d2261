package vendors

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/talktest"
	"acp-plan-proxy/transport/jsonrpc"
)

// FuzzStage feeds a Stage lines of the agent, which begin with >, and of the client,
// which begin with <. The output is JSON, and the Stage answers no request twice.
func FuzzStage(f *testing.F) {
	for _, script := range []string{
		`agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a"}]},"status":"completed"`,
		"agent> create-listed 0\nclient> notfound 0\nclient> chosen 1 | allow",
		"agent> listed 0\nclient> notfound 0",
		"agent> questions 0\nclient> notfound 0\nclient> chosen 1 | allow-0",
		`agent> request 0 | x.ai/ask_user_question | "sessionId":"s","questions":[{"question":"p","multiSelect":true,"options":[{"label":"a"}]}]`,
		"agent> exit 0\nclient> cancel s",
		"client> prompt 1 | s\nagent> result 1 | {}",
	} {
		lines := strings.NewReplacer("agent> ", ">", "client> ", "<").Replace(templates.Expand(script))
		f.Add([]byte(lines), true)
		f.Add([]byte(lines), false)
	}
	f.Fuzz(func(t *testing.T, lines []byte, on bool) {
		mode := Auto
		if on {
			mode = On
		}
		stage := New(mode)
		clients := []capabilities.ClientProfile{{}, {OneRequestAtATime: true}, {Displays: capabilities.AllowAndReject}, {NeedsStatus: true, NeedsNewToolCall: true}}
		stage.Negotiated(Peers{Version1: true, Forms: len(lines)%2 == 0, Plans: capabilities.Client{Shows: capabilities.Shows(len(lines) % 16)}, Client: clients[len(lines)%len(clients)]})
		open := make(map[jsonrpc.ID]int) // number of unanswered requests of the agent, by id
		for line := range bytes.Lines(lines) {
			if len(line) < 2 {
				continue
			}
			from, text := line[0], line[1:]
			if !json.Valid(text) {
				continue
			}
			m := talktest.Read(string(text))
			var out translate.Out
			if from == '<' {
				out.Reset(translate.Client, &m)
				stage.FromClient(&m, &out)
			} else {
				if m.IsRequest() {
					open[jsonrpc.IDOf(m.ID)]++
				}
				out.Reset(translate.Agent, &m)
				stage.FromAgent(&m, &out)
			}
			checkOutputs(t, &out, open)
			checkMemory(t, stage)
		}
		var out translate.Out
		out.Reset(translate.Client, nil)
		stage.ClientClosed(&out)
		checkOutputs(t, &out, open)
	})
}

func checkOutputs(t *testing.T, out *translate.Out, open map[jsonrpc.ID]int) {
	t.Helper()
	for _, l := range out.Outputs() {
		text := out.Text(l)
		if !json.Valid(text) || bytes.IndexByte(text, '\n') >= 0 && !l.Same {
			t.Fatalf("the output is no message: %q", text)
		}
		m := talktest.Read(string(text))
		if l.To == translate.Agent && !l.Same && m.IsResponse() {
			id := jsonrpc.IDOf(m.ID)
			if open[id]--; open[id] < 0 {
				t.Fatalf("answered too often: %s", text)
			}
		}
	}
}

// checkMemory compares the retained state with the budget.
func checkMemory(t *testing.T, stage *Stage) {
	t.Helper()
	s := &stage.sessions
	all, calls := s.share.Used(), 0
	for _, sess := range s.all.All() {
		n := len(sess.shown)
		for l := sess.list; l != nil; l = l.previous {
			n += sizeOf(l.todos)
		}
		for path, d := range sess.planFiles.All() {
			n += keep.EntryCost + len(path) + len(d.text) + len(d.location)
		}
		for id, c := range sess.calls.All() {
			n += keep.EntryCost + len(id) + len(c.value)
		}
		if kept := sess.share.Used() - keep.SessionCost - keep.EntryCost - len(sess.id); n != kept {
			t.Fatalf("session %q keeps %d bytes, not %d", sess.id, n, kept)
		}
		all += sess.share.Used()
		calls += sess.calls.Len()
	}
	beside := keep.SessionCost
	for _, r := range stage.offered.All() {
		beside += r.Cost()
	}
	for id, p := range s.prompts.Requests.All() {
		beside += keep.EntryCost + len(id) + len(p)
	}
	for id, n := range s.callSessions.All() {
		beside += keep.EntryCost + len(id) + len(n)
	}
	if all != s.budget.Used() || all > keep.PerConnection || calls != s.openCallCount || stage.asker.Pending() == 0 && beside != s.share.Used() {
		t.Fatalf("kept: %d of %d bytes, %d of %d calls, %d of %d bytes beside sessions", all, s.budget.Used(), calls, s.openCallCount, beside, s.share.Used())
	}
}
