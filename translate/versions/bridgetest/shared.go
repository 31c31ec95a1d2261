package bridgetest

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

// Shared returns a folder of what the tests of a bridge need and the repository
// does not have.
func Shared(t testing.TB, folder string) string {
	t.Helper()
	root := cmp.Or(os.Getenv("ACP_SHARED"), filepath.Join("..", "..", "..", "..", "shared"))
	dir := filepath.Join(root, "protocol", folder)
	if _, err := os.Stat(dir); err != nil {
		Skip(t, err)
	}
	return dir
}

// Skip says why the test cannot run here. Where tests are required that is a
// failure.
func Skip(t testing.TB, why error) {
	t.Helper()
	if os.Getenv("ACP_TEST_REQUIRE") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
