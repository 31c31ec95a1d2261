package v1agent

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

// A terminalReport is what a tool call's report says of its terminal. Members are nil
// if it says nothing of that.
type terminalReport struct {
	info, output, exit rawjson.Object // that it begins, prints, has ended
}

func terminalReportOf(report rawjson.Object) (r terminalReport) {
	raw := report.Get("_meta")
	if raw == nil { // as in most reports
		return r
	}
	meta, _ := rawjson.ReadObject(nil, raw)
	r.info = objectOf(meta, "terminal_info")
	if r.output = objectOf(meta, "terminal_output"); r.output == nil {
		r.output = objectOf(meta, "terminal_output_delta")
	}
	r.exit = objectOf(meta, "terminal_exit")
	return r
}

// commandOf returns the command that a tool call runs, nil if the report has none.
func commandOf(report rawjson.Object) []byte {
	input, _ := rawjson.ReadObject(nil, report.Get("rawInput"))
	command, _ := input.Text("command")
	return command
}

// objectOf returns a member that is an object, or nil.
func objectOf(o rawjson.Object, name string) rawjson.Object {
	value, ok := rawjson.ReadObject(nil, o.Get(name))
	switch {
	case !ok:
		return nil
	case value == nil:
		return rawjson.Object{}
	}
	return value
}

// tellTerminal tells the client what the report of a tool call says of its terminal. It
// reports whether it says anything.
func (s *session) tellTerminal(c *toolCall, report rawjson.Object) bool {
	r := terminalReportOf(report)
	if r.info != nil {
		s.tellNewTerminal(c, r.info, commandOf(report))
	}
	if known := s.terminals.Get(c.terminal); known != nil && !known.command {
		s.tellCommand(c, known, commandOf(report))
	}
	if r.output != nil || r.exit != nil {
		s.printTerminal(c, r.output, r.exit)
	}
	return r.info != nil || r.output != nil || r.exit != nil
}

// tellCommand tells the client what runs in a terminal, if that is known.
func (s *session) tellCommand(c *toolCall, known *terminal, command []byte) {
	if command == nil {
		return
	}
	known.command = true
	s.updateTerminal("terminal_update", c.terminal).StringMember("command", command)
	s.link.SendUpdate()
}

// terminalID returns the id of the terminal that a report is about; without one
// it is the tool call's.
func terminalID(c *toolCall, report rawjson.Object) string {
	if id, ok := report.Text("terminal_id"); ok {
		return string(id)
	}
	return c.id
}

// tellNewTerminal tells the client of a terminal, unless it knows it. The command is nil if it
// is not known.
func (s *session) tellNewTerminal(c *toolCall, info rawjson.Object, command []byte) {
	id := terminalID(c, info)
	c.terminal = id
	if s.terminals.Has(id) {
		return
	}
	s.terminals.Keep(s.kept, id, &terminal{command: command != nil}, nil)
	w := s.updateTerminal("terminal_update", id)
	if command != nil {
		w.StringMember("command", command)
	}
	if cwd, ok := info.Text("cwd"); ok && translate.IsAbsolute(string(cwd)) {
		w.StringMember("cwd", cwd)
	}
	s.link.SendUpdate()
}

// printTerminal tells the client what a terminal has printed, and how its command has ended.
// Output that comes with the end is all of it, unless some came before.
func (s *session) printTerminal(c *toolCall, output, exit rawjson.Object) {
	about := output
	if len(about) == 0 {
		about = exit
	}
	id := terminalID(c, about)
	if !s.terminals.Has(id) {
		s.tellNewTerminal(c, about, nil)
	}
	known := s.terminals.Get(id)
	data, prints := output.Text("data")
	all := prints && exit != nil && !known.streamed
	if prints && !all {
		known.streamed = true
		w := s.updateTerminal("terminal_output_chunk", id)
		w.Name("data")
		writeBase64(w, data)
		s.link.SendUpdate()
	}
	if exit == nil {
		return
	}
	trial := s.link.Trial()
	w := s.updateTerminal("terminal_update", id)
	if all {
		w.Name("output")
		w.Object()
		w.Name("data")
		writeBase64(w, data)
		w.EndObject()
	}
	w.Name("exitStatus")
	w.Object()
	if code := exit.Get("exit_code"); code != nil && words.IntegerOrNull.Write(trial, code) {
		w.Member("exitCode", code)
	}
	if signal := exit.Get("signal"); signal != nil && words.StringOrNull.Write(trial, signal) {
		w.Member("signal", signal)
	}
	w.EndObject()
	s.link.SendUpdate()
}

// updateTerminal begins an update of a terminal.
func (s *session) updateTerminal(kind, id string) *words.Writer {
	w := s.link.UpdateWith([]byte(s.id), kind)
	w.StringMember("terminalId", []byte(id))
	return w
}

func writeBase64(w *words.Writer, data []byte) {
	w.JSON(`"`)
	w.Out = append(base64.StdEncoding.AppendEncode(w.Out, data), '"')
}
