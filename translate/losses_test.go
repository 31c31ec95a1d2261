package translate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLossesInReadme: no two kinds have the same words, and the README has a row for each
// kind, in the order of the list, and for nothing else.
func TestLossesInReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## What the log calls a loss\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `.*$").FindAllString(section, -1)
	var want []string
	known := make(map[string]bool)
	for _, e := range entries[1:] {
		if known[e.words] {
			t.Errorf("two kinds have the words %q", e.words)
		}
		known[e.words] = true
		want = append(want, "| `"+e.words+"` | "+e.done+" |")
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("the list has (-), the README has (+):\n%s", diff)
	}
}

// TestLossesOccur reads the source of the program: each kind of the list is named
// somewhere, and nothing makes a kind but the list.
func TestLossesOccur(t *testing.T) {
	named := make(map[string]bool)
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name, ok := ofTranslate(n.Fun); ok && name == "LossKind" {
				t.Error("a kind is made of something else")
			}
		case *ast.SelectorExpr:
			if name, ok := ofTranslate(n); ok {
				named[name] = true
			}
		}
		return true
	}
	for _, folder := range []string{".", filepath.Join("..", "proxy")} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			ast.Inspect(parsed(t, path), inspect)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	kinds := 1 // with the zero
	ast.Inspect(parsed(t, "losses.go"), func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Loss") {
			return true
		}
		if kinds++; !named[spec.Names[0].Name] {
			t.Errorf("nothing loses %s", spec.Names[0].Name)
		}
		return true
	})
	if kinds != len(entries) {
		t.Errorf("losses.go has %d kinds, want %d", kinds, len(entries))
	}
}

// ofTranslate returns the name of what is translate.name.
func ofTranslate(e ast.Expr) (name string, ok bool) {
	if s, isSelector := e.(*ast.SelectorExpr); isSelector {
		pkg, isName := s.X.(*ast.Ident)
		return s.Sel.Name, isName && pkg.Name == "translate"
	}
	return "", false
}

func parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
