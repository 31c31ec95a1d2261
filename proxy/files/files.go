// Package files keeps a command from writing into a file that it reads.
package files

import (
	"fmt"
	"io/fs"
	"os"
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
// that lead to the same file make no difference. Only regular files count,
// because a terminal or a pipe keeps what is written to it apart from what is
// read.
func Apart(read, written []File) error {
	for _, r := range read {
		from, err := r.stat()
		if err != nil || !from.Mode().IsRegular() {
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
