// Package needs finds programs, packages and files that are not part of a clone. A test that needs
// a missing one is skipped, or fails if all tests are required ([Required]). Tests are skipped
// only through this package.
package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Required reports whether tests install missing packages, and fail instead of being skipped.
func Required() bool { return os.Getenv("ACP_TEST_REQUIRE") != "" }

// Skip skips the test, or fails it if tests are required, for a reason.
func Skip(t testing.TB, why any) {
	t.Helper()
	if Required() {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Long skips a test in short mode.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped in short mode")
	}
}

// Program returns the path of the first of the named programs that is installed.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Skip(t, names[0]+" is not installed")
	return ""
}

// Shared returns the path of a file or folder in ../shared, next to the clone. If there is no such
// folder it skips the test, even if tests are required.
func Shared(t testing.TB, name string) string {
	t.Helper()
	root := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Join(root, "..")
	}
	shared := filepath.Join(root, "..", "shared")
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no ../shared next to this clone")
	}
	path := filepath.Join(shared, name)
	if _, err := os.Stat(path); err != nil {
		Skip(t, err)
	}
	return path
}
