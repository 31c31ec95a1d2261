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
	{"file:///t/plan.md", "", "not the absolute path"},
	{"/t/plan.md", "", "neither a plain file: URI"},
	{`\t\plan.md`, "", "neither a plain file: URI"},
	{`t\plan.md`, "", "neither a plain file: URI"},
	{"C:plan.md", "", "not the absolute path"},
	{"C:", "", "not the absolute path"},
	{"file:///C:plan.md", "", "not the absolute path"},
	{"file:plan.md", "", "neither a plain file: URI"},
	{`\\host\share\plan.md`, "", "not the absolute path"},
	{"//host/share/plan.md", "", "not the absolute path"},
	{"file://host/share/plan.md", "", "another host, host"},
	{"file:////host/share/plan.md", "", "not the absolute path"},
	{"file:///%5C%5Chost/share/plan.md", "", "not the absolute path"},
	{`\\host`, "", "not the absolute path"},
	{"//", "", "not the absolute path"},
	{`\\.\pipe\plan`, "", "not the absolute path"},
	{`\\?\C:\t\plan.md`, "", "not the absolute path"},
	{`\\?\UNC\host\share\plan.md`, "", "not the absolute path"},
	{`\??\C:\t\plan.md`, "", "not the absolute path"},
	{"//./pipe/plan", "", "not the absolute path"},
	{"file:////./pipe/plan", "", "not the absolute path"},
	{`C:\t\NUL`, "", "not the absolute path"},
	{"file:///C:/t/com1", "", "not the absolute path"},
	{"file:///C:/CON/plan.md", "", "not the absolute path"},
	{`C:\t\plan.md:stream`, "", "not the absolute path"},
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
