package rule

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The package comment has a word on each exported type, and on no other, and what an exported function returns has a name that callers can write.
func TestPackageCommentListsTypes(t *testing.T) {
	files := token.NewFileSet()
	exported, functions, comment := map[string]bool{}, []*ast.FuncDecl{}, ""
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name.Name(), ".go") || strings.HasSuffix(name.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if name.Name() == "doc.go" {
			comment = file.Doc.Text()
		}
		for _, declared := range file.Decls {
			switch d := declared.(type) {
			case *ast.FuncDecl:
				functions = append(functions, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
						exported[s.Name.Name] = true
					}
				}
			}
		}
	}
	listed := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^ *- ([A-Za-z, ]+):`).FindAllStringSubmatch(comment, -1) {
		for name := range strings.SplitSeq(line[1], ", ") {
			listed[name] = true
			if !exported[name] {
				t.Errorf("the package comment lists %s, which is no exported type", name)
			}
		}
	}
	for name := range exported {
		if !listed[name] {
			t.Errorf("the package comment does not list %s", name)
		}
	}
	for _, f := range functions {
		if f.Name.IsExported() && f.Type.Results != nil {
			for _, r := range f.Type.Results.List {
				if name := hidden(r.Type); name != "" {
					t.Errorf("%s returns %s, which is not exported", f.Name.Name, name)
				}
			}
		}
	}
}

// hidden is a type of this package without an exported name in a result's type; "" where there is none.
func hidden(e ast.Expr) (name string) {
	builtin := map[string]bool{"bool": true, "error": true, "string": true, "float64": true, "int": true, "any": true}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			if !n.IsExported() && !builtin[n.Name] {
				name = n.Name
			}
		}
		return true
	})
	return name
}
