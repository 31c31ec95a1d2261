package programtest

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	quotedName  = regexp.MustCompile("`([^`]+)`")
	aPath       = regexp.MustCompile(`^[\w./-]+\.(go|js|mjs|txt)$|^\w+(/\w+)+$`)
	aName       = regexp.MustCompile(`^[a-z]+[A-Z]\w+$|^[A-Z]\w+$`)
	betweenText = regexp.MustCompile(`\n\n|\n\d\. |\n- |\n\| `)
)

// TestContributing checks that the files and names in CONTRIBUTING.md exist. If an item begins
// with a file, its names must be in the files of the item.
func TestContributing(t *testing.T) {
	watchFiles(t)
	files := sources(t, os.DirFS("."))
	about, _, _ := strings.Cut(string(readFile(t, "CONTRIBUTING.md")), "\n## Releases")
	names := 0
	for _, item := range betweenText.Split(about, -1) {
		where := files
		if first, _, _ := strings.Cut(strings.TrimPrefix(item, "`"), "`"); strings.HasSuffix(first, ".go") {
			where = make(map[string]string)
		}
		for _, m := range quotedName.FindAllStringSubmatch(item, -1) {
			switch quoted := m[1]; {
			case strings.HasPrefix(quoted, "session/"): // a method
			case aPath.MatchString(quoted):
				found := filesAt(files, quoted)
				if len(found) == 0 {
					t.Errorf("%s does not exist:\n%s", quoted, item)
				}
				for _, name := range found {
					where[name] = files[name]
				}
			case aName.MatchString(quoted):
				if names++; !haveWord(where, quoted) {
					t.Errorf("%s is not in the files of its item:\n%s", quoted, item)
				}
			}
		}
	}
	if names < 40 {
		t.Errorf("found only %d names", names)
	}
}

// sources maps the path of each file in the project to its text, which is empty except for
// source code.
func sources(t *testing.T, root fs.FS) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".git" || name == ".release":
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir():
			files[name] = ""
			if ext := path.Ext(name); ext == ".go" || ext == ".js" {
				text, err := fs.ReadFile(root, name)
				files[name] = string(text)
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// filesAt returns the files whose path, or the path of a parent folder, ends with at.
func filesAt(files map[string]string, at string) (found []string) {
	for name := range files {
		if strings.HasSuffix("/"+name, "/"+at) || strings.Contains("/"+name, "/"+at+"/") {
			found = append(found, name)
		}
	}
	return found
}

// haveWord reports whether one of the files contains a word.
func haveWord(files map[string]string, word string) bool {
	whole := regexp.MustCompile(`\b` + word + `\b`)
	for _, text := range files {
		if whole.MatchString(text) {
			return true
		}
	}
	return false
}
