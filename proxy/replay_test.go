package proxy

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/plans"
)

func replayOptions(bridge Bridge) Options {
	return Options{
		Bridge: bridge, MaxMessage: 1 << 20, Log: slog.New(slog.DiscardHandler),
		Plans: plans.Options{SyntheticID: "main", Markdown: plans.MarkdownEntries, Files: plans.FilesRead},
	}
}

// arrived returns the messages of a trace that arrived at the client.
func arrived(t *testing.T, recording string) string {
	t.Helper()
	var got []byte
	for e, err := range trace.Events(strings.NewReader(recording)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.To == trace.Client {
			got = append(e.AppendMessage(got), '\n')
		}
	}
	return string(got)
}

// TestReplay checks that what leaves to the client is what left when the trace was
// made.
func TestReplay(t *testing.T) {
	sample, err := os.ReadFile("recording/view/testdata/bridge.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const (
		refused   = `{"type":"request","ts":0.1,"from":"Client","to":"Agent","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" + `{"type":"response","ts":0.2,"from":"Agent","to":"Proxy","id":1,"is_error":true,"payload":{"code":-1}}` + "\n" + `{"type":"request","ts":0.2,"from":"Proxy","to":"Agent","id":"acp-plan-proxy-1","method":"initialize","params":{}}` + "\n"
		asked     = `{"type":"request","ts":0.3,"from":"Proxy","to":"Agent","id":"acp-plan-proxy-2","method":"initialize","params":{}}` + "\n"
		answered  = `{"type":"response","ts":0.4,"from":"Agent","to":"Proxy","id":"acp-plan-proxy-2","is_error":false,"payload":{"protocolVersion":2,"capabilities":{},"info":{"name":"a","version":"1"}}}` + "\n"
		joined    = `{"type":"response","ts":0.4,"from":"Proxy","to":"Client","id":1,"is_error":false,"payload":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{},"authMethods":[]}}` + "\n"
		late      = `{"type":"request","ts":9.3,"from":"Proxy","to":"Agent","id":"acp-plan-proxy-2","method":"initialize","params":{}}` + "\n"
		cannot    = `{"type":"response","ts":0.4,"from":"Proxy","to":"Client","id":1,"is_error":true,"payload":{"code":-1}}` + "\n"
		noMessage = `{"type":"notification","ts":1,"from":"Agent","to":"Client","method":"(not a message)","params":"Debugger \"attached\"."}` + "\n"
		noObject  = `{"type":"notification","ts":1,"from":"Agent","to":"Client","method":"(not a message)","params":42}` + "\n"
	)
	tests := []struct{ name, recording string }{
		{"nothing", ""},
		{"a conversation, to the end of the agent", string(sample)},
		{"an agent that ended and was started once more, recorded with other ids", refused + asked + answered + joined},
		{"an agent that did not answer in time", refused + late + strings.ReplaceAll(answered+joined, "0.4", "9.4")},
		{"two that cannot be joined", refused + asked + strings.Replace(answered, `"is_error":false,"payload":{`, `"is_error":true,"payload":{"code":-2,`, 1) + cannot},
		{"lines that are no messages", noMessage + noObject},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Replay(strings.NewReader(tt.recording), &out, replayOptions(BridgeAuto)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(arrived(t, tt.recording), out.String()); diff != "" {
				t.Errorf("what was recorded, what left:\n%s", diff)
			}
		})
	}
}

// TestReplayWithoutBridge checks that answers to questions that only the bridge
// asked are not part of a replay without one.
func TestReplayWithoutBridge(t *testing.T) {
	sample, err := os.ReadFile("recording/view/testdata/bridge.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Replay(bytes.NewReader(sample), &out, replayOptions(BridgeOff)); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if !strings.Contains(got, "unsupported protocol version") || strings.Contains(got, "1000000001") || !strings.Contains(got, `"state":"idle"`) {
		t.Errorf("got\n%s", got)
	}
	const again = `{"type":"request","ts":0,"from":"Client","to":"Agent","id":1,"method":"initialize","params":{"protocolVersion":1}}
{"type":"response","ts":0,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"protocolVersion":1}}
{"type":"request","ts":0,"from":"Client","to":"Proxy","id":2,"method":"initialize","params":{"protocolVersion":1}}
{"type":"request","ts":0,"from":"Proxy","to":"Agent","id":2,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}
{"type":"response","ts":0,"from":"Agent","to":"Client","id":2,"is_error":false,"payload":{"protocolVersion":1}}
`
	out.Reset()
	if err := Replay(strings.NewReader(again), &out, replayOptions(BridgeOff)); err != nil || out.String() != arrived(t, again) {
		t.Errorf("an initialize that came again: %v, got\n%s", err, &out)
	}
	r := newReplay(io.Discard, replayOptions(BridgeOff))
	for e := range trace.Events(strings.NewReader(strings.Repeat(again, 3))) {
		if err := r.event(&e); err != nil {
			t.Error(err)
		}
	}
	if len(r.asked) > 0 {
		t.Errorf("questions that were answered are remembered: %q", r.asked)
	}
	out.Reset()
	if err := Replay(strings.NewReader("{\n"+string(sample)), failingWriter{}, replayOptions(BridgeAuto)); err == nil {
		t.Error("no error of a client that does not read")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestReplayTime checks that what waits for a moment leaves at the times of the
// trace. A piece of a tool call's content waits if another came just before it.
func TestReplayTime(t *testing.T) {
	sample, err := os.ReadFile("recording/view/testdata/bridge.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	begun := strings.Join(strings.SplitAfter(string(sample), "\n")[:12], "")
	piece := func(ts, text string) string {
		return `{"type":"notification","ts":` + ts + `,"from":"Agent","to":"Proxy","method":"session/update","session":"s-7f3a","params":{"sessionId":"s-7f3a","update":{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"content","content":{"type":"text","text":"` + text + `"}}}}}` + "\n"
	}
	for _, tt := range []struct {
		third string
		want  int // how often the second piece is in a message before the third
	}{{"60", 1}, {"5.002", 0}} {
		var out bytes.Buffer
		recording := begun + piece("5", "first") + piece("5.001", "second") + piece(tt.third, "third")
		if err := Replay(strings.NewReader(recording), &out, replayOptions(BridgeAuto)); err != nil {
			t.Fatal(err)
		}
		got := 0
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "second") && !strings.Contains(line, "third") {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("with the third piece at %s: %d messages, want %d:\n%s", tt.third, got, tt.want, &out)
		}
	}
}

// FuzzReplay checks that no trace makes a replay panic or hang, and that the same
// trace gives the same lines each time.
func FuzzReplay(f *testing.F) {
	sample, err := os.ReadFile("recording/view/testdata/bridge.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	if err := Replay(bytes.NewReader(sample), io.Discard, replayOptions(BridgeAuto)); err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	lines := bytes.SplitAfter(sample, []byte("\n"))
	f.Add(bytes.Join(lines[:9], nil))
	f.Add(append(bytes.Join(lines[:10], nil), bytes.Join(lines[30:], nil)...))
	f.Add([]byte(`{"type":"request","ts":-1e300,"from":"Client","to":"Agent","id":null,"method":"initialize","params":{"protocolVersion":2}}` + "\n" + `{"type":"response","ts":1e300,"from":"Agent","to":"Client","id":null,"is_error":false,"payload":{"protocolVersion":1}}`))
	f.Fuzz(func(t *testing.T, recording []byte) {
		var first, second bytes.Buffer
		for _, out := range []*bytes.Buffer{&first, &second} {
			if err := Replay(bytes.NewReader(recording), out, replayOptions(BridgeAuto)); err != nil {
				return
			}
		}
		if first.String() != second.String() {
			t.Errorf("%q, and then %q", &first, &second)
		}
	})
}
