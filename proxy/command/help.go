package command

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// help returns the --help text of the command. The first command lists all commands.
func (o *options) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n", o.command.about)
	if o.command.name != "" {
		fmt.Fprintf(&b, "  %s %s\n", o.command.commandLine(), o.command.synopsis)
	} else {
		for _, c := range commands() {
			fmt.Fprintf(&b, "  %-52s %s\n", c.commandLine()+" "+c.synopsis, c.summary)
		}
	}
	if o.flags.HasFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", o.flags.FlagUsages())
	}
	fmt.Fprintf(&b, "\nExamples:\n  %s\n", strings.Join(o.command.examples, "\n  "))
	return b.String()
}

// commandLine returns the command line of a command without arguments.
func (c command) commandLine() string { return strings.TrimSpace(programName + " " + c.name) }

// commandAt returns the index of a command in the table, -1 if there is none of that name.
func commandAt(word string) int {
	return slices.IndexFunc(commands(), func(c command) bool { return c.name == word })
}

// version returns the module's version, which go install and releases record.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return cmp.Or(build.Main.Version, "(unknown)")
}
