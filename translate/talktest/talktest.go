// Package talktest tests one translation with scripts of conversations. The notation resembles that
// of testdata/conversations:
//
//	# NAME           begins a conversation
//	agent> MESSAGE   the agent sends a message
//	client> MESSAGE  the client sends a message
//
// The lines after a message are the expected output, in order and complete:
//
//	client< MESSAGE  a message to the client; = is the sent message unchanged
//	agent< MESSAGE   a message to the agent
//	lost KIND        a loss
//
// A MESSAGE is JSON, or the name of a template of [Templates] and its arguments.
package talktest

import (
	"regexp"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Templates maps names to templates of messages. In a script, arguments follow the name, separated by
// " | ". $1 in a template stands for the first argument. A missing argument is empty.
type Templates map[string]string

// message returns the JSON of a MESSAGE.
func (templates Templates) message(line string) string {
	name, rest, _ := strings.Cut(line, " ")
	template, ok := templates[name]
	if !ok {
		return line
	}
	args := strings.Split(rest, " | ")
	return argument.ReplaceAllStringFunc(template, func(parameter string) string {
		if i := int(parameter[1] - '1'); i < len(args) {
			return args[i]
		}
		return ""
	})
}

var (
	argument = regexp.MustCompile(`\$[1-9]`)
	step     = regexp.MustCompile(`(?m)^(agent|client)> `)
)

// Expand expands the templates in a script.
func (templates Templates) Expand(script string) string {
	lines := strings.Split(strings.TrimSpace(script), "\n")
	for i, line := range lines {
		mark, text, ok := strings.Cut(line, " ")
		if ok && strings.ContainsAny(mark, "<>") {
			lines[i] = mark + " " + templates.message(text)
		} else {
			lines[i] = templates.message(line)
		}
	}
	return strings.Join(lines, "\n")
}

// Run runs each conversation of a script as a subtest, with a new translation from begin.
func (templates Templates) Run(t *testing.T, begin func() translate.SimpleStage, script string) {
	t.Helper()
	for i, talk := range strings.Split("\n"+strings.TrimSpace(script), "\n# ") {
		if i == 0 {
			continue // the text before the first conversation
		}
		name, lines, _ := strings.Cut(talk, "\n")
		t.Run(name, func(t *testing.T) {
			stage := begin()
			starts := step.FindAllStringIndex(lines, -1)
			for i, start := range starts {
				end := len(lines)
				if i+1 < len(starts) {
					end = starts[i+1][0]
				}
				input, want, _ := strings.Cut(strings.TrimSpace(lines[start[0]:end]), "\n")
				if got, want := templates.Send(stage, input), templates.Expand(want); got != want {
					t.Fatalf("for %.1000s\ngot:\n%.5000s\nwant:\n%.5000s", input, got, want)
				}
			}
		})
	}
}

// Send passes a message to a translation, and returns the output in the notation of a script. The
// line begins with "agent> " or "client> ".
func (templates Templates) Send(stage translate.SimpleStage, line string) string {
	from, handle := translate.Agent, stage.FromAgent
	text, isClients := strings.CutPrefix(line, "client> ")
	if isClients {
		from, handle = translate.Client, stage.FromClient
	}
	m := Read(templates.message(strings.TrimPrefix(text, "agent> ")))
	var out translate.Out
	out.Reset(from, &m)
	if !handle(&m, &out) {
		out.Forward()
	}
	return outputOf(&out)
}

// CloseClient reports the end of the client to a translation, and returns the output.
func CloseClient(stage translate.SimpleStage) string {
	var out translate.Out
	out.Reset(translate.Client, nil)
	stage.ClientClosed(&out)
	return outputOf(&out)
}

// Read parses a message. It panics if line is not JSON.
func Read(line string) (m jsonrpc.Message) {
	text := []byte(line)
	var c rawjson.Cursor
	c.Reset(text)
	m.Read(&c, text, nil)
	if !c.End() {
		panic("not JSON: " + line)
	}
	return m
}

// outputOf returns the output in the notation of a script.
func outputOf(out *translate.Out) string {
	var lines []string
	for _, l := range out.Outputs() {
		text := string(out.Text(l))
		if l.Same {
			text = "="
		}
		lines = append(lines, l.To.String()+"< "+text)
	}
	for _, l := range out.Losses() {
		lines = append(lines, "lost "+string(l.Kind))
	}
	return strings.Join(lines, "\n")
}
