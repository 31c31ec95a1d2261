// Package usage tells people and shells how a program is called: as what
// --help prints, as a man page, and as completion scripts. All of it is made
// from one description of the commands and their flags, so that none of it can
// say something else than the program does.
//
// A flag says the rest by itself. The word in backquotes in its text names its
// value, and "file" is completed as one. A value that is a [Choice] says what
// it may be; the text names that too, after a colon.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A Program is described by what is the same in all forms. Its texts are plain:
// an empty line ends a paragraph, and one that begins with a blank is shown as it
// stands.
type Program struct {
	Name        string
	Version     string
	Date        string // of the version; may be empty
	Summary     string // what it does, as the name of a man page is explained
	Description string
	Commands    []Command // the first has no name and runs another program
	Dashes      string    // when the other program needs "--" in front
	Environment string    // --help has its first paragraph only
	Sections    []Section // only in the man page
}

// A Command takes files if its Args name FILE. Flags are completed before and
// after them, but not after the name of the other program.
type Command struct {
	Name    string
	Args    string // what follows the name, as in [flags] FILE
	Summary string
	Flags   *pflag.FlagSet
}

// A Section of the man page follows those that every man page has.
type Section struct{ Title, Text string }

// A Choice is the value of a flag that says which values it takes.
type Choice interface {
	pflag.Value
	// Choices returns the values that stand alone, and those of which several
	// may be given with commas between them: words without blanks and quotes.
	Choices() (alone, listed []string)
}

// Help is what --help prints for a command with these flags.
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

// call is how c is called, without its arguments.
func (p *Program) call(c Command) string { return strings.TrimSpace(p.Name + " " + c.Name) }

// A flag is what there is to say of one.
type flag struct {
	name          string // with its dashes
	help          string
	value         string // what its value is called; empty for a switch
	standard      string // its value if it is not given
	alone, listed []string
}

// flags returns those of c, and the one that pflag answers unasked.
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

// kind is what the value is completed as: a choice, a file, nothing ("value"), or
// that there is none ("switch").
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

// short is the help without the values, which shells show by themselves.
func (f flag) short() string {
	short, _, _ := strings.Cut(f.help, ":")
	return strings.ReplaceAll(short, "\n", " ")
}
