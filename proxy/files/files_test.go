package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestApart(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"F", "other"} {
		if err := os.WriteFile(name, []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("F", "hard"); err != nil {
		t.Fatal(err)
	}
	unlinked := os.Symlink("F", "soft")
	if unlinked == nil {
		_, unlinked = os.Stat("soft") // a system may make links that it cannot follow
	}
	absolute, err := filepath.Abs("F")
	if err != nil {
		t.Fatal(err)
	}
	opened := func(name string, flag int) *os.File {
		f, err := os.OpenFile(name, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	null := opened(os.DevNull, os.O_RDWR)
	stdin := Open("standard input", opened("F", os.O_RDONLY))
	stdout := Open("standard output", opened("F", os.O_WRONLY|os.O_APPEND))
	tests := []struct {
		name       string
		read, into File
		want       string
	}{
		{"another file", At("F"), Flag("--trace", "other"), ""},
		{"a file that is not there", At("F"), Flag("--trace", "new"), ""},
		{"what is read is not there", At("new"), Flag("--trace", "F"), ""},
		{"the same name", At("F"), Flag("--trace", "F"), "--trace would overwrite what is read: F"},
		{"another name", At("F"), Flag("--html", absolute), "--html would overwrite what is read: F (" + absolute + " is the same file)"},
		{"a hard link", At("F"), Flag("--trace", "hard"), "--trace would overwrite what is read: F (hard is the same file)"},
		{"a symbolic link", At("F"), Flag("--trace", "soft"), "--trace would overwrite what is read: F (soft is the same file)"},
		{"standard input", stdin, Flag("--trace", "F"), "--trace would overwrite what is read: standard input (F is the same file)"},
		{"standard output", At("F"), stdout, "standard output would overwrite what is read: F"},
		{"both handed over", stdin, stdout, "standard output would overwrite what is read: standard input"},
		{"a device", Open("standard input", null), Open("standard output", null), ""},
		{"a device by its name", Open("standard input", null), Flag("--trace", os.DevNull), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.into.path == "soft" && unlinked != nil {
				if os.Getenv("ACP_PLAN_PROXY_TEST_REQUIRE") != "" {
					t.Fatal(unlinked)
				}
				t.Skip(unlinked)
			}
			got := ""
			if err := Apart([]File{At("unrelated"), tt.read}, []File{Flag("--log-file", "other too"), tt.into}); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDistinct(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("F", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("F", "hard"); err != nil {
		t.Fatal(err)
	}
	stdout, err := os.OpenFile("F", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	tests := []struct {
		name       string
		stdout     *os.File
		log, trace string
		want       string
	}{
		{"two files", stdout, "L", "T", ""},
		{"a file and a folder", stdout, "L", ".", ""},
		{"the null device for both", null, os.DevNull, os.DevNull, ""},
		{"standard output by a name", stdout, "L", "hard", "--trace is standard output, which is for messages: hard"},
		{"standard output as users write it", null, "-", "T", "--log-file is standard output, which is for messages: -"},
		{"one file under two names", null, "hard", "F", "--log-file and --trace are the same file: F"},
		{"one file that is not there", null, "new", filepath.Join(".", "x", "..", "new"), "--log-file and --trace are the same file: new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := Distinct(tt.stdout, []File{Flag("--log-file", tt.log), Flag("--trace", tt.trace)}); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
