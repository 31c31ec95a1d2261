package oldclient

import "acp-plan-proxy/translate/versions/words"

var (
	commandInput = words.Shape{
		{Name: "type", Convert: words.Leave},
		{Name: "hint", Convert: words.String, Required: true},
	}
	// A command of a type that version 1 lacks is shown as a plain one.
	command = words.Shape{
		{Name: "type", Convert: words.Leave},
		{Name: "name", Convert: words.String, Required: true},
		{Name: "description", Convert: words.String, Default: `""`},
		{Name: "input", Convert: words.OrNull(commandInput.Convert)},
	}
	commandsToV1        = words.Array(command.Convert)
	commandsUpdateShape = words.Shape{
		{Name: "availableCommands", Convert: commandsToV1, Required: true},
	}
)
