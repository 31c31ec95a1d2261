package v1client

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2 the agent runs commands and reports what they print; an item in
// a tool call's content says where that is shown. Version 1 has only the
// client's terminals. By a convention, a tool call carries the agent's
// terminals in its _meta. Clients that do not know the convention get the
// output as text.

const (
	maxOutput    = 64 << 10 // bytes that are shown of a terminal
	terminalCost = 256      // bytes of a terminal besides what it says
)

// terminals are the terminals of a session.
type terminals struct {
	link       *link.Link
	session    []byte // its id
	convention bool   // the client knows the convention
	kept       *keep.Share
	all        keep.Map[*terminal]
}

// A terminal is what the agent has reported of a terminal.
type terminal struct {
	id, command, cwd string
	output           []byte // the last part of it
	total            int    // how many bytes came in all
	kept             *keep.Entry
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
func (t *terminals) get(id []byte) *terminal {
	if known := t.all.Find(id); known != nil {
		return known
	}
	x := &terminal{id: string(id)}
	t.remember(x)
	return x
}

// remember keeps a terminal as the newest. When it has to go, its output goes first.
func (t *terminals) remember(x *terminal) {
	x.kept = t.all.Keep(t.kept, x.id, x, func() {
		if len(x.output) > 0 {
			x.output = nil
			t.remember(x)
		}
	})
	x.count()
}

// count counts what is kept of a terminal.
func (x *terminal) count() {
	x.kept.Count(terminalCost + len(x.command) + len(x.cwd) + len(x.exit.code) + len(x.exit.signal) + len(x.output))
}

// shownBy returns the terminal that a tool call shows from now on.
func (t *terminals) shownBy(c *toolCall, id []byte) *terminal {
	x := t.get(id)
	x.owner = c
	if !t.convention {
		t.link.Lose(translate.LossTerminal, "shown as text")
	}
	return x
}

// terminalUpdate handles terminal_update.
func (t *toolCalls) terminalUpdate(u *link.Update) {
	id, _ := u.Members.Text("terminalId")
	x := t.terminals.get(id)
	if changed, ends := t.terminals.update(x, u.Members); changed {
		t.terminalChanged(x, ends)
	}
}

// terminalOutputChunk handles terminal_output_chunk.
func (t *toolCalls) terminalOutputChunk(u *link.Update) {
	id, _ := u.Members.Text("terminalId")
	x := t.terminals.get(id)
	t.terminals.write(x, u.Members.Get("data"))
	t.terminalChanged(x, false)
}

// terminalChanged has the tool call that shows the terminal sent again, at once
// if its command has ended.
func (t *toolCalls) terminalChanged(x *terminal, ends bool) {
	switch {
	case t.terminals.convention:
		t.terminals.tell(x)
	case x.owner == nil:
	case len(x.owner.items) == 0: // its content was forgotten
	case ends:
		t.sendContent(x.owner)
	default:
		t.collect(x.owner, collectTerminal)
	}
}

// update applies a terminal_update. It reports whether that changes what the terminal
// shows, and whether its command ends by it.
func (t *terminals) update(x *terminal, o rawjson.Object) (changed, ends bool) {
	for _, f := range o {
		switch string(f.Name) {
		case "command":
			text, _ := rawjson.TextOf(f.Value)
			changed = changed || string(text) != x.command
			x.command = string(text)
		case "cwd":
			text, _ := rawjson.TextOf(f.Value)
			x.cwd = string(text)
		case "output":
			t.replace(x, rawjson.Get(f.Value, "data"))
			changed = true
		case "exitStatus":
			x.setExit(f.Value)
			changed = true
			ends = x.exit.ended && !x.shownEnd
			x.shownEnd = x.shownEnd || ends
		}
	}
	x.count()
	return changed, ends
}

func (x *terminal) setExit(status []byte) {
	o, ok := rawjson.ReadObject(nil, status)
	x.exit = exit{ended: ok}
	if code := o.Get("exitCode"); len(code) > 0 && (code[0] == '-' || '0' <= code[0] && code[0] <= '9') {
		x.exit.code = bytes.Clone(code)
	}
	if signal := o.Get("signal"); len(signal) > 0 && signal[0] == '"' {
		x.exit.signal = bytes.Clone(signal)
	}
}

// write adds output, which is base64 in a raw JSON string.
func (t *terminals) write(x *terminal, data []byte) {
	text, ok := rawjson.TextOf(data)
	if !ok {
		return
	}
	decoded, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		t.link.Lose(translate.LossUnreadableOutput, "kept what of it could be decoded")
	}
	x.write(decoded)
	x.count()
}

func (x *terminal) write(output []byte) {
	x.total += len(output)
	if len(output) > maxOutput {
		output = output[len(output)-maxOutput:]
	}
	x.output = append(x.output, output...)
	if over := len(x.output) - maxOutput; over > maxOutput {
		x.output = append(x.output[:0], x.output[over:]...)
	}
}

