// Package command implements the command line: the commands and their flags.
package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/settings"
)

const (
	programName = "acp-plan-proxy"
	envPrefix   = "ACP_PLAN_PROXY_"
	exitUsage   = 2
)

// A command is selected by the first word of the command line. It accepts only the flags that
// have an effect on it.
type command struct {
	name, synopsis string

	summary  string // in the list of commands
	about    string // sentences in its own --help
	examples []string

	flags        string               // names, with spaces between them
	interspersed bool                 // flags can also follow the file
	check        func(*options) error // checks the arguments, and sets options.inputs
	run          func(*options) error
}

// commands returns the table of commands. The first has no name: it runs an agent.
func commands() []command {
	return []command{{
		synopsis: "[flags] [--] agent [args...]", summary: "run the agent behind the proxy",
		about: `Lets any editor work with any agent of the Agent Client Protocol. A flag can be set
in the environment: ACP_PLAN_PROXY_LOG_LEVEL=debug. An agent that is named like a
command needs "--" in front. Each command has its own --help.`,
		examples: []string{
			"acp-plan-proxy -- npx -y @agentclientprotocol/claude-agent-acp",
			"acp-plan-proxy --trace=/tmp/traces/ -- opencode acp",
		},
		flags: "client advertise hide bridge synthetic-id markdown vendors forms permissions stray files " +
			"log-level log-format log-file trace trace-all grace max-message version",
		check: (*options).checkAgent, run: (*options).runAgent,
	}, {
		name: "translate", synopsis: "[flags] [FILE]", summary: "rewrite the recorded lines of an agent",
		about: `Prints the recorded lines of an agent, or those in a trace, as a client would get them.
Without FILE it reads stdin. The client is the one of a recorded initialize request.`,
		examples: []string{
			"acp-plan-proxy translate all.jsonl >editor.jsonl",
			"acp-plan-proxy translate --client=ops agent.jsonl",
		},
		flags: "client synthetic-id markdown vendors forms stray files " +
			"log-level log-format log-file trace trace-all max-message",
		check: (*options).checkTranslate, run: (*options).runTranslate,
	}, {
		name: "redact", synopsis: "FILE", summary: "print a recording without private data",
		about: `Prints a recording without prompts, contents of files, environments, headers, tokens and
home directories. The shape and the lengths of the messages stay.`,
		examples: []string{
			"acp-plan-proxy redact all.jsonl >send.jsonl",
			"acp-plan-proxy redact traces/bug.jsonl >bug.jsonl",
		},
		check: (*options).checkRedact, run: (*options).runRedact,
	}, {
		name: "demo", synopsis: "[flags]", summary: "show the effect of the proxy",
		about: "Shows the plans of several agents in an editor, without the proxy and with it.",
		examples: []string{
			"acp-plan-proxy demo",
			"acp-plan-proxy demo --client=v2",
		},
		flags: "client synthetic-id markdown files log-level log-format log-file",
		check: (*options).checkDemo, run: (*options).runDemo,
	}, {
		name: "view", synopsis: "[flags] FILE|DIR", summary: "show a recorded trace, or a live one",
		about: `Shows a recording in the browser, also while it grows: the messages of each side, their
translation, and losses. Of a folder it shows the newest recording.`,
		examples: []string{
			"acp-plan-proxy view /tmp/traces/",
			"acp-plan-proxy view --message=26 all.jsonl",
		},
		flags: "addr no-open html text message", interspersed: true,
		check: (*options).checkView, run: (*options).runView,
	}, {
		name: "play", synopsis: "[flags] FILE|NAME [-- agent]", summary: "play the agent of a recording, or its client",
		about: `Plays the agent of a recording on stdin and stdout, for any client. With -- and an agent,
plays the client of the recording and prints the differences. NAME is a built-in
recording, if no file has that name: --list prints all.`,
		examples: []string{
			"acp-plan-proxy play markdown-plan",
			"acp-plan-proxy play all.jsonl -- opencode acp",
		},
		flags: "list speed timeout cwd max-message log-level log-format log-file",
		check: (*options).checkPlay, run: (*options).runPlay,
	}, {
		name: "diff", synopsis: "[flags] OLD NEW|-- agent", summary: "report how two recordings of the same work differ",
		about: `Compares two recordings of the same work: the same client with yesterday's and today's
agent, or with the proxy and without. With -- and an agent, NEW is the current result of
play OLD -- agent. Exit status: 0 the same, 1 different, 2 a file is not a recording.`,
		examples: []string{
			"acp-plan-proxy diff all.jsonl new.jsonl",
			"acp-plan-proxy diff --ignore=text all.jsonl -- opencode acp",
		},
		flags: "side ignore json timeout cwd max-message",
		check: (*options).checkDiff, run: (*options).runDiff,
	}, {
		name: "lint", synopsis: "[flags] FILE", summary: "report what the protocol does not allow in a recording",
		about: `Reports what the protocol does not allow in a recording: for each violation the number
of the message in view, the side at fault, the rule and the correct form. Exit status:
0 no findings, 1 findings, 2 the file is not a recording.`,
		examples: []string{
			"acp-plan-proxy lint all.jsonl",
			"acp-plan-proxy lint --side=agent --rule=-after-turn,-left-open --json all.jsonl",
		},
		flags: "side rule json",
		check: (*options).checkLint, run: (*options).runLint,
	}, {
		name: "check", synopsis: "[flags] [--] agent [args...]", summary: "report what each editor shows of an agent",
		about: `Starts the agent without an editor, sends no prompt, and reports the agent's properties
and the plans and questions that each editor shows.`,
		examples: []string{
			"acp-plan-proxy check -- npx -y @agentclientprotocol/claude-agent-acp",
			"acp-plan-proxy check --json opencode acp",
		},
		flags: "json timeout",
		check: (*options).checkCheck, run: (*options).runCheck,
	}, {
		name: "settings", synopsis: "EDITOR [--] agent [args...]", summary: "print the settings for an editor",
		about: `Prints the settings with which an editor runs the agent behind the proxy, and the file
that they belong in. It changes nothing. EDITOR is one of
` + strings.Join(settings.Editors(), ", ") + ".",
		examples: []string{
			"acp-plan-proxy settings zed -- npx -y @agentclientprotocol/claude-agent-acp",
			"acp-plan-proxy settings codecompanion opencode acp",
		},
		check: (*options).checkSettings, run: (*options).runSettings,
	}}
}

