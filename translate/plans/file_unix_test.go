//go:build unix

package plans

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var filePaths = []struct{ uri, path, err string }{
	{"file:///t/plan.md", "/t/plan.md", ""},
	{"FILE:///t/plan.md", "/t/plan.md", ""},
	{"file:/t/plan.md", "/t/plan.md", ""},
	{"file://localhost/t/plan.md", "/t/plan.md", ""},
	{"file://LocalHost/t/plan.md", "/t/plan.md", ""},
	{"file:///t/a%20b%C3%A9%25.md", "/t/a bé%.md", ""},
	{"file:///t/../u/./plan.md", "/t/../u/./plan.md", ""},
	{"file:///t/%2e%2e/u", "/t/../u", ""},
	{"file:///t/plan.md#step-1", "/t/plan.md", ""},
	{"/t/plan.md", "/t/plan.md", ""},
	{"/t/a%20b?.md", "/t/a%20b?.md", ""},
	{"file://host/t/plan.md", "", "another host, host"},
	{"file://localhost:80/t/plan.md", "", "another host"},
	{"file://127.0.0.1/t/plan.md", "", "another host"},
	{"file://user@localhost/t/plan.md", "", "neither a plain file: URI"},
	{"file:///t/plan.md?x", "", "neither a plain file: URI"},
	{"file:t/plan.md", "", "neither a plain file: URI"},
	{"file://", "", "not the absolute path"},
	{"file:", "", "not the absolute path"},
	{"https://localhost/t/plan.md", "", "neither a plain file: URI"},
	{"plan.md", "", "neither a plain file: URI"},
	{"./plan.md", "", "neither a plain file: URI"},
	{"~/plan.md", "", "neither a plain file: URI"},
	{"//host/t/plan.md", "//host/t/plan.md", ""},
	{"", "", "neither a plain file: URI"},
	{"file:///t/%zz", "", "neither a plain file: URI"},
	{"fi le:///t", "", "neither a plain file: URI"},
}

// localURI matches the beginning of a file: URI of this machine, up to the path.
var localURI = regexp.MustCompile(`^(?i:file):(//(?i:localhost)?)?/`)

func FuzzFileURI(f *testing.F) {
	for _, c := range filePaths {
		f.Add(c.uri)
	}
	for _, uri := range []string{
		"file://localhost%2f/t", "file://%6cocalhost/t", "file://localhost@host/t", "file:////host/t", "file:///t/a%2fb%00", "/t\x00",
		"file:///\xff", "file:/\\host/t", "file://localhost\\@host/t", "\tfile:///t", "file:///t#%zz", "file:///t?", "file:///..", "view-source:file:///t",
	} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		fileName(uri) // must not panic
		path, err := filePath(uri)
		switch {
		case strings.HasPrefix(uri, "/"):
			if err != nil || path != uri {
				t.Fatalf("the path %q becomes %q, %v", uri, path, err)
			}
		case err != nil:
			if path != "" {
				t.Fatalf("%q names %q and nothing: %v", uri, path, err)
			}
			return
		default:
			// The path must be the one that other readers of the URI find.
			head := localURI.FindString(uri)
			text, _, _ := strings.Cut(strings.TrimPrefix(uri, head), "#")
			text, query, _ := strings.Cut(text, "?")
			want, err := url.PathUnescape(text)
			if head == "" || query != "" || err != nil || path != "/"+want {
				t.Fatalf("%q names %q, not %q", uri, path, "/"+want)
			}
		}
		again, err := filePath(fileURI(path))
		if !filepath.IsAbs(path) || err != nil || again != path {
			t.Fatalf("%q names %q, which is spelled %q and names %q, %v", uri, path, fileURI(path), again, err)
		}
	})
}

func TestFileNameAndURI(t *testing.T) {
	for _, c := range []struct{ uri, name, asURI string }{
		{"file:///t/my%20plan.md", "my plan.md", ""},
		{"file:///t/dir/", "dir", ""},
		{"/t/100%25?.md", "100%25?.md", "file:///t/100%2525%3F.md"},
		{"/t/a b#é.md", "a b#é.md", "file:///t/a%20b%23%C3%A9.md"},
		{"https://example.org/x/p.md?y=/z", "p.md", ""},
		{"https://example.org", "example.org", ""},
		{"x:y", "x:y", ""},
		{"plan.md", "plan.md", ""},
		{"%zz/p", "p", ""},
		{`C:\t\plan.md`, "plan.md", ""},
	} {
		if got := fileName(c.uri); got != c.name {
			t.Errorf("fileName(%q) = %q", c.uri, got)
		}
		if got := fileURI(c.uri); got != c.asURI {
			t.Errorf("fileURI(%q) = %q", c.uri, got)
		}
	}
}
