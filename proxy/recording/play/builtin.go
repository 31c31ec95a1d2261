package play

import (
	"bytes"
	"embed"
	"fmt"
	"log/slog"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
)

// The folder builtin contains traces of one session with one prompt. Their ids have the
// prefixes sess_1 and turn_1, which repeat replaces. index.txt lists them.
//
//go:embed builtin
var builtinFiles embed.FS

// maxLines bounds the lines of a built-in recording.
const maxLines = 60

// List returns the names of the built-in recordings, a line for each with a description.
func List() string {
	list, _ := builtinFiles.ReadFile("builtin/index.txt")
	return string(list)
}

// Builtin returns the built-in recording with that name, or nil.
func Builtin(name string) []byte {
	text, _ := builtinFiles.ReadFile("builtin/" + name + ".jsonl")
	return text
}

// repeat extends a built-in recording for a new session or a further prompt, and returns
// the recorded request that corresponds to m. It returns nil for other requests.
func (a *agent) repeat(m *recording.Message) *call {
	sc := a.scriptOf(m.Session)
	var session string
	switch {
	case a.builtin == nil:
		return nil
	case m.Method == "session/new":
		session = fmt.Sprintf("sess_%d", a.turnCount+1)
	case m.Method == "session/prompt" && sc != nil && sc.session != "":
		session = sc.session
	default:
		return nil
	}
	a.turnCount++
	begin := bytes.LastIndexByte(a.builtin[:bytes.Index(a.builtin, []byte(`"method":"`+m.Method+`"`))], '\n') + 1
	text := bytes.ReplaceAll(a.builtin[begin:], []byte("sess_1"), []byte(session))
	text = bytes.ReplaceAll(text, []byte("turn_1"), fmt.Appendf(nil, "turn_%d", a.turnCount))
	all, _ := readMessages(bytes.NewReader(text), trace.Agent) // reading from memory never fails
	for _, repeated := range all {
		repeated.Line += a.turnCount * maxLines
	}
	a.build(all)
	return a.match(m)
}

// A Local is the agent of a recording in the process of its client. It responds without
// delay.
type Local struct {
	p *player
}

// NewLocal reads the recording.
func NewLocal(text []byte) (Local, error) {
	p, err := newPlayer(trace.Agent, bytes.NewReader(text), Options{Log: slog.New(slog.DiscardHandler)})
	return Local{p}, err
}

// Pass passes lines of the client to the agent, and returns the lines that the agent then sends.
func (l Local) Pass(lines []byte) (out []byte) {
	p := l.p
	for line := range bytes.Lines(lines) {
		p.receive(line, p.now)
	}
	for wake := p.now; wake < never; {
		wake = p.run(max(p.now, wake))
		out, p.out = append(out, p.out...), nil
	}
	return out
}
