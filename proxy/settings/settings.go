// Package settings generates settings that make an editor run an agent behind the proxy.
//
//	settings.go  the editors, and the file and language of their settings
//	templates    the settings, with placeholders in braces
//	agents.go    the names of agents in editors
//	language.go  strings and lists in the languages of the settings
package settings

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Setting is a block of settings with instructions.
type Setting struct {
	Where string   // the place for the block: a sentence without punctuation at its end
	Block string   // complete lines
	Notes []string // sentences
}

//go:embed templates
var templates embed.FS

// An editor describes the settings of an editor.
type editor struct {
	name      string
	where     string // Setting.Where, with %s for the file
	unix      string // the file, except on systems for which another one is set below
	mac       string // the file on macOS, or ""
	windows   string // the file on Windows, or ""
	language  language
	asksForms bool // the command has --forms=ask: the editor has no forms, but its users can answer permission requests

	// Notes, or "".
	unknownAgent string // for an agent without a name in the editor
	alternative  string // to the block
}

var editors = []editor{{
	name: "zed", where: "Zed: add this to %s", language: jsonLanguage,
	unix: "~/.config/zed/settings.json", windows: `%APPDATA%\Zed\settings.json`,
}, {
	name: "jetbrains", language: jsonLanguage,
	where: "JetBrains IDEs (AI Chat, Configure ACP Agents): add this to %s",
	unix:  "~/.jetbrains/acp.json", windows: `%USERPROFILE%\.jetbrains\acp.json`,
}, {
	name: "avante", language: lua, asksForms: true,
	where: "avante.nvim: have this in its setup, in %s or where your plugins are set up",
	unix:  "~/.config/nvim/init.lua", windows: `%LOCALAPPDATA%\nvim\init.lua`,
}, {
	name: "codecompanion", language: lua, asksForms: true,
	where: "CodeCompanion.nvim 19.18 or later: have this in its setup, in %s or where your plugins are set up",
	unix:  "~/.config/nvim/init.lua", windows: `%LOCALAPPDATA%\nvim\init.lua`,
	unknownAgent: "This agent has no known adapter in CodeCompanion: the block replaces claude_code.",
}, {
	name: "agent-shell", language: lisp, asksForms: true,
	where: "Emacs, agent-shell: add this to %s",
	unix:  "~/.emacs.d/init.el", windows: `%APPDATA%\.emacs.d\init.el`,
	unknownAgent: "This agent has no known variable in agent-shell: the block replaces Claude.",
}, {
	name: "obsidian", language: jsonLanguage,
	where: "Obsidian, Agent Client: add this to %s in your vault, while Obsidian is closed",
	unix:  ".obsidian/plugins/agent-client/data.json", windows: `.obsidian\plugins\agent-client\data.json`,
	alternative: "Or in Settings, Agent Client, Custom Agents: the path, and the arguments, one per line.",
}, {
	name: "acpx", where: "acpx: add this to %s", language: jsonLanguage,
	unix: "~/.acpx/config.json", windows: `%USERPROFILE%\.acpx\config.json`,
}, {
	name: "toad", language: shell, asksForms: true,
	where: "Toad has no settings for agents of your own: run this in a terminal, or make it an alias in %s",
	unix:  "~/.bashrc", mac: "~/.zshrc",
}}

// Editors returns the names of the editors.
func Editors() (names []string) {
	for _, e := range editors {
		names = append(names, e.name)
	}
	return names
}

// For returns the setting for an editor on a system (a GOOS). proxy is the path of the proxy,
// and agent the command line that it runs.
func For(name, system, proxy string, agent []string) (Setting, error) {
	i := slices.Index(Editors(), name)
	if i < 0 {
		return Setting{}, fmt.Errorf("%q is not one of %s", name, strings.Join(Editors(), ", "))
	}
	e := editors[i]
	command := []string{proxy}
	if e.asksForms {
		command = append(command, "--forms=ask")
	}
	command = append(append(command, "--"), agent...)
	for _, word := range command {
		if !utf8.ValidString(word) {
			return Setting{}, fmt.Errorf("settings cannot contain a word that is not UTF-8: %q", word)
		}
	}
	template, err := templates.ReadFile("templates/" + e.name)
	if err != nil {
		return Setting{}, err
	}
	syntax := e.language
	names, isKnown := namesOf(agent)
	block := strings.NewReplacer(
		"{program}", syntax.text(proxy), "{args}", syntax.list(command[1:]), "{command}", syntax.list(command),
		"{line}", quotedShell(shell.list(command)), "{title}", syntax.text(names.title), "{id}", syntax.text(names.id),
		"{provider}", syntax.text(names.provider), "{adapter}", names.adapter, "{shell}", names.shellName,
	).Replace(string(template))
	return Setting{Where: fmt.Sprintf(e.where, e.file(system)), Block: block, Notes: e.notes(isKnown)}, nil
}

// file returns the file of the settings on a system.
func (e editor) file(system string) string {
	switch {
	case system == "windows" && e.windows != "":
		return e.windows
	case system == "darwin" && e.mac != "":
		return e.mac
	}
	return e.unix
}

// notes returns the notes about a setting.
func (e editor) notes(isKnownAgent bool) (notes []string) {
	if e.unknownAgent != "" && !isKnownAgent {
		notes = append(notes, e.unknownAgent)
	}
	if e.asksForms {
		notes = append(notes, "--forms=ask: this editor has no forms, so the questions of an agent come as permission requests.")
	}
	if e.alternative != "" {
		notes = append(notes, e.alternative)
	}
	return notes
}
