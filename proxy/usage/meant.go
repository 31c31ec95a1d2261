package usage

import (
	"slices"
	"strings"
)

// Meant is for a call that names an agent which does not exist. The agent may
// be a command that is not the first word, or a word such as help or version:
// then Meant returns the call that was probably meant. It returns "" if no such
// call is known. The arguments before the agent are apart from the agent and
// its own.
func (p *Program) Meant(before, agent []string) string {
	isCommand := func(word string) bool {
		return slices.ContainsFunc(p.Commands[1:], func(c Command) bool { return c.Name == word })
	}
	switch word, rest := agent[0], agent[1:]; {
	case isCommand(word):
		return p.quoted(slices.Concat(agent[:1], before, rest))
	case word == "help" && len(rest) > 0 && isCommand(rest[0]):
		return p.quoted([]string{rest[0], "--help"})
	case slices.Contains([]string{"help", "version", "man", "completion"}, word):
		return p.quoted(append([]string{"--" + word}, rest...))
	}
	return ""
}

// quoted returns a call of the program as it is typed in a shell.
func (p *Program) quoted(args []string) string {
	call := p.Name
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$&;|<>*?()[]{}~#!`") {
			a = quote(a)
		}
		call += " " + a
	}
	return call
}
