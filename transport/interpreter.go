package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// explain wraps an error of starting a program with its likely cause. The
// system's errors are misleading: "no such file" for a script whose interpreter
// does not exist, "permission denied" for a folder, and "exec format error" for
// a script without an interpreter line.
func explain(program string, err error) error {
	stat, missing := os.Stat(program)
	why := ""
	switch {
	case missing != nil, errors.Is(err, exec.ErrNotFound):
	case errors.Is(err, fs.ErrNotExist):
		why = "the interpreter or the loader of " + program + " does not exist"
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
