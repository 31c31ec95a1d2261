package oldclient

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2 the agent runs commands and reports what they print; an item in
// a tool call's content says where that is shown. Version 1 has only the
// client's terminals. By a convention, a tool call carries the agent's
// terminals in its _meta. Clients that do not know the convention get the
// output as text.

const (
	maxTerminals = 256      // of a session
	maxOutput    = 64 << 10 // bytes of a terminal
	terminalCost = 256      // bytes of a terminal besides what it says
)

// terminals are the terminals of a session.
type terminals struct {
	all   map[string]*terminal
	order []string // the oldest first
	size  int      // bytes of all outputs
	named int      // bytes of all ids, commands and directories
}

// A terminal is what the agent has reported of a terminal.
type terminal struct {
	id, command, cwd string
	output           []byte // the last part of it
	total            int    // how many bytes came in all
	named            int    // bytes besides the output
	exit             exit
	shownEnd         bool      // its end was sent at once
	owner            *toolCall // the tool call that shows it; nil as long as none does

	// Towards a client with the convention:
	told    bool   // it knows of the terminal
	toldOf  int    // how much of total it has; -1 if it has something else
	partial []byte // the beginning of a character
	toldEnd bool
}

// An exit is how a command has ended, by raw values.
type exit struct {
	ended        bool
	code, signal []byte
}

// get returns a terminal, a new one if it is not known.
func (t *terminals) get(b *Bridge, id []byte) *terminal {
	if known := t.all[string(id)]; known != nil {
		return known
	}
	created := &terminal{id: string(id)}
	if len(id) > maxID {
		return created
	}
	if t.all == nil {
		t.all = make(map[string]*terminal)
	}
	if len(t.order) >= maxTerminals {
		oldest := t.all[t.order[0]]
		t.size -= len(oldest.output)
		t.named -= oldest.named
		delete(t.all, oldest.id)
		t.order = t.order[1:]
		b.w.Lose(translate.LossTooManyTerminals, "forgot the oldest of more than 256 of a session")
	}
	t.all[created.id] = created
	t.order = append(t.order, created.id)
	t.count(created)
	return created
}

// count counts what is kept of a terminal besides its output.
func (t *terminals) count(of *terminal) {
	if t.all[of.id] == of {
		named := terminalCost + len(of.id) + len(of.command) + len(of.cwd) + len(of.exit.code) + len(of.exit.signal)
		t.named += named - of.named
		of.named = named
	}
}

// liveSize is how much text the terminals and subagents of a content show.
func (c *toolCall) liveSize() (n int) {
	for _, i := range c.items {
		if i.terminal != nil {
			n += len(i.terminal.output)
		}
		if i.child != nil {
			n += len(i.child.said)
		}
	}
	return n
}

// terminalUpdate handles terminal_update.
func (b *Bridge) terminalUpdate(s *session) {
	o := b.update.members
	id, ok := o.Text("terminalId")
	if !ok {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a terminal_update without terminalId")
		return
	}
	s.works()
	t := s.terminals.get(b, id)
	changed, ends := false, false
	for _, f := range o {
		switch string(f.Name) {
		case "command":
			text, _ := rawjson.TextOf(f.Value)
			changed = changed || string(text) != t.command
			t.command = clippedTo(text, maxID)
		case "cwd":
			text, _ := rawjson.TextOf(f.Value)
			t.cwd = clippedTo(text, maxID)
		case "output":
			before := len(t.output)
			t.replace(b, member(f.Value, "data"))
			s.terminals.grown(t, len(t.output)-before)
			changed = true
		case "exitStatus":
			t.setExit(f.Value)
			changed = true
			ends = t.exit.ended && !t.shownEnd
			t.shownEnd = t.shownEnd || ends
		}
	}
	s.terminals.count(t)
	if changed {
		b.terminalChanged(s, t, ends)
	}
}

func clippedTo(text []byte, n int) string {
	return string(text[:min(len(text), n)])
}

func (t *terminal) setExit(status []byte) {
	o, ok := rawjson.ReadObject(nil, status)
	t.exit = exit{ended: ok}
	if code := o.Get("exitCode"); len(code) > 0 && len(code) <= maxID && (code[0] == '-' || '0' <= code[0] && code[0] <= '9') {
		t.exit.code = cloned(code)
	}
	if signal := o.Get("signal"); len(signal) > 0 && len(signal) <= maxID && signal[0] == '"' {
		t.exit.signal = cloned(signal)
	}
}

