// Package settings says what to put into the settings of an editor, so that it runs an
// agent behind the proxy. It changes nothing.
//
//	settings.go  the editors: the block of each, and where it goes
//	agents.go    what agents are called in editors
//	syntax.go    texts and lists of texts in the languages of the blocks
//
// An editor is a row in editors.
package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Setting is what makes an editor run a command.
type Setting struct {
	Where string   // what to do with the block: a sentence, without a colon at its end
	Block string   // whole lines
	Notes []string // sentences
}

// Editors returns the names of the editors.
func Editors() (names []string) {
	for _, e := range editors {
		names = append(names, e.name)
	}
	return names
}

// For returns the setting for an editor on a system, as runtime.GOOS names it. proxy is the
// path of the proxy, and agent the command that it runs.
func For(editor, system, proxy string, agent []string) (Setting, error) {
	at := slices.IndexFunc(editors, func(e editorOf) bool { return e.name == editor })
	if at < 0 {
		return Setting{}, fmt.Errorf("%q is not one of %s", editor, strings.Join(Editors(), ", "))
	}
	command := append([]string{proxy, "--"}, agent...)
	for _, word := range command {
		if !utf8.ValidString(word) {
			return Setting{}, fmt.Errorf("no settings can have a word that is not UTF-8: %q", word)
		}
	}
	e := editors[at]
	s := e.setting(command, named(agent))
	s.Where = fmt.Sprintf(e.where, e.file(system))
	if strings.Contains(proxy, "_npx") {
		s.Notes = append(s.Notes, "This path is in the cache of npx, which may be emptied: npm install -g acp-plan-proxy gives one that stays.")
	}
	return s, nil
}

// An editorOf is an editor: how it is called, where its settings are, and what they say
// to run a command.
type editorOf struct {
	name    string
	where   string // with %s for the file
	unix    string // the file
	mac     string // the file on macOS, if it is another one
	windows string
	setting func(command []string, agent agent) Setting
}

func (e editorOf) file(system string) string {
	switch {
	case system == "windows" && e.windows != "":
		return e.windows
	case system == "darwin" && e.mac != "":
		return e.mac
	}
	return e.unix
}

var editors = []editorOf{{
	name: "zed", where: "Zed: add this to %s",
	unix: "~/.config/zed/settings.json", windows: `%APPDATA%\Zed\settings.json`,
	setting: func(command []string, a agent) Setting {
		return jsonBlock(servers(a.title, server{Type: "custom", Command: command[0], Args: command[1:]}))
	},
}, {
	name: "jetbrains", where: "JetBrains IDEs (AI Chat, Configure ACP Agents): add this to %s",
	unix: "~/.jetbrains/acp.json", windows: `%USERPROFILE%\.jetbrains\acp.json`,
	setting: func(command []string, a agent) Setting {
		return jsonBlock(servers(a.title, server{Command: command[0], Args: command[1:]}))
	},
}, {
	name: "avante", where: "avante.nvim: have this in its setup, in %s or where your plugins are set up",
	unix: "~/.config/nvim/init.lua", windows: `%LOCALAPPDATA%\nvim\init.lua`,
	setting: avante,
}, {
	name: "codecompanion", where: "CodeCompanion.nvim 19.18 or later: have this in its setup, in %s or where your plugins are set up",
	unix: "~/.config/nvim/init.lua", windows: `%LOCALAPPDATA%\nvim\init.lua`,
	setting: codeCompanion,
}, {
	name: "agent-shell", where: "Emacs, agent-shell: add this to %s",
	unix: "~/.emacs.d/init.el", windows: `%APPDATA%\.emacs.d\init.el`,
	setting: agentShell,
}, {
	name: "obsidian", where: "Obsidian, Agent Client: add this to %s in your vault, while Obsidian is closed",
	unix: ".obsidian/plugins/agent-client/data.json", windows: `.obsidian\plugins\agent-client\data.json`,
	setting: obsidian,
}, {
	name: "acpx", where: "acpx: add this to %s",
	unix: "~/.acpx/config.json", windows: `%USERPROFILE%\.acpx\config.json`,
	setting: func(command []string, a agent) Setting {
		type argv struct {
			Argv []string `json:"argv"`
		}
		return jsonBlock(map[string]any{"agents": map[string]any{a.id: argv{command}}})
	},
}, {
	name: "toad", where: "Toad has no settings for agents of your own: run this in a terminal, or make it an alias in %s",
	unix: "~/.bashrc", mac: "~/.zshrc",
	setting: func(command []string, a agent) Setting {
		return Setting{Block: "toad acp " + shellWord(shellWords(command)) + " --title " + shellWord(a.title) + "\n"}
	},
}}

// A server is an agent in the settings of Zed and JetBrains.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func servers(title string, s server) any {
	return map[string]any{"agent_servers": map[string]any{title: s}}
}

func jsonBlock(value any) Setting {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(value) // texts alone: it cannot fail
	return Setting{Block: b.String()}
}

func avante(command []string, a agent) Setting {
	return Setting{Block: fmt.Sprintf(`require("avante").setup({
  provider = %[1]s,
  acp_providers = {
    [%[1]s] = {
      command = %[2]s,
      args = %[3]s,
    },
  },
})
`, luaString(a.avante), luaString(command[0]), luaList(command[1:]))}
}

func codeCompanion(command []string, a agent) Setting {
	s := Setting{Block: fmt.Sprintf(`require("codecompanion").setup({
  adapters = {
    acp = {
      extend = {
        %s = {
          commands = { default = %s },
        },
      },
    },
  },
})
`, a.companion, luaList(command))}
	if !a.known {
		s.Notes = append(s.Notes, "CodeCompanion has no adapter that is known here for this agent: it takes the place of "+a.companion+".")
	}
	return s
}

func agentShell(command []string, a agent) Setting {
	s := Setting{Block: fmt.Sprintf(`(setq %s
      '%s)

;; Or this alone, for all agents at once. It is also put in front of the commands that
;; agents run in Emacs: so everything on stdout has to pass.
;; (setq agent-shell-command-prefix '%s)
`, a.shell, lispList(command), lispList([]string{command[0], "--stray=pass", "--"}))}
	if !a.known {
		s.Notes = append(s.Notes, "agent-shell has no variable that is known here for this agent: it takes the place of Claude.")
	}
	return s
}

func obsidian(command []string, a agent) Setting {
	type custom struct {
		ID          string   `json:"id"`
		DisplayName string   `json:"displayName"`
		Command     string   `json:"command"`
		Args        []string `json:"args"`
		Env         []string `json:"env"`
	}
	s := jsonBlock(map[string]any{"customAgents": []custom{{a.id, a.title, command[0], command[1:], []string{}}}})
	s.Notes = []string{"Or in Settings, Agent Client, Custom Agents: the path, and the arguments, one a line."}
	if slices.ContainsFunc(command, func(word string) bool { return strings.TrimSpace(word) != word || word == "" }) {
		s.Notes = append(s.Notes, "Agent Client drops empty arguments, and blanks around an argument: this command has some.")
	}
	return s
}
