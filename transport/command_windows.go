package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// errFormat is the error of a file that the system does not know how to run.
const errFormat = windows.ERROR_BAD_EXE_FORMAT

// newCommand returns what runs the agent. A name without an extension is found
// with the extensions in PATHEXT, so npx is npx.cmd. A batch file is run by the
// command interpreter of the system, with the arguments spelled for it.
func newCommand(args []string) (*exec.Cmd, error) {
	program, err := exec.LookPath(args[0])
	if err != nil {
		return nil, notFound(args[0], err)
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

// notFound returns what is wrong with a program that [exec.LookPath] does not
// find. Its own error speaks of %PATH% even if the program is a path.
func notFound(program string, err error) error {
	if !errors.Is(err, exec.ErrNotFound) || !strings.ContainsAny(program, `:\/`) {
		return err
	}
	if stat, err := os.Stat(program); err == nil && stat.IsDir() {
		return fmt.Errorf("%s is a folder and no program", program)
	} else if err == nil {
		return fmt.Errorf("%s is no program: its name has none of the extensions in %%PATHEXT%%", program)
	}
	return &fs.PathError{Op: "run", Path: program, Err: fs.ErrNotExist}
}

func isBatchFile(file string) bool {
	extension := filepath.Ext(file)
	return strings.EqualFold(extension, ".cmd") || strings.EqualFold(extension, ".bat")
}
