package vendors

import (
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A step is a message and what leaves for it: lines that begin with "C " go to the
// client, those with "A " to the agent, and "=" is the message itself.
type step struct {
	from translate.Side
	in   string
	want []string
}

func agent(in string, want ...string) step  { return step{translate.Agent, in, want} }
func client(in string, want ...string) step { return step{translate.Client, in, want} }

// A test is a conversation with peers.
type test struct {
	name  string
	mode  Mode
	peers Peers
	steps []step
}

func run(t *testing.T, tests []test) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.mode == "" {
				test.mode = Auto
			}
			tr := New(test.mode)
			test.peers.Old = true
			if test.peers.SaysTexts == 0 && test.peers.showsTexts() {
				test.peers.SaysTexts = 1 << 10
			}
			tr.Negotiated(test.peers)
			for _, s := range test.steps {
				if got, want := say(tr, s), strings.Join(s.want, "\n"); got != want {
					t.Fatalf("for %s\ngot:\n%s\nwant:\n%s", s.in, got, want)
				}
			}
		})
	}
}

// nowhere is the end of a chain of which only the beginning matters.
type nowhere struct{}

func (nowhere) Leave(translate.Leaving, []byte) {}
func (nowhere) Lose(translate.Loss)             {}

func read(line string) (m jsonrpc.Message) {
	text := []byte(line)
	var c rawjson.Cursor
	c.Reset(text)
	m.Read(&c, text, nil)
	if !c.End() {
		panic("not JSON: " + line)
	}
	return m
}

func say(tr *Translator, s step) string {
	m := read(s.in)
	var out translate.Out
	out.Reset(s.from, &m)
	handle := tr.FromAgent
	if s.from == translate.Client {
		handle = tr.FromClient
	}
	if !handle(&m, &out) {
		return "="
	}
	return leaves(&out)
}

func leaves(out *translate.Out) string {
	var lines []string
	for _, l := range out.Leaves() {
		switch {
		case l.Same:
			lines = append(lines, "=")
		case l.To == translate.Client:
			lines = append(lines, "C "+string(out.Text(l)))
		default:
			lines = append(lines, "A "+string(out.Text(l)))
		}
	}
	for _, l := range out.Losses() {
		lines = append(lines, "lost "+l.Kind.String())
	}
	return strings.Join(lines, "\n")
}

// updateOf returns a session/update of the session s, with the members of the update.
func updateOf(members string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + members + `}}}`
}

// plan returns the plan that the client gets of entries, given as content:status.
func plan(entries ...string) string {
	var list []string
	for _, e := range entries {
		content, status, _ := strings.Cut(e, ":")
		status, priority, ok := strings.Cut(status, ":")
		if !ok {
			priority = "medium"
		}
		list = append(list, `{"content":"`+content+`","priority":"`+priority+`","status":"`+status+`"}`)
	}
	return "C " + updateOf(`"sessionUpdate":"plan","entries":[`+strings.Join(list, ",")+`]`)
}
