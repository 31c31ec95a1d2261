package timeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
)

// read returns the rows of a recording in order, after the last change.
func read(t testing.TB, recorded string) (rows []*timeline.Row, sessions []timeline.Session, peers timeline.Peers) {
	t.Helper()
	indexes := make(map[int]int)
	tl := timeline.New()
	add := func(c timeline.Changes) {
		sessions = append(sessions, c.Sessions...)
		if c.Peers != nil {
			peers = *c.Peers
		}
		for _, r := range c.Rows {
			clone := *r
			if i, ok := indexes[r.Number]; ok {
				rows[i] = &clone
				continue
			}
			indexes[r.Number] = len(rows)
			rows = append(rows, &clone)
		}
	}
	for e, err := range recording.Events(strings.NewReader(recorded)) {
		if err != nil {
			t.Fatal(err)
		}
		add(tl.Add(&e))
	}
	return rows, sessions, peers
}

// events records lines such as
//
//	1.5 agent>client {"method":"m"}
//
// The message "update s {…}" is a session/update. A line that begins with a brace is recorded
// as it is. The route "proxy>client=3" sets "of" to 3. Without a number, a message of the proxy
// belongs to the message before it at the same time, if there is one.
func events(lines ...string) string {
	var b bytes.Buffer
	received, at := 0, 0.0
	w := trace.New(&b, slog.New(slog.DiscardHandler))
	for i, line := range lines {
		seconds, rest, _ := strings.Cut(line, " ")
		if seconds[0] == '{' {
			b.WriteString(line + "\n")
			continue
		}
		route, message, _ := strings.Cut(rest, " ")
		if update, ok := strings.CutPrefix(message, "update "); ok {
			session, update, _ := strings.Cut(update, " ")
			message = fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, update)
		}
		route, of, linked := strings.Cut(route, "=")
		from, to, _ := strings.Cut(route, ">")
		moment, _ := strconv.ParseFloat(seconds, 64)
		if from != "proxy" {
			received, at = i+1, moment
		} else if !linked && moment-at < 0.001 {
			of, linked = fmt.Sprint(received), true
		}
		start := b.Len()
		w.Message(component(from), component(to), []byte(message))
		event := stamps.ReplaceAllString(string(b.Bytes()[start:]), "")
		event = strings.Replace(event, `"from"`, `"ts":`+seconds+`,"from"`, 1)
		b.Truncate(start)
		if linked {
			event = strings.Replace(event, `"to"`, `"of":`+of+`,"to"`, 1)
		}
		b.WriteString(event)
	}
	return b.String()
}

// stamps matches the members with which a Writer stamps an event.
var stamps = regexp.MustCompile(`"ts":[0-9.]+,("began":"[^"]*",)?|,"of":[0-9]+`)

func component(name string) trace.Component {
	return trace.Component(strings.ToUpper(name[:1]) + name[1:])
}

// brief formats a row for comparison.
func brief(r *timeline.Row) string {
	parts := []string{fmt.Sprint(r.Number), string(r.About), string(r.Fate)}
	addIf := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	addIf(r.Session != 0, "S%d", r.Session)
	addIf(r.Summary != "", "%q", r.Summary)
	addIf(r.Error != "", "error %q", r.Error)
	addIf(r.Why != "", "since %s", r.Why)
	addIf(r.Became != "", "→ %q", r.Became)
	addIf(r.Took != nil, "took %v", deref(r.Took))
	addIf(r.Request != 0, "answers %d", r.Request)
	addIf(r.Answer != 0, "answered %d", r.Answer)
	addIf(r.Failed, "failed")
	addIf(r.Unseen, "unseen")
	addIf(r.Of != 0, "of %d", r.Of)
	addIf(r.Caused != nil, "caused %v", r.Caused)
	addIf(r.IDOnly, "id only")
	addIf(r.Tool != 0, "T%d", r.Tool)
	addIf(r.Run != 0, "run %d", r.Run)
	addIf(r.Opens, "opens")
	addIf(r.InTurn, "in")
	addIf(r.Closes, "closes")
	addIf(r.Stop != "", "%s after %v", r.Stop, r.TurnTook)
	addIf(r.Forgets != "", "forgets %s", r.Forgets)
	for _, l := range r.Lost {
		addIf(true, "lost %s %q %q", l.Kind, l.Name, l.Detail)
	}
	if p := r.Plan(); p != nil {
		addIf(true, "plan %q %s %d/%d", p.ID, p.Form, p.Done, p.Total)
	}
	return strings.Join(parts, " ")
}

