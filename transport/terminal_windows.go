package transport

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

// Replace runs the agent on the standard streams of the calling process, in its
// place, and returns the agent's exit status. If the agent cannot be run, it
// returns the error and the status to exit with.
//
// While the agent runs, the caller ignores Ctrl-C and the closing of the console,
// which the agent receives too. If the caller is terminated, the agent ends with
// it, but not the processes that the agent has started, such as a browser.
func Replace(args []string) (status int, err error) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(ignored)

	agent, err := newCommand(args)
	if err != nil {
		return ExitStatus(err), fmt.Errorf("start agent: %w", err)
	}
	agent.Stdin, agent.Stdout, agent.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := agent.Start(); err != nil {
		return ExitStatus(err), fmt.Errorf("start agent: %w", err)
	}
	// The job ends the agent with the caller. Without a job the agent runs, too.
	if job, err := newJob(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK); err == nil {
		defer windows.CloseHandle(job)
		assign(job, agent.Process)
	}
	var failed *exec.ExitError
	if err := agent.Wait(); err != nil && !errors.As(err, &failed) {
		return statusUnknown, fmt.Errorf("wait for agent: %w", err)
	}
	return agent.ProcessState.ExitCode(), nil
}
