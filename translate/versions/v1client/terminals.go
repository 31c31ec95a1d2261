package v1client

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, the agent runs commands and reports their output; an item of a tool call's
// content shows the terminal. Version 1 has only the client's terminals. By a convention, the
// _meta of a tool call has the agent's terminals. Clients without the convention receive the
// output as text.

const (
	maxOutput    = 64 << 10 // bytes shown of a terminal or a subagent
	terminalCost = 256      // bytes of a terminal without its output
)

// A tail is the end of a growing text.
type tail struct {
	text  []byte
	total int // length of the whole text
}

// add appends a text.
func (t *tail) add(text []byte) {
	t.total += len(text)
	if len(text) > maxOutput {
		t.text, text = t.text[:0], text[len(text)-maxOutput:] // t.text remains a part of the whole text
	}
	t.text = append(t.text, text...)
	if len(t.text) > 2*maxOutput {
		t.text = append(t.text[:0], t.shown()...)
	}
}

// shown returns the part of the text that is shown.
func (t *tail) shown() []byte { return t.text[max(0, len(t.text)-maxOutput):] }

// A terminal is the state of a terminal of the agent.
type terminal struct {
	session          *session
	id, command, cwd string
	output           tail
	entry            *keep.Entry
	exit             []byte    // raw exit status, see shapes.ExitStatus; empty before the command ends
	owner            *toolCall // the tool call that shows the terminal, or nil

	// The state of a client with the convention:
	announced bool // the client knows the terminal
	sent      int  // length of the output that the client has; -1 if it has output that the terminal has replaced
	exitSent  bool // the client has the exit status
}

// hasTerminals reports whether the client supports the convention.
func (s *session) hasTerminals() bool { return s.bridge.options.Client.TerminalOutput }

// terminal returns a terminal, or adds it.
func (s *session) terminal(id []byte) *terminal {
	if t := s.terminals.Find(id); t != nil {
		return t
	}
	t := &terminal{session: s, id: string(id)}
	t.remember()
	return t
}

// remember adds a terminal as the newest. The budget evicts its output first, and then the terminal.
func (t *terminal) remember() {
	t.entry = t.session.terminals.Keep(t.session.share, t.id, t, func() {
		if len(t.output.text) > 0 {
			t.output.text = nil
			t.remember()
		}
	})
	t.updateSize()
}

// updateSize updates the cost of a terminal in the budget.
func (t *terminal) updateSize() {
	t.entry.SetSize(terminalCost + len(t.command) + len(t.cwd) + len(t.exit) + len(t.output.text))
}

// attachTerminal returns a terminal and makes the tool call its owner.
func (t *toolCall) attachTerminal(id []byte) *terminal {
	s := t.session
	term := s.terminal(id)
	term.owner = t
	if !s.hasTerminals() {
		s.link.Lose(translate.LossTerminal, "the output of a terminal is shown as text")
	}
	return term
}

// update applies a terminal_update or a terminal_output_chunk, and shows the terminal again: at once
// to a client with the convention, or if the update ends the command; otherwise after a delay.
func (t *terminal) update(o rawjson.Object) {
	hadExited := t.hasExited()
	for _, f := range o {
		switch text, _ := rawjson.TextOf(f.Value); string(f.Name) {
		case "command":
			t.command = string(text)
		case "cwd":
			t.cwd = string(text)
		case "output":
			t.replace(rawjson.Get(f.Value, "data"))
		case "data":
			t.write(f.Value)
		case "exitStatus":
			w := t.session.link.Scratch()
			w.ToV1(shapes.ExitStatus, f.Value)
			t.exit = bytes.Clone(w.Out)
		}
	}
	t.updateSize()
	switch call := t.owner; {
	case call == nil:
	case t.session.hasTerminals():
		t.sendUnsent()
	case len(call.items) == 0: // the content of the tool call was evicted
	case t.hasExited() && !hadExited:
		call.sendContent()
	default:
		call.delayContent(terminalDelay)
	}
}

// hasExited reports whether the command has ended.
func (t *terminal) hasExited() bool { return len(t.exit) > 0 }

// write appends output, which is base64 in a raw JSON string.
func (t *terminal) write(data []byte) {
	text, ok := rawjson.TextOf(data)
	if !ok {
		return
	}
	decoded, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		t.session.link.Lose(translate.LossUnreadableOutput, "output is dropped from the first byte that cannot be decoded")
	}
	t.output.add(decoded)
}

// replace sets the output. A client that has the old output needs only the rest, if the new output
// begins with the old one.
func (t *terminal) replace(data []byte) {
	old := t.output
	t.output = tail{}
	t.write(data)
	if len(old.text) < old.total || !bytes.HasPrefix(t.output.text, old.text) {
		t.sent = -1
	}
}

