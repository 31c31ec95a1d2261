package trace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	tail := &Tail{Path: path}
	if _, err := tail.Read(0, 0, 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}

	write := func(text string) func(*testing.T) {
		return func(t *testing.T) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	appendText := func(text string) func(*testing.T) {
		return func(t *testing.T) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace := func(text string) func(*testing.T) {
		return func(t *testing.T) {
			if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}
	}
	long := strings.Repeat("long", 100) + "\n"
	begins := strings.Repeat("line\n", headLength)
	steps := []struct {
		name      string
		do        func(*testing.T)
		want      string
		isAnother bool // the file has another recording
	}{
		{"an empty file", write(""), "", true},
		{"a line", appendText("one\n"), "one\n", false},
		{"no new text", func(*testing.T) {}, "", false},
		{"half a line", appendText("tw"), "", false},
		{"the other half", appendText("o\nthr"), "two\n", false},
		{"a line beyond the limit", appendText("ee\n" + long), "three\n", false},
		{"the line beyond the limit is read whole", func(*testing.T) {}, long, false},
		{"a truncated file that is shorter", write("first\n"), "first\n", true},
		{"a truncated file that is longer", write("another\nrecording\n"), "another\nrecording\n", true},
		{"a file replaced by an equal one", replace("another\nrecording\n"), "another\nrecording\n", true},
		{"a long recording in its place", write(begins), begins, true},
		{"a recording of which the beginning is left", write(begins[:len(begins)/2]), begins[:len(begins)/2], true},
		{"a file truncated to nothing", write(""), "", true},
		{"a first line after that", appendText("x\n"), "x\n", false},
	}
	var recording int
	var offset int64
	for _, tt := range steps {
		t.Run(tt.name, func(t *testing.T) {
			tt.do(t)
			limit := max(50, len(tt.want)) // but a longer line is whole
			if tt.want == long {
				limit = 50
			}
			part, err := tail.Read(recording, offset, limit)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(part.Lines); got != tt.want {
				t.Errorf("got %q", got)
			}
			if again := part.Recording != recording; again != tt.isAnother {
				t.Errorf("another recording: %v", again)
			}
			if tt.isAnother {
				offset = 0
			}
			if end := offset + int64(len(part.Lines)); part.End != end {
				t.Errorf("the part ends at %d, want %d", part.End, end)
			}
			recording, offset = part.Recording, part.End
		})
	}
}

// TestTailOfAnyFile follows a file with a stretch that is too long to be an event. The
// Tail reports that and stops, until another recording begins.
func TestTailOfAnyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	add := func(text string) {
		t.Helper()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	tail := &Tail{Path: path}
	var recording int
	var offset int64
	reads := func(want string) {
		t.Helper()
		part, err := tail.Read(recording, offset, 4<<20)
		if err != nil {
			t.Fatal(err)
		}
		if string(part.Lines) != want {
			t.Errorf("%d bytes were read: %.20q, not %q", len(part.Lines), part.Lines, want)
		}
		recording, offset = part.Recording, part.End
	}
	add("first\n")
	// The stretch is a hole: it takes no space on the disk.
	if err := f.Truncate(6 + maxLine/2); err != nil {
		t.Fatal(err)
	}
	reads("first\n")
	reads("") // it may still be an event
	if err := f.Truncate(6 + 2*maxLine); err != nil {
		t.Fatal(err)
	}
	reads(unreadableLine)
	reads("")
	if _, err := f.Seek(0, 2); err != nil {
		t.Fatal(err)
	}
	add("its end\nsecond\n")
	reads("")
	if err := os.WriteFile(path, []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reads("another\n")
}
