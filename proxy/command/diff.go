package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/diff"
	"acp-plan-proxy/proxy/recording/play"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport"
)

func (o *options) checkDiff() error {
	args := o.flags.Args()
	isPlayed := o.flags.Arg(1) == "--"
	if len(args) < 2 || isPlayed != (len(args) > 2) || o.flags.ArgsLenAtDash() == 0 {
		return errors.New("diff takes two recordings, or one and an agent behind --, and its flags before them")
	}
	o.inputs = args[:2]
	if isPlayed {
		o.inputs = args[:1]
	}
	return nil
}

func (o *options) runDiff() error {
	o.status = exitUsage
	compareOptions := diff.Options{
		Side:       map[string]trace.Component{"client": trace.Client, "agent": trace.Agent}[o.side],
		IgnoreText: o.ignore == "text", JSON: o.json, Width: transport.TerminalWidth(os.Stdout, 0),
	}
	var count int
	compare := func(before, after recording.File) (err error) {
		count, err = diff.Compare(os.Stdout, before, after, compareOptions)
		return err
	}
	err := o.withRecording(o.inputs[0], func(before recording.File) error {
		if o.flags.Arg(1) != "--" {
			return o.withRecording(o.flags.Arg(1), func(after recording.File) error { return compare(before, after) })
		}
		return o.withPlayed(before, io.Discard, func(after recording.File, _ play.Result) error { return compare(before, after) })
	})
	if err == nil {
		o.status = min(count, 1)
	}
	return err
}

// withRecording passes a file, or else the built-in recording of that name, to use.
func (o *options) withRecording(path string, use func(recording.File) error) error {
	file, err := openRecording(path)
	if errors.Is(err, fs.ErrNotExist) {
		text := play.Builtin(path)
		if text == nil {
			return fmt.Errorf("%w (play --list prints the built-in recordings)", err)
		}
		return use(recording.File{Name: path, SectionReader: io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text))), BuiltIn: text})
	}
	if err != nil {
		return err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return use(recording.File{Name: path, SectionReader: io.NewSectionReader(file, 0, size)})
}

// openRecording opens a file that is not a folder.
func openRecording(path string) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if stat, err := file.Stat(); err == nil && stat.IsDir() {
		file.Close()
		return nil, fmt.Errorf("%s is a folder, not a recording", path)
	}
	return file, nil
}

// withPlayed plays the client of a recording in front of the agent after --, and writes the agent's
// lines to out. It then calls use with a recording of the conversation and the result of
// [play.Client].
func (o *options) withPlayed(recorded recording.File, out io.Writer, use func(played recording.File, result play.Result) error) error {
	dir, err := os.MkdirTemp("", programName)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "played.jsonl")
	w, err := trace.Create(path, o.log.Logger)
	if err != nil {
		return err
	}
	agent := transport.Command{Args: o.flags.Args()[2:], Stderr: os.Stderr, Grace: o.grace}
	playOptions := play.Options{Timeout: o.timeout, Folder: o.cwd, MaxMessage: o.proxy.MaxMessage, Log: o.log.Logger, Trace: w}
	result, err := play.Client(recorded, agent, catchSignals(), out, playOptions)
	w.Close()
	if err != nil {
		o.status = cmp.Or(o.status, result.Status)
		return err
	}
	return o.withRecording(path, func(played recording.File) error { return use(played, result) })
}
