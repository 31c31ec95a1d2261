package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"acp-plan-proxy/proxy/recording/diff"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/recording/view"
)

func (o *options) checkDiff() error {
	args := o.flags.Args()
	switch {
	case len(args) < 2 || o.flags.ArgsLenAtDash() == 0:
		return errors.New("diff needs two recordings, or one and an agent behind --")
	case args[0] == "" || args[1] == "" || args[1] == "--" && (len(args) == 2 || args[2] == ""):
		return errors.New("diff needs two recordings, or one and an agent behind --; a name is empty")
	case len(args) > 2 && args[1] != "--":
		return fmt.Errorf("diff takes two recordings, and its flags before them: %q", args[2])
	}
	o.reads = args[:1]
	if args[1] != "--" {
		o.reads = args[:2]
	}
	return nil
}

func (o *options) runDiff() error {
	o.status = exitUsage
	before, after := o.reads[0], o.flags.Arg(1)
	if after == "--" {
		dir, err := os.MkdirTemp("", programName)
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		after = filepath.Join(dir, "new.jsonl")
		if err := o.recordPlay(before, after); err != nil {
			return err
		}
	}
	var recordings [2]diff.Recording
	for i, path := range []string{before, after} {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		stat, err := file.Stat()
		switch {
		case err != nil:
			return err
		case stat.IsDir():
			return fmt.Errorf("diff takes files, and %s is a folder", path)
		}
		recordings[i] = diff.Recording{Name: path, SectionReader: io.NewSectionReader(file, 0, stat.Size())}
	}
	side := map[string]trace.Component{"client": trace.Client, "agent": trace.Agent}[o.side]
	how := diff.Options{Side: side, IgnoreText: o.ignore == "text", JSON: o.json, Clean: view.Printable}
	count, err := diff.Compare(os.Stdout, recordings[0], recordings[1], how)
	if err == nil {
		o.status = min(count, 1)
	}
	return err
}

// recordPlay plays the client of a recording in front of the agent behind --, and records the
// conversation in a file.
func (o *options) recordPlay(file, to string) error {
	w, err := trace.Create(to, o.log.Logger)
	if err != nil {
		return err
	}
	defer w.Close()
	_, _, err = o.playClient(file, io.Discard, w)
	return err
}
