package transport

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// errFormat is the system's error for a file in an unknown executable format.
const errFormat = windows.ERROR_BAD_EXE_FORMAT

// newCommand returns the command that runs the agent. It looks up a name without
// an extension with the extensions in PATHEXT, so npx finds npx.cmd. It runs a
// batch file with cmd.exe and quotes the arguments for it.
func newCommand(args []string) (*exec.Cmd, error) {
	program, err := exec.LookPath(args[0])
	if err != nil {
		return nil, notFound(args[0], err)
	}
	// Abs strips trailing dots and blanks from the path, which Windows ignores
	// too; isBatchFile must not be misled by them.
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
	// %COMSPEC% may name another interpreter.
	command := exec.Command(filepath.Join(system, "cmd.exe"))
	command.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	return command, nil
}

// notFound returns the error for a program that [exec.LookPath] has not found.
// The error of LookPath mentions %PATH% even if the program is a path.
func notFound(program string, err error) error {
	if !errors.Is(err, exec.ErrNotFound) || !strings.ContainsAny(program, `:\/`) {
		return err
	}
	switch stat, failed := os.Stat(program); {
	case failed != nil:
		return failed
	case stat.IsDir():
		return fmt.Errorf("%s is a folder and no program", program)
	}
	return fmt.Errorf("%s is no program: its name has none of the extensions in %%PATHEXT%%", program)
}

func isBatchFile(file string) bool {
	extension := filepath.Ext(file)
	return strings.EqualFold(extension, ".cmd") || strings.EqualFold(extension, ".bat")
}
