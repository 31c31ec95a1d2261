package programtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	betweenItems = regexp.MustCompile(`\n\n|\n\d\. |\n- |\n\| `)
	filePath     = regexp.MustCompile(`^[\w./-]+\.(go|js|mjs|txt|json)$|^\w+(/\w+)+$`)
	identifier   = regexp.MustCompile(`^[A-Za-z]\w*$|^\w+\.[A-Z]\w*$`)
	toPlace      = regexp.MustCompile(`^\s(of|in)\s$|^ \($`) // from a name to its file
	toName       = regexp.MustCompile(`^(,|,? (and|or))\s$`) // from a name to another name of the same file
	goPath       = regexp.MustCompile(`[\w/]*\w\.go\b`)
	goComment    = regexp.MustCompile(`(?m)(^|\s)//.*`)
)

// notDeclared are the words of the protocol and of the command line that CONTRIBUTING.md quotes.
var notDeclared = []string{
	"initialize", "clientInfo", "clientCapabilities", "plan", "plan_update", "plan_removed", "removed", "entries", "todo", "lint",
}

// TestContributing checks the files and names in CONTRIBUTING.md. In "`name` of `file`", the file
// must declare the name. If an item begins with a file, the files of the item must declare its
// names. Any other name must be declared somewhere, or be the name of a folder.
func TestContributing(t *testing.T) {
	watchFiles(t)
	s := sources{T: t, root: os.DirFS(".")}
	s.list()
	about, _, _ := strings.Cut(string(readFile(t, "CONTRIBUTING.md")), "\n## Releases")
	attributedCount := 0
	for _, item := range betweenItems.Split(about, -1) {
		parts := strings.Split(item, "`") // the odd ones are quoted
		var ofItem []string
		for i := 1; i < len(parts); i += 2 {
			if quoted := parts[i]; filePath.MatchString(quoted) && !strings.HasPrefix(quoted, "session/") {
				found := s.at(quoted)
				if len(found) == 0 {
					t.Errorf("%s does not exist:\n%s", quoted, item)
				}
				ofItem = append(ofItem, found...)
			}
		}
		beginsWithFile := len(parts) > 1 && parts[0] == "" && strings.HasSuffix(parts[1], ".go")
		for i := 1; i < len(parts); i += 2 {
			name := parts[i]
			if filePath.MatchString(name) || !identifier.MatchString(name) {
				continue
			}
			place := s.placeOf(parts, i)
			if place == nil && beginsWithFile {
				place = ofItem
			}
			folder, unqualified, isQualified := strings.Cut(name, ".")
			switch {
			case isQualified:
				name, place = unqualified, s.at(folder)
			case place != nil:
			case slices.Contains(notDeclared, name), len(s.at(name)) > 0:
				continue
			default:
				place = s.files
			}
			if len(place) < len(s.files) {
				attributedCount++
			}
			if !slices.ContainsFunc(place, func(file string) bool { return s.declares(file, name) }) {
				t.Errorf("%s is not declared:\n%s", name, item)
			}
		}
	}
	if attributedCount < 30 {
		t.Errorf("found only %d names with a file", attributedCount)
	}
}

// TestPaths checks that the Go files exist that the project's pages and comments name.
func TestPaths(t *testing.T) {
	watchFiles(t)
	s := sources{T: t, root: os.DirFS(".")}
	s.list()
	for _, file := range s.files {
		text := ""
		switch path.Ext(file) {
		case ".md":
			text = s.read(file)
		case ".go":
			text = strings.Join(goComment.FindAllString(s.read(file), -1), "\n")
		}
		for _, name := range goPath.FindAllString(text, -1) {
			if len(s.at(name)) == 0 {
				t.Errorf("%s: %s does not exist", file, name)
			}
		}
	}
}

// sources are the files of the project.
type sources struct {
	*testing.T
	root     fs.FS
	files    []string
	declared map[string]map[string]bool // by file: its declared names
}

// list fills files.
func (s *sources) list() {
	s.Helper()
	s.declared = make(map[string]map[string]bool)
	err := fs.WalkDir(s.root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".git" || name == ".release":
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir():
			s.files = append(s.files, name)
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *sources) read(file string) string {
	text, err := fs.ReadFile(s.root, file)
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// at returns the files whose path, or the path of a parent folder, ends with name.
func (s *sources) at(name string) (found []string) {
	for _, file := range s.files {
		if strings.HasSuffix("/"+file, "/"+name) || strings.Contains("/"+file, "/"+name+"/") {
			found = append(found, file)
		}
	}
	return found
}

// placeOf returns the files in which the name parts[i] must be declared, or nil for any file. The
// text names them after the name, as in "`name` and `other` of `file`".
func (s *sources) placeOf(parts []string, i int) []string {
	for ; i+2 < len(parts); i += 2 {
		switch between, next := parts[i+1], parts[i+2]; {
		case toPlace.MatchString(between) && filePath.MatchString(next):
			return s.at(next)
		case !toName.MatchString(between) && !toPlace.MatchString(between):
			return nil
		}
	}
	return nil
}

// declares reports whether a Go file declares a name outside function bodies, or whether a .txt file
// contains it as a word.
func (s *sources) declares(file, name string) bool {
	if path.Ext(file) != ".go" {
		return path.Ext(file) == ".txt" && slices.Contains(strings.Fields(s.read(file)), name)
	}
	if s.declared[file] == nil {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, s.read(file), 0)
		if err != nil {
			s.Fatal(err)
		}
		names := make(map[string]bool)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[n.Name.Name] = true
				return false
			case *ast.TypeSpec:
				names[n.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names[name.Name] = true
				}
			case *ast.Field: // of a struct, or a method of an interface
				for _, name := range n.Names {
					names[name.Name] = true
				}
			}
			return true
		})
		s.declared[file] = names
	}
	return s.declared[file][name]
}
