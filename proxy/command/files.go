package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A namedFile is an input or an output of a command.
type namedFile struct {
	name string      // in error messages
	path string      // empty for a standard stream
	info fs.FileInfo // nil if it does not exist
}

func fileAt(name, path string) namedFile {
	info, _ := os.Stat(path)
	return namedFile{name, path, info}
}

func openFile(name string, f *os.File) namedFile {
	info, _ := f.Stat()
	return namedFile{name: name, info: info}
}

// stdin is the name of standard input on the command line.
const stdin = "-"

// inputFile returns the input file at a path of the command line.
func inputFile(path string) namedFile {
	if path == stdin {
		return openFile("standard input", os.Stdin)
	}
	return fileAt(path, path)
}

// isSame reports whether f and other are the same regular file or, on Linux, the same pipe. Other
// systems cannot distinguish all pipes, or have bidirectional pipes.
func (f namedFile) isSame(other namedFile) bool {
	if f.info == nil || other.info == nil || !os.SameFile(f.info, other.info) {
		return false
	}
	mode := f.info.Mode()
	return mode.IsRegular() || mode&fs.ModeNamedPipe != 0 && runtime.GOOS == "linux"
}

// outputFiles returns the files that the named flags have as their values.
func (o *options) outputFiles(flags ...string) (files []namedFile) {
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
	files := o.outputFiles("log-file", "trace")
	for _, f := range files {
		if f.path == "-" || f.path == "/dev/stdout" || f.isSame(openFile("", os.Stdout)) {
			return fmt.Errorf("%s is standard output, which is for messages: %s", f.name, f.path)
		}
	}
	if len(files) == 2 {
		log, trace := files[0], files[1]
		if log.isSame(trace) || log.info == nil && trace.info == nil && absolutePath(log.path) == absolutePath(trace.path) {
			return fmt.Errorf("%s and %s are the same file: %s", log.name, trace.name, trace.path)
		}
	}
	return nil
}

func absolutePath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// checkOverwrites returns an error and sets the status if an output file is an input file. If stderr
// is an input file, it only sets the status, because an error would be written into that file.
func (o *options) checkOverwrites() error {
	written := append(o.outputFiles("trace", "log-file"), openFile("standard output", os.Stdout))
	if o.viewHTML != "-" {
		written = append(written, o.outputFiles("html")...)
	}
	for _, path := range o.inputs {
		input := inputFile(path)
		for _, output := range written {
			if !input.isSame(output) {
				continue
			}
			o.status = exitUsage
			also := ""
			if output.path != "" && output.path != input.path {
				also = " (" + output.path + " is the same file)"
			}
			return fmt.Errorf("%s would overwrite the input: %s%s", output.name, input.name, also)
		}
		if input.isSame(openFile("standard error", os.Stderr)) {
			o.status = exitUsage
		}
	}
	return nil
}
