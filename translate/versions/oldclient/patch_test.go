package oldclient

import (
	"fmt"
	"strings"
	"testing"
)

func TestPatches(t *testing.T) {
	const header = "diff --git /a /a\n--- /a\n+++ /a\n"
	for _, c := range []struct{ name, patch, want string }{
		{"nothing", " \n", ""},
		{"no patch", "hello\n", "unreadable"},
		{"no hunks", "diff --git /a /b\nrename from /a\nrename to /b\n", ""},
		{"two hunks that miscount", header + "@@ -1,9 +1 @@ func f\n x\n@@ -7 +7,2 @@\n-y\n+z\n", `"/a" false " x\n"; "/a" false "-y\n+z\n"`},
		{"carriage returns", strings.ReplaceAll(header+"@@ -1 +1 @@\n-x\n+y\n", "\n", "\r\n"), `"/a" false "-x\r\n+y\r\n"`},
		{"a file after another", header + "@@ -1 +1 @@\n-x\n--- /b\n+++ /b\n@@ -1 +1 @@\n+y", `"/a" false "-x\n"; "/b" false "+y"`},
		{"lines that look like a header", header + "@@ -1,2 +1 @@\n--- x\n+++ y\n z\n", `"/a" false "--- x\n+++ y\n z\n"`},
		{"added and deleted", "--- /dev/null\n+++ /n\n@@ -0,0 +1 @@\n+x\n\n--- /o\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", `"/n" true "+x\n\n"; "/o" false "-x\n"`},
		{"names in quotes, with times", "--- \"/\\303\\244 b\"\t2026-11-21\n+++ \"/\\303\\244 b\"\tnow\n@@ -1 +1 @@\n+x\n", `"/ä b" false "+x\n"`},
		{"half a header", "--- /a\n@@ -1 +1 @@\n", "unreadable"},
		{"a bad header of a hunk", header + "@@ -1 +x @@\n", "unreadable"},
	} {
		var got []string
		ok := eachHunk([]byte(c.patch), func(f *patchedFile, body []byte) bool {
			got = append(got, fmt.Sprintf("%q %t %q", f.path, f.added, body))
			return true
		})
		if text := strings.Join(got, "; "); !ok && c.want != "unreadable" || ok && text != c.want {
			t.Errorf("%s: %s, %t, want %s", c.name, text, ok, c.want)
		}
	}
}