// terminalOutputChunk handles terminal_output_chunk.
func (b *Bridge) terminalOutputChunk(s *session) {
	id, ok := b.update.members.Text("terminalId")
	if !ok {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a terminal_output_chunk without terminalId")
		return
	}
	s.works()
	t := s.terminals.get(b, id)
	before := len(t.output)
	t.write(b, b.update.members.Get("data"))
	s.terminals.grown(t, len(t.output)-before)
	b.terminalChanged(s, t, false)
}

// grown counts output.
func (t *terminals) grown(of *terminal, by int) {
	if t.all[of.id] == of {
		t.size += by
	}
}

// write adds output, which is base64 in a raw JSON string.
func (t *terminal) write(b *Bridge, data []byte) {
	text, ok := rawjson.TextOf(data)
	if !ok {
		return
	}
	decoded, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		b.w.Lose(translate.LossUnreadableOutput, "kept what of it could be decoded")
	}
	t.total += len(decoded)
	if len(decoded) > maxOutput {
		decoded = decoded[len(decoded)-maxOutput:]
	}
	t.output = append(t.output, decoded...)
	if over := len(t.output) - maxOutput; over > maxOutput {
		t.output = append(t.output[:0], t.output[over:]...)
	}
}

// replace gives the terminal other output. If that begins with what there was,
// it is as if only the rest had come.
func (t *terminal) replace(b *Bridge, data []byte) {
	old, whole := t.output, len(t.output) == t.total
	t.output, t.total = nil, 0
	t.write(b, data)
	if !whole || !bytes.HasPrefix(t.output, old) {
		t.toldOf = -1
	}
}

// last returns the output that is shown.
func (t *terminal) last() []byte { return t.output[max(0, len(t.output)-maxOutput):] }

// terminalChanged has the tool call that shows the terminal sent again, at once
// if its command has ended.
func (b *Bridge) terminalChanged(s *session, t *terminal, ends bool) {
	if t.owner == nil {
		return
	}
	if b.options.Client.TerminalOutput {
		b.tellTerminal(s, t)
		return
	}
	if len(t.owner.items) == 0 {
		return // its content was forgotten
	}
	if ends {
		b.sendContent(s, t.owner)
		return
	}
	b.collect(s, t.owner, collectTerminal)
}

// tellTerminals tells a client with the convention what it does not know yet
// of the terminals that a tool call shows.
func (b *Bridge) tellTerminals(s *session, c *toolCall) {
	if !b.options.Client.TerminalOutput {
		return
	}
	for _, i := range c.items {
		if i.terminal != nil {
			b.tellTerminal(s, i.terminal)
		}
	}
}

// withTerminal tells a client with the convention of a terminal that the tool
// call begins to show: in the _meta of the report that shows it, as the client
// must know of the terminal by then.
func (b *Bridge) withTerminal(c *toolCall, report rawjson.Object) rawjson.Object {
	if !b.options.Client.TerminalOutput {
		return report
	}
	for _, i := range c.items {
		if i.terminal != nil && !i.terminal.told {
			i.terminal.told = true
			info := append(append([]byte(`{"terminal_info":`), i.terminal.info()...), '}')
			return report.Set("_meta", withMeta(orNull(report.Get("_meta")), info))
		}
	}
	return report
}

// info is what the convention says of a terminal that begins.
func (t *terminal) info() []byte {
	info := appendMember([]byte("{"), "terminal_id", []byte(t.id))
	if t.cwd != "" {
		info = appendMember(info, "cwd", []byte(t.cwd))
	}
	return append(info, '}')
}

// tellTerminal sends a client with the convention what it lacks of a terminal.
func (b *Bridge) tellTerminal(s *session, t *terminal) {
	if !t.told { // a report can tell of one
		t.told = true
		b.sendTerminal(s, t, "terminal_info", t.info())
	}
	if t.total != t.toldOf || t.exit.ended && len(t.partial) > 0 {
		var data []byte
		fresh := t.total - t.toldOf
		if t.toldOf < 0 || fresh < 0 || fresh > len(t.output) {
			data = append([]byte("\x1b[2J\x1b[3J\x1b[H"), t.last()...)
		} else {
			data = append(t.partial, t.output[len(t.output)-fresh:]...)
		}
		t.toldOf = t.total
		whole := wholeRunes(data)
		t.partial = append([]byte(nil), data[whole:]...)
		if t.exit.ended {
			whole, t.partial = len(data), nil
		}
		if whole > 0 {
			output := appendMember([]byte("{"), "terminal_id", []byte(t.id))
			b.sendTerminal(s, t, "terminal_output", append(appendMember(output, "data", data[:whole]), '}'))
		}
	}
	if t.exit.ended && !t.toldEnd {
		t.toldEnd = true
		end := appendMember([]byte("{"), "terminal_id", []byte(t.id))
		end = appendRaw(end, "exit_code", orNull(t.exit.code))
		b.sendTerminal(s, t, "terminal_exit", append(appendRaw(end, "signal", orNull(t.exit.signal)), '}'))
	}
}

