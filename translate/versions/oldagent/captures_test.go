package oldagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
)

// TestCaptures replays sessions of published agents of version 1. What their
// clients sent is said in version 2; each line that leaves must be valid.
func TestCaptures(t *testing.T) {
	dir := shared(t, "captures")
	j := newJudge(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no captures: ", err)
	}
	for _, file := range files {
		if strings.Contains(filepath.Base(file), "-v2") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) { replayCapture(t, j, file) })
	}
}

type object = map[string]any

// A captured is one process of a captured agent.
type captured struct {
	t      *testing.T
	peer   *peer
	judge  *judge
	asked  map[string]any // the bridge's ids of the client's requests, by those in the capture
	asks   map[string]any // and of the agent's
	record *os.File       // where what the client sees is written, if anywhere
	ms     float64
	wrong  bool // what the client sent last was not valid, and the agent says so
}

func replayCapture(t *testing.T, j *judge, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var record *os.File
	if dir := os.Getenv("ACP_CAPTURES_TO"); dir != "" {
		if record, err = os.Create(filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
		defer record.Close()
	}
	var c *captured
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var l struct {
			Dir  string
			T    float64
			Line string
		}
		var m object
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(l.Line), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m["method"] == "initialize" && l.Dir == "c2a":
			j.reset()
			c = &captured{t: t, judge: j, record: record, asked: make(map[string]any), asks: make(map[string]any)}
			c.write("c2a", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"rig-drive","version":"0.0.1"},"capabilities":{}}}`)
		case c.peer == nil:
			c.initialize(m)
		case l.Dir == "c2a":
			c.client(n, l.T, m)
		default:
			c.agent(n, l.T, l.Line, m)
		}
	}
}

func (c *captured) initialize(m object) {
	result, _ := json.Marshal(m["result"])
	told, agent, err := words.InitializeResultToV2(result, "agent")
	if err != nil {
		c.t.Fatal(err)
	}
	answer := `{"jsonrpc":"2.0","id":0,"result":` + string(told) + `}`
	c.judge.asks(0, `{"id":0,"method":"initialize"}`)
	if err := c.judge.gets(0, answer); err != nil {
		c.t.Error(err)
	}
	c.write("a2c", answer)
	c.peer = newPeer(agent)
}

// write records a line between the client and the bridge.
func (c *captured) write(dir, line string) {
	if c.record != nil {
		text, _ := json.Marshal(object{"dir": dir, "t": c.ms, "line": line})
		fmt.Fprintf(c.record, "%s\n", text)
	}
}

// clientInV2 says what a client of version 1 sent in version 2.
func clientInV2(m object) {
	params, _ := m["params"].(object)
	switch m["method"] {
	case "authenticate":
		m["method"] = "auth/login"
	case "logout":
		m["method"] = "auth/logout"
	case "session/load":
		m["method"] = "session/resume"
		params["replayFrom"] = object{"type": "start"}
	case "session/set_mode":
		m["method"] = "session/set_config_option"
		m["params"] = object{"sessionId": params["sessionId"], "configId": "mode", "type": "id", "value": params["modeId"]}
	case "session/set_config_option":
		if _, ok := params["value"].(string); ok {
			params["type"] = "id"
		}
	}
	servers, _ := params["mcpServers"].([]any)
	for _, s := range servers {
		if s := s.(object); s["type"] == nil {
			s["type"] = "stdio"
		}
	}
}

func (c *captured) client(n int, ms float64, m object) {
	c.wait(ms)
	clientInV2(m)
	var id string
	if _, ok := m["method"]; !ok {
		number, open := c.asks[fmt.Sprint(m["id"])]
		if !open {
			return // the bridge has answered in the client's place
		}
		delete(c.asks, fmt.Sprint(m["id"]))
		m["id"] = number
	} else if m["id"] != nil {
		id = fmt.Sprint(m["id"])
	}
	text, _ := json.Marshal(m)
	c.write("c2a", string(text))
	c.judge.asks(0, string(text))
	c.wrong = c.judge.sends(0, string(text)) != nil
	left, _, err := c.peer.send(translate.Client, string(text))
	for _, request := range c.check(n, left, err) {
		if request["method"] != "session/cancel" && id != "" {
			c.asked[id] = request["id"]
		}
	}
}

func (c *captured) agent(n int, ms float64, line string, m object) {
	c.wait(ms)
	if m["method"] == nil {
		number, open := c.asked[fmt.Sprint(m["id"])]
		if !open {
			return
		}
		delete(c.asked, fmt.Sprint(m["id"]))
		m["id"] = number
		text, _ := json.Marshal(m)
		line = string(text)
	}
	c.judge.asks(1, line)
	left, _, err := c.peer.send(translate.Agent, line)
	for _, l := range left {
		var out object
		if json.Unmarshal([]byte(l[3:]), &out); strings.HasPrefix(l, "c: ") && out["id"] != nil && out["method"] != nil {
			c.asks[fmt.Sprint(m["id"])] = out["id"]
		}
	}
	for _, answer := range c.check(n, left, err) {
		delete(c.asks, fmt.Sprint(answer["id"]))
	}
}

// wait lets the bridge's timers fire.
func (c *captured) wait(ms float64) {
	passed := time.Duration((ms - c.ms) * float64(time.Millisecond))
	c.ms = ms
	if passed < 0 {
		passed = 0
	}
	left, _, err := c.peer.do(step{after: passed})
	c.check(0, left, err)
}

// check validates what has left and returns what the agent got.
func (c *captured) check(n int, left []string, err error) (toAgent []object) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("line %d: %v", n, err)
	}
	for _, l := range left {
		side := strings.IndexByte("ca", l[0])
		if err := c.judge.gets(side, l[3:]); err != nil && (side == 0 || !c.wrong) {
			c.t.Errorf("line %d: %v", n, err)
		}
		if side == 0 {
			c.write("a2c", l[3:])
			c.judge.asks(1-side, "{}")
			continue
		}
		var m object
		if json.Unmarshal([]byte(l[3:]), &m) == nil {
			toAgent = append(toAgent, m)
		}
	}
	return toAgent
}
