package v1agent

import (
	"cmp"
	"encoding/base64"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1, terminals belong to the client, and the bridge announces none. But many agents
// report a command's output in the _meta of its tool call to clients that announce
// terminal_output there; it becomes a terminal of version 2 (bridge.md §6.3).

// A terminal is the state of a terminal at the client.
type terminal struct {
	command  bool // the client has the command
	streamed bool // the client has a part of the output
}

// tellTerminal sends the terminal in an update of a tool call. It reports whether there is
// any.
func (s *session) tellTerminal(c *toolCall, report rawjson.Object) bool {
	var meta rawjson.Object
	if raw := report.Get("_meta"); raw != nil { // most reports have none
		meta = rawjson.Members(raw)
	}
	output := objectOf(meta, "terminal_output", "terminal_output_delta")
	exit := objectOf(meta, "terminal_exit")
	about := objectOf(meta, "terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")
	if about != nil {
		c.terminal = cmp.Or(about.String("terminal_id"), c.id)
	}
	known := s.terminals.Get(c.terminal)
	begins := known == nil && about != nil
	if begins {
		known = new(terminal)
		s.terminals.Keep(s.kept, c.terminal, known, nil)
	}
	if known != nil && !known.command {
		var command []byte
		command, known.command = rawjson.TextOf(rawjson.Get(report.Get("rawInput"), "command"))
		s.tellCommand(c.terminal, command, about.String("cwd"), begins)
	}
	if output != nil || exit != nil {
		s.printTerminal(c.terminal, known, output, exit)
	}
	return about != nil
}

// objectOf returns the first of these members that is an object, or nil.
func objectOf(o rawjson.Object, names ...string) rawjson.Object {
	for _, name := range names {
		if value, ok := rawjson.ReadObject(rawjson.Object{}, o.Get(name)); ok {
			return value
		}
	}
	return nil
}

// tellCommand sends the command of a terminal, nil if it is unknown, and the directory of a
// new terminal.
func (s *session) tellCommand(id string, command []byte, cwd string, begins bool) {
	if command == nil && !begins {
		return
	}
	w := s.updateTerminal("terminal_update", id)
	if command != nil {
		w.StringMember("command", command)
	}
	if begins && translate.IsAbsolute(cwd) {
		w.Texts("cwd", cwd)
	}
	s.link.SendUpdate()
}

// printTerminal sends the output and exit status of a terminal. Output beside an exit status
// is the whole output, unless some was sent before.
func (s *session) printTerminal(id string, known *terminal, output, exit rawjson.Object) {
	data, prints := output.Text("data")
	all := prints && exit != nil && !known.streamed
	if prints && !all {
		known.streamed = true
		writeBytes(s.updateTerminal("terminal_output_chunk", id), data)
		s.link.SendUpdate()
	}
	if exit == nil {
		return
	}
	w := s.updateTerminal("terminal_update", id)
	if all {
		w.Name("output")
		w.Object()
		writeBytes(w, data)
		w.EndObject()
	}
	w.Name("exitStatus")
	shapes.ExitStatus.ToV2(w, exit)
	s.link.SendUpdate()
}

// updateTerminal begins an update of a terminal.
func (s *session) updateTerminal(kind, id string) *shapes.Writer {
	w := s.beginUpdate(kind)
	w.Texts("terminalId", id)
	return w
}

// writeBytes writes the output of a terminal.
func writeBytes(w *shapes.Writer, data []byte) {
	w.JSON(`"data":"`)
	w.Out = append(base64.StdEncoding.AppendEncode(w.Out, data), '"')
}
