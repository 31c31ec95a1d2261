package view

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/terminal"
)

// maxListed is how many of the other recordings in a folder are named.
const maxListed = 20

// Find returns path itself or, if it is a folder, the recordings in it, the
// newest first. It returns at least one.
func Find(path string) ([]string, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !stat.IsDir() {
		return []string{path}, nil
	}
	found, err := trace.Recordings(path)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no recordings (*.jsonl) in %s", path)
	}
	return found, err
}

// List prints which recording of a folder is shown, and the others. It prints
// nothing for a folder with one recording.
func List(w io.Writer, shown string, others []string) error {
	if len(others) == 0 {
		return nil
	}
	text := fmt.Sprintf("This is %s, the newest. There are also\n", terminal.Printable(filepath.Base(shown)))
	for _, name := range others[:min(len(others), maxListed)] {
		text += "  " + terminal.Printable(name) + "\n"
	}
	if more := len(others) - maxListed; more > 0 {
		text += fmt.Sprintf("  and %d more\n", more)
	}
	_, err := io.WriteString(w, text)
	return err
}