func (b *Bridge) sendTerminal(s *session, t *terminal, name string, value []byte) {
	update := appendMember([]byte(`{"sessionUpdate":"tool_call_update"`), "toolCallId", []byte(t.owner.id))
	update = append(update, `,"_meta":{"`...)
	update = append(append(append(update, name...), `":`...), value...)
	b.w.Out = append(append(b.w.Out[:0], update...), "}}"...)
	b.emitTo([]byte(s.id))
}

// wholeRunes returns how much of text is not the beginning of a character.
func wholeRunes(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return len(text) - n
			}
			break
		}
	}
	return len(text)
}

// appendTerminal appends the item that shows a terminal, unless there is nothing
// to show yet but the command that is the title of the tool call.
func (b *Bridge) appendTerminal(dst []byte, t *terminal, title []byte) []byte {
	if b.options.Client.TerminalOutput {
		return append(appendMember(append(appendElement(dst), `{"type":"terminal"`...), "terminalId", []byte(t.id)), '}')
	}
	if len(t.output) == 0 && !t.exit.ended && sameTitle([]byte(t.command), title) {
		return dst
	}
	if text := t.text(); len(text) > 0 {
		return appendTextItem(appendElement(dst), text)
	}
	return dst
}

// text returns what a terminal shows: its command and output as a fenced text,
// and how the command has ended.
func (t *terminal) text() (out []byte) {
	command, body := printable([]byte(t.command)), printable(t.last())
	if len(command)+len(body) > 0 {
		fence := bytes.Repeat([]byte("`"), max(3, longestRun(command, '`')+1, longestRun(body, '`')+1))
		out = append(append(out, fence...), '\n')
		if len(command) > 0 {
			out = append(append(out, "$ "...), bytes.ReplaceAll(command, []byte("\n"), []byte("\n> "))...)
			out = append(out, '\n')
		}
		if len(body) > 0 {
			out = append(append(out, body...), '\n')
		}
		out = append(append(out, fence...), '\n')
	}
	switch {
	case t.exit.code != nil:
		out = append(append(out, "exit code "...), t.exit.code...)
	case t.exit.signal != nil:
		out = append(append(out, "signal "...), rawjson.Unquote(t.exit.signal)...)
	}
	return bytes.TrimSuffix(out, []byte("\n"))
}

func longestRun(text []byte, b byte) (longest int) {
	run := 0
	for _, c := range text {
		if c != b {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// printable returns what a terminal shows of output: without escape sequences
// and control characters, and with what a carriage return has overwritten gone.
// The last line break is left out.
func printable(output []byte) []byte {
	out := make([]byte, 0, len(output))
	line, column := 0, 0 // where the line begins in out, and where the next byte goes
	for i := 0; i < len(output); {
		switch c := output[i]; {
		case c == 0x1b:
			i += escapeLen(output[i:])
			continue
		case c == '\n':
			out = append(out, '\n')
			line = len(out)
			column = line
		case c == '\r':
			column = line
		case c == '\b':
			column = max(line, column-1)
		case c == '\t' || c >= 0x20 && c != 0x7f:
			if column < len(out) && out[column] < utf8.RuneSelf && c < utf8.RuneSelf {
				out[column] = c
			} else {
				// A character of several bytes takes the place of the rest
				// of the line: how wide it is, only a terminal knows.
				out = append(out[:column], c)
			}
			column++
		}
		i++
	}
	return bytes.TrimRight(bytes.ToValidUTF8(out, []byte("\uFFFD")), "\n")
}

// escapeLen returns the length of the escape sequence that s begins with.
func escapeLen(s []byte) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[': // until a letter
		for i := 2; i < len(s); i++ {
			if 0x40 <= s[i] && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // until a bell or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(3, len(s))
	}
	return 2
}
