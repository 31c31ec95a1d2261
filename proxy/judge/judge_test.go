package judge

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/trace"
	"acp-plan-proxy/translate/schema"
)

// drafts are compiled once for all tests.
var drafts schema.Drafts

// record returns the recording of lines without a proxy. Each begins with who says it.
func record(t testing.TB, lines ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := trace.New(&b, slog.New(slog.DiscardHandler))
	for _, line := range lines {
		who, message, _ := strings.Cut(line, " ")
		from, to, _ := strings.Cut(who, ">")
		if to == "" {
			to = map[string]string{"client": "agent", "agent": "client"}[from]
		}
		w.Message(component(from), component(to), []byte(message))
	}
	return b.Bytes()
}

func component(name string) trace.Component {
	return trace.Component(strings.ToUpper(name[:1]) + name[1:])
}

// reasons judges a recording. It returns what is said of each of its messages.
func reasons(t testing.TB, recording []byte) (found []string) {
	t.Helper()
	j := New(&drafts)
	for e, err := range trace.Events(bytes.NewReader(recording)) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, j.Judge(&e))
	}
	return found
}

// begun is how a connection begins.
func begun(version int) []string {
	if version == 1 {
		return []string{
			`client {"id":0,"method":"initialize","params":{"protocolVersion":1}}`,
			`agent {"id":0,"result":{"protocolVersion":1}}`,
		}
	}
	return []string{
		`client {"id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`,
		`agent {"id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}`,
	}
}

func update(update string) string {
	return `agent {"method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

func entry(members string) string {
	return update(`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"},` + members + `]}`)
}

// TestReasons has the reasons of messages as people read them: "" if a message is allowed.
func TestReasons(t *testing.T) {
	for _, test := range []struct {
		version       int
		says, message string
	}{
		// What is said of plans.
		{1, ``, entry(`{"content":"a","priority":"low","status":"completed"}`)},
		{1, `params.update.entries[1].priority is "urgent": it must be high, medium or low`, entry(`{"content":"a","priority":"urgent","status":"completed"}`)},
		{1, `params.update.entries[1].status is "done": it must be pending, in_progress or completed`, entry(`{"content":"a","priority":"low","status":"done"}`)},
		{1, `params.update.entries[1].priority and status are missing`, entry(`{"content":"a"}`)},
		{1, `params.update.entries[1].content, priority and status are missing`, entry(`{}`)},
		{1, `params.update.entries[1].content is null: it must be a string (and 1 more)`, entry(`{"content":null,"priority":"x","status":"pending"}`)},
		{1, `params.update.entries[1] is a string: it must be an object`, entry(`"a"`)},
		{1, `params.update.entries is an object: it must be an array`, update(`{"sessionUpdate":"plan","entries":{}}`)},
		{1, `params.update.entries is missing`, update(`{"sessionUpdate":"plan"}`)},
	} {
		found := reasons(t, record(t, append(begun(test.version), test.message)...))
		if got := found[2]; found[0]+found[1] != "" || got != test.says {
			t.Errorf("version %d: %s\n%q\n%q, want\n%q", test.version, test.message, found[:2], got, test.says)
		}
	}
}
