package play

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/recording/trace"
)

// recorded returns a recording of lines such as
//
//	c 100 {"id":1,"method":"initialize"}
//
// with the sender, client or agent (a), and the time in milliseconds.
func recorded(t testing.TB, lines string) string {
	t.Helper()
	var file strings.Builder
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		sender, rest, _ := strings.Cut(line, " ")
		ms, message, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&file, `{"dir":%q,"t":%s,"line":%s}`+"\n", map[string]string{"c": "c2a", "a": "a2c"}[sender], ms, strconv.Quote(message))
	}
	return file.String()
}

// testPlayer returns the player of one side of a recording.
func testPlayer(t testing.TB, us trace.Component, text string) *player {
	t.Helper()
	p, err := newPlayer(us, strings.NewReader(text), Options{Log: quiet(), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if us == trace.Client {
		p.client.dir = func(recorded string) string {
			if recorded == "/there" {
				return recorded
			}
			return "/here"
		}
	}
	return p
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// converse plays one side of a recording. The steps are the actions of the peer:
//
//	> {"id":…}      a message of the client; < of the agent
//	+ 300           milliseconds pass
//	end             the peer closes its side
//
// It returns the steps with the messages of the player between them, each with the time since
// the previous step if that is not 0. After the steps of a client, it returns "over" if
// the client is done, and lines with ! for requests that were not answered as recorded.
func converse(t *testing.T, us trace.Component, lines string, speed float64, steps string) string {
	t.Helper()
	p := testPlayer(t, us, recorded(t, lines))
	ours, theirs := "<", ">"
	if us == trace.Client {
		ours, theirs = theirs, ours
	} else {
		p.agent.speed = speed
	}
	var now time.Duration
	var got strings.Builder
	runUntil := func(until time.Duration) {
		from := now
		for {
			again := p.run(now)
			for line := range bytes.Lines(p.out) {
				at := ""
				if now > from {
					at = fmt.Sprintf("%d ", (now - from).Milliseconds())
				}
				fmt.Fprintf(&got, "%s %s%s", ours, at, withoutVersion(string(line)))
			}
			p.out = nil
			if again > until {
				break
			}
			now = max(now, again)
		}
		now = until
	}
	runUntil(0)
	for step := range strings.Lines(steps) {
		step = strings.TrimSpace(step)
		action, rest, _ := strings.Cut(step, " ")
		if action == theirs || action == "+" || action == "end" {
			got.WriteString(step + "\n")
		}
		switch action {
		case theirs:
			p.receive([]byte(rest), now)
			runUntil(now)
		case "+":
			ms, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatal(err)
			}
			runUntil(now + time.Duration(ms)*time.Millisecond)
		case "end":
			p.agent.end(now)
			runUntil(now)
		}
	}
	if us == trace.Client {
		if p.isDone() {
			got.WriteString("over\n")
		}
		r := p.client.result(nil)
		if r.Answered < r.Recorded {
			fmt.Fprintf(&got, "! %d of %d\n", r.Answered, r.Recorded)
		}
		if r.Late != "" {
			fmt.Fprintln(&got, "!", r.Late)
		}
	}
	return got.String()
}

// check plays one side of a recording against the steps of its peer in want, and compares the
// conversation with want.
func check(t *testing.T, us trace.Component, lines string, speed float64, want string) {
	t.Helper()
	got := converse(t, us, lines, speed, want)
	want = strings.ReplaceAll(strings.TrimSpace(want), "\n\n", "\n") + "\n"
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

var version = regexp.MustCompile(`"jsonrpc":"2.0",`)

func withoutVersion(line string) string { return version.ReplaceAllString(line, "") }

// begin is the beginning of most recordings, and begun the same messages in the conversation of an
// agent.
const begin = `
c 0 {"id":0,"method":"initialize","params":{"protocolVersion":1}}
a 100 {"id":0,"result":{"protocolVersion":1}}
c 200 {"id":1,"method":"session/new","params":{"cwd":"/home/ann/src"}}
a 300 {"id":1,"result":{"sessionId":"recorded-1"}}
a 350 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
`

const begun = `
> {"id":10,"method":"initialize","params":{"protocolVersion":1}}
< {"id":10,"result":{"protocolVersion":1}}
> {"id":11,"method":"session/new","params":{"cwd":"/work"}}
< {"id":11,"result":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
`

const oneTurn = `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
a 1300 {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
a 1600 {"id":2,"result":{"stopReason":"end_turn"}}
`

// greeted is begun for a client: the messages before its first prompt.
const greeted = `
> {"id":1,"method":"initialize","params":{"protocolVersion":1}}
< {"id":1,"result":{"protocolVersion":1}}
> {"id":2,"method":"session/new","params":{"cwd":"/here"}}
< {"id":2,"result":{"sessionId":"live-1"}}
`

const permission = `{"id":0,"method":"session/request_permission","params":{"sessionId":"recorded-1","toolCall":{"kind":"edit"},"options":[{"optionId":"o1","kind":"allow_once"},{"optionId":"o2","kind":"reject_once"}]}}`
