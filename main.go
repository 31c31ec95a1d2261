// Acp-plan-proxy lets any editor work with any agent of the Agent Client
// Protocol. It runs the agent, sits between the two on stdin and stdout, rewrites
// plan messages to what the editor can show, and joins an editor and an agent
// that speak different versions of the protocol.
package main

import (
	"os"

	"acp-plan-proxy/proxy/command"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
