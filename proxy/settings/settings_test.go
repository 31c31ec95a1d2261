package settings

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/programtest/needs"
)

// readSetting returns the command in a block, as the editor reads it.
func readSetting(t *testing.T, name, block string) []string {
	t.Helper()
	type server struct {
		Command string
		Args    []string
	}
	var config struct {
		Servers map[string]server                  `json:"agent_servers"`
		Custom  []server                           `json:"customAgents"`
		Agents  map[string]struct{ Argv []string } `json:"agents"`
	}
	switch name {
	case "zed", "jetbrains", "obsidian", "acpx":
		if err := json.Unmarshal([]byte(block), &config); err != nil {
			t.Fatalf("%v in %s", err, block)
		}
		for _, s := range config.Servers {
			config.Custom = append(config.Custom, s)
		}
		for _, s := range config.Custom {
			return append([]string{s.Command}, s.Args...)
		}
		for _, a := range config.Agents {
			return a.Argv
		}
	case "avante":
		_, command, _ := strings.Cut(block, "command = ")
		command, args, _ := strings.Cut(command, "\n      args = {")
		return append(readStrings(t, command+"}", '}', readLua), readStrings(t, args, '}', readLua)...)
	case "codecompanion":
		_, list, _ := strings.Cut(block, "default = {")
		return readStrings(t, list, '}', readLua)
	case "agent-shell":
		_, list, _ := strings.Cut(block, "'(")
		return readStrings(t, list, ')', readLisp)
	case "toad":
		return readShell(t, block)
	}
	t.Fatalf("no command in %s", block)
	return nil
}

// readStrings reads quoted strings up to a bracket. escape decodes the text behind a backslash
// and returns the byte and the length of the text.
func readStrings(t *testing.T, text string, end byte, escape func(string) (byte, int)) (all []string) {
	t.Helper()
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case end:
			return all
		case '"':
			var b strings.Builder
			for at++; text[at] != '"'; at++ {
				c := text[at]
				if c == '\\' {
					var length int
					c, length = escape(text[at+1:])
					at += length
				}
				b.WriteByte(c)
			}
			all = append(all, b.String())
		case ' ', ',', '\n':
		default:
			t.Fatalf("%q in a list", text[at:])
		}
	}
	t.Fatalf("no end of %s", text)
	return nil
}

func readLua(text string) (byte, int) {
	if n, err := strconv.ParseUint(text[:min(3, len(text))], 10, 8); err == nil {
		return byte(n), 3
	}
	return readSign(text)
}

func readLisp(text string) (byte, int) { return readSign(text) }

func readSign(text string) (byte, int) {
	switch text[0] {
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	}
	return text[0], 1
}

// readShell splits a toad command line with a shell, and then toad's argument in the same way.
func readShell(t *testing.T, call string) []string {
	t.Helper()
	const toad = `toad() { eval "set -- $2"; printf '%s\0' "$@"; }` + "\n"
	out, err := exec.Command(needs.Program(t, "sh"), "-c", toad+call).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, call)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestSettings checks the quoting of arguments in the syntax of every editor.
func TestSettings(t *testing.T) {
	var ascii strings.Builder
	for c := byte(1); c < 0x80; c++ {
		ascii.WriteByte(c)
	}
	agent := []string{
		"some agent", "a b", `"`, `'`, `a"b'c`, `\`, `C:\new\table`, `\\`, `\"`, "$HOME", "${x}", "`id`", "$(id)", "one\ntwo", "\ttab\r",
		"計画 é 🎉", "", "--flag=x y", "#{x} %s %APPDATA%", "]] -- }", ") ;", "\x1b[1m\x7f", "\u2028<&>", "!", "~", "*", ascii.String(),
	}
	const proxy = `C:\a "b"\proxy.exe`
	for _, name := range Editors() {
		t.Run(name, func(t *testing.T) {
			want := append([]string{proxy, "--"}, agent...)
			switch name {
			case "avante", "codecompanion", "agent-shell", "toad":
				want = slices.Insert(want, 1, "--forms=ask")
			}
			s, err := For(name, "linux", proxy, agent)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, readSetting(t, name, s.Block)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSettingsFiles(t *testing.T) {
	for _, test := range []struct{ editor, system, want string }{
		{"zed", "linux", "~/.config/zed/settings.json"},
		{"zed", "darwin", "~/.config/zed/settings.json"},
		{"zed", "windows", `%APPDATA%\Zed\settings.json`},
		{"jetbrains", "windows", `%USERPROFILE%\.jetbrains\acp.json`},
		{"avante", "windows", `%LOCALAPPDATA%\nvim\init.lua`},
		{"agent-shell", "darwin", "~/.emacs.d/init.el"},
		{"obsidian", "linux", ".obsidian/plugins/agent-client/data.json"},
		{"acpx", "linux", "~/.acpx/config.json"},
		{"toad", "darwin", "~/.zshrc"},
		{"toad", "linux", "~/.bashrc"},
	} {
		s, err := For(test.editor, test.system, "proxy", []string{"agent"})
		if err != nil || !strings.Contains(s.Where, test.want) {
			t.Errorf("%s on %s: %q, %v; want %s", test.editor, test.system, s.Where, err, test.want)
		}
	}
}

// TestSettingsNames checks the names of agents in editors.
func TestSettingsNames(t *testing.T) {
	for _, test := range []struct {
		agent string
		names []string // in the blocks of Zed, CodeCompanion, agent-shell
	}{
		{"npx -y @agentclientprotocol/claude-agent-acp", []string{`"Claude": {`, " claude_code = {", "agent-shell-anthropic-claude-acp-command"}},
		{`C:\bin\codex-acp.exe`, []string{`"Codex": {`, " codex = {", "agent-shell-openai-codex-acp-command"}},
		{"/opt/gemini --acp", []string{`"Gemini": {`, " gemini_cli = {", "agent-shell-google-gemini-acp-command"}},
		{"env KEY=1 My.Agent@2 acp", []string{`"Agent": {`, " claude_code = {", "agent-shell-anthropic-claude-acp-command"}},
	} {
		for i, name := range []string{"zed", "codecompanion", "agent-shell"} {
			s, err := For(name, "linux", "proxy", strings.Fields(test.agent))
			if err != nil || !strings.Contains(s.Block, test.names[i]) {
				t.Errorf("%s for %s: %v\n%s\nwant %s", name, test.agent, err, s.Block, test.names[i])
			}
		}
	}
}
