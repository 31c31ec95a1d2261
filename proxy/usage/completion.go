package usage

import (
	"cmp"
	"embed"
	"fmt"
	"strings"
)

// The scripts are in the folder scripts. Completion fills in the commands and flags.
//
//go:embed scripts
var scripts embed.FS

// Shells returns the names of the shells that [Program.Completion] knows.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// Completion returns the completion script for one of [Shells].
func (p *Program) Completion(shell string) (string, error) {
	script, err := scripts.ReadFile("scripts/" + shell)
	if err != nil {
		return "", fmt.Errorf("no completion for the shell %q", shell)
	}
	line := map[string]func(of string, f flag) string{
		"bash": bashFlag, "zsh": zshFlag, "fish": p.fishFlag, "powershell": powershellFlag,
	}[shell]
	var names, takeFiles, runAgents, takeWords, words, summaries, flags, valued []string
	for i, c := range p.Commands {
		for _, f := range c.flags() {
			flags = append(flags, line(c.Name, f))
			if i == 0 && f.kind() != "switch" {
				valued = append(valued, f.name)
			}
		}
		if i > 0 {
			names = append(names, c.Name)
			summaries = append(summaries, quote(c.Name+":"+c.Summary))
		}
		if strings.Contains(c.Args, "FILE") {
			takeFiles = append(takeFiles, c.Name)
		}
		switch {
		case c.Words != nil:
			takeWords, words = append(takeWords, c.Name), c.Words
		case i > 0 && strings.Contains(c.Args, "agent"):
			runAgents = append(runAgents, c.Name)
		}
	}
	return strings.NewReplacer(
		"{{name}}", p.Name,
		"{{id}}", p.id(),
		"{{commands}}", strings.Join(names, " "),
		"{{a command}}", strings.Join(names, "|"),
		"{{one that takes files}}", strings.Join(takeFiles, "|"),
		"{{one that runs an agent}}", strings.Join(runAgents, "|"),
		"{{one that takes a word}}", strings.Join(takeWords, "|"),
		"{{words}}", strings.Join(words, " "),
		"{{summaries}}", strings.Join(summaries, " "),
		"{{flags}}", strings.Join(flags, "\n"),
		"{{valued}}", strings.Join(valued, " "),
	).Replace(string(script)), nil
}

// id returns the name in a form that fits into the name of a function.
func (p *Program) id() string { return strings.ReplaceAll(p.Name, "-", "_") }

func bashFlag(of string, f flag) string {
	of = cmp.Or(of, "-")
	line := fmt.Sprintf("%s %s %s %s", of, f.name, f.kind(), strings.Join(f.choices(), " "))
	if len(f.listed) > 0 {
		line += fmt.Sprintf("\n%s %s listed %s", of, f.name, strings.Join(f.listed, " "))
	}
	return strings.TrimSpace(line)
}

func zshFlag(of string, f flag) string {
	values := strings.Join(f.choices(), " ")
	action := map[string]string{"file": ":file:_files", "choice": ":value:(" + values + ")", "value": ":value: "}[f.kind()]
	if len(f.listed) > 0 {
		action = fmt.Sprintf(":value:{compset -P '*,' && compadd %s || compadd %s}", strings.Join(f.listed, " "), values)
	}
	spec := f.name
	if action != "" {
		spec += "="
	}
	spec += "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(f.short()) + "]" + action
	return fmt.Sprintf("    [[ $command == '%s' ]] && flags+=(%s)", of, quote(spec))
}

func (p *Program) fishFlag(of string, f flag) string {
	values := strings.Join(f.choices(), " ")
	if len(f.listed) > 0 {
		values += fmt.Sprintf(` (string match -r "[^=]*," -- (commandline -ct)){%s}`, strings.Join(f.listed, ","))
	}
	value := map[string]string{"file": " -rF", "choice": " -x -a " + quote(values), "value": " -x"}[f.kind()]
	return fmt.Sprintf(`complete -c %s -n '__%s_in "%s"' -l %s%s -d %s`, p.Name, p.id(), of, f.name[2:], value, quote(f.short()))
}

func powershellFlag(of string, f flag) string {
	values := "$null"
	if f.kind() != "switch" {
		values = "@()"
	}
	if c := f.choices(); len(c) > 0 {
		values = "@('" + strings.Join(c, "', '") + "')"
	}
	return fmt.Sprintf("        '%s %s' = %s", of, f.name, values)
}

// quote quotes a word for the shells of Unix.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
