package usage

import "github.com/spf13/pflag"

// Describe describes acp-plan-proxy: a version of it, of a date that may be
// empty, whose commands have the flags that the function returns for their names.
func Describe(version, date string, flags func(command string) *pflag.FlagSet) *Program {
	p := &Program{
		Name:    "acp-plan-proxy",
		Version: version,
		Date:    date,
		Summary: "show the plans of any coding agent in any editor",
		Description: `The agent speaks the Agent Client Protocol on stdin and stdout. Its plan
messages are rewritten to what the client has said it can show; everything else
passes through byte for byte.`,
		Commands: []Command{
			{Args: "[flags] [--] agent [args...]", Summary: "run the agent behind the proxy"},
			{Name: "translate", Args: "[flags] [FILE]", Summary: "rewrite an agent's recorded lines"},
			{Name: "demo", Args: "[flags]", Summary: "show what the proxy does"},
			{Name: "view", Args: "[flags] FILE", Summary: "look at a recorded trace, or a live one"},
		},
		Dashes: `A command comes first, its flags after it. An agent named like a command needs
"--" in front: acp-plan-proxy -- demo.`,
		Environment: `Each flag can be set in the environment: ACP_PLAN_PROXY_LOG_LEVEL=debug.

A flag wins over its variable. Flags that say what one invocation is to do have
none: --version, --man, --completion, --html, --text, --agent,
and, for demo, --client. Colours are off if NO_COLOR is set or TERM is dumb.`,
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
			{Title: "See also", Text: "The Agent Client Protocol, https://agentclientprotocol.com"},
		},
	}
	for i, c := range p.Commands {
		p.Commands[i].Flags = flags(c.Name)
	}
	return p
}
