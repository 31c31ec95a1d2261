package bridgetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/translate"
)

// A Replay plays captured sessions of published agents to clients of another version. It converts the
// messages of the captured client to that version. Each output line must be valid, and each request
// of the client must be answered.
type Replay struct {
	Client     int                            // the version of the client
	Initialize string                         // its params of initialize
	Convert    func(m map[string]any)         // converts a message of the client to its version
	Connect    func(result []byte) JoinedPeer // converts the agent's result of initialize
}

// JoinedPeer is the client's result of initialize, and a peer of the Bridge.
type JoinedPeer struct {
	Result []byte
	Peer   *Peer
}

// Files plays the captures for whose names wanted returns true, each as a subtest.
func (r Replay) Files(t *testing.T, wanted func(name string) bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(needs.Shared(t, "protocol/captures"), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if !wanted(name) {
			continue
		}
		played++
		t.Run(name, func(t *testing.T) { r.file(t, file) })
	}
	if played == 0 {
		t.Fatal("no captures")
	}
}

// A capturedLine is a line of a capture, see the README of the captures.
type capturedLine struct {
	Dir  string
	T    float64 // in ms
	Line string
}

func (r Replay) file(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var c connection
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var l capturedLine
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal([]byte(l.Line), &m) != nil {
			continue
		}
		if m["method"] == "initialize" {
			c = r.begin(t, m)
			continue
		}
		if err := c.line(l, m); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
}

// A connection is one process of a captured agent.
type connection struct {
	Replay
	judge      *Judge
	peer       *Peer   // nil before the agent has answered initialize
	initialize string  // id of the client's initialize
	ms         float64 // time of the last line in the capture
	last       string  // id in the capture of the last request

	// The ids at the bridge of the client's and of the agent's requests, by their ids in the capture:
	ids, asked map[string]string
}

func (r Replay) begin(t *testing.T, m map[string]any) connection {
	c := connection{Replay: r, judge: NewJudge(t, r.Client), initialize: fmt.Sprint(m["id"])}
	c.ids, c.asked = make(map[string]string), make(map[string]string)
	m["params"] = json.RawMessage(r.Initialize)
	c.judge.RecordRequest(translate.Client, marshal(m))
	return c
}

func (c *connection) line(l capturedLine, m map[string]any) error {
	id := fmt.Sprint(m["id"])
	if c.peer == nil {
		if m["method"] != nil || id != c.initialize {
			return fmt.Errorf("before the answer to initialize: %s", l.Line)
		}
		return c.initialized(m)
	}
	if err := c.wait(l.T); err != nil {
		return err
	}
	side, open := translate.Agent, c.ids
	if l.Dir == "c2a" {
		side, open = translate.Client, c.asked
		c.Convert(m)
	}
	if m["method"] != nil {
		c.last = id
		return c.send(side, marshal(m))
	}
	number, ok := open[id]
	if !ok {
		return nil // the bridge has answered in place of that side
	}
	delete(open, id)
	m["id"] = json.RawMessage(number)
	return c.send(side, marshal(m))
}

func (c *connection) initialized(m map[string]any) error {
	joined := c.Connect([]byte(marshal(m["result"])))
	m["result"] = json.RawMessage(joined.Result)
	c.peer = joined.Peer
	return c.judge.Check(translate.Client, marshal(m))
}

// wait lets the bridge's timers fire.
func (c *connection) wait(ms float64) error {
	passed := time.Duration(max(0, ms-c.ms) * float64(time.Millisecond))
	c.ms = ms
	lines, _, err := c.peer.Do(Wait(passed))
	return c.checkOutput(lines, true, err)
}

func (c *connection) send(from translate.Side, text string) error {
	c.judge.RecordRequest(from, text)
	lines, _, err := c.peer.Send(from, text)
	return c.checkOutput(lines, from == translate.Agent || c.judge.sides[from].MaySend(text), err)
}

// checkOutput checks the output lines, and records the ids of the bridge. valid reports that the input
// was valid; otherwise the output to the agent may be invalid.
func (c *connection) checkOutput(lines []string, valid bool, err error) error {
	for _, line := range lines {
		to, text := ParseOutput(line)
		objection := c.judge.Check(to, text)
		if err == nil && (valid || to == translate.Client) {
			err = objection
		}
		var m struct {
			ID     json.RawMessage
			Method *string
		}
		if json.Unmarshal([]byte(text), &m) != nil || m.ID == nil {
			continue
		}
		switch {
		case m.Method != nil && to == translate.Agent:
			c.ids[c.last] = string(m.ID)
		case m.Method != nil:
			c.asked[c.last] = string(m.ID)
		case to == translate.Agent:
			delete(c.asked, fmt.Sprint(string(m.ID)))
		}
	}
	return err
}

// end plays the end of the agent.
func (c *connection) end() error {
	lines, _, err := c.peer.Do(Gone())
	if err := c.checkOutput(lines, true, err); err != nil {
		return err
	}
	if open := c.judge.sides[translate.Client].Unanswered(); len(open) > 0 {
		return fmt.Errorf("requests of the client were not answered: %v", open)
	}
	return nil
}
