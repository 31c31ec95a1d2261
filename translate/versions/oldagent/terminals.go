package oldagent

import (
	"encoding/base64"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 terminals belong to the client, and the agent is told that there
// are none. But many agents show what a command prints in the _meta of its tool
// call, to clients that say terminal_output there: that becomes a terminal of
// version 2.

// A terminal is what the client was told of a terminal.
type terminal struct {
	command  bool // it was told what runs there
	streamed bool // it was told some of the output
}

// terminalSize is what the terminal with that id counts, as Bridge.keep counts it.
func terminalSize(id string) int { return entrySize + len(id) }

// isTerminalReport reports whether a member of _meta with that name says what a
// terminal does.
func isTerminalReport(name []byte) bool {
	switch string(name) {
	case "terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit":
		return true
	}
	return false
}

// reportTerminals tells the client what the report of a tool call says about its
// terminal. It reports whether it says anything.
func (b *Bridge) reportTerminals(s *session, t *toolCall, fields rawjson.Object) bool {
	meta, _ := rawjson.ReadObject(nil, fields.Get("_meta"))
	info, says := rawjson.ReadObject(nil, meta.Get("terminal_info"))
	output, prints := rawjson.ReadObject(nil, meta.Get("terminal_output"))
	if !prints {
		output, prints = rawjson.ReadObject(nil, meta.Get("terminal_output_delta"))
	}
	exit, ends := rawjson.ReadObject(nil, meta.Get("terminal_exit"))
	input, _ := rawjson.ReadObject(nil, fields.Get("rawInput"))
	command, runs := input.Text("command")
	if says {
		b.showTerminal(s, t, info, command)
	}
	if shown := s.terminals[t.terminal]; runs && shown != nil && !shown.command {
		shown.command = true
		w := b.beginTerminal(s, "terminal_update", t.terminal)
		member(w, "command")
		w.Quoted(command)
		b.link.SendUpdate()
	}
	if prints || ends {
		b.printTerminal(s, t, output, exit, ends)
	}
	return says || prints || ends
}

// terminalID returns the id of the terminal that a report is about; without one
// it is the tool call's.
func terminalID(t *toolCall, report rawjson.Object) string {
	if id, ok := report.Text("terminal_id"); ok {
		return string(id)
	}
	return t.id
}

// showTerminal tells the client of a terminal.
func (b *Bridge) showTerminal(s *session, t *toolCall, info rawjson.Object, command []byte) {
	id := terminalID(t, info)
	if s.terminals[id] != nil {
		t.terminal = id
		return
	}
	if b.terminals >= maxToolCalls || len(id) > maxID || !s.keep(terminalSize(id)) {
		s.lose(&b.link, translate.LossTooManyTerminals, "one was shown as text")
		return
	}
	t.terminal = id
	if s.terminals == nil {
		s.terminals = make(map[string]*terminal)
	}
	b.terminals++
	s.terminals[id] = &terminal{command: command != nil}
	w := b.beginTerminal(s, "terminal_update", id)
	if command != nil {
		member(w, "command")
		w.Quoted(command)
	}
	if cwd, ok := info.Text("cwd"); ok && isAbsolute(string(cwd)) {
		member(w, "cwd")
		w.Quoted(cwd)
	}
	b.link.SendUpdate()
}

// printTerminal tells the client what a terminal has printed, or how its command
// ended.
func (b *Bridge) printTerminal(s *session, t *toolCall, output, exit rawjson.Object, ends bool) {
	about := output
	if output == nil {
		about = exit
	}
	id := terminalID(t, about)
	if s.terminals[id] == nil {
		b.showTerminal(s, t, about, nil)
	}
	shown := s.terminals[id]
	if shown == nil {
		return
	}
	data, prints := output.Text("data")
	if prints && (!ends || shown.streamed) {
		shown.streamed = true
		w := b.beginTerminal(s, "terminal_output_chunk", id)
		member(w, "data")
		appendBase64(w, data)
		b.link.SendUpdate()
		prints = false
	}
	if !ends {
		return
	}
	w := b.beginTerminal(s, "terminal_update", id)
	if prints {
		member(w, "output")
		w.Text(`{"data":`)
		appendBase64(w, data)
		w.Text("}")
	}
	member(w, "exitStatus")
	w.Text("{")
	if code := exit.Get("exit_code"); code != nil && words.OrNull(words.Integer)(b.link.Trial(), code) {
		member(w, "exitCode")
		w.Out = append(w.Out, code...)
	}
	if signal := exit.Get("signal"); signal != nil && words.StringOrNull(b.link.Trial(), signal) {
		member(w, "signal")
		w.Out = append(w.Out, signal...)
	}
	w.Text("}")
	b.link.SendUpdate()
}

func (b *Bridge) beginTerminal(s *session, kind, id string) *words.Writer {
	w := b.link.UpdateWith([]byte(s.id), kind)
	member(w, "terminalId")
	w.Quoted([]byte(id))
	return w
}

func appendBase64(w *words.Writer, data []byte) {
	w.Text(`"`)
	w.Out = base64.StdEncoding.AppendEncode(w.Out, data)
	w.Text(`"`)
}
