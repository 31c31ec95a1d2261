package oldclient

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
)

// TestCaptures replays sessions of published agents of version 2. What their
// clients sent is said in version 1; each line that leaves must be valid.
func TestCaptures(t *testing.T) {
	j := newJudge(t)
	files, err := filepath.Glob(filepath.Join(shared(t, "captures"), "*-v2.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no captures: ", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			for _, client := range []words.OldClient{{}, {TerminalOutput: true, Notices: true, Compaction: true, Booleans: true}} {
				j.reset()
				r := replay{t: t, judge: j, client: client}
				r.file(file)
				if n := len(j[translate.Client].asked); n > 0 && r.ended {
					t.Errorf("%d requests of the client were not answered: %v", n, j[translate.Client].asked)
				}
			}
		})
	}
}

// A replay is a captured session in version 2, played to a client of version 1.
type replay struct {
	t      *testing.T
	judge  judge
	client words.OldClient
	peer   *peer
	conn   int
	ended  bool // by the agent's end, not by the client's
	start  time.Time
	sent   []string // the lines of the client and to it

	initialize string            // the client's id of it
	ids        map[string]string // of the client's requests in the capture, as the agent has them now
	asked      map[string]string // of the agent's requests in the capture, as the client has them now
	last       string            // the id that the client's next request gets
}

// A captured line, see the captures' README.
type captured struct {
	Dir  string  `json:"dir"`
	T    float64 `json:"t"`
	Line string  `json:"line"`
	Conn int     `json:"conn"`
}

func (r *replay) file(path string) {
	f, err := os.Open(path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c captured
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			r.t.Fatal(err)
		}
		var m map[string]any
		if json.Unmarshal([]byte(c.Line), &m) != nil {
			continue
		}
		r.line(c, m)
	}
	r.ended = true
	r.leaves(r.peer.step(step{gone: "agent exited"}))
}

func (r *replay) line(c captured, m map[string]any) {
	id := fmt.Sprint(m["id"])
	method, _ := m["method"].(string)
	if r.peer != nil && method != "initialize" {
		at := r.start.Add(time.Duration(c.T * float64(time.Millisecond)))
		r.leaves(r.peer.step(step{wait: max(0, at.Sub(r.peer.now))}))
	}
	switch {
	case method == "initialize":
		r.begin(c, m)
		r.initialize = id
	case c.Dir == "a2c" && method == "" && id == r.initialize:
		r.initialize = ""
		r.initialized(m)
	case c.Dir == "c2a" && method == "":
		m["id"] = json.Number(r.asked[id])
		r.send(translate.Client, m)
	case c.Dir == "c2a":
		r.last = id
		r.send(translate.Client, inV1(method, m))
	case method == "":
		m["id"] = json.Number(r.ids[id])
		r.send(translate.Agent, m)
	default:
		r.last = id
		r.sendText(translate.Agent, c.Line)
	}
}

// begin begins a connection with its initialize, which the bridge never sees.
func (r *replay) begin(c captured, m map[string]any) {
	r.judge.reset()
	r.ids, r.asked = make(map[string]string), make(map[string]string)
	r.peer = newPeer(Options{Client: r.client, Agent: words.NewAgent{Stdio: true}})
	r.start = r.peer.now.Add(-time.Duration(c.T * float64(time.Millisecond)))
	v1 := map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{}}
	m["params"] = v1
	text, _ := json.Marshal(m)
	r.conn = c.Conn
	r.note("c2a", string(text))
	r.judge.asks(translate.Client, string(text))
}

func (r *replay) initialized(m map[string]any) {
	result, _ := json.Marshal(m["result"])
	v1, _, err := words.InitializeResultToV1(result)
	if err != nil {
		r.t.Fatal(err)
	}
	m["result"] = json.RawMessage(v1)
	text, _ := json.Marshal(m)
	r.leaves([]string{"C " + string(text)}, nil)
}

// inV1 says a request of a client in version 1.
func inV1(method string, m map[string]any) map[string]any {
	params, _ := m["params"].(map[string]any)
	switch method {
	case "session/resume":
		if params["replayFrom"] != nil {
			m["method"] = "session/load"
			delete(params, "replayFrom")
		}
	case "session/set_config_option":
		if params["type"] == "id" {
			delete(params, "type")
		}
	case "auth/login":
		m["method"] = "authenticate"
	case "auth/logout":
		m["method"] = "logout"
	}
	servers, _ := params["mcpServers"].([]any)
	for _, s := range servers {
		if server := s.(map[string]any); server["type"] == "stdio" {
			delete(server, "type")
		}
	}
	return m
}

func (r *replay) send(from translate.Side, m map[string]any) {
	text, err := json.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	r.sendText(from, string(text))
}

func (r *replay) sendText(from translate.Side, text string) {
	if from == translate.Client {
		r.note("c2a", text)
	}
	valid := r.judge.asks(from, text)
	lines, err := r.peer.send(from, text)
	if valid {
		r.leaves(lines, err)
		return
	}
	r.noteIDs(lines)
	back := slices.DeleteFunc(lines, func(line string) bool { return line[0] != from.String()[0]-'a'+'A' })
	if err := r.judge.check(back); err != nil { // what is wrong is for the other side to say
		r.t.Fatal(err)
	}
}

// leaves checks what leaves, and notes the ids that the bridge gave.
func (r *replay) leaves(lines []string, err error) {
	r.t.Helper()
	if err == nil {
		err = r.judge.check(lines)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.noteIDs(lines)
}

func (r *replay) noteIDs(lines []string) {
	for _, line := range lines {
		var m struct {
			ID     json.RawMessage
			Method *string
		}
		if json.Unmarshal([]byte(line[2:]), &m) == nil && m.ID != nil && m.Method != nil {
			if line[0] == 'A' {
				r.ids[r.last] = string(m.ID)
			} else {
				r.asked[r.last] = string(m.ID)
			}
		}
		if line[0] == 'C' {
			r.note("a2c", line[2:])
		}
	}
}

func (r *replay) note(dir, text string) {
	at := float64(r.peer.now.Sub(r.start)) / float64(time.Millisecond)
	line, _ := json.Marshal(captured{Dir: dir, T: at, Line: text, Conn: r.conn})
	r.sent = append(r.sent, string(line))
}
