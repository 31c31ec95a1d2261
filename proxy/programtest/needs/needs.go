// Package needs has what tests need and a plain clone does not have. A test whose needs are
// not met is skipped. Where tests are required ([Required]) that is a failure. No test is
// skipped in another way.
package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Required reports whether what is missing is installed, and a test fails without it.
func Required() bool { return os.Getenv("ACP_TEST_REQUIRE") != "" }

// Skip says why the test cannot run here.
func Skip(t testing.TB, why any) {
	t.Helper()
	if Required() {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Long skips a test that a short run leaves out.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("this run is short")
	}
}

// Program returns the path of a program, by the first of its names that is found.
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

// Shared returns the path of a file or folder in ../shared, which is beside the clone. Without
// that folder it skips the test, even where tests are required.
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
		t.Skip("no ../shared beside this clone")
	}
	path := filepath.Join(shared, name)
	if _, err := os.Stat(path); err != nil {
		Skip(t, err)
	}
	return path
}
