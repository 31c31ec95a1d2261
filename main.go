// Acp-plan-proxy is a proxy between an editor and an agent of the Agent Client
// Protocol. It runs the agent, forwards the messages between its stdin and stdout
// and the editor, rewrites plan messages so that the editor can show them, and
// translates between different versions of the protocol.
package main

import (
	"os"

	"acp-plan-proxy/proxy/command"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
