package plans

import (
	"strings"
	"testing"
)

func TestFilePathWindows(t *testing.T) {
	for _, c := range []struct{ uri, path, err string }{
		{"file:///C:/t/my%20plan.md", `C:\t\my plan.md`, ""},
		{"file://localhost/c:/t/plan.md", `c:\t\plan.md`, ""},
		{`C:\t\plan.md`, `C:\t\plan.md`, ""},
		{"C:/t/plan.md", `C:\t\plan.md`, ""},
		{"file:///t/plan.md", "", "not an absolute path"},
		{`\\host\share\plan.md`, "", "not a valid URI"},
		{"file://host/share/plan.md", "", "another host"},
		{"file:////host/share/plan.md", "", "not an absolute path"},
		{`\\.\pipe\plan`, "", "not a valid URI"},
	} {
		path, err := filePath(c.uri)
		if path != c.path || (err == nil) != (c.err == "") {
			t.Errorf("filePath(%q) = %q, %v", c.uri, path, err)
		}
		if err != nil && !strings.Contains(err.Error(), c.err) {
			t.Logf("filePath(%q): %v, not %s", c.uri, err, c.err)
		}
	}
}

func TestFileURIWindows(t *testing.T) {
	if got := fileURI(`C:\t\a b.md`); got != "file:///C:/t/a%20b.md" {
		t.Errorf("got %s", got)
	}
}
