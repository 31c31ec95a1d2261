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

// withInterpreter adds what is missing to the error of starting a program that
// is there. The system says "no such file" of the program itself if it is a
// script and the interpreter that its first line names does not exist.
func withInterpreter(program string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return err
	}
	file, failed := os.Open(program)
	if failed != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	interpreter, script := strings.CutPrefix(line, "#!")
	if !script {
		return fmt.Errorf("the loader that %s needs does not exist: %w", program, err)
	}
	interpreter = strings.TrimLeft(interpreter, " \t")
	if end := strings.IndexAny(interpreter, " \t"); end >= 0 {
		interpreter = interpreter[:end]
	}
	return fmt.Errorf("the interpreter %q of %s does not exist: %w", interpreter, program, err)
}
