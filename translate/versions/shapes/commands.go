package shapes

import (
	"bytes"
	"unicode"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

var (
	// Commands is a list of commands towards version 1. In version 2, a command and its input have
	// types, which version 1 lacks.
	Commands      = array{listedCommand}
	listedCommand = Object{
		{"type", towards{drop, constant(`"command"`)}},
		{"name", must{towards{String, Func(copyCommandName)}}},
		{"description", towards{orDefault{String, `""`}, mustString}},
		{"input", towards{orNull{commandInput}, commandInput}},
	}
	commandInput = Object{
		{"type", towards{drop, constant(`"text"`)}},
		{"hint", mustString},
	}
)

// copyCommandName copies the names that version 2 allows for commands.
func copyCommandName(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && !bytes.ContainsFunc(text, unicode.IsSpace) && w.copy(value)
}

// writeCommandsV2 writes a list of commands for version 2, which requires distinct names.
func writeCommandsV2(w *Writer, value []byte) bool {
	names := make(map[string]bool)
	return array{Func(func(w *Writer, value []byte) bool {
		var buf [8]rawjson.Field
		o, _ := rawjson.ReadObject(buf[:0], value)
		name, _ := o.Text("name")
		if names[string(name)] || !listedCommand.writeMembers(w, o) {
			w.Lose(translate.LossCommand, "a command is omitted: its name or description is missing, the name has a blank, or another command has the same name")
			return false
		}
		names[string(name)] = true
		return true
	})}.Write(w, value)
}
