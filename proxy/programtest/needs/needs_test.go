package needs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNothingElseSkips checks that other packages skip tests only through this package, which
// fails if tests are required.
func TestNothingElseSkips(t *testing.T) {
	skips := regexp.MustCompile(`\b(t|tb|b|f)\.Skip(f|Now)?\(|ACP_TEST_REQUIRE`)
	root, read := filepath.Join("..", "..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.Contains(filepath.ToSlash(path), "/needs/") {
			return err
		}
		read++
		text, err := os.ReadFile(path)
		if found := skips.Find(text); found != nil {
			t.Errorf("%s: %s", path, found)
		}
		return err
	})
	if err != nil || read < 100 {
		t.Errorf("read %d test files: %v", read, err)
	}
}
