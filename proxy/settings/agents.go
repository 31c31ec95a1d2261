package settings

import (
	"path"
	"strings"
)

// agentNames holds the names of an agent in editors.
type agentNames struct {
	id        string // part of the program's name
	title     string // display name
	provider  string // in avante
	adapter   string // in CodeCompanion
	shellName string // in agent-shell's variable
}

// agents lists the agents that CodeCompanion and agent-shell know. An unknown agent uses the names
// of the first where an editor requires a known one.
var agents = []agentNames{
	{"claude", "Claude", "claude-code", "claude_code", "anthropic-claude"},
	{"codex", "Codex", "codex", "codex", "openai-codex"},
	{"gemini", "Gemini", "gemini-cli", "gemini_cli", "google-gemini"},
	{"opencode", "OpenCode", "opencode", "opencode", "opencode"},
	{"goose", "Goose", "goose", "goose", "goose"},
	{"cursor", "Cursor", "cursor", "cursor_cli", "cursor"},
}

// namesOf returns the names of the agent in a command line, and whether agents lists it.
func namesOf(command []string) (names agentNames, isKnown bool) {
	for _, word := range command {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") { // a flag, or a variable for env
			continue
		}
		base := path.Base(strings.ReplaceAll(word, `\`, "/"))
		for _, a := range agents {
			if strings.Contains(strings.ToLower(base), a.id) {
				return a, true
			}
		}
	}
	return agentNames{"agent", "Agent", "agent", agents[0].adapter, agents[0].shellName}, false
}
