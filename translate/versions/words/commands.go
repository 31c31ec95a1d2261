package words

import (
	"bytes"
	"unicode"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// CommandsUpdate is available_commands_update. In version 2 a command and its input
// say what type they are; version 1 shows a command of another type as a plain one.
var CommandsUpdate = Object{{"availableCommands", "availableCommands", must{commands}, or{Func(ownCommands), "[]"}}}

// CommandsToV1 writes a list of commands.
func CommandsToV1(w *Writer, list []byte) bool {
	w.v2 = false
	return commands.Write(w, list)
}

var (
	commands = array{command}
	command  = Object{
		{"", "type", nil, front{is(`"command"`)}},
		{"name", "name", must{String}, must{Func(commandName)}},
		{"description", "description", or{String, `""`}, must{String}},
		{"input", "input", orNull{commandInput}, commandInput},
	}
	commandInput = Object{
		{"", "type", nil, front{is(`"text"`)}},
		{"hint", "hint", must{String}, both},
	}
)

// commandName lets the names of commands through that version 2 can have.
func commandName(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && !bytes.ContainsFunc(text, unicode.IsSpace) && w.any(value)
}

// ownCommands writes a list of commands. In version 2 each has a name of its own.
func ownCommands(w *Writer, value []byte) bool {
	names := make(map[string]bool)
	return array{Func(func(w *Writer, value []byte) bool {
		var buf [8]rawjson.Field
		o, _ := rawjson.ReadObject(buf[:0], value)
		name, _ := o.Text("name")
		if names[string(name)] || !command.write(w, o) {
			w.Lose(translate.LossCommand, "one was left out: its name or description is missing, the name has a blank, or another command has it")
			return false
		}
		names[string(name)] = true
		return true
	})}.Write(w, value)
}
