package oldclient

import "acp-plan-proxy/translate/versions"

var (
	commandInput = versions.Shape{
		{Name: "type", Convert: versions.Leave},
		{Name: "hint", Convert: versions.String, Required: true},
	}
	// A command of a type that version 1 lacks is shown as a plain one.
	command = versions.Shape{
		{Name: "type", Convert: versions.Leave},
		{Name: "name", Convert: versions.String, Required: true},
		{Name: "description", Convert: versions.String, Default: `""`},
		{Name: "input", Convert: versions.OrNull(commandInput.Convert)},
	}
	commandsToV1        = versions.Array(command.Convert)
	commandsUpdateShape = versions.Shape{
		{Name: "availableCommands", Convert: commandsToV1, Required: true},
	}
)

// commandsUpdate handles available_commands_update.
func (b *Bridge) commandsUpdate(s *session) {
	b.flushSmall(s)
	b.emitAs(commandsUpdateShape)
}
