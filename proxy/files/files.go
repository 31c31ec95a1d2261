// Package files keeps a command from writing into a file that it reads, and from
// writing different things into one file.
package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A File is a file that a command reads or writes.
type File struct {
	name string // what messages call it
	path string // empty if it was handed over open
	stat func() (fs.FileInfo, error)
}

// At is the file with the given path, which need not be there.
func At(path string) File { return Flag(path, path) }

// Flag is the file whose path a flag names.
func Flag(flag, path string) File {
	return File{flag, path, func() (fs.FileInfo, error) { return os.Stat(path) }}
}

// Open is a file that is open already, as standard input is.
func Open(name string, file *os.File) File { return File{name: name, stat: file.Stat} }

// Apart returns an error if one of the written files is also read. The error
// names the file as it is written and as it is read. Apart compares the files
// themselves: names, links and descriptors
// that lead to the same file make no difference. Terminals and other devices do not
// count, because they keep what is written to them apart from what is read.
func Apart(read, written []File) error {
	for _, r := range read {
		from, err := r.stat()
		if err != nil || !isOne(from) {
			continue
		}
		for _, w := range written {
			to, err := w.stat()
			if err != nil || !os.SameFile(from, to) {
				continue
			}
			if w.path == "" || w.path == r.path {
				return fmt.Errorf("%s would overwrite what is read: %s", w.name, r.name)
			}
			return fmt.Errorf("%s would overwrite what is read: %s (%s is the same file)", w.name, r.name, w.path)
		}
	}
	return nil
}

// Distinct returns an error if one of the files, which flags name, is standard
// output, or "-", or if two of them are the same file. The null device can be all of
// them. A terminal that is standard output can be written to under another name.
func Distinct(stdout *os.File, written []File) error {
	out, err := stdout.Stat()
	for i, w := range written {
		if w.path == "-" || isStdout(target(w.path)) || err == nil && isOne(out) && w.is(out) {
			return fmt.Errorf("%s is standard output, which is for messages: %s", w.name, w.path)
		}
		if null, err := os.Stat(os.DevNull); err == nil && w.is(null) || w.path == os.DevNull {
			continue
		}
		for _, other := range written[:i] {
			to, err := other.stat()
			if err == nil && w.is(to) || target(w.path) == target(other.path) {
				return fmt.Errorf("%s and %s are the same file: %s", other.name, w.name, w.path)
			}
		}
	}
	return nil
}

// is reports whether f is there, and is that file.
func (f File) is(other fs.FileInfo) bool {
	stat, err := f.stat()
	return err == nil && os.SameFile(stat, other)
}

// isOne reports whether all who have opened the file share what is in it: a regular
// file, or a pipe of Linux. Other systems do not tell all pipes apart, or have pipes
// that lead both ways.
func isOne(f fs.FileInfo) bool {
	return f.Mode().IsRegular() || f.Mode()&fs.ModeNamedPipe != 0 && runtime.GOOS == "linux"
}

// maxLinks bounds how many links are followed, one after another.
const maxLinks = 40

// target returns the path that a path leads to, through all links, or as far as it
// can be followed. The file need not be there.
func target(path string) string {
	for range maxLinks {
		path = inRealFolder(path)
		to, err := os.Readlink(path)
		if err != nil || isStdout(path) {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// inRealFolder returns path as an absolute one without links on the way to its last
// element.
func inRealFolder(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// isStdout reports whether a path without links on its way is a name of standard output.
func isStdout(path string) bool {
	if path == "/dev/fd/1" || path == "/dev/stdout" {
		return true
	}
	self, err := filepath.EvalSymlinks("/proc/self")
	if err != nil {
		return false
	}
	thread, _ := filepath.Match(self+"/task/*/fd/1", path)
	return path == self+"/fd/1" || thread
}
