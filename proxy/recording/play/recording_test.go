package play

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/recording/trace"
)

// TestForms reads a conversation in every form.
func TestForms(t *testing.T) {
	const told = `{"id":7,"method":"session/new","params":{"cwd":"/src"}}`
	forms := map[string]string{
		"a trace": `{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Agent","id":7,"method":"session/new","params":{"cwd":"/src"}}
{"type":"notification","ts":0.1,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":"s1","params":{"sessionId":"s1"}}
{"type":"response","ts":0.2,"from":"Agent","to":"Client","id":7,"is_error":false,"payload":{"sessionId":"s1"}}
{"type":"response","ts":0.3,"from":"Agent","to":"Client","id"`,
		"a trace of a bridge": `{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Proxy","id":1,"method":"session/load","params":{"cwd":"/src"}}
{"type":"request","ts":0,"protocol":"acp","from":"Proxy","to":"Agent","id":7,"method":"session/new","params":{"cwd":"/src"}}
{"type":"notification","ts":0.1,"protocol":"acp","from":"Agent","to":"Proxy","method":"session/update","session":"s1","params":{"sessionId":"s1"}}
{"type":"notification","ts":0.1,"protocol":"acp","from":"Proxy","to":"Client","method":"session/other","session":"s1","params":{"sessionId":"s1"}}
{"type":"response","ts":0.2,"from":"Agent","to":"Proxy","id":7,"is_error":false,"payload":{"sessionId":"s1"}}
{"type":"response","ts":0.2,"from":"Proxy","to":"Client","id":1,"is_error":true,"payload":{}}`,
		"lines with directions": `{"dir":"c2a","t":0,"line":"{\"id\":7,\"method\":\"session/new\",\"params\":{\"cwd\":\"/src\"}}"}
{"dir":"a2c","t":100,"conn":2,"line":"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\"}}"}
{"dir":"a2c","t":200,"line":"{\"id\":7,\"result\":{\"sessionId\":\"s1\"}}\r"}`,
		"lines without directions": "some text\r\n\n" + told + `
{"method":"session/update","params":{"sessionId":"s1"}}
$ {"jsonrpc":"2.0","id":7,"result":{"sessionId":"s1"}}
`,
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			p := testPlayer(t, trace.Agent, form)
			p.receive([]byte(told), 0)
			p.run(0)
			want := `{"method":"session/update","params":{"sessionId":"s1"}}
{"id":7,"result":{"sessionId":"s1"}}
`
			if diff := cmp.Diff(want, withoutVersion(string(p.out))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNoRecording(t *testing.T) {
	tests := []struct{ name, text, agent, client string }{
		{"nothing", "", "no message of the protocol", "no message of the protocol"},
		{"prose", "Hello.\n{}\n[1]\n", "no message of the protocol", "no message of the protocol"},
		{"the client's lines", `{"id":1,"method":"initialize"}`, "no message of an agent", ""},
		{"the agent's lines", `{"method":"session/update","params":{"sessionId":"s"}}`, "no request of a client", "no request of a client"},
		{"a trace of plans", `{"type":"notification","ts":1,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":"s","params":{"sessionId":"s"}}`, "--trace-all", "--trace-all"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for us, want := range map[trace.Component]string{trace.Agent: tt.agent, trace.Client: tt.client} {
				_, err := newPlayer(us, strings.NewReader(tt.text), Options{})
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("as %s: %v", us, err)
				}
			}
		})
	}
}

// TestBurst checks that a player sends a long recording of two sessions in parts.
func TestBurst(t *testing.T) {
	var b strings.Builder
	b.WriteString(begin + `
c 400 {"id":2,"method":"session/new"}
a 500 {"id":2,"result":{"sessionId":"recorded-2"}}
`)
	const updates = 10_000
	for range updates {
		b.WriteString(`a 600 {"method":"session/update","params":{"sessionId":"recorded-1"}}` + "\n")
		b.WriteString(`a 600 {"method":"session/update","params":{"sessionId":"recorded-2"}}` + "\n")
	}
	p := testPlayer(t, trace.Agent, recorded(t, b.String()))
	for _, request := range []string{`{"id":0,"method":"initialize"}`, `{"id":1,"method":"session/new"}`, `{"id":2,"method":"session/new"}`} {
		p.receive([]byte(request), 0)
	}
	sent := 0
	for again := time.Duration(0); again == 0; {
		again = p.run(0)
		if len(p.out) > 2*maxBurst {
			t.Fatalf("%d bytes at once", len(p.out))
		}
		sent += bytes.Count(p.out, []byte("session/update"))
		p.out = nil
	}
	if want := 2*updates + 1; sent != want {
		t.Errorf("%d updates, not %d", sent, want)
	}
}

// FuzzPlay plays any file, to a client that sends the lines of the same file.
func FuzzPlay(f *testing.F) {
	for _, lines := range []string{begin + oneTurn, begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 ` + permission + `
c 1150 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
c 1200 {"id":0,"result":{"outcome":{"outcome":"cancelled"}}}
a 1300 {"id":2,"result":{"stopReason":"cancelled"}}
`} {
		f.Add(recorded(f, lines))
	}
	f.Add(`{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Agent","id":7,"method":"session/new","params":{"cwd":"/src"}}
{"type":"response","ts":0.2,"from":"Agent","to":"Client","id":7,"is_error":false,"payload":{"sessionId":"s1"}}
{"type":"notification","ts":0.3,"protocol":"acp","from":"Agent","to":"Client","method":"(not a message)","params":"x"}
`)
	f.Add(strings.Join([]string{`{"id":1,"method":"initialize"}`, `{"id":2,"method":"session/new"}`, `{"id":1,"result":{"protocolVersion":2}}`, `{"id":2,"result":{"sessionId":"s"}}`}, "\n"))
	f.Add(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		options := Options{Log: quiet(), Speed: 1, Timeout: time.Minute}
		if c, err := newPlayer(trace.Client, strings.NewReader(text), options); err == nil {
			c.client.dir = func(string) string { return "/here" }
			for line := range strings.Lines(text) {
				c.run(0)
				c.receive([]byte(line), 0)
			}
			c.client.result(nil)
		}
		p, err := newPlayer(trace.Agent, strings.NewReader(text), options)
		if err != nil {
			return
		}
		now := time.Duration(0)
		run := func() {
			for again := p.run(now); again < now+time.Hour; again = p.run(now) {
				now = max(now, again)
				p.out = nil
			}
		}
		for line := range strings.Lines(text) {
			p.receive([]byte(line), now)
			run()
		}
		p.agent.end(now)
		run()
	})
}
