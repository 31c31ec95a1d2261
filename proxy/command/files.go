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

func readsFile(path string) []file { return []file{fileAt(path, path)} }

func readsStdin() []file { return []file{openFile("standard input", os.Stdin)} }

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

// separate reports whether the command does not write into a file that it reads. If it
// does, the error says so, unless it would be printed into that file.
func (o *options) separate() (bool, error) {
	if o.command.reads == nil {
		return true, nil
	}
	read, err := o.command.reads(o)
	if err != nil {
		return false, err
	}
	written := append(o.written("trace", "log-file"), openFile("standard output", os.Stdout))
	if o.viewHTML != "-" {
		written = append(written, o.written("html")...)
	}
	for _, r := range read {
		for _, w := range written {
			switch {
			case !r.is(w):
			case w.path == "" || w.path == r.path:
				return false, fmt.Errorf("%s would overwrite what is read: %s", w.name, r.name)
			default:
				return false, fmt.Errorf("%s would overwrite what is read: %s (%s is the same file)", w.name, r.name, w.path)
			}
		}
		if r.is(openFile("standard error", os.Stderr)) {
			return false, nil
		}
	}
	return true, nil
}
