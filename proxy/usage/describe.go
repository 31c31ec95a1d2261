package usage

import (
	"cmp"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"acp-plan-proxy/proxy/flags"
)

// Version returns the module's version, which go install and releases record,
// and the day of its commit, which is empty if it is not known.
func Version() (version, date string) {
	b, ok := debug.ReadBuildInfo()
	if !ok || b.Main.Version == "" {
		return "(unknown)", ""
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.time" {
			date, _, _ = strings.Cut(s.Value, "T")
		}
	}
	return b.Main.Version, date
}

// Describe describes acp-plan-proxy, which has these commands.
func Describe(commands []Command) *Program {
	version, date := Version()
	return &Program{
		Name:    "acp-plan-proxy",
		Version: version,
		Date:    date,
		Summary: "let any editor work with any agent of the Agent Client Protocol",
		Description: `The agent speaks the Agent Client Protocol on stdin and stdout. A client and an
agent of different versions of the protocol are joined: each sees a peer of its
own version. Plan messages are rewritten to what the client has said it can show.
Between two of one version, all else passes through byte for byte.`,
		Commands: commands,
		Dashes:   `An agent named like a command needs "--" in front: acp-plan-proxy -- demo.`,
		Environment: `Each flag can be set in the environment: ACP_PLAN_PROXY_LOG_LEVEL=debug.

A flag wins over its variable, and a command ignores variables for flags that it
does not have. Flags that say what one invocation is to do have none:
` + withoutVariable(commands) + `.

Colours are off if NO_COLOR is set or TERM is dumb.`,
		Sections: []Section{
			{Title: "Exit status", Text: `That of the agent; 128+n if signal n ended it; 127 if it was not found, 126 if
it cannot be executed; 2 for a mistake in the flags. A command that fails ends
with 1.`},
			{Title: "Examples", Text: `Run an agent behind the proxy, as an editor does:

  acp-plan-proxy -- npx -y @agentclientprotocol/claude-agent-acp

Make a new agent use its new format in front of an old editor:

  acp-plan-proxy --advertise=always -- agent

Record the plan messages, and look at them in the browser:

  acp-plan-proxy --trace=/tmp/plans.jsonl -- agent
  acp-plan-proxy view /tmp/plans.jsonl`},
			{Title: "See also", Text: `README.md, which comes with the program: settings of editors, and what to do if
it does not work. translate/README.md in the source: what becomes of each message, what
is lost between versions, and the records of the log.

The Agent Client Protocol, https://agentclientprotocol.com`},
		},
	}
}

// withoutVariable lists the flags that no variable of the environment sets. A
// flag that has a variable elsewhere is listed with its command.
func withoutVariable(commands []Command) string {
	elsewhere := make(map[string]bool)
	for _, c := range commands {
		c.Flags.VisitAll(func(f *pflag.Flag) {
			elsewhere[f.Name] = elsewhere[f.Name] || flags.FromEnvironment(f)
		})
	}
	var names []string
	listed := make(map[string]bool)
	for _, c := range commands {
		c.Flags.VisitAll(func(f *pflag.Flag) {
			name := "--" + f.Name
			if elsewhere[f.Name] {
				name += " of " + cmp.Or(c.Name, "the agent")
			}
			if !flags.FromEnvironment(f) && !listed[name] {
				listed[name] = true
				names = append(names, name)
			}
		})
	}
	return strings.Join(names, ", ")
}
