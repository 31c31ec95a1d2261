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
	known     bool   // to CodeCompanion and agent-shell
}

// agents lists the agents that editors know by name. An unknown agent uses the names of the
// first where an editor requires a known one.
var agents = []agentNames{
	{"claude", "Claude", "claude-code", "claude_code", "anthropic-claude", true},
	{"codex", "Codex", "codex", "codex", "openai-codex", true},
	{"gemini", "Gemini", "gemini-cli", "gemini_cli", "google-gemini", true},
	{"opencode", "OpenCode", "opencode", "opencode", "opencode", true},
	{"goose", "Goose", "goose", "goose", "goose", true},
	{"cursor", "Cursor", "cursor", "cursor_cli", "cursor", true},
}

// namesOf returns the names of the agent in a command line.
func namesOf(command []string) agentNames {
	for _, word := range command {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") { // a flag, or a variable for env
			continue
		}
		base := path.Base(strings.ReplaceAll(word, `\`, "/"))
		for _, a := range agents {
			if strings.Contains(strings.ToLower(base), a.id) {
				return a
			}
		}
	}
	return agentNames{"agent", "Agent", "agent", agents[0].adapter, agents[0].shellName, false}
}
