package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// explained adds in plain words why a program cannot be started, to the error of
// starting it. The system's own words are of no help: it says "no such file" of a
// script whose interpreter does not exist, "permission denied" of a folder, and
// "exec format error" of a script that names no interpreter.
func explained(program string, err error) error {
	why := ""
	switch {
	case errors.Is(err, exec.ErrNotFound):
	case errors.Is(err, fs.ErrNotExist):
		why = missingPart(program)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errFormat):
		why = notExecutable(program, err)
	}
	if why == "" {
		return err
	}
	return fmt.Errorf("%s: %w", why, err)
}

// missingPart says what a program that is there needs and does not exist.
func missingPart(program string) string {
	if _, err := os.Stat(program); err != nil {
		return ""
	}
	interpreter, script := interpreterOf(beginning(program))
	if !script {
		return fmt.Sprintf("the loader that %s needs does not exist", program)
	}
	return fmt.Sprintf("the interpreter %q of %s does not exist", interpreter, program)
}

// notExecutable says why the system does not run a program that is there.
func notExecutable(program string, err error) string {
	stat, gone := os.Stat(program)
	switch {
	case gone != nil:
		return ""
	case stat.IsDir():
		return program + " is a folder and no program"
	case !stat.Mode().IsRegular():
		return program + " is no program"
	case errors.Is(err, fs.ErrPermission) && stat.Mode().Perm()&0o111 == 0:
		return program + " is not executable"
	case stat.Size() == 0:
		return program + " is empty"
	}
	head := beginning(program)
	interpreter, script := interpreterOf(head)
	forbidden := errors.Is(err, fs.ErrPermission)
	switch {
	case head == nil:
		return ""
	case script && interpreter != "" && !(forbidden && isProgram(interpreter)):
		return fmt.Sprintf("the interpreter %q of %s cannot be executed", interpreter, program)
	case forbidden:
		return program + " must not be executed here" // by the mount or another rule of the system
	case isMachineCode(head):
		return program + " is a program for another machine or system"
	}
	return program + ` is no program for this system, and no script whose first line names its interpreter, such as "#!/bin/sh"`
}

// isProgram reports whether a file has the mode of a program.
func isProgram(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.Mode().IsRegular() && stat.Mode().Perm()&0o111 != 0
}

// beginning returns the beginning of a regular file, nil if it cannot be read.
func beginning(program string) []byte {
	file, err := os.Open(program)
	if err != nil {
		return nil
	}
	defer file.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head)
	return head[:n]
}

// interpreterOf returns the interpreter that the first line of a script names. It
// reports false if that is not a line that may name one.
func interpreterOf(head []byte) (interpreter string, script bool) {
	line, _, _ := strings.Cut(string(head), "\n")
	interpreter, script = strings.CutPrefix(line, "#!")
	interpreter = strings.TrimLeft(interpreter, " \t")
	if end := strings.IndexAny(interpreter, " \t"); end >= 0 {
		interpreter = interpreter[:end]
	}
	return interpreter, script
}

// isMachineCode reports whether a file begins as the programs of Linux, Windows or
// macOS do.
func isMachineCode(head []byte) bool {
	for _, magic := range []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}
