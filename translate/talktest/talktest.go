// Package talktest runs scripts of conversations through one translation in tests. The notation is
// that of testdata/conversations:
//
//	# the name of the conversation
//	agent> a message of the agent
//	client< the output for the client, in order; = is the message itself
//	lost the kind of a loss
//
// A line that begins with a name of Words is expanded to that template.
package talktest

import (
	"regexp"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Words are templates of messages by name. Arguments follow the name, separated by |. $1 is the
// first; a missing argument is empty.
type Words map[string]string

func (w Words) message(line string) string {
	name, rest, _ := strings.Cut(line, " ")
	template, ok := w[name]
	if !ok {
		return line
	}
	args := strings.Split(rest, " | ")
	return argument.ReplaceAllStringFunc(template, func(place string) string {
		if i := int(place[1] - '1'); i < len(args) {
			return args[i]
		}
		return ""
	})
}

var (
	argument = regexp.MustCompile(`\$[1-9]`)
	step     = regexp.MustCompile(`(?m)^(agent|client)> `)
)

// Long expands the templates in a script.
func (w Words) Long(script string) string {
	lines := strings.Split(strings.TrimSpace(script), "\n")
	for i, line := range lines {
		who, text, ok := strings.Cut(line, " ")
		if ok && strings.ContainsAny(who, "<>") {
			lines[i] = who + " " + w.message(text)
		} else {
			lines[i] = w.message(line)
		}
	}
	return strings.Join(lines, "\n")
}

// Run runs the conversations of a script, each with a translation that begin returns.
func (w Words) Run(t *testing.T, begin func() translate.SimpleStage, script string) {
	t.Helper()
	for i, talk := range strings.Split("\n"+strings.TrimSpace(script), "\n# ") {
		if i == 0 {
			continue // the text before the first conversation
		}
		name, lines, _ := strings.Cut(talk, "\n")
		t.Run(name, func(t *testing.T) {
			tr := begin()
			starts := step.FindAllStringIndex(lines, -1)
			for i, start := range starts {
				end := len(lines)
				if i+1 < len(starts) {
					end = starts[i+1][0]
				}
				said, want, _ := strings.Cut(strings.TrimSpace(lines[start[0]:end]), "\n")
				if got, want := w.Say(tr, said), w.Long(want); got != want {
					t.Fatalf("for %.1000s\ngot:\n%.5000s\nwant:\n%.5000s", said, got, want)
				}
			}
		})
	}
}

// Say sends a translation a line of a script, "agent> " or "client> " and a message, and returns the
// output.
func (w Words) Say(tr translate.SimpleStage, line string) string {
	from, handle := translate.Agent, tr.FromAgent
	text, isClients := strings.CutPrefix(line, "client> ")
	if isClients {
		from, handle = translate.Client, tr.FromClient
	}
	m := Read(w.message(strings.TrimPrefix(text, "agent> ")))
	var out translate.Out
	out.Reset(from, &m)
	if !handle(&m, &out) {
		out.Forward()
	}
	return left(&out)
}

// Gone ends the client, and returns the output.
func Gone(tr translate.SimpleStage) string {
	var out translate.Out
	out.Reset(translate.Client, nil)
	tr.ClientGone(&out)
	return left(&out)
}

// Read parses a message. It panics if line is not JSON.
func Read(line string) (m jsonrpc.Message) {
	text := []byte(line)
	var c rawjson.Cursor
	c.Reset(text)
	if m.Read(&c, text, nil); !c.End() {
		panic("not JSON: " + line)
	}
	return m
}

func left(out *translate.Out) string {
	var lines []string
	for _, l := range out.Leaves() {
		text := string(out.Text(l))
		if l.Same {
			text = "="
		}
		lines = append(lines, l.To.String()+"< "+text)
	}
	for _, l := range out.Losses() {
		lines = append(lines, "lost "+l.Kind.String())
	}
	return strings.Join(lines, "\n")
}
