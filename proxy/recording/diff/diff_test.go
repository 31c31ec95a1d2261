package diff

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/redact"
	"acp-plan-proxy/proxy/recording/trace"
)

// recorded returns a trace of lines such as "client {message}", "agent>proxy {message}", and
// "agent update {update}". A line that is not of this form is in the recording as it is.
func recorded(text string) []byte {
	var b bytes.Buffer
	w := trace.New(&b, slog.New(slog.DiscardHandler))
	for line := range strings.Lines(text) {
		route, message, _ := strings.Cut(strings.TrimSpace(line), " ")
		from, to, _ := strings.Cut(route, ">")
		peer := map[string]string{"client": "agent", "agent": "client", "proxy": ""}
		if _, ok := peer[from]; !ok {
			b.WriteString(line)
			continue
		}
		if to == "" {
			to = peer[from]
		}
		if update, ok := strings.CutPrefix(message, "update "); ok {
			message = `{"method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
		}
		w.Message(component(from), component(to), []byte(message))
	}
	return b.Bytes()
}

func component(name string) trace.Component {
	return trace.Component(strings.ToUpper(name[:1]) + name[1:])
}

func fileOf(name string, recorded []byte) recording.File {
	return recording.File{Name: name, SectionReader: io.NewSectionReader(bytes.NewReader(recorded), 0, int64(len(recorded)))}
}

// compared returns the report about two recordings, and the number of differences.
func compared(t *testing.T, before, after []byte, o Options) (string, int) {
	t.Helper()
	var out strings.Builder
	count, err := Compare(&out, fileOf("old", before), fileOf("new", after), o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), count
}

// glob returns the files of a folder that match a pattern, at least one.
func glob(t testing.TB, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || files == nil {
		t.Fatalf("no %s in %s: %v", pattern, folder, err)
	}
	return files
}

// TestCompare compares the recordings in testdata. The comment of a file has the options.
func TestCompare(t *testing.T) {
	for _, file := range glob(t, "testdata", "*.txtar") {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		part := make(map[string]string)
		for _, f := range archive.Files {
			part[f.Name] = string(f.Data)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			before, after := recorded(part["old"]), recorded(part["new"])
			o := Options{Side: trace.Client}
			for name, want := range part {
				switch name {
				case "old", "new":
					continue
				case "want --side=agent":
					o.Side = trace.Agent
				case "want --ignore=text":
					o.IgnoreText = true
				case "want --json":
					o.JSON = true
				case "want COLUMNS=70":
					o.Width = 70
				}
				got, count := compared(t, before, after, o)
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s: (-want +got)\n%s\n%s", name, d, got)
				}
				if lines := strings.Count(want, "\n"); count != lines-1 {
					t.Errorf("%s: %d differences in %d lines", name, count, lines)
				}
				o = Options{Side: trace.Client}
			}
		})
	}
}

// TestSame compares recordings with themselves.
func TestSame(t *testing.T) {
	for _, file := range glob(t, needs.Shared(t, "protocol/captures"), "*.jsonl") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []trace.Component{trace.Client, trace.Agent} {
			if got, count := compared(t, text, text, Options{Side: side}); count > 0 {
				t.Errorf("%s:\n%s", file, got)
			}
		}
	}
}

// TestRedacted checks that the texts of a redacted recording are not compared.
func TestRedacted(t *testing.T) {
	text := recorded(`client {"id":0,"method":"initialize","params":{"protocolVersion":1}}
agent {"id":0,"result":{"protocolVersion":1}}
client {"id":1,"method":"session/new","params":{"cwd":"/home/bob/work","mcpServers":[]}}
agent {"id":1,"result":{"sessionId":"s"}}
client {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"the secret"}]}}
agent update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"It is a secret."}}
agent update {"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","rawInput":{"file":"/a"},"status":"pending"}
agent {"method":"_own","params":{"secret":1}}
agent update {"sessionUpdate":"plan","entries":[{"content":"Find it","priority":"high","status":"pending"}]}`)
	var hidden bytes.Buffer
	if err := redact.New().Copy(&hidden, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	const want = "Same 9, changed 0, missing 0, new 0, moved 0. A recording is redacted: texts were not compared.\n"
	if got, _ := compared(t, text, hidden.Bytes(), Options{Side: trace.Client}); got != want {
		t.Errorf("got %s", got)
	}
	changed := bytes.Replace(hidden.Bytes(), []byte(`"status":"pending"}]`), []byte(`"status":"completed"}]`), 1)
	if got, count := compared(t, text, changed, Options{Side: trace.Client}); count != 1 {
		t.Errorf("another status: %s", got)
	}
}

// TestRedactedCaptures compares recordings in both forms with their redacted forms.
func TestRedactedCaptures(t *testing.T) {
	for _, file := range glob(t, needs.Shared(t, "protocol/captures"), "*.jsonl") {
		directed, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var traced bytes.Buffer
		w := trace.New(&traced, slog.New(slog.DiscardHandler))
		for line := range bytes.Lines(directed) {
			if m := recording.Parse(line, ""); m != nil {
				w.Message(m.From, m.To, m.Original)
			}
		}
		for _, text := range [][]byte{directed, traced.Bytes()} {
			var hidden bytes.Buffer
			if err := redact.New().Copy(&hidden, bytes.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			got, count := compared(t, hidden.Bytes(), text, Options{Side: trace.Client})
			if count > 0 || !strings.Contains(got, "texts were not compared") {
				t.Errorf("%s:\n%s", file, got)
			}
		}
	}
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	io.ReaderAt
	count int
}

func (r *countingReader) ReadAt(p []byte, offset int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, offset)
	r.count += n
	return n, err
}

// TestReads checks that a changed message is read again without those around it.
func TestReads(t *testing.T) {
	var before, after strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&before, "agent {\"method\":\"_m\",\"params\":{\"n\":%d}}\n", i)
		fmt.Fprintf(&after, "agent {\"method\":\"_m\",\"params\":{\"n\":-%d}}\n", i)
	}
	old, new := recorded(before.String()), recorded(after.String())
	r := &countingReader{ReaderAt: bytes.NewReader(old)}
	count, err := Compare(io.Discard, recording.File{Name: "old", SectionReader: io.NewSectionReader(r, 0, int64(len(old)))}, fileOf("new", new), Options{Side: trace.Client})
	if want := 999; err != nil || count != want || r.count > 3*len(old) {
		t.Errorf("%d differences, %v; read %d bytes of %d", count, err, r.count, len(old))
	}
}

// TestForeign compares a file that has no message.
func TestForeign(t *testing.T) {
	_, err := Compare(io.Discard, fileOf("old", []byte("notes\n")), fileOf("new", nil), Options{Side: trace.Client})
	if want := "old: " + recording.ErrForeign.Error(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// TestAlign aligns long blocks.
func TestAlign(t *testing.T) {
	const length = 4000
	numbers := func(from, count int) (list []int) {
		for i := range count {
			list = append(list, from+i)
		}
		return list
	}
	repeated := func(number, count int) []int { return slices.Repeat([]int{number}, count) }
	for _, c := range []struct {
		name        string
		before      []int
		after       []int
		pairedCount int
	}{
		{"nothing in common", numbers(0, length), numbers(length, length), 0},
		{"inserted items", numbers(0, length), slices.Concat(numbers(0, 10), numbers(length, 3000), numbers(10, length-10)), length},
		{"missing items", slices.Concat(numbers(0, 10), numbers(length, 3000), numbers(10, length-10)), numbers(0, length), length},
		{"a moved item", slices.Concat(numbers(0, length), numbers(-1, 1)), slices.Concat(numbers(-1, 1), numbers(0, length)), length},
		{"equal items that were inserted before others", slices.Concat(repeated(0, 200), numbers(1, 1), repeated(0, 2000)), slices.Concat(repeated(0, 1200), numbers(1, 1), repeated(0, 2000)), 2201},
		{"equal items", repeated(0, length), repeated(0, length-1), length - 1},
		{"equal items among others", slices.Concat(numbers(1, 500), repeated(0, length)), slices.Concat(repeated(0, 50), numbers(1, 500), repeated(0, length-50)), 500 + length - 50},
	} {
		if got := alignedCount(c.before, c.after); got != c.pairedCount {
			t.Errorf("%s: %d pairs, want %d", c.name, got, c.pairedCount)
		}
	}
}

// TestAlignIsLongest compares the number of pairs with the length of a longest common subsequence.
func TestAlignIsLongest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		sides := [2][]int{make([]int, random.IntN(40)), make([]int, random.IntN(40))}
		for _, side := range sides {
			for i := range side {
				side[i] = random.IntN(6)
			}
		}
		var lengths [41][41]int // of the first i and j items
		for i, old := range sides[0] {
			for j, new := range sides[1] {
				lengths[i+1][j+1] = max(lengths[i][j+1], lengths[i+1][j])
				if old == new {
					lengths[i+1][j+1] = lengths[i][j] + 1
				}
			}
		}
		if got, want := alignedCount(sides[0], sides[1]), lengths[len(sides[0])][len(sides[1])]; got != want {
			t.Fatalf("%v: %d pairs, want %d", sides, got, want)
		}
	}
}

// alignedCount aligns items with these hashes, and returns the number of pairs.
func alignedCount(before, after []int) (count int) {
	var items [2][]*item
	for side, hashes := range [][]int{before, after} {
		for _, hash := range hashes {
			items[side] = append(items[side], &item{hash: uint64(hash)})
		}
	}
	align(items[0], items[1])
	for _, it := range items[1] {
		if it.partner != nil {
			count++
		}
	}
	return count
}

// FuzzCompare compares any two files, and a recording with itself.
func FuzzCompare(f *testing.F) {
	for _, file := range glob(f, "testdata", "*.txtar") {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(recorded(string(archive.Files[0].Data)), recorded(string(archive.Files[1].Data)))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		o := Options{Side: trace.Client}
		Compare(io.Discard, fileOf("old", before), fileOf("new", after), o)
		if count, err := Compare(io.Discard, fileOf("old", before), fileOf("new", before), o); err == nil && count != 0 {
			t.Error(fmt.Sprint(count, " differences"))
		}
	})
}

// TestText compares recordings with directions in which a side sent a line that is not a message.
func TestText(t *testing.T) {
	line := func(direction, text string) []byte {
		return fmt.Appendf(nil, `{"dir":"c2a","t":1,"line":"{\"id\":0,\"method\":\"initialize\"}"}`+"\n"+`{"dir":%q,"t":2,"line":%q}`, direction, text)
	}
	for _, direction := range []string{"c2a", "a2c"} {
		if got, count := compared(t, line(direction, "loading"), line(direction, "loaded"), Options{Side: trace.Client}); count != 1 || !strings.Contains(got, `"loading" → "loaded"`) {
			t.Errorf("%s: %s", direction, got)
		}
	}
}