func deref(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

func TestRows(t *testing.T) {
	text, err := os.ReadFile("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(text), "\n== ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		t.Run(name, func(t *testing.T) {
			var lines, want, got []string
			for line := range strings.Lines(strings.TrimSpace(body)) {
				line = strings.TrimSuffix(line, "\n")
				if row, ok := strings.CutPrefix(line, "\t"); ok {
					want = append(want, row)
				} else {
					lines = append(lines, line)
				}
			}
			rows, _, _ := read(t, events(lines...))
			for _, r := range rows {
				got = append(got, brief(r))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// TestPeers: initialize and its response name the peers.
func TestPeers(t *testing.T) {
	recorded, err := os.ReadFile("../view/testdata/bridge.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	_, sessions, got := read(t, string(recorded))
	want := timeline.Peers{Client: "old-editor 1.8", Agent: "new-agent 2.1", ClientProtocol: "1", AgentProtocol: "2", Joined: true}
	if got != want {
		t.Errorf("%+v", got)
	}
	_, _, ofVersion2 := read(t, events(`0 client>agent {"id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"e"},"capabilities":{}}}`,
		`1 agent>client {"id":1,"result":{"protocolVersion":2,"info":{"title":"A","name":"a","version":"3"},"capabilities":{}}}`))
	if ofVersion2.Began = ""; ofVersion2 != (timeline.Peers{Client: "e", Agent: "A 3", ClientProtocol: "2", AgentProtocol: "2"}) {
		t.Errorf("of version 2: %+v", ofVersion2)
	}
	if len(sessions) != 1 || sessions[0] != (timeline.Session{Number: 1, ID: "s-7f3a"}) {
		t.Errorf("%+v", sessions)
	}
}

// TestLines: each line has its route and its plan.
func TestLines(t *testing.T) {
	rows, _, _ := read(t, events(`1 agent>proxy update s {"sessionUpdate":"plan_removed","planId":"p"}`,
		`1 proxy>client update s {"sessionUpdate":"plan","entries":[]}`))
	got, err := json.Marshal(rows[0].Lines)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"n":1,"from":"Agent","to":"Proxy","plan":{"id":"p","form":"removed"}},{"n":2,"from":"Proxy","to":"Client","plan":{"id":"","form":"plan"}}]`
	if string(got) != want {
		t.Errorf("%s", got)
	}
}

// TestBounded reads more and longer values than a Timeline retains.
func TestBounded(t *testing.T) {
	texts := strings.NewReplacer("TEXT", strings.Repeat("x", 50_000), "SPACES", strings.Repeat(" ", 50_000))
	for _, tt := range []struct {
		name string
		many int
		line string // N is the number of the line
	}{
		{"tool calls and sessions", 70_000, `1 agent>client update sN {"sessionUpdate":"tool_call","toolCallId":"N"}`},
		{"requests", 70_000, `1 client>agent {"id":N,"method":"session/prompt","params":{"sessionId":"sN","prompt":[]}}`},
		{"long sessions and methods", 1_000, `0 client>agent {"id":N,"method":"TEXT","params":{"sessionId":"NTEXT"}}`},
		{"long messages", 1_000, `0 agent>client update sN {"sessionUpdate":"agent_message_chunk","messageId":"TEXT","content":{"type":"text","text":"a"}}`},
		{"long components", 1_000, `0 proxy(N)TEXT>agent {"id":1,"method":"a","params":{}}`},
		{"titles with spaces", 1_000, `0 agent>client update s {"sessionUpdate":"tool_call","toolCallId":"N","title":"aSPACES"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tl := timeline.New()
			before := heapSize()
			var follower recording.Follower
			for i := range tt.many {
				event := texts.Replace(events(strings.ReplaceAll(tt.line, "N", fmt.Sprint(i))))
				m := recording.Message{Event: trace.ReadLine([]byte(event), i+1)}
				follower.Follow(&m)
				if c := tl.Add(&m); len(c.Rows) != 1 {
					t.Fatalf("%d rows", len(c.Rows))
				}
			}
			const most = 40 << 20
			if grown := heapSize() - before; grown > most {
				t.Errorf("%d MiB", grown>>20)
			}
			runtime.KeepAlive(tl)
		})
	}
}

// heapSize returns the size of the heap.
func heapSize() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestManyLines: the lines of a row are limited, since each change repeats the row.
func TestManyLines(t *testing.T) {
	for _, routes := range [][2]string{{"agent>proxy", "proxy>client"}, {"client>proxy", "proxy>proxy"}} {
		lines := []string{"0 " + routes[0] + " update s {}"}
		for range 300 {
			lines = append(lines, "0 "+routes[1]+" update s {}")
		}
		rows, _, _ := read(t, events(lines...))
		total := 0
		for _, r := range rows {
			total += len(r.Lines)
			if len(r.Lines) > 64 {
				t.Errorf("%s: row %d has %d lines", routes, r.Number, len(r.Lines))
			}
		}
		if total != len(lines) {
			t.Errorf("%s: the rows have %d lines", routes, total)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	recorded, err := os.ReadFile("../view/testdata/bridge.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(recorded)))
	b.ReportAllocs()
	for b.Loop() {
		tl := timeline.New()
		for e, err := range recording.Events(strings.NewReader(string(recorded))) {
			if err != nil {
				b.Fatal(err)
			}
			tl.Add(&e)
		}
	}
}
