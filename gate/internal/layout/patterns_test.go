package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// perfgate starts itself once per process under test, and each of those starts sets every package up. So no package compiles an expression then;
// text.Pattern compiles it when it is first used, and this test is what finds a wrong one.
func TestExpressionsAreCompiledWhenUsed(t *testing.T) {
	seen := 0
	err := EachFile(os.DirFS("../../.."), func(path string, src []byte) error {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "gate/internal/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if d, isVar := d.(*ast.GenDecl); isVar && d.Tok == token.VAR {
				ast.Inspect(d, func(n ast.Node) bool {
					if call, isCall := n.(*ast.CallExpr); isCall && len(call.Args) == 1 {
						seen += checkExpression(t, path, call)
					}
					return true
				})
			}
		}
		return nil
	}, ".go")
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no use of text.Pattern was seen")
	}
}

// checkExpression counts a call of text.Pattern.
func checkExpression(t *testing.T, path string, call *ast.CallExpr) int {
	t.Helper()
	f, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector {
		return 0
	}
	if of, isName := f.X.(*ast.Ident); isName && of.Name == "regexp" && f.Sel.Name != "QuoteMeta" {
		t.Errorf("%s compiles an expression when perfgate starts: use text.Pattern", path)
	}
	literal, isLiteral := call.Args[0].(*ast.BasicLit)
	if f.Sel.Name != "Pattern" || !isLiteral {
		return 0
	}
	expression, err := strconv.Unquote(literal.Value)
	if err == nil {
		_, err = regexp.Compile(expression)
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return 1
}
