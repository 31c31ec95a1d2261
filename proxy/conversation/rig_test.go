package conversation

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
)

// Methods of requests.
const (
	methodLoad   = "session/load"
	methodResume = "session/resume"
	methodClose  = "session/close"
	methodDelete = "session/delete"
	methodPrompt = "session/prompt"
)

// A rig is a conversation whose lines a test passes directly, without relays.
type rig struct {
	t             testing.TB
	c             *Conversation
	agent, client *direction // of the lines from that side
	log           *bytes.Buffer
	events        []Event
}

func testOptions() Options {
	return Options{
		Log: slog.New(slog.DiscardHandler),
		Plans: plans.Options{
			SyntheticID: "main", Markdown: plans.MarkdownEntries,
			Files: plans.FilesRead,
		},
		MaxMessage: 64 << 20,
	}
}

// newTestConversation returns a conversation with the options of testOptions, changed by configure
// unless that is nil.
func newTestConversation(configure func(*Options)) *Conversation {
	o := testOptions()
	if configure != nil {
		configure(&o)
	}
	return New(o, io.Discard, io.Discard, "agent", nil)
}

func newRig(t testing.TB, configure ...func(*Options)) *rig {
	r := &rig{t: t, log: new(bytes.Buffer)}
	r.c = newTestConversation(func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Observe = func(e Event) {
			e.In, e.Out = bytes.Clone(e.In), bytes.Clone(e.Out)
			r.events = append(r.events, e)
		}
		for _, f := range configure {
			f(o)
		}
	})
	r.agent, r.client = newDirection(r.c, translate.Agent), newDirection(r.c, translate.Client)
	return r
}

// inspect returns the output of an inspector for a line.
func inspect(in transport.Inspector, line string) string {
	if in.Inspect([]byte(line)) == transport.Pass {
		return line
	}
	if instead, ok := in.Rewrite([]byte(line)); ok {
		return string(instead)
	}
	return line
}

func (r *rig) fromAgent(line string) string  { return inspect(r.agent, line) }
func (r *rig) fromClient(line string) string { return inspect(r.client, line) }

// negotiate exchanges initialize. capabilities is JSON.
func (r *rig) negotiate(capabilities string, version int) {
	r.t.Helper()
	r.fromClient(request(`"init"`, "initialize", fmt.Sprintf(`{"protocolVersion":%d,"clientCapabilities":%s}`, version, capabilities)))
	r.fromAgent(success(`"init"`, fmt.Sprintf(`{"protocolVersion":%d}`, version)))
}

// shows checks the plan support that the proxy assumes of the client.
func (r *rig) shows(want string) {
	r.t.Helper()
	sent := planLine("probe", legacyPlan("probe"))
	var got string
	switch out := r.fromAgent(sent); {
	case strings.Contains(out, `"planId"`) && strings.Contains(out, `"id"`):
		got = "ops"
	case strings.Contains(out, `"planId"`):
		got = "v2"
	case strings.Contains(out, `"id"`):
		got = "ops 1"
	default:
		sent = planLine("probe 2", `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`)
		got = "legacy"
		if r.fromAgent(sent) == sent {
			got = "unknown"
		}
	}
	if got != want {
		r.t.Errorf("the client shows %s, want %s", got, want)
	}
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + "}\n"
}

func success(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + "}\n"
}

func failure(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"failed"}}` + "\n"
}

func planLine(session, update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":` + update + "}}\n"
}

func entry(content string) string {
	return `{"content":"` + content + `","priority":"high","status":"pending"}`
}

func legacyPlan(content string) string {
	return `{"sessionUpdate":"plan","entries":[` + entry(content) + `]}`
}

func itemsPlan(id, content string) string {
	return `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"` + id + `","entries":[` + entry(content) + `]}}`
}

func removal(id string) string {
	return `{"sessionUpdate":"plan_removed","planId":"` + id + `"}`
}
