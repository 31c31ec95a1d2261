package v1agent

import (
	"cmp"
	"encoding/base64"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1, terminals belong to the client, and the bridge does not announce that the client has
// any. But many agents report a command's output in the _meta of its tool call, if the client
// announces terminal_output. The bridge reports this output as a terminal of version 2.

// A terminal is the state of a terminal at the client.
type terminal struct {
	session    *session
	id         string
	hasCommand bool // the client has the command
	hasOutput  bool // the client has a part of the output
}

// tellTerminal reports the terminal in the _meta of a tool call's update to the client. It returns
// false if the _meta has none.
func (s *session) tellTerminal(c *toolCall, report rawjson.Object) bool {
	var meta rawjson.Object
	if raw := report.Get("_meta"); raw != nil { // most reports have none
		meta = rawjson.Members(raw)
	}
	about := objectOf(meta, "terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")
	if about != nil {
		c.terminal = cmp.Or(about.String("terminal_id"), c.id)
	}
	t := s.terminals.Get(c.terminal)
	isNew := t == nil
	if isNew {
		if about == nil {
			return false
		}
		t = &terminal{session: s, id: c.terminal}
		s.terminals.Keep(s.share, t.id, t, nil)
	}
	if !t.hasCommand {
		t.tellCommand(rawjson.Get(report.Get("rawInput"), "command"), about.String("cwd"), isNew)
	}
	t.tellOutput(objectOf(meta, "terminal_output", "terminal_output_delta"), objectOf(meta, "terminal_exit"))
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

// tellCommand sends the command of a terminal, unless raw has none, and the directory of a new
// terminal.
func (t *terminal) tellCommand(raw []byte, cwd string, isNew bool) {
	command, ok := rawjson.TextOf(raw)
	if !ok && !isNew {
		return
	}
	t.hasCommand = ok
	w := t.beginUpdate("terminal_update")
	if ok {
		w.StringMember("command", command)
	}
	if isNew && translate.IsAbsolute(cwd) {
		w.Texts("cwd", cwd)
	}
	t.session.link.SendUpdate()
}

// tellOutput sends output and an exit status, each unless it is nil. Output that arrives with an
// exit status is the whole output, unless the client has received a part before.
func (t *terminal) tellOutput(output, exit rawjson.Object) {
	data, hasData := output.Text("data")
	isWhole := hasData && exit != nil && !t.hasOutput
	if hasData && !isWhole {
		t.hasOutput = true
		writeBytes(t.beginUpdate("terminal_output_chunk"), data)
		t.session.link.SendUpdate()
	}
	if exit == nil {
		return
	}
	w := t.beginUpdate("terminal_update")
	if isWhole {
		w.Name("output")
		w.Object()
		writeBytes(w, data)
		w.EndObject()
	}
	w.Name("exitStatus")
	shapes.ExitStatus.ToV2(w, exit)
	t.session.link.SendUpdate()
}

// beginUpdate begins an update of the terminal.
func (t *terminal) beginUpdate(kind string) *shapes.Writer {
	w := t.session.beginUpdate(kind)
	w.Texts("terminalId", t.id)
	return w
}

// writeBytes writes the output of a terminal.
func writeBytes(w *shapes.Writer, data []byte) {
	w.JSON(`"data":"`)
	w.Out = append(base64.StdEncoding.AppendEncode(w.Out, data), '"')
}