// Main runs a command line, without the program's name, and returns the exit status.
func Main(args []string) int {
	index := 0
	if len(args) > 0 {
		index = max(0, commandAt(args[0])) // without a command, the arguments are those of the proxy
	}
	c := commands()[index]
	if index > 0 {
		args = args[1:]
	}
	o := newOptions(c)
	if err := o.execute(args); err != nil {
		logging.Tell(fmt.Sprintf("%s: %v", programName, err))
		return cmp.Or(o.status, 1)
	}
	return o.status
}

// execute parses the arguments and runs the command.
func (o *options) execute(args []string) error {
	switch err := o.parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return show(o.help())
	case err != nil:
		return o.usageError(err)
	case o.version:
		return show(programName + " " + version() + "\n")
	}
	if err := cmp.Or(o.command.check(o), o.checkFiles()); err != nil {
		return o.usageError(err)
	}
	if err := o.checkOverwrites(); err != nil || o.status != 0 {
		return err
	}
	o.log = o.openLog()
	defer o.log.Close()
	for _, name := range o.unknown {
		o.log.Warn("this environment variable sets no flag", "variable", name)
	}
	o.proxy.Log = o.log.Logger
	return o.command.run(o)
}

// usageError also sets the status.
func (o *options) usageError(err error) error {
	o.status = exitUsage
	return fmt.Errorf("%w (see %s --help)", err, o.command.commandLine())
}

func show(text string) error {
	_, err := io.WriteString(os.Stdout, text)
	return err
}
