package plans

import "testing"

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
