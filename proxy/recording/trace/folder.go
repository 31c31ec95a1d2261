package trace

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// extension is the extension of the recordings in a folder.
const extension = ".jsonl"

// fileIn returns the file for a recording that begins now: path itself or, if path is a folder, a new
// file in it. If path ends in a slash, fileIn makes the folder, which only its owner can read.
func fileIn(path string, now time.Time) (string, error) {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return "", err
		}
	} else if stat, err := os.Stat(path); err != nil || !stat.IsDir() {
		return path, nil
	}
	return filepath.Join(path, fmt.Sprintf("%s-%d%s", now.Format("20060102-150405.000"), os.Getpid(), extension)), nil
}

// Recordings returns the paths of the recordings in a folder, the most recently modified first.
func Recordings(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	var found []fs.FileInfo
	for _, e := range entries {
		// Skip a file that was deleted meanwhile.
		if stat, err := e.Info(); err == nil && stat.Mode().IsRegular() && filepath.Ext(e.Name()) == extension {
			found = append(found, stat)
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	var paths []string
	for _, stat := range found {
		paths = append(paths, filepath.Join(folder, stat.Name()))
	}
	return paths, nil
}
