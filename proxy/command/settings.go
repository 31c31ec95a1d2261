package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"acp-plan-proxy/proxy/settings"
)

// settingsArgs returns what settings is given: an editor, and the agent's command.
func (o *options) settingsArgs() (editor string, agent []string) {
	args := o.flags.Args()
	if len(args) == 0 {
		return "", nil
	}
	editor, agent = args[0], args[1:]
	if len(agent) > 0 && agent[0] == "--" {
		agent = agent[1:]
	}
	return editor, agent
}

func (o *options) checkSettings() error {
	editor, agent := o.settingsArgs()
	switch {
	case editor == "":
		return errors.New("settings needs an editor: one of " + strings.Join(settings.Editors(), ", "))
	case len(agent) == 0 || agent[0] == "":
		return errors.New("settings needs an agent behind the editor: its command")
	case strings.HasPrefix(agent[0], "-"):
		return fmt.Errorf("settings takes the agent behind the editor, and no flags: %q", agent[0])
	}
	_, err := settings.For(editor, runtime.GOOS, self(), agent)
	return err
}

// runSettings prints the block to stdout, where it can be copied from, and what to do with
// it to stderr.
func (o *options) runSettings() (int, error) {
	editor, agent := o.settingsArgs()
	s, err := settings.For(editor, runtime.GOOS, self(), agent)
	if err != nil {
		return failed(err)
	}
	fmt.Fprintln(os.Stderr, s.Where+":")
	for _, note := range s.Notes {
		fmt.Fprintln(os.Stderr, note)
	}
	return show(s.Block)
}

// self returns the path of this program as it was called: as a shell finds it, through
// links, so that it stays when what they lead to is replaced.
func self() string {
	found, err := exec.LookPath(os.Args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return os.Args[0]
	}
	path, err := filepath.Abs(found)
	if err != nil {
		return found
	}
	return path
}
