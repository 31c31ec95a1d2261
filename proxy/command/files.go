package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A file is one that a command reads or writes.
type file struct {
	name string      // what messages call it
	path string      // empty if it was handed over open
	info fs.FileInfo // nil if it is not there
}

func fileAt(name, path string) file {
	info, _ := os.Stat(path)
	return file{name, path, info}
}

func openFile(name string, f *os.File) file {
	info, _ := f.Stat()
	return file{name: name, info: info}
}

// stdin is what commands call standard input.
const stdin = "-"

// fileRead returns a file by the name that a command was given.
func fileRead(path string) file {
	if path == stdin {
		return openFile("standard input", os.Stdin)
	}
	return fileAt(path, path)
}

// is reports whether both are one file, and all who have it open share what is in it: a
// regular file, or a pipe of Linux. Other systems do not tell all pipes apart, or have
// pipes that lead both ways.
func (f file) is(other file) bool {
	if f.info == nil || other.info == nil || !os.SameFile(f.info, other.info) {
		return false
	}
	mode := f.info.Mode()
	return mode.IsRegular() || mode&fs.ModeNamedPipe != 0 && runtime.GOOS == "linux"
}

// written returns the files that these flags name.
func (o *options) written(flags ...string) (files []file) {
	for _, name := range flags {
		if f := o.flags.Lookup(name); f != nil && f.Value.String() != "" {
			files = append(files, fileAt(o.flags.Setting(name), f.Value.String()))
		}
	}
	return files
}

// checkFiles checks the names of the files that are written. The log and the trace have
// a file each, which is not standard output.
func (o *options) checkFiles() error {
	for _, name := range []string{"log-file", "trace", "html"} {
		if f := o.flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s needs a file", name)
		}
	}
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

// separate checks that the command does not write into a file that it reads. If it does,
// the status is set, and the error says why, unless it would be printed into that file.
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
			return fmt.Errorf("%s would overwrite what is read: %s%s", w.name, r.name, also)
		}
		if r.is(openFile("standard error", os.Stderr)) {
			o.status = exitUsage
		}
	}
	return nil
}
