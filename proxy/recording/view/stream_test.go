package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/proxy/recording/timeline"
)

// streamOf returns the stream up to the end of the file.
func streamOf(t *testing.T, r Recording) string {
	t.Helper()
	h := newHandler("TOKEN", "127.0.0.1:1", nil, r)
	ctx, leave := context.WithCancel(t.Context())
	w := &untilRead{httptest.NewRecorder(), leave}
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:1/TOKEN/events", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	return w.Body.String()
}

// An untilRead is a response that closes the connection at the end of the file.
type untilRead struct {
	*httptest.ResponseRecorder
	leave func()
}

// Write implements io.Writer.
func (u *untilRead) Write(p []byte) (int, error) {
	n, err := u.ResponseRecorder.Write(p)
	if bytes.HasSuffix(u.Body.Bytes(), []byte(changeRead)) {
		u.leave()
	}
	return n, err
}

// splitStream separates the lines of the recording from the changes behind each line, by its number.
func splitStream(t *testing.T, stream string) (lines []string, changes map[int][]string) {
	t.Helper()
	changes = make(map[int][]string)
	for line := range strings.Lines(stream) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "[") {
			lines = append(lines, line)
			continue
		}
		var change []json.RawMessage
		if err := json.Unmarshal([]byte(line), &change); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		name := string(change[0])
		if name == `"row"` {
			var row timeline.Row
			if err := json.Unmarshal(change[1], &row); err != nil {
				t.Fatal(err)
			}
			name = fmt.Sprintf("row %d %s", row.Number, row.Fate)
		}
		changes[len(lines)] = append(changes[len(lines)], name)
	}
	return lines, changes
}

func TestStreamHasLinesAndRows(t *testing.T) {
	path := recordLines(t,
		updateLine(1, "Agent", "Proxy", `{"sessionUpdate":"x"}`),
		updateLine(1, "Proxy", "Client", `{"sessionUpdate":"y"}`),
		"", "[1]", "nonsense",
		updateLine(2, "Agent", "Client", `{"sessionUpdate":"<z>"}`))
	lines, changes := splitStream(t, streamOf(t, Recording{File: path}))
	recorded := strings.Split(strings.TrimSpace(string(readFile(t, path))), "\n")
	recorded[3], recorded[4] = "?", "?"
	if got, want := strings.Join(lines, "\n"), strings.Join(recorded, "\n"); got != want {
		t.Errorf("the lines:\n%s\nwant\n%s", got, want)
	}
	want := map[int][]string{1: {`"session"`, "row 1 unknown"}, 2: {"row 1 rewritten"}, 6: {"row 6 forwarded", `"judged"`, `"grows"`, `"read"`}}
	if fmt.Sprint(changes) != fmt.Sprint(want) {
		t.Errorf("the changes: %v, want %v", changes, want)
	}
}

// streamReader reads a stream of a server as the page does.
type streamReader struct {
	t     *testing.T
	lines *bufio.Scanner
}

