package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A file is an input or an output of a command.
type file struct {
	name string      // in error messages
	path string      // empty for a standard stream
	info fs.FileInfo // nil if it does not exist
}

func fileAt(name, path string) file {
	info, _ := os.Stat(path)
	return file{name, path, info}
}

func openFile(name string, f *os.File) file {
	info, _ := f.Stat()
	return file{name: name, info: info}
}

// stdin is the name of standard input on the command line.
const stdin = "-"

// fileRead returns the input file at a path of the command line.
func fileRead(path string) file {
	if path == stdin {
		return openFile("standard input", os.Stdin)
	}
	return fileAt(path, path)
}

// is reports whether both are the same regular file or, on Linux, the same pipe. Other systems
// cannot distinguish all pipes, or have bidirectional pipes.
func (f file) is(other file) bool {
	if f.info == nil || other.info == nil || !os.SameFile(f.info, other.info) {
		return false
	}
	mode := f.info.Mode()
	return mode.IsRegular() || mode&fs.ModeNamedPipe != 0 && runtime.GOOS == "linux"
}

// written returns the output files in flags.
func (o *options) written(flags ...string) (files []file) {
	for _, name := range flags {
		if f := o.flags.Lookup(name); f != nil && f.Value.String() != "" {
			files = append(files, fileAt(o.flags.Setting(name), f.Value.String()))
		}
	}
	return files
}

// checkFiles checks the output files: the log and the trace need separate files, and neither
// can be standard output.
func (o *options) checkFiles() error {
	files := o.written("log-file", "trace")
	for _, f := range files {
		if f.path == "-" || f.path == "/dev/stdout" || f.is(openFile("", os.Stdout)) {
			return fmt.Errorf("%s is standard output, which is for messages: %s", f.name, f.path)
		}
	}
	if len(files) == 2 {
		log, trace := files[0], files[1]
		if log.is(trace) || log.info == nil && trace.info == nil && absolute(log.path) == absolute(trace.path) {
			return fmt.Errorf("%s and %s are the same file: %s", log.name, trace.name, trace.path)
		}
	}
	return nil
}

func absolute(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// separate checks that no output file is an input file. Otherwise it sets the status and returns
// an error, unless the error itself would be written into an input file.
func (o *options) separate() error {
	written := append(o.written("trace", "log-file"), openFile("standard output", os.Stdout))
	if o.viewHTML != "-" {
		written = append(written, o.written("html")...)
	}
	for _, path := range o.reads {
		r := fileRead(path)
		for _, w := range written {
			if !r.is(w) {
				continue
			}
			o.status = exitUsage
			also := ""
			if w.path != "" && w.path != r.path {
				also = " (" + w.path + " is the same file)"
			}
			return fmt.Errorf("%s would overwrite the input: %s%s", w.name, r.name, also)
		}
		if r.is(openFile("standard error", os.Stderr)) {
			o.status = exitUsage
		}
	}
	return nil
}
