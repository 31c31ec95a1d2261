// Package command is the command line: its commands, their flags, and what they do.
package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"acp-plan-proxy/proxy/files"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/settings"
	"acp-plan-proxy/proxy/usage"
)

const (
	programName = "acp-plan-proxy"
	envPrefix   = "ACP_PLAN_PROXY_"
	exitUsage   = 2
)

// A command is what the first word of the command line can name. It has only
// the flags that do something for it.
type command struct {
	name, synopsis, summary string

	flags    string   // their names, in the order of --help
	anywhere bool     // flags can also follow the file
	words    []string // what can come in front of the agent
	check    func(*options) error
	reads    func(*options) ([]files.File, error) // see separate
	run      func(*options) (status int, err error)
}

// commands returns the table of commands. The first has no name: it runs an agent.
func commands() []command {
	return []command{{
		name: "", synopsis: "[flags] [--] agent [args...]", summary: "run the agent behind the proxy",
		flags: "client advertise plan-id bridge synthetic-id merge markdown vendors stray files empty " +
			"log-level log-format log-file trace trace-all grace max-message version man completion",
		check: (*options).checkAgent, reads: (*options).agentReads, run: (*options).runAgent,
	}, {
		name: "translate", synopsis: "[flags] [FILE]", summary: "rewrite an agent's recorded lines, or a trace",
		flags: "client advertise plan-id bridge synthetic-id merge markdown vendors stray files empty " +
			"log-level log-format log-file trace trace-all redact max-message version",
		check: (*options).checkTranslate, reads: (*options).translateReads, run: (*options).runTranslate,
	}, {
		name: "demo", synopsis: "[flags]", summary: "show what the proxy does",
		flags: "client plan-id synthetic-id merge markdown files empty log-level log-format log-file verbose agent version",
		check: (*options).checkDemo, reads: (*options).demoReads, run: (*options).runDemo,
	}, {
		name: "view", synopsis: "[flags] FILE|-", summary: "look at a recorded trace, or a live one",
		flags: "addr no-open html text redact version", anywhere: true,
		check: (*options).checkView, reads: (*options).viewReads, run: (*options).runView,
	}, {
		name: "play", synopsis: "[flags] FILE [-- agent]", summary: "be the agent of a recording, or its client",
		flags: "speed log-level log-format log-file version",
		check: (*options).checkPlay, reads: (*options).playReads, run: (*options).runPlay,
	}, {
		name: "check", synopsis: "[flags] [--] agent [args...]", summary: "say what an agent is, and what editors get of it",
		flags: "json version",
		check: (*options).checkCheck, reads: (*options).readsNothing, run: (*options).runCheck,
	}, {
		name: "settings", synopsis: "EDITOR [--] agent [args...]", summary: "print what an editor needs to run an agent so",
		flags: "version", words: settings.Editors(),
		check: (*options).checkSettings, reads: (*options).readsNothing, run: (*options).runSettings,
	}}
}

// Main runs the command that args name, and returns the exit status. The
// program's own name is not among args.
func Main(args []string) int {
	c := commands()[0]
	for _, named := range commands()[1:] {
		if len(args) > 0 && args[0] == named.name {
			c, args = named, args[1:]
			break
		}
	}
	status, err := newOptions(c).execute(args)
	if err != nil {
		logging.Tell(fmt.Sprintf("%s: %v", programName, err))
	}
	return status
}

// execute does what the arguments of the command say.
func (o *options) execute(args []string) (status int, err error) {
	switch err := o.parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return show(describe().Help(o.flags.FlagSet))
	case err != nil:
		return o.mistake(err)
	case o.version:
		version, _ := usage.Version()
		return show(programName + " " + version + "\n")
	case o.man:
		return show(describe().Man())
	case o.completion != "":
		script, err := describe().Completion(o.completion)
		if err != nil {
			return o.mistake(err)
		}
		return show(script)
	}
	for _, check := range []func(*options) error{o.command.check, (*options).checkFiles} {
		if err := check(o); err != nil {
			return o.mistake(err)
		}
	}
	if separate, err := o.separate(); !separate {
		return 1, err
	}
	if o.log, err = o.openLog(); err != nil {
		return o.mistake(err)
	}
	defer o.log.Close()
	o.proxy.Log = o.log.Logger
	return o.command.run(o)
}

// mistake is an error in the command line.
func (o *options) mistake(err error) (int, error) {
	call := strings.TrimSpace(programName + " " + o.command.name)
	return exitUsage, fmt.Errorf("%w (see %s --help)", err, call)
}

func show(text string) (int, error) {
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		return 1, err
	}
	return 0, nil
}

// failed returns the exit status of a command that has or has not failed.
func failed(err error) (int, error) {
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// describe returns the description of the command line.
func describe() *usage.Program {
	var all []usage.Command
	for _, c := range commands() {
		all = append(all, usage.Command{Name: c.name, Args: c.synopsis, Summary: c.summary, Flags: newOptions(c).flags.FlagSet, Words: c.words})
	}
	return usage.Describe(all)
}

// checkFiles checks the names of the files that are written.
func (o *options) checkFiles() error {
	for _, name := range []string{"log-file", "trace", "html"} {
		if f := o.flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s needs a file", name)
		}
	}
	return files.Distinct(os.Stdout, o.written("log-file", "trace"))
}

// written returns the files that these flags name.
func (o *options) written(flags ...string) (named []files.File) {
	for _, name := range flags {
		if f := o.flags.Lookup(name); f != nil && f.Value.String() != "" {
			named = append(named, files.Flag(o.flags.Setting(name), f.Value.String()))
		}
	}
	return named
}

// separate reports whether the command does not write into a file that it reads. If it
// does, the error says so, unless it would be printed into that file.
func (o *options) separate() (bool, error) {
	read, err := o.command.reads(o)
	if err != nil {
		return false, err
	}
	written := append(o.written("trace", "log-file"), files.Open("standard output", os.Stdout))
	if o.viewHTML != "-" {
		written = append(written, o.written("html")...)
	}
	if err := files.Apart(read, written); err != nil {
		return false, err
	}
	return files.Apart(read, []files.File{files.Open("standard error", os.Stderr)}) == nil, nil
}