// sendUnsent sends a client with the convention the output and the exit status that it lacks.
func (t *terminal) sendUnsent() {
	if !t.announced {
		t.send(t.announce())
	}
	if output := t.takeUnsent(); len(output) > 0 {
		t.send(t.metaWith("terminal_output", rawjson.Object{}.Set("data", quoted(output))))
	}
	if t.hasExited() && !t.exitSent {
		t.exitSent = true
		t.send(t.metaWith("terminal_exit", rawjson.Members(t.exit)))
	}
}

// showTerminals calls sendUnsent of all terminals of a tool call, for a client with the convention.
func (t *toolCall) showTerminals() {
	for _, part := range t.items {
		if part.terminal != nil && t.session.hasTerminals() {
			part.terminal.sendUnsent()
		}
	}
}

// announceTerminal announces the first unannounced terminal of the tool call in the _meta of a
// change, to a client with the convention.
func (t *toolCall) announceTerminal(change rawjson.Object) rawjson.Object {
	for _, part := range t.items {
		if part.terminal != nil && !part.terminal.announced && t.session.hasTerminals() {
			return change.Set("_meta", withMeta(change.Get("_meta"), part.terminal.announce()))
		}
	}
	return change
}

// announce returns the _meta that announces the terminal, and records that it is sent.
func (t *terminal) announce() []byte {
	t.announced = true
	var members rawjson.Object
	if t.cwd != "" {
		members = members.Set("cwd", quoted(t.cwd))
	}
	return t.metaWith("terminal_info", members)
}

// metaWith returns a _meta with a member of the convention, an object with these members.
func (t *terminal) metaWith(name string, members rawjson.Object) []byte {
	id := rawjson.Object{}.Set("terminal_id", quoted(t.id))
	return object(name, shapes.Text(append(id, members...)))
}

// send sends a _meta of the convention.
func (t *terminal) send(meta []byte) {
	w := t.session.link.UpdateWith([]byte(t.session.id), "tool_call_update")
	w.StringMember("toolCallId", []byte(t.owner.id))
	w.Member("_meta", meta)
	t.session.link.SendUpdate()
}

// takeUnsent returns the output that a client with the convention lacks, up to the last whole
// character, and records that it is sent. If the client has another output, escape sequences that
// clear its screen precede the output.
func (t *terminal) takeUnsent() []byte {
	output := t.output.text
	if unsent := t.output.total - t.sent; unsent <= len(output) {
		output = output[len(output)-unsent:]
	} else {
		output = append([]byte("\x1b[2J\x1b[3J\x1b[H"), t.output.shown()...)
	}
	whole := len(output)
	if !t.hasExited() {
		whole = wholeRunes(output)
	}
	t.sent = t.output.total - (len(output) - whole)
	return output[:whole]
}

// wholeRunes returns the length of text without an incomplete character at its end.
func wholeRunes(text []byte) int {
	for n := min(utf8.UTFMax-1, len(text)); n > 0; n-- {
		if !utf8.FullRune(text[len(text)-n:]) {
			return len(text) - n
		}
	}
	return len(text)
}

// writeItem writes the item of a tool call's content that shows the terminal. It writes nothing if
// the item would be empty.
func (t *terminal) writeItem(w *rawjson.Builder) {
	if t.session.hasTerminals() {
		w.Object()
		w.Texts("type", "terminal", "terminalId", t.id)
		w.EndObject()
	} else if text := t.text(); text != "" {
		translate.WriteText(w, text)
	}
}

// text returns the command and output as a fenced text, and the exit status.
func (t *terminal) text() string {
	var parts []string
	if t.command != "" {
		parts = append(parts, "$ "+printable([]byte(t.command)))
	}
	if output := printable(t.output.shown()); output != "" {
		parts = append(parts, output)
	}
	if len(parts) > 0 {
		fence := fenceOf(parts...)
		parts = append(slices.Insert(parts, 0, fence), fence)
	}
	exit := rawjson.Members(t.exit)
	if code := exit.Get("exit_code"); !rawjson.IsNull(code) {
		parts = append(parts, "exit code "+string(code))
	} else if signal := exit.String("signal"); signal != "" {
		parts = append(parts, "signal "+signal)
	}
	return strings.Join(parts, "\n")
}

// fenceOf returns a fence longer than any run of backticks in the texts.
func fenceOf(texts ...string) string {
	fence := "```"
	for slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, fence) }) {
		fence += "`"
	}
	return fence
}

// escapes are the escape sequences of terminals: ESC [ up to a byte from @ to ~; strings up to a bell,
// ESC \ or the end of the text; and others of one to three bytes.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\x1b(?:\[[^@-~]*[@-~]?|[\]PX^_].*?(?:\x07|\x1b\\|\z)|[()*+#% ].?|.?)`)
})

// printable returns output as a terminal displays it: without escape sequences and control
// characters. The text after a carriage return replaces its line. The last line break is
// dropped.
func printable(output []byte) string {
	text := slices.DeleteFunc(escapes().ReplaceAll(output, nil), func(c byte) bool {
		return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f
	})
	var out []byte
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		out = append(append(out, line[bytes.LastIndexByte(line, '\r')+1:]...), '\n')
	}
	return strings.TrimRight(string(out), "\n")
}
