package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"acp-plan-proxy/transport"
)

var times = regexp.MustCompile(`"ts":[0-9]+\.[0-9]{6},("began":"[^"]*",)?`)

// untimed replaces the times in a trace.
func untimed(trace []byte) string {
	return string(times.ReplaceAll(trace, []byte(`"ts":T,`)))
}

// TestEventsOfMessages records the message of each section of testdata/events.txt.
func TestEventsOfMessages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "events.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(text), "\n== ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		t.Run(name, func(t *testing.T) {
			var message, replacement, want string
			var lost []Loss
			rewritten := false
			for line := range strings.Lines(strings.TrimRight(body, "\n")) {
				line = strings.TrimSuffix(line, "\n")
				keyword, rest, _ := strings.Cut(line, " ")
				switch {
				case line != "" && line[0] == '\t':
					want += line[1:] + "\n"
				case keyword == "lost":
					lost = readLosses([]byte(rest))
				case keyword == "=>":
					rewritten = true
					replacement += unquoted(rest) + "\n"
				default:
					message = unquoted(line)
				}
			}
			w := &countingWriter{}
			recorder := New(w, slog.New(slog.DiscardHandler))
			if rewritten {
				recorder.Rewritten(Agent, Client, []byte(message), []byte(replacement), lost...)
			} else {
				recorder.Message(Agent, Client, []byte(message), lost...)
			}
			recorded := w.Len()
			if got := untimed(w.Bytes()); got != want || w.writes > 1 {
				t.Errorf("in %d writes\n%swant\n%s", w.writes, got, want)
			}
			checkLines(t, w.Bytes())
			recorder.Message(Agent, Client, []byte(`{"method":"next"}`))
			if bytes.Contains(w.Bytes()[recorded:], []byte("lost")) {
				t.Error("the next event has the losses of the message before it")
			}
		})
	}
}

// unquoted returns the value of a Go string literal, or any other line as it is.
func unquoted(line string) string {
	if text, err := strconv.Unquote(line); err == nil {
		return text
	}
	return line
}

// TestOf: each event has the number of the one that it belongs to.
func TestOf(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, slog.New(slog.DiscardHandler))
	message := func(text string) []byte { return []byte(text + "\n") }
	check := func(want ...string) {
		t.Helper()
		var got []string
		for e, err := range Events(bytes.NewReader(out.Bytes())) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d %s>%s of %d", e.Line, e.From, e.To, e.Of))
		}
		if got = got[len(got)-len(want):]; !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	w.Rewritten(Client, Agent, message(`{"id":1,"method":"a"}`), message(`{"id":"p","method":"a"}`))
	w.Message(Agent, Client, message(`{"id":1,"method":"b"}`))
	w.Message(Client, Agent, message(`{"id":1,"result":{}}`))
	w.Rewritten(Agent, Client, message(`{"id":"p","result":{}}`), message(`{"id":1,"result":{}}`))
	check("1 Client>Proxy of 0", "2 Proxy>Agent of 1", "3 Agent>Client of 0", "4 Client>Agent of 3", "5 Agent>Proxy of 2", "6 Proxy>Client of 5")

	w.Own(Client, message("{\"method\":\"c\"}\n{\"method\":\"d\"}"), Next)
	w.Message(Agent, Client, message(`{"method":"e"}`))
	w.Own(Agent, message(`{"id":"q","method":"f"}`), Last)
	w.Own(Client, message(`{"method":"g"}`), Unknown)
	check("7 Proxy>Client of 9", "8 Proxy>Client of 9", "9 Agent>Client of 0", "10 Proxy>Agent of 9", "11 Proxy>Client of 0")

	// The agent answers the proxy, the proxy answers for the agent, and the agent is late.
	w.Message(Client, Agent, message(`{"id":1,"method":"h"}`))
	w.Rewritten(Agent, Client, message(`{"id":"q","result":{}}`), nil)
	w.Own(Client, message(`{"id":1,"error":{}}`), Unknown)
	w.Message(Agent, Client, message(`{"id":1,"result":{}}`))
	check("12 Client>Agent of 0", "13 Agent>Proxy of 10", "14 Proxy>Client of 12", "15 Agent>Client of 12")
}

