package transport

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// explained wraps the error of starting a program with its likely cause. The
// system's errors are misleading: "no such file" for a script whose interpreter
// does not exist, "permission denied" for a folder, and "exec format error" for
// a script without an interpreter line.
func explained(program string, err error) error {
	stat, missing := os.Stat(program)
	why := ""
	switch {
	case missing != nil, errors.Is(err, exec.ErrNotFound):
	case errors.Is(err, fs.ErrNotExist):
		why = missingPart(program)
	case stat.IsDir():
		why = program + " is a folder and no program"
	case errors.Is(err, fs.ErrPermission) && stat.Mode().Perm()&0o111 == 0:
		why = program + " is not executable"
	case errors.Is(err, errFormat):
		why = program + ` is no program for this system, and no script whose first line names its interpreter, such as "#!/bin/sh"`
	}
	if why == "" {
		return err
	}
	return fmt.Errorf("%s: %w", why, err)
}

// missingPart describes the missing interpreter or loader of a program that
// exists.
func missingPart(program string) string {
	file, err := os.Open(program)
	if err != nil {
		return ""
	}
	defer file.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	interpreter, isScript := strings.CutPrefix(line, "#!")
	if !isScript {
		return fmt.Sprintf("the loader that %s needs does not exist", program)
	}
	interpreter, _, _ = strings.Cut(strings.TrimLeft(interpreter, " "), " ")
	return fmt.Sprintf("the interpreter %q of %s does not exist", interpreter, program)
}
