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

// TestLossWords: each kind has words, and no other kind has the same.
func TestLossWords(t *testing.T) {
	kinds := make(map[string]LossKind)
	for k := LossKind(1); int(k) < LossKinds; k++ {
		if other, ok := kinds[k.String()]; ok || k.String() == "" {
			t.Errorf("kind %d has the words %q, which kind %d has", uint8(k), k, uint8(other))
		}
		kinds[k.String()] = k
	}
}

// TestLossesInReadme: the README has a row for each kind, in the order of the list, and
// for nothing else.
func TestLossesInReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## What the log calls a loss\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(.*?)` \\| .+ \\|$").FindAllStringSubmatch(section, -1) {
		rows = append(rows, m[1])
	}
	if diff := cmp.Diff(lossWords[1:], rows); diff != "" {
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
		if !ok || len(spec.Values) > 0 {
			return true
		}
		if kinds++; !named[spec.Names[0].Name] {
			t.Errorf("nothing loses %s", spec.Names[0].Name)
		}
		return true
	})
	if kinds != LossKinds {
		t.Errorf("losses.go has %d kinds, want %d", kinds, LossKinds)
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