// TestOfMissing: no event belongs to one that a slow file did not take.
func TestOfMissing(t *testing.T) {
	w := &fullWriter{}
	recorder := New(w, slog.New(slog.DiscardHandler))
	recorder.Message(Client, Agent, []byte(`{"id":1,"method":"a"}`))
	w.full = true
	recorder.Message(Client, Agent, []byte(`{"id":2,"method":"b"}`))
	w.full = false
	recorder.Own(Client, []byte(`{"method":"c"}`), Last)
	recorder.Message(Agent, Client, []byte(`{"id":2,"result":{}}`))
	recorder.Rewritten(Agent, Client, []byte(`{"method":"d"}`), []byte(`{"method":"e"}`))
	var got []int
	for e := range Events(&w.Buffer) {
		got = append(got, e.Of)
	}
	if want := []int{0, 0, 0, 0, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A fullWriter refuses writes while it is full.
type fullWriter struct {
	bytes.Buffer
	full bool
}

func (w *fullWriter) Write(p []byte) (int, error) {
	if w.full {
		return 0, transport.ErrFull
	}
	return w.Buffer.Write(p)
}

func TestLongTextIsCut(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, slog.New(slog.DiscardHandler))
	w.Message(Agent, Client, bytes.Repeat([]byte("x"), 1<<20))
	if out.Len() > 2*maxText {
		t.Errorf("%d bytes recorded", out.Len())
	}
	checkLines(t, out.Bytes())
}

type countingWriter struct {
	bytes.Buffer
	writes int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	return w.Buffer.Write(p)
}

// TestConcurrent records from both directions at once: no line may be torn,
// events of a rewritten message are adjacent, and times do not decrease.
func TestConcurrent(t *testing.T) {
	t.Run("file", func(t *testing.T) { testConcurrent(t, Create) })
	t.Run("live", func(t *testing.T) { testConcurrent(t, CreateLive) })
}

func testConcurrent(t *testing.T, create func(string, *slog.Logger) (*Writer, error)) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	w, err := create(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	const each = 2000
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range each {
			message := fmt.Appendf(nil, `{"method":"session/update","params":{"n":%d}}`, i)
			w.Rewritten(Agent, Client, message, message)
		}
	})
	wg.Go(func() {
		for i := range each {
			w.Message(Client, Agent, fmt.Appendf(nil, `{"id":%d,"method":"session/prompt"}`, i))
		}
	})
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Message(Client, Agent, []byte(`{"method":"late"}`))

	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var last Event
	count := 0
	for e, err := range Events(file) {
		if err != nil {
			t.Fatal(err)
		}
		count++
		if e.Line != count || e.Seconds < last.Seconds {
			t.Fatalf("line %d at %v follows line %d at %v", e.Line, e.Seconds, last.Line, last.Seconds)
		}
		if e.From == Proxy && (last.To != Proxy || string(e.Params) != string(last.Params)) {
			t.Fatalf("line %d: what was sent does not follow what was received", e.Line)
		}
		last = e
		last.Params = bytes.Clone(e.Params)
	}
	if count != 3*each {
		t.Errorf("%d events", count)
	}
}

func TestCreate(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte("an earlier recording\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, log)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stat, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat.Size() != 0 {
		t.Error("the earlier recording is still there")
	}
	if want := privateMode(t); stat.Mode() != want {
		t.Errorf("mode is %v, want %v", stat.Mode(), want)
	}
	if _, err := Create(filepath.Join(path, "below-a-file"), log); err == nil {
		t.Error("created where nothing can be")
	}
}

// privateMode is the mode that this system gives a file for its owner only.
func privateMode(t *testing.T) fs.FileMode {
	t.Helper()
	path := filepath.Join(t.TempDir(), "private")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stat, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return stat.Mode()
}

