package plans

import (
	"regexp"
	"strings"
	"testing"
)

var filePaths = []struct{ uri, path, err string }{
	{"file:///C:/t/my%20plan.md", `C:\t\my plan.md`, ""},
	{"file://localhost/c:/t/plan.md", `c:\t\plan.md`, ""},
	{`C:\t\plan.md`, `C:\t\plan.md`, ""},
	{"C:/t/plan.md", `C:\t\plan.md`, ""},
	{"C:\\", "C:\\", ""},
	{`C:\t\..\..\plan.md`, `C:\t\..\..\plan.md`, ""},
	{`C:\t\confirm.md`, `C:\t\confirm.md`, ""},
	{"file:///t/plan.md", "", "not an absolute path"},
	{"/t/plan.md", "", "a path without a drive"},
	{`\t\plan.md`, "", "a relative path"},
	{`t\plan.md`, "", "a relative path"},
	{"C:plan.md", "", "not an absolute path"},
	{"C:", "", "not an absolute path"},
	{"file:///C:plan.md", "", "not an absolute path"},
	{"file:plan.md", "", "not a plain file: URI"},
	{`\\host\share\plan.md`, "", `another host, \\host\share`},
	{"//host/share/plan.md", "", `another host, \\host\share`},
	{"file://host/share/plan.md", "", "another host, host"},
	{"file:////host/share/plan.md", "", "another host"},
	{"file:///%5C%5Chost/share/plan.md", "", "another host"},
	{`\\host`, "", "another host"},
	{"//", "", "another host"},
	{`\\.\pipe\plan`, "", "a device"},
	{`\\?\C:\t\plan.md`, "", "a device"},
	{`\\?\UNC\host\share\plan.md`, "", "a device"},
	{`\??\C:\t\plan.md`, "", "a device"},
	{"//./pipe/plan", "", "a device"},
	{"file:////./pipe/plan", "", "a device"},
	{`C:\t\NUL`, "", "a device"},
	{"file:///C:/t/com1", "", "a device"},
	{"file:///C:/CON/plan.md", "", "a device"},
	{`C:\t\plan.md:stream`, "", "a device"},
}

func TestFilePath(t *testing.T) {
	for _, c := range filePaths {
		path, err := filePath(c.uri)
		if path != c.path || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("filePath(%q) = %q, %v; want %q, %q", c.uri, path, err, c.path, c.err)
		}
	}
}

func TestFileURIWindows(t *testing.T) {
	for path, want := range map[string]string{
		`C:\t\a b.md`:          "file:///C:/t/a%20b.md",
		"c:/t/é.md":            "file:///c:/t/%C3%A9.md",
		"C:plan.md":            "",
		"/t/a b.md":            "file:///t/a%20b.md",
		"//host/plan.md":       "",
		`\t\plan.md`:           "",
		`\\host\share\plan.md`: "",
		`\\.\pipe\plan`:        "",
		"file:///C:/t/plan.md": "",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", path, got, want)
		}
	}
}

var onDrive = regexp.MustCompile(`(?s)^.:\\`)

func FuzzFileURI(f *testing.F) {
	for _, c := range filePaths {
		f.Add(c.uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		fileName(uri) // must not panic
		path, err := filePath(uri)
		if err != nil {
			if path != "" {
				t.Fatalf("%q names %q and nothing: %v", uri, path, err)
			}
			return
		}
		again, err := filePath(fileURI(path))
		if !onDrive.MatchString(path) || err != nil || again != path {
			t.Fatalf("%q names %q, which is spelled %q and names %q, %v", uri, path, fileURI(path), again, err)
		}
	})
}
