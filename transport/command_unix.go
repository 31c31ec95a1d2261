//go:build unix

package transport

import (
	"os/exec"
	"syscall"
)

// errFormat is the system's error for a file in an unknown executable format.
const errFormat = syscall.ENOEXEC

// newCommand returns the command that runs the agent.
func newCommand(args []string) (*exec.Cmd, error) {
	return exec.Command(args[0], args[1:]...), nil
}