// replace gives the terminal other output. If the new output begins with the old, only
// the rest is new.
func (t *terminals) replace(x *terminal, data []byte) {
	old, whole := x.output, len(x.output) == x.total
	x.output, x.total = nil, 0
	t.write(x, data)
	if !whole || !bytes.HasPrefix(x.output, old) {
		x.toldOf = -1
	}
}

// last returns the output that is shown.
func (x *terminal) last() []byte { return x.output[max(0, len(x.output)-maxOutput):] }

// introduced tells a client with the convention of a terminal that the tool call
// begins to show: in the _meta of the change that shows it, as the client must know of
// the terminal by then.
func (t *terminals) introduced(c *toolCall, change rawjson.Object) rawjson.Object {
	if !t.convention {
		return change
	}
	for _, i := range c.items {
		if i.terminal != nil && !i.terminal.told {
			i.terminal.told = true
			var w rawjson.Builder
			i.terminal.writeMeta(&w, "terminal_info", i.terminal.writeInfo)
			return change.Set("_meta", withMeta(orNull(change.Get("_meta")), w.Out))
		}
	}
	return change
}

// writeMeta writes a _meta with a member of the convention, which has these members.
func (x *terminal) writeMeta(w *rawjson.Builder, name string, members func(*rawjson.Builder)) {
	w.Object()
	w.Name(name)
	w.Object()
	w.StringMember("terminal_id", []byte(x.id))
	members(w)
	w.EndObject()
	w.EndObject()
}

// writeInfo writes what the convention says of a terminal that begins.
func (x *terminal) writeInfo(w *rawjson.Builder) {
	if x.cwd != "" {
		w.StringMember("cwd", []byte(x.cwd))
	}
}

// writeExit writes what the convention says of how a command has ended.
func (x *terminal) writeExit(w *rawjson.Builder) {
	w.Member("exit_code", orNull(x.exit.code))
	w.Member("signal", orNull(x.exit.signal))
}

// tell sends a client with the convention what it lacks of a terminal, if a tool call
// shows it.
func (t *terminals) tell(x *terminal) {
	if !t.convention || x.owner == nil {
		return
	}
	if !x.told { // a change of a tool call can tell of one
		x.told = true
		t.send(x, "terminal_info", x.writeInfo)
	}
	if x.total != x.toldOf || x.exit.ended && len(x.partial) > 0 {
		if output := x.untold(); len(output) > 0 {
			t.send(x, "terminal_output", func(w *rawjson.Builder) { w.StringMember("data", output) })
		}
	}
	if x.exit.ended && !x.toldEnd {
		x.toldEnd = true
		t.send(x, "terminal_exit", x.writeExit)
	}
}

// untold returns the output that a client with the convention lacks, up to the last
// whole character, and notes that the client has it. A client that has something else
// is told to clear its screen first.
func (x *terminal) untold() []byte {
	var output []byte
	fresh := x.total - x.toldOf
	if x.toldOf < 0 || fresh < 0 || fresh > len(x.output) {
		output = append([]byte("\x1b[2J\x1b[3J\x1b[H"), x.last()...)
	} else {
		output = append(x.partial, x.output[len(x.output)-fresh:]...)
	}
	x.toldOf, x.partial = x.total, nil
	if x.exit.ended {
		return output
	}
	whole := wholeRunes(output)
	x.partial = bytes.Clone(output[whole:])
	return output[:whole]
}

// send sends a member of the convention.
func (t *terminals) send(x *terminal, name string, members func(*rawjson.Builder)) {
	w := t.link.UpdateWith(t.session, "tool_call_update")
	w.StringMember("toolCallId", []byte(x.owner.id))
	w.Name("_meta")
	x.writeMeta(&w.Builder, name, members)
	t.link.SendUpdate()
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

// writeItem writes the item that shows a terminal, unless there is nothing to show
// yet but the command that is the title of the tool call.
func (t *terminals) writeItem(w *rawjson.Builder, x *terminal, title []byte) {
	if t.convention {
		w.JSON(`{"type":"terminal"`)
		w.StringMember("terminalId", []byte(x.id))
		w.EndObject()
		return
	}
	if len(x.output) == 0 && !x.exit.ended && sameTitle([]byte(x.command), title) {
		return
	}
	if text := x.text(); len(text) > 0 {
		writeText(w, text)
	}
}

// text returns what a terminal shows: its command and output as a fenced text,
// and how the command has ended.
func (x *terminal) text() (out []byte) {
	command, body := printable([]byte(x.command)), printable(x.last())
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
	case x.exit.code != nil:
		out = append(append(out, "exit code "...), x.exit.code...)
	case x.exit.signal != nil:
		out = append(append(out, "signal "...), rawjson.Unquote(x.exit.signal)...)
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
