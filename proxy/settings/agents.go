package settings

import (
	"path"
	"strings"
	"unicode"
)

// An agent is how editors call it.
type agent struct {
	word      string // that its command has
	title     string // for people
	id        string
	avante    string // the provider
	companion string // CodeCompanion's adapter
	shell     string // agent-shell's variable
	known     bool   // to CodeCompanion and agent-shell
}

// agents are known to editors by names of their own. An agent that is not takes the place
// of the first where it needs such a name.
var agents = []agent{
	{word: "claude", title: "Claude", id: "claude", avante: "claude-code", companion: "claude_code", shell: "agent-shell-anthropic-claude-acp-command"},
	{word: "codex", title: "Codex", id: "codex", avante: "codex", companion: "codex", shell: "agent-shell-openai-codex-acp-command"},
	{word: "gemini", title: "Gemini", id: "gemini", avante: "gemini-cli", companion: "gemini_cli", shell: "agent-shell-google-gemini-acp-command"},
	{word: "opencode", title: "OpenCode", id: "opencode", avante: "opencode", companion: "opencode", shell: "agent-shell-opencode-acp-command"},
	{word: "goose", title: "Goose", id: "goose", avante: "goose", companion: "goose", shell: "agent-shell-goose-acp-command"},
	{word: "cursor", title: "Cursor", id: "cursor", avante: "cursor", companion: "cursor_cli", shell: "agent-shell-cursor-acp-command"},
}

// named returns how editors call the agent that a command runs.
func named(command []string) agent {
	var last string
	for _, word := range command {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		base := path.Base(strings.ReplaceAll(word, `\`, "/"))
		for _, a := range agents {
			if strings.Contains(strings.ToLower(base), a.word) {
				a.known = true
				return a
			}
		}
		if last == "" || isRunner(last) {
			last = base
		}
	}
	id := plain(last)
	return agent{title: id, id: id, avante: id, companion: agents[0].companion, shell: agents[0].shell}
}

// isRunner reports whether a program runs others: its name says nothing of the agent.
func isRunner(program string) bool {
	switch strings.TrimSuffix(strings.ToLower(program), ".exe") {
	case "npx", "npm", "node", "bunx", "bun", "deno", "uvx", "uv", "pipx", "python", "python3", "env", "sh", "bash", "ssh", "docker":
		return true
	}
	return false
}

// plain returns a name with letters, digits and - alone.
func plain(name string) string {
	name, _, _ = strings.Cut(strings.TrimSuffix(name, ".exe"), "@")
	name = strings.Trim(strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, name), "-")
	if name == "" {
		return "agent"
	}
	return name
}