func openStream(t *testing.T, path string, linters func() linter) streamReader {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = newHandler("TOKEN", server.Listener.Addr().String(), nil, Recording{File: path, makeLinter: linters})
	server.Config.ErrorLog = log.New(failingLog{t}, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	answer, err := http.Get(server.URL + "/TOKEN/events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	f := streamReader{t, bufio.NewScanner(answer.Body)}
	f.lines.Buffer(nil, 1<<20)
	return f
}

// failingLog is the log of a server; any record fails the test.
type failingLog struct{ t *testing.T }

// Write implements io.Writer.
func (f failingLog) Write(text []byte) (int, error) {
	f.t.Errorf("the server logged %s", text)
	return len(text), nil
}

// expect reads the next lines, and compares their beginnings.
func (f streamReader) expect(beginnings ...string) {
	f.t.Helper()
	for _, want := range beginnings {
		if !f.lines.Scan() {
			f.t.Fatalf("the stream ends, want %s", want)
		}
		if !strings.HasPrefix(f.lines.Text(), want) {
			f.t.Fatalf("got %s, want %s", f.lines.Text(), want)
		}
	}
}

func TestStreamFollows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	event := func(seconds float64) string {
		return updateLine(seconds, "Agent", "Client", `{"sessionUpdate":"x"}`) + "\n"
	}
	write := func(flag int, text string) {
		f, err := os.OpenFile(path, flag|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write(0, strings.Replace(event(1), "{", `{"long":"`+strings.Repeat("x", 100_000)+`",`, 1)+event(2)[:40])
	events := openStream(t, path, newStrict)
	events.expect(`{"long"`, `["session"`, `["row",{"n":1,`, `["finding",{"number":1,`, `["judged"`, `["grows"]`, `["read"]`)
	write(os.O_APPEND, event(2)[40:])
	events.expect(`{"type"`, `["row",{"n":2,`, `["finding",{"number":2,`)
	// Another recording takes its place, after there was none. Windows removes no file
	// while it is being read.
	for os.Remove(path) != nil {
		runtime.Gosched()
	}
	if err := os.Rename(recordLines(t, strings.TrimSpace(event(3))), path); err != nil { // write would make an empty file first
		t.Fatal(err)
	}
	events.expect(`["new"]`, `{"type"`, `["session"`, `["row",{"n":1,`, `["finding",{"number":1,`)
}

// TestStreamOfMissingFile waits for a recording that another program is about to begin.
func TestStreamOfMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	events := openStream(t, path, nil)
	events.expect(`["read"]`)
	if err := os.Rename(recordLines(t, updateLine(1, "Agent", "Client", `{"sessionUpdate":"x"}`)), path); err != nil {
		t.Fatal(err) // WriteFile would make an empty file first
	}
	events.expect(`{"type"`, `["session"`, `["row"`)
}

// TestStreamEnds checks that reading stops when the connection is closed.
func TestStreamEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHandler("TOKEN", "127.0.0.1:1", nil, Recording{File: "testdata/demo.jsonl"})
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:1/TOKEN/events", nil))
	}()
	cancel()
	<-done
	// A HEAD request does not wait for the file to grow.
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("HEAD", "http://127.0.0.1:1/TOKEN/events", nil))
	// A page that takes nothing more, while there is more to be read.
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(updateLine(1, "Agent", "Client", `{"sessionUpdate":"x"}`)+"\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	h = newHandler("TOKEN", "127.0.0.1:1", nil, Recording{File: path})
	w := &brokenResponse{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1:1/TOKEN/events", nil))
	if w.writes > 1 {
		t.Errorf("%d writes to a page that is gone", w.writes)
	}
}

// ruleLinter is a linter with one rule.
type ruleLinter struct {
	judge interface {
		Judge(m *recording.Message) string
	}
}

func (l ruleLinter) Add(m *recording.Message) []judge.Finding {
	if m.Type == "" {
		return nil
	}
	if why := l.judge.Judge(m); why != "" {
		return []judge.Finding{{Number: m.Line, By: m.From, Rule: "schema", Text: why}}
	}
	return nil
}

func (ruleLinter) End() []judge.Finding   { return nil }
func (ruleLinter) UnjudgedReason() string { return "" }

// brokenResponse is a response on a closed connection.
type brokenResponse struct {
	*httptest.ResponseRecorder
	writes int
}

// Write implements io.Writer.
func (b *brokenResponse) Write([]byte) (int, error) {
	b.writes++
	return 0, io.ErrClosedPipe
}

// strictJudge allows no message.
type strictJudge struct{}

func (strictJudge) Judge(e *recording.Message) string {
	return "</script> is not allowed in " + e.Method
}

func newStrict() linter { return ruleLinter{strictJudge{}} }

func TestStreamOfFindings(t *testing.T) {
	path := recordLines(t, updateLine(1, "Agent", "Client", `{"sessionUpdate":"x"}`), "nonsense", updateLine(1, "Agent", "Client", `{"sessionUpdate":"x"}`))
	const mark = `,"by":"Agent","rule":"schema","text":"\u003c/script\u003e is not allowed in session/update"}]`
	openStream(t, path, newStrict).expect(`{"type"`, `["session"`, `["row"`, `["finding",{"number":1`+mark, "?", `{"type"`, `["row"`, `["finding",{"number":3`+mark, `["judged",""]`, `["grows"]`, `["read"]`)
	for want, linters := range map[int]func() linter{2: newStrict, 0: nil} { // nil is the real linter: without an initialize it finds nothing
		var out bytes.Buffer
		if err := (Recording{File: path, makeLinter: linters}).HTML(&out); err != nil {
			t.Fatal(err)
		}
		if _, recording, _ := strings.Cut(out.String(), beginPart); strings.Count(recording, `["finding"`) != want || strings.Count(recording, mark) != want {
			t.Errorf("want %d findings in the page: %s", want, recording)
		}
	}
}

// TestFindingsOfEachStream: each stream judges the recording from its beginning.
func TestFindingsOfEachStream(t *testing.T) {
	path := recordLines(t,
		`{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"type":"response","ts":0,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"protocolVersion":1}}`,
		updateLine(1, "Agent", "Client", `{"sessionUpdate":"plan","entries":[{"content":"a","priority":"urgent","status":"pending"}]}`))
	for range 2 {
		openStream(t, path, nil).expect(`{"type":"request"`, `["row"`, `{"type":"response"`, `["row"`, `["row"`, `["peers"`, `{"type":"notification"`, `["session"`, `["row"`,
			`["finding",{"number":3,"by":"Agent","rule":"schema","text":"params.update.entries[0].priority is \"urgent\": it must be high, medium or low"}]`, `["judged","the recording has no messages`, `["grows"]`, `["read"]`)
	}
}

// TestHTMLParts: a large recording is in parts, each of whole lines.
func TestHTMLParts(t *testing.T) {
	line := updateLine(1, "Agent", "Client", `{"sessionUpdate":"x","text":"`+strings.Repeat("x", partSize*2/3)+`"}`)
	var out bytes.Buffer
	if err := (Recording{File: recordLines(t, line, line, line)}).HTML(&out); err != nil {
		t.Fatal(err)
	}
	_, parts, _ := strings.Cut(out.String(), beginPart)
	first, second, _ := strings.Cut(parts, endPart+beginPart)
	if strings.Count(first, line+"\n") != 2 || strings.Count(second, line+"\n") != 1 || !strings.HasSuffix(first, "]\n") {
		t.Errorf("%d and %d bytes", len(first), len(second))
	}
}

// TestHTMLLines has characters that a script element and JSON read differently.
func TestHTMLLines(t *testing.T) {
	path := recordLines(t, "{\"type\":\"notification\",\r\"from\":\"Agent\",\"to\":\"Client\",\"method\":\"</script><!--\xff\"}")
	var out bytes.Buffer
	if err := (Recording{File: path}).HTML(&out); err != nil {
		t.Fatal(err)
	}
	want := "{\"type\":\"notification\",\x02\"from\":\"Agent\",\"to\":\"Client\",\"method\":\"\x01/script>\x01!--\uFFFD\"}\n[\"row\""
	if !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in %q", want, out.String())
	}
}
