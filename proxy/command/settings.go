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

func (o *options) checkSettings() (err error) {
	args := o.flags.Args()
	if o.flags.Arg(0) == "" {
		return errors.New("settings needs an editor: one of " + strings.Join(settings.Editors(), ", "))
	}
	agent := args[1:]
	if len(agent) > 0 && agent[0] == "--" {
		agent = agent[1:]
	}
	switch {
	case len(agent) == 0 || agent[0] == "":
		return errors.New("settings needs an agent behind the editor: its command")
	case strings.HasPrefix(agent[0], "-"):
		return fmt.Errorf("settings takes the agent behind the editor, and no flags: %q", agent[0])
	}
	o.setting, err = settings.For(args[0], runtime.GOOS, self(), agent)
	return err
}

// runSettings prints the settings to stdout and the instructions to stderr.
func (o *options) runSettings() error {
	fmt.Fprintln(os.Stderr, o.setting.Where+":")
	for _, note := range o.setting.Notes {
		fmt.Fprintln(os.Stderr, note)
	}
	return show(o.setting.Block)
}

// self returns the path by which this program was called. It does not resolve links, so that
// the path remains valid when an update replaces their target.
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
