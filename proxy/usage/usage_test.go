package usage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// choice is a value that names its values.
type choice struct{ value, alone, listed string }

func (c choice) String() string   { return c.value }
func (c choice) Type() string     { return "" }
func (c choice) Set(string) error { return nil }
func (c choice) Choices() (alone, listed []string) {
	return strings.Fields(c.alone), strings.Fields(c.listed)
}

// sample describes a program that has one of everything.
func sample() *Program {
	flags := func() *pflag.FlagSet {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.SortFlags = false
		return fs
	}
	run, translate, view := flags(), flags(), flags()
	run.Var(choice{"auto", "auto old", "items markdown"}, "shows", "what the editor's [old] list shows: auto, old, or a list of\nitems, markdown")
	for _, fs := range []*pflag.FlagSet{run, translate} {
		fs.Var(choice{"all", "all latest", ""}, "merge", "how plans become one: all, latest")
	}
	run.String("log", "", "write the log to this `file`")
	run.Duration("grace", 0, "how long")
	run.Bool("all", false, ".profile, a\\b and 'c' too")
	view.Var(choice{"old", "old new", ""}, "shows", "what the editor shows: old, new")
	view.String("html", "", "write a page to this `file`")
	view.String("addr", "localhost:0", "where")
	view.Bool("text", false, "print it")
	try := flags()
	try.Bool("json", false, "print JSON")
	return &Program{
		Name: "some-proxy", Version: "v1.2.3", Date: "2026-01-02",
		Summary:     "stand between",
		Description: "It stands\nbetween.\n\n  and shows it",
		Commands: []Command{
			{"", "[flags] agent", "run the agent", run, nil},
			{"translate", "[flags] [FILE]", "rewrite its lines", translate, nil},
			{"demo", "[flags]", "show what it does", flags(), nil},
			{"view", "[flags] FILE", "look at a recording", view, nil},
			{"try", "[flags] agent", "try an agent", try, nil},
			{"print", "WORD agent", "print a word", flags(), []string{"one", "two"}},
		},
		Dashes:      `Some need "--".`,
		Environment: "There are variables.\n\nMany.",
		Sections:    []Section{{"See also", "others"}},
	}
}

func TestHelp(t *testing.T) {
	p := sample()
	want := `Usage:
  some-proxy [flags] agent              run the agent
  some-proxy translate [flags] [FILE]   rewrite its lines
  some-proxy demo [flags]               show what it does
  some-proxy view [flags] FILE          look at a recording
  some-proxy try [flags] agent          try an agent
  some-proxy print WORD agent           print a word

It stands
between.

  and shows it

Flags:
      --merge   how plans become one: all, latest (default all)

There are variables.
Some need "--".
`
	if diff := cmp.Diff(want, p.Help(p.Commands[1].Flags)); diff != "" {
		t.Error(diff)
	}
}

func TestMan(t *testing.T) {
	want := `.TH SOME-PROXY 1 "2026-01-02" "some\-proxy v1.2.3"
.SH NAME
some\-proxy \- stand between
.SH SYNOPSIS
\fBsome\-proxy\fR [flags] agent
.br
\fBsome\-proxy translate\fR [flags] [FILE]
.br
\fBsome\-proxy demo\fR [flags]
.br
\fBsome\-proxy view\fR [flags] FILE
.br
\fBsome\-proxy try\fR [flags] agent
.br
\fBsome\-proxy print\fR WORD agent
.SH DESCRIPTION
It stands
between.
.PP
.RS 4
.nf
and shows it
.fi
.RE
.SH COMMANDS
.TP
without one
run the agent
.TP
\fBtranslate\fR
rewrite its lines; takes
\-\-merge, \-\-help
.TP
\fBdemo\fR
show what it does; takes
\-\-help
.TP
\fBview\fR
look at a recording; takes
\-\-shows, \-\-html, \-\-addr, \-\-text, \-\-help
.TP
\fBtry\fR
try an agent; takes
\-\-json, \-\-help
.TP
\fBprint\fR
print a word; takes
\-\-help
.PP
Some need "\-\-".
.SH OPTIONS
.TP
\fB\-\-shows\fR=\fIvalue\fR
what the editor's [old] list shows: auto, old, or a list of
items, markdown (default auto)
.TP
\fB\-\-merge\fR=\fIvalue\fR
how plans become one: all, latest (default all)
.TP
\fB\-\-log\fR=\fIfile\fR
write the log to this file
.TP
\fB\-\-grace\fR=\fIduration\fR
how long (default 0s)
.TP
\fB\-\-all\fR
\&.profile, a\eb and 'c' too
.TP
\fB\-\-help\fR
print a summary and exit, as does \-h
.SS Of view
.TP
\fB\-\-shows\fR=\fIvalue\fR
what the editor shows: old, new (default old)
.TP
\fB\-\-html\fR=\fIfile\fR
write a page to this file
.TP
\fB\-\-addr\fR=\fIstring\fR
where (default localhost:0)
.TP
\fB\-\-text\fR
print it
.SS Of try
.TP
\fB\-\-json\fR
print JSON
.SH ENVIRONMENT
There are variables.
.PP
Many.
.SH SEE ALSO
others
`
	if diff := cmp.Diff(want, sample().Man()); diff != "" {
		t.Error(diff)
	}
}
