package versions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files and tests that the package's documentation names exist.
func TestDocumentation(t *testing.T) {
	doc := read(t, "doc.go")
	var files []string
	for _, folder := range []string{".", "*", "../vendors", "../../capabilities"} {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var names, tests strings.Builder
	for _, file := range files {
		names.WriteString(" " + filepath.ToSlash(file))
		if strings.HasSuffix(file, "_test.go") {
			tests.WriteString(read(t, file))
		}
	}
	for _, name := range regexp.MustCompile(`[\w/]+\.go\b`).FindAllString(doc, -1) {
		if !strings.Contains(names.String(), "/"+name) && !strings.Contains(names.String(), " "+name) && !exists("../../"+name) {
			t.Errorf("there is no file %s", name)
		}
	}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(doc, -1) {
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

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
