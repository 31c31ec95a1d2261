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
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

var times = regexp.MustCompile(`"ts":[0-9]+\.[0-9]{6},("began":"[^"]*",)?`)

// untimed takes the times out of a trace.
func untimed(trace []byte) string {
	return string(times.ReplaceAll(trace, []byte(`"ts":T,`)))
}

func TestMessage(t *testing.T) {
	const (
		toClient = `"from":"Agent","to":"Client"`
		request  = `{"type":"request","ts":T,"protocol":"acp",` + toClient
		notified = `{"type":"notification","ts":T,"protocol":"acp",` + toClient
		response = `{"type":"response","ts":T,` + toClient
	)
	tests := []struct{ name, message, want string }{
		{
			"request", `{"jsonrpc":"2.0","id":1,"method":"fs/read","params":{"path":"/x","sessionId":"s\u00e9"}}`,
			request + `,"id":1,"method":"fs/read","session":"s\u00e9","params":{"path":"/x","sessionId":"s\u00e9"}}`,
		},
		{"request without params", `{"id":"a","method":"m"}`, request + `,"id":"a","method":"m","params":null}`},
		{"id null with a method is a request", `{"id":null,"method":"m"}`, request + `,"id":null,"method":"m","params":null}`},
		{"notification", `{"method":"m","params":[1, 2]}`, notified + `,"method":"m","params":[1, 2]}`},
		{
			"numbers and spacing are kept", `{"method":"m","params":{"n": 1.00e+2, "big":12345678901234567890,"n":0.10}}`,
			notified + `,"method":"m","params":{"n": 1.00e+2, "big":12345678901234567890,"n":0.10}}`,
		},
		{"session that is no string", `{"method":"m","params":{"sessionId":7}}`, notified + `,"method":"m","params":{"sessionId":7}}`},
		{
			"mcp", `{"method":"mcp/message","params":{"method":"x"}}`,
			strings.Replace(notified, "acp", "mcp", 1) + `,"method":"mcp/message","params":{"method":"x"}}`,
		},
		{"result", `{"id":7,"result":{"a":1}}`, response + `,"id":7,"is_error":false,"payload":{"a":1}}`},
		{"result null", `{"result":null,"id":7}`, response + `,"id":7,"is_error":false,"payload":null}`},
		{"error", `{"id":7,"error":{"code":-1}}`, response + `,"id":7,"is_error":true,"payload":{"code":-1}}`},
		{"result and error null", `{"id":7,"error":null,"result":[]}`, response + `,"id":7,"is_error":false,"payload":[]}`},
		{"id null in a response", `{"id":null,"error":{}}`, response + `,"id":null,"is_error":true,"payload":{}}`},
		{
			"batch", `[{"method":"a"} , {"id":1,"result":2}]`,
			notified + `,"method":"a","params":null}` + "\n" + response + `,"id":1,"is_error":false,"payload":2}`,
		},
		{"empty batch", `[]`, ``},
		{
			"several messages", `{"method":"a"}` + "\n" + `{"method":"b"},{"method":"c"}`,
			notified + `,"method":"a","params":null}` + "\n" + notified + `,"method":"b","params":null}` + "\n" +
				notified + `,"method":"c","params":null}`,
		},
		{"blank line", " \r\n", ""},
		{"line ends inside", "{\"method\":\"m\",\"params\":{\r\n\"a\":1}}\r\n", notified + `,"method":"m","params":{  "a":1}}`},
		{"not JSON", "Debugger attached.\n", notified + `,"method":"(not a message)","params":"Debugger attached."}`},
		{"hostile text", "\x1b[2J\"</script>\xff\n", notified + `,"method":"(not a message)","params":"\u001b[2J\"</script>` + "\uFFFD" + `"}`},
		{"truncated", `{"method":"m","params":{"a"`, notified + `,"method":"(not a message)","params":"{\"method\":\"m\",\"params\":{\"a\""}`},
		{"not an object", `42`, notified + `,"method":"(not a message)","params":42}`},
		{"neither method nor result", `{"id":1}`, notified + `,"method":"(not a message)","params":{"id":1}}`},
		{"method that is no string", `{"method":["m"]}`, notified + `,"method":"(not a message)","params":{"method":["m"]}}`},
		{
			"not a message inside a batch", `[1,{"method":"a"}]`,
			notified + `,"method":"(not a message)","params":1}` + "\n" + notified + `,"method":"a","params":null}`,
		},
		{"invalid UTF-8", "{\"method\":\"m\",\"params\":[\"\xff\xfe\"]}", notified + `,"method":"m","params":["` + "\uFFFD" + `"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			w := New(&out, slog.New(slog.DiscardHandler))
			w.Message(Agent, Client, []byte(tt.message))
			want := tt.want
			if want != "" {
				want += "\n"
			}
			if got := untimed(out.Bytes()); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			checkLines(t, out.Bytes())
		})
	}
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

func TestRewritten(t *testing.T) {
	const (
		plan    = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`
		hop     = `{"type":"notification","ts":T,"protocol":"acp","from":"Agent","to":"Proxy","method":"session/update","session":"s","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}` + "\n"
		onwards = `{"type":"notification","ts":T,"protocol":"acp","from":"Proxy","to":"Client","method":"session/update","params":null}` + "\n"
		other   = `{"method":"session/update"}`
	)
	tests := []struct{ name, replacement, want string }{
		{"rewritten", other + "\n", hop + onwards},
		{"twice", other + "\n" + other + "\n", hop + onwards + onwards},
		{"twice in a batch", other + "," + other, hop + onwards + onwards},
		{"dropped", "", hop},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &countingWriter{}
			New(w, slog.New(slog.DiscardHandler)).Rewritten(Agent, Client, []byte(plan+"\n"), []byte(tt.replacement))
			if got := untimed(w.Bytes()); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			if w.writes != 1 {
				t.Errorf("%d writes", w.writes)
			}
		})
	}
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
// rewritten messages stay together, and time does not run backwards.
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
		if invalid := (*LineError)(nil); errors.As(err, &invalid) {
			got = append(got, fmt.Sprintf("%d invalid", invalid.Line))
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %v %s %s %v", e.Line, e.Type, e.Seconds, e.From, e.Method, e.IsError))
	}
	want := []string{
		"1 request 0.5 Client initialize false", "3 response 1 Proxy(0)  true", "4 invalid", "5 invalid", "6 invalid",
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

// endless is a character that is repeated without end.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	if n := bytes.Count(p, []byte{byte(e)}); n < len(p) {
		for i := range p {
			p[i] = byte(e)
		}
	}
	return len(p), nil
}

// TestEventsOfAnyFile reads files with stretches that are far longer than any
// event. What is read of them costs no more memory than one longest event.
func TestEventsOfAnyFile(t *testing.T) {
	const (
		long  = 4 * maxLine
		event = `{"type":"notification","ts":1,"from":"Agent","to":"Client","method":"m","params":null}` + "\n"
	)
	stretch := func(text endless, length int64) io.Reader { return io.LimitReader(text, length) }
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
				if invalid := (*LineError)(nil); errors.As(err, &invalid) {
					got = append(got, fmt.Sprint(invalid.Line, " unreadable"))
				} else if err != nil {
					t.Fatal(err)
				} else {
					got = append(got, fmt.Sprint(e.Line, " event"))
				}
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
