package words

import (
	"bytes"
	"unicode"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// CommandsUpdate is available_commands_update. In version 2 a command and its input
// say what type they are; version 1 shows a command of another type as a plain one.
var CommandsUpdate = table{
	{"availableCommands", "availableCommands", must(CommandsToV1), or(commandsToV2, "[]").atBack()},
}.shapes()

// CommandsToV1 writes a list of commands.
var CommandsToV1 = Array(command.ToV1.Convert)

var (
	command = table{
		{"", "type", gone, is(`"command"`).inFront()},
		{"name", "name", must(String), must(commandName)},
		{"description", "description", or(String, `""`), must(String)},
		{"input", "input", may(OrNull(commandInput.ToV1.Convert)), may(commandInput.ToV2.Convert)},
	}.shapes()
	commandInput = table{
		{"", "type", gone, is(`"text"`).inFront()},
		{"hint", "hint", must(String), must(String)},
	}.shapes()
)

// commandName lets the names of commands through that version 2 can have.
func commandName(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && !bytes.ContainsFunc(text, unicode.IsSpace) && Same(w, value)
}

// commandsToV2 writes a list of commands. In version 2 each has a name of its own.
func commandsToV2(w *Writer, value []byte) bool {
	names := make(map[string]bool)
	return Array(func(w *Writer, value []byte) bool {
		var buf [8]rawjson.Field
		o, _ := rawjson.ReadObject(buf[:0], value)
		name, _ := o.Text("name")
		if names[string(name)] || !command.ToV2.ConvertObject(w, o) {
			w.Lose(translate.LossCommand, "one was left out: its name or description is missing, the name has a blank, or another command has it")
			return false
		}
		names[string(name)] = true
		return true
	})(w, value)
}
