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

// TestContributing checks that CONTRIBUTING.md speaks of files and of names that are
// there. An item that begins with a file speaks of names in the files that it names.
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
					t.Errorf("%s is not there:\n%s", quoted, item)
				}
				for _, name := range found {
					where[name] = files[name]
				}
			case aName.MatchString(quoted):
				if names++; !haveWord(where, quoted) {
					t.Errorf("%s is not where it is said to be:\n%s", quoted, item)
				}
			}
		}
	}
	if names < 40 {
		t.Errorf("found only %d names", names)
	}
}

// sources returns the files of the project by their paths, with the texts of those that
// are programs.
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

// filesAt returns the files that a path means, which may lack its beginning: a file, or
// those of a folder.
func filesAt(files map[string]string, at string) (found []string) {
	for name := range files {
		if strings.HasSuffix("/"+name, "/"+at) || strings.Contains("/"+name, "/"+at+"/") {
			found = append(found, name)
		}
	}
	return found
}

// haveWord reports whether a word is in one of the files.
func haveWord(files map[string]string, word string) bool {
	whole := regexp.MustCompile(`\b` + word + `\b`)
	for _, text := range files {
		if whole.MatchString(text) {
			return true
		}
	}
	return false
}
