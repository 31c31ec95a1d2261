package versions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentation checks that the tests exist that the package's documentation names.
func TestDocumentation(t *testing.T) {
	var tests strings.Builder
	for _, folder := range []string{".", "*", "../vendors", "../../capabilities"} {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			tests.WriteString(read(t, file))
		}
	}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(read(t, "doc.go"), -1) {
		if !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("there is no test %s", name)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
