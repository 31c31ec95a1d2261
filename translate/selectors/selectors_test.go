package selectors_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/selectors"
	"acp-plan-proxy/translate/talktest"
	"acp-plan-proxy/transport/jsonrpc"
)

// stage adapts a Stage to package talktest.
type stage struct{ *selectors.Stage }

func newStage() stage {
	s := new(selectors.Stage)
	s.Negotiated(1, 1)
	return stage{s}
}

func (s stage) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	return s.from(translate.Client, m, out)
}
func (s stage) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	return s.from(translate.Agent, m, out)
}
func (stage) ClientClosed(*translate.Out) {}

func (s stage) from(side translate.Side, m *jsonrpc.Message, out *translate.Out) bool {
	s.Receive(side, m, time.Time{}, out)
	return true
}

// templates has templates of messages for the conversations in testdata.
var templates = talktest.Templates{
	"new":    `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`,
	"opened": `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s",$1}}`,
	"ask":    `{"jsonrpc":"2.0","id":2,"method":"session/$1","params":{"sessionId":"s",$2}}`,
	"result": `{"jsonrpc":"2.0","id":2,"result":$1}`,
	"error":  `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"busy"}}`,
	"mode":   `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"$1"}}}`,
	"list":   `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[$1]}}}`,
}

// shorts abbreviates long values in the conversations.
var shorts = strings.NewReplacer(
	"MODES(", `"modes":{"availableModes":[{"id":"ask","name":"Ask"},{"id":"plan","name":"Plan","description":"d"}],"currentModeId":"`,
	"DERIVED", `"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"plan","name":"Plan","description":"d"}]}`,
	"MODELS(", `"models":{"availableModels":[{"modelId":"m1","name":"M1"},{"modelId":"m2","name":"M2"}],"currentModelId":"`,
	"MODE(", `{"id":"mode","name":"Mode","category":"mode","type":"select","options":[{"value":"ask","name":"Ask"},{"value":"plan","name":"Plan","description":"d"}],"currentValue":"`,
	"MODEL(", `{"id":"model","name":"Model","category":"model","type":"select","options":[{"value":"m1","name":"M1"},{"value":"m2","name":"M2"}],"currentValue":"`,
	"AMODE(", `{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"`,
	"AMODEL(", `{"id":"model","name":"Model","category":"model","type":"select","currentValue":"`,
	")MODELS", `","options":[{"value":"m1","name":"M1"},{"value":"m2","name":"M2"}]}`,
	")MODES", `","options":[{"value":"ask","name":"Ask"},{"value":"plan","name":"Plan","description":"d"}]}`,
	")", `"}`,
)

func script(t testing.TB) string {
	text, err := os.ReadFile("testdata/conversations.txt")
	if err != nil {
		t.Fatal(err)
	}
	return shorts.Replace(string(text))
}

func TestConversations(t *testing.T) {
	templates.Run(t, func() translate.SimpleStage { return newStage() }, script(t))
}

// Without a converted session, the stage wants only requests that open sessions.
func TestWants(t *testing.T) {
	matters := func(s stage, side translate.Side, line string) bool {
		f := s.Wants()[side]
		return f != nil && f.Matches([]byte(templates.Expand(line)))
	}
	list, set, chunk := `list 1`, `ask set_mode | "modeId":"plan"`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk"}}}`
	s := newStage()
	for range 2 {
		wants := s.Wants()
		if wants != s.Wants() || !matters(s, translate.Client, "new") {
			t.Error("a request that opens a session does not matter")
		}
		for line, side := range map[string]translate.Side{list: translate.Agent, set: translate.Client, "result {}": translate.Agent, chunk: translate.Agent} {
			if matters(s, side, line) {
				t.Errorf("%s matters", line)
			}
		}
		templates.Send(s, "client> new")
		if !matters(s, translate.Agent, "result {}") || !s.Awaits(translate.Agent, "1") || s.Awaits(translate.Client, "1") {
			t.Error("the response does not matter")
		}
		templates.Send(s, shorts.Replace("agent> opened MODES(ask)"))
		if !matters(s, translate.Agent, list) || !matters(s, translate.Client, set) || matters(s, translate.Agent, chunk) {
			t.Error("with a session that is converted, its updates and modes do not matter, or others do")
		}
		templates.Send(s, `client> {"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}`)
	}
	s.Negotiated(2, 2)
	if matters(s, translate.Client, "new") {
		t.Error("version 2 matters")
	}
}

// State is bounded. The stage forwards the messages of evicted sessions.
func TestMemory(t *testing.T) {
	s := newStage()
	long := strings.Repeat("x", 1<<20)
	lost := false
	for i := range 80 {
		templates.Send(s, "client> new")
		got := templates.Send(s, fmt.Sprintf(`agent> {"jsonrpc":"2.0","id":1,"result":{"sessionId":"%d","modes":{"availableModes":[{"id":"a","name":"%s"}]}}}`, i, long))
		lost = lost || strings.Contains(got, "\nlost memory")
	}
	if !lost {
		t.Error("nothing is lost")
	}
	set := `client> {"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"%d","configId":"mode","value":"a"}}`
	var converted []int
	for i := range 80 {
		if strings.Contains(templates.Send(s, fmt.Sprintf(set, i)), "set_mode") {
			converted = append(converted, i)
		}
	}
	if n := len(converted); n == 0 || n > keep.PerConnection>>20 {
		t.Errorf("%d sessions are kept", n)
	}
	for i := range 100_000 {
		templates.Send(s, fmt.Sprintf(`client> {"jsonrpc":"2.0","id":"%d","method":"session/new","params":{}}`, i))
	}
	awaits := func(id string) bool { return s.Awaits(translate.Agent, jsonrpc.IDOf([]byte(id))) }
	if awaits(`"0"`) || !awaits(`"99999"`) {
		t.Error("the oldest request is kept, or the newest is not")
	}
}

// FuzzStage sends arbitrary messages from both peers. All output is JSON, and each request and
// each response leads to exactly one message with its id.
func FuzzStage(f *testing.F) {
	var lines []string
	for line := range strings.Lines(templates.Expand(script(f))) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "# ") {
			f.Add(uint8(1), strings.Join(lines, "\n"))
			f.Add(uint8(2), strings.Join(lines, "\n"))
			lines = nil
		} else if strings.HasPrefix(line, "client> ") || strings.HasPrefix(line, "agent> ") {
			lines = append(lines, line)
		}
	}
	f.Fuzz(func(t *testing.T, versions uint8, text string) {
		s := newStage()
		s.Negotiated(capabilities.Version(versions&1)+1, capabilities.Version(versions>>1&1)+1)
		for line := range strings.SplitSeq(text, "\n") {
			side, rest := translate.Client, strings.TrimPrefix(line, "client> ")
			if after, ok := strings.CutPrefix(line, "agent> "); ok {
				side, rest = translate.Agent, after
			}
			if !json.Valid([]byte(rest)) || !strings.HasPrefix(rest, "{") {
				continue
			}
			m := talktest.Read(rest)
			var out translate.Out
			out.Reset(side, &m)
			s.from(side, &m, &out)
			forwarded := 0
			for _, l := range out.Outputs() {
				left := out.Text(l)
				if !json.Valid(left) {
					t.Fatalf("%s leads to %s", rest, left)
				}
				if read := talktest.Read(string(left)); slices.Equal(read.ID, m.ID) && read.ID != nil {
					forwarded++
				}
			}
			if m.ID != nil && forwarded != 1 {
				t.Fatalf("%s leads to %d messages with its id", rest, forwarded)
			}
		}
	})
}
