package transport

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// newCommand returns what runs the agent. A name without an extension is found
// with those of PATHEXT, so npx is npx.cmd. A batch file is run by the command
// interpreter of the system, with the arguments spelled for it.
func newCommand(args []string) (*exec.Cmd, error) {
	program, err := exec.LookPath(args[0])
	if err != nil {
		if isPath := strings.ContainsAny(args[0], `:\/`); isPath && errors.Is(err, exec.ErrNotFound) {
			return nil, &fs.PathError{Op: "run", Path: args[0], Err: fs.ErrNotExist}
		}
		return nil, err
	}
	// What is made absolute has lost the dots and blanks at its end, which
	// Windows does not see either.
	file, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	if !isBatchFile(file) {
		command := exec.Command(program, args[1:]...)
		command.Args[0] = args[0]
		return command, nil
	}
	line, err := batchCommandLine(file, args[1:])
	if err != nil {
		return nil, err
	}
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, err
	}
	// Not %COMSPEC%, which may name another interpreter.
	command := exec.Command(filepath.Join(system, "cmd.exe"))
	command.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	return command, nil
}

func isBatchFile(file string) bool {
	extension := filepath.Ext(file)
	return strings.EqualFold(extension, ".cmd") || strings.EqualFold(extension, ".bat")
}