func TestEvents(t *testing.T) {
	const recording = `{"type":"request","ts":0.5,"protocol":"acp","from":"Client","to":"Proxy(0)","id":null,"method":"initialize","params":{}}

{"type":"response","ts":1,"from":"Proxy(0)","to":"Client","id":null,"is_error":true,"payload":[]}
{"ts":2}
nonsense
{"type":"notification","ts":3,"protocol":"acp","from":"Agent","to":"Client","method":"m","params":nu`
	var got []string
	for e, err := range Events(strings.NewReader(recording)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %v %s %s %v", e.Line, e.Type, e.Seconds, e.From, e.Method, e.IsError))
	}
	want := []string{
		"1 request 0.5 Client initialize false", "3 response 1 Proxy(0)  true", "4  0   false", "5  0   false", "6  0   false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	failing := io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(errBroken))
	var last error
	for _, err := range Events(failing) {
		last = err
	}
	if !errors.Is(last, errBroken) {
		t.Errorf("got %v", last)
	}
}

var errBroken = errors.New("broken")

// An endlessReader reads a character that is repeated without end.
type endlessReader byte

func (e endlessReader) Read(p []byte) (int, error) {
	if n := bytes.Count(p, []byte{byte(e)}); n < len(p) {
		for i := range p {
			p[i] = byte(e)
		}
	}
	return len(p), nil
}

// TestEventsOfAnyFile reads files with stretches that are far longer than any
// event. Reading them takes no more memory than the longest event.
func TestEventsOfAnyFile(t *testing.T) {
	const (
		long  = 4 * maxLine
		event = `{"type":"notification","ts":1,"from":"Agent","to":"Client","method":"m","params":null}` + "\n"
	)
	stretch := func(text endlessReader, length int64) io.Reader { return io.LimitReader(text, length) }
	tests := []struct {
		name   string
		text   io.Reader
		memory uint64
		want   string
	}{
		{"zeros after a power cut", io.MultiReader(strings.NewReader(event+`{"type":"notifi`), stretch(0, long)), maxLine + 8<<20, "1 event, 2 unreadable"},
		{"nothing but zeros", stretch(0, long), maxLine + 8<<20, "1 unreadable"},
		{"a wrong file", io.MultiReader(strings.NewReader(event), stretch('x', long), strings.NewReader("\n"+event)), maxLine + 8<<20, "1 event, 2 unreadable, 3 event"},
		{"an event without an end", io.MultiReader(strings.NewReader(event+`{"params":"`), stretch('x', long), strings.NewReader("\n"+event)), maxLine + 8<<20, "1 event, 2 unreadable, 3 event"},
		{
			"the longest event", io.MultiReader(strings.NewReader(event[:len(event)-6]+`"`), stretch('x', 64<<20), strings.NewReader("\"}\n"+event)),
			3 * maxLine, "1 event, 2 event",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var got []string
			for e, err := range Events(tt.text) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprint(e.Line, map[bool]string{true: " event", false: " unreadable"}[e.Type != ""]))
			}
			runtime.ReadMemStats(&after)
			if got := strings.Join(got, ", "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > tt.memory {
				t.Errorf("%d MiB were allocated in all", n>>20)
			}
		})
	}
}

// checkLines checks that each line is a JSON object and UTF-8.
func checkLines(t *testing.T, trace []byte) {
	t.Helper()
	for line := range bytes.Lines(trace) {
		if line[len(line)-1] != '\n' || bytes.IndexByte(line, '\r') >= 0 {
			t.Errorf("not one line: %q", line)
		}
		if !json.Valid(line) || !bytes.Equal(line, bytes.ToValidUTF8(line, nil)) {
			t.Errorf("not JSON in UTF-8: %q", line)
		}
	}
}

func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"sessionId":"s"}}`, `[{"id":1,"result":null},{"method":"\ud800"}]`,
		"{\"method\":\"\xff\"}\n", `{"id":1,"error":{}}`, "x", "1 2,3", `{"method":"a"}{"method":"b"}`, "[", `{"params":{},"params":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		var out bytes.Buffer
		w := New(&out, slog.New(slog.DiscardHandler))
		before := bytes.Clone(message)
		w.Rewritten(Agent, Client, message, message)
		if !bytes.Equal(before, message) {
			t.Fatal("the message was changed")
		}
		checkLines(t, out.Bytes())
		for e, err := range Events(&out) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == Response && e.Method != "" || e.Type != Response && e.Protocol == "" {
				t.Fatalf("members of another type: %+v", e)
			}
		}
	})
}

func BenchmarkMessage(b *testing.B) {
	w := New(io.Discard, slog.New(slog.DiscardHandler))
	message := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("text ", 40) + `"}}}}` + "\n")
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		w.Message(Agent, Client, message)
	}
}
