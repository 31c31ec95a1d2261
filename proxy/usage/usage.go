// Package usage tells people and shells how acp-plan-proxy is called: what
// --help prints, the manual page, and completion scripts. All three are made
// from one description of the commands and their flags, so they cannot
// contradict the program. describe.go has the words.
//
// The flags themselves say the rest. The word in backquotes in a help text names
// the value, and "file" is completed as one. A value that is a [Choice] lists
// the values that it takes; the help text lists them too, after a colon.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A Program is the description that all forms are made from. Its texts are plain:
// an empty line ends a paragraph, and a paragraph that begins with a blank keeps
// its line breaks.
type Program struct {
	Name        string
	Version     string
	Date        string // of the version; may be empty
	Summary     string // what it does, for the first line of the manual page
	Description string
	Commands    []Command // the first has no name and runs another program
	Dashes      string    // when the other program needs "--" in front
	Environment string    // --help shows only its first paragraph
	Sections    []Section // shown only in the manual page
}

// A Command takes files if its Args name FILE, and the other program if they name an
// agent, behind one of Words if it has any. Flags are completed before and after files,
// but not after the name of the other program.
type Command struct {
	Name    string
	Args    string // what follows the name, as in [flags] FILE
	Summary string
	Flags   *pflag.FlagSet
	Words   []string
}

// A Section of the manual page follows the usual ones.
type Section struct{ Title, Text string }

// A Choice is the value of a flag that says which values it takes.
type Choice interface {
	pflag.Value
	// Choices returns two lists: values that are given alone, and values that
	// can be given together, with commas between them. All are words without
	// blanks and quotes.
	Choices() (alone, listed []string)
}

// Help returns what --help prints for a command with these flags.
func (p *Program) Help(flags *pflag.FlagSet) string {
	var b strings.Builder
	width := 0
	for _, c := range p.Commands {
		width = max(width, len(p.call(c)+c.Args))
	}
	b.WriteString("Usage:\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "  %-*s   %s\n", width+1, p.call(c)+" "+c.Args, c.Summary)
	}
	environment, _, _ := strings.Cut(p.Environment, "\n\n")
	fmt.Fprintf(&b, "\n%s\n\nFlags:\n%s\n%s\n%s\n", p.Description, flags.FlagUsages(), environment, p.Dashes)
	return b.String()
}

// call returns how c is called, without its arguments.
func (p *Program) call(c Command) string { return strings.TrimSpace(p.Name + " " + c.Name) }

// A flag is the description of one flag.
type flag struct {
	name          string // with its dashes
	help          string
	value         string // what its value is called; empty for a switch
	standard      string // the default
	alone, listed []string
}

// flags returns the flags of c, and --help, which pflag knows by itself.
func (c Command) flags() (all []flag) {
	c.Flags.VisitAll(func(f *pflag.Flag) {
		value, help := pflag.UnquoteUsage(f)
		if value == "" && f.NoOptDefVal == "" {
			value = "value"
		}
		made := flag{name: "--" + f.Name, help: help, value: value}
		if f.NoOptDefVal == "" {
			made.standard = f.DefValue
		}
		if choice, ok := f.Value.(Choice); ok {
			made.alone, made.listed = choice.Choices()
		}
		all = append(all, made)
	})
	return append(all, flag{name: "--help", help: "print a summary and exit, as does -h"})
}

// kind returns how the value is completed: as a "choice", as a "file", not at all
// ("value"), or as a flag without a value ("switch").
func (f flag) kind() string {
	switch {
	case f.value == "":
		return "switch"
	case len(f.choices()) > 0:
		return "choice"
	case f.value == "file":
		return "file"
	}
	return "value"
}

func (f flag) choices() []string { return slices.Concat(f.alone, f.listed) }

// short returns the help without the values, which shells show by themselves.
func (f flag) short() string {
	short, _, _ := strings.Cut(f.help, ":")
	return strings.ReplaceAll(short, "\n", " ")
}
