//go:build unix

package transport

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Replace runs the agent on the standard streams of the calling process, in its
// place. It returns only if the agent cannot be run, with the error and the
// status to exit with.
//
// The agent keeps the process id, terminal, group, environment and open files. Call
// Replace first: the agent inherits ignored signals, and files that were opened
// without close-on-exec. Goroutines end without notice.
func Replace(args []string) (status int, err error) {
	agent := exec.Command(args[0], args[1:]...) // looks it up like Start
	err = agent.Err
	if err == nil {
		err = &fs.PathError{Op: "exec", Path: agent.Path, Err: syscall.Exec(agent.Path, args, os.Environ())}
	}
	return ExitStatus(err), fmt.Errorf("start agent: %w", explain(agent.Path, err))
}
