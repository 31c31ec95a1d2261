package translate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lossKind is the form of kinds that redact keeps (isLoss in proxy/recording/redact/kept.go).
var lossKind = regexp.MustCompile(`^"(MCP)?[a-z0-9 ]{1,57}"$`)

// TestLossesOccur reads the source of the program: each kind of the list is used and has a distinct
// name, and no other code creates a kind.
func TestLossesOccur(t *testing.T) {
	named := make(map[string]bool)
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name, ok := ofTranslate(n.Fun); ok && name == "LossKind" {
				t.Error("a kind is created outside of the list")
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
	kinds := make(map[string]bool)
	ast.Inspect(parsed(t, "losses.go"), func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Loss") {
			return true
		}
		if !named[spec.Names[0].Name] {
			t.Errorf("%s is not used", spec.Names[0].Name)
		}
		kind := spec.Values[0].(*ast.BasicLit).Value
		if !lossKind.MatchString(kind) {
			t.Errorf("redact would hide %s", kind)
		}
		if kinds[kind] {
			t.Errorf("two kinds have the name %s", kind)
		}
		kinds[kind] = true
		return true
	})
}

// ofTranslate returns name if e is the expression translate.name.
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
