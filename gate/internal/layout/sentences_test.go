package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sentences are the fields that hold what is written for people; a local name counts as one of them in lower case.
var sentences = []string{"Reason", "Reasons", "Note", "Notes", "Said", "Message", "Text", "Output", "Warning", "Warnings", "Why", "Detail", "Stderr", "Sentence", "Phrase"}

// isSentence says whether a field or a local name holds what is written for people. Only as a field is Text one: text is also
// what every parser reads.
func isSentence(name string) bool {
	return slices.ContainsFunc(sentences, func(s string) bool { return name == s || name == strings.ToLower(s) && name != "text" })
}

// deciders are the functions by which text is told from text.
var deciders = map[string][]string{
	"strings": {"Contains", "ContainsAny", "HasPrefix", "HasSuffix", "Index", "IndexByte", "LastIndex", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "Compare"},
	"bytes":   {"Contains", "HasPrefix", "HasSuffix", "Index", "Cut", "CutPrefix", "EqualFold"},
	"slices":  {"Contains", "Index"},
	"regexp":  {"MatchString"},
}

// matchers are methods of a regular expression.
var matchers = []string{"MatchString", "FindString", "FindStringSubmatch", "FindStringIndex", "FindStringSubmatchIndex", "Match", "FindSubmatch"}

// border are the functions, by package, in which text becomes a kind, or is held against itself, and why they may.
var border = map[string]string{
	"gate/github:isLimited":       "GitHub says in words alone that a limit is reached",
	"gate/benchmark:Merge":        "says each note once",
	"gate/benchmark:tried":        "says each failure once",
	"gate/measure:isJudged":       "says each note once",
	"gate/parity:warn":            "says each warning once",
	"gate/profile:put":            "what Nsight Compute writes for no value",
	"gate/profile:withoutUnknown": "ncu names metrics that it does not know",
	"kernels:withoutPtxasInfo":    "what ptxas writes",
	"kernels:parsePtxas":          "what ptxas writes",
	"kernels:compilerEnd":         "what compilers write when the disk is full",
	"kernels:buildIDs":            "a note of an ELF file",
	"kernels:ShortName":           "what demanglers write",
	"kernels:hintForked":          "what the driver of a GPU says",
}

// A decision reads kinds, sides and numbers. What is written for people is written last, by gate/report, gate/render and the command, and read
// back nowhere: where two packages have to agree on a sentence, the one that words it better breaks the other's decision.
func TestNothingDecidesFromText(t *testing.T) {
	found := decisionsFromText(t, os.DirFS("../../.."), func(path string) bool {
		return strings.HasPrefix(path, "cmd/") || strings.HasPrefix(path, "gate/report/") || strings.HasPrefix(path, "gate/render/") || strings.HasPrefix(path, "gate/internal/")
	})
	for place, lines := range found {
		if border[place] == "" {
			t.Errorf("%s decides from text: %s\ngive what it looks for a kind; where the text is a tool's, name the place in border", place, strings.Join(lines, "; "))
		}
	}
	for place := range border {
		if found[place] == nil {
			t.Errorf("%s no longer looks at text: take it out of border", place)
		}
	}
}

func TestPlantedTextDecisionsAreFound(t *testing.T) {
	found := decisionsFromText(t, os.DirFS("testdata/sentences"), func(string) bool { return false })
	var functions []string
	for place := range found {
		functions = append(functions, strings.TrimPrefix(place, ".:"))
	}
	slices.Sort(functions)
	want := []string{"byCase", "byEquality", "byError", "byExpression", "byList", "byLocal", "byParameter", "byPrefix", "byRange", "bySwitch", "byWords"}
	if !slices.Equal(functions, want) {
		t.Errorf("found %q, want %q", functions, want)
	}
}

// decisionsFromText lists, by package and function, what looks at sentences.
func decisionsFromText(t *testing.T, root fs.FS, leaveOut func(path string) bool) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := EachFile(root, func(path string, src []byte) error {
		if strings.HasSuffix(path, "_test.go") || leaveOut(path) {
			return nil
		}
		return scanFile(path, src, found)
	}, ".go")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func scanFile(path string, src []byte, found map[string][]string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		s := &scan{src: src, files: files, texts: map[string]bool{}}
		ast.Inspect(f.Body, s.learn)
		ast.Inspect(f.Body, s.look)
		if len(s.found) > 0 {
			place := filepath.Dir(path) + ":" + f.Name.Name
			found[place] = append(found[place], s.found...)
		}
	}
	return nil
}

// scan goes through one function.
type scan struct {
	src   []byte
	files *token.FileSet
	texts map[string]bool // local names that were given a sentence
	found []string
}

// learn notes names that are assigned a sentence.
func (s *scan) learn(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			name, ok := left.(*ast.Ident)
			if ok && len(n.Lhs) == len(n.Rhs) && s.isText(n.Rhs[i]) {
				s.texts[name.Name] = true
			}
		}
	case *ast.RangeStmt:
		if name, ok := n.Value.(*ast.Ident); ok && s.isText(n.X) {
			s.texts[name.Name] = true
		}
	}
	return true
}

// isText says whether an expression is a sentence or made of one.
func (s *scan) isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return isSentence(e.Sel.Name)
	case *ast.Ident:
		return s.texts[e.Name] || isSentence(e.Name)
	case *ast.IndexExpr:
		return s.isText(e.X)
	case *ast.SliceExpr:
		return s.isText(e.X)
	case *ast.ParenExpr:
		return s.isText(e.X)
	case *ast.CallExpr:
		return s.givesText(e)
	}
	return false
}

// givesText says whether a call words an error, or passes on the text that it is given.
func (s *scan) givesText(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == "string" && s.isText(call.Args[0])
	case *ast.SelectorExpr:
		if len(call.Args) == 0 {
			return f.Sel.Name == "Error"
		}
		pkg, ok := f.X.(*ast.Ident)
		return ok && (pkg.Name == "strings" || pkg.Name == "bytes") && s.isText(call.Args[0])
	}
	return false
}

// look notes what decides.
func (s *scan) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if (n.Op == token.EQL || n.Op == token.NEQ) && (s.isText(n.X) && !blank(n.Y) || s.isText(n.Y) && !blank(n.X) || isWords(n.X) || isWords(n.Y)) {
			s.note(n)
		}
	case *ast.SwitchStmt:
		if n.Tag != nil && s.isText(n.Tag) {
			s.note(n.Tag)
		}
	case *ast.CaseClause:
		if i := slices.IndexFunc(n.List, isWords); i >= 0 {
			s.note(n.List[i])
		}
	case *ast.CallExpr:
		if s.decides(n) {
			s.note(n)
		}
	}
	return true
}

func (s *scan) decides(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return s.isText(e) || isWords(e) }) {
		return false
	}
	if f.Sel.Name == "Cut" && isNewline(call.Args[1]) {
		return false // the first line of it
	}
	if pkg, ok := f.X.(*ast.Ident); ok && slices.Contains(deciders[pkg.Name], f.Sel.Name) {
		return true
	}
	return slices.Contains(matchers, f.Sel.Name)
}

var words = regexp.MustCompile(`[a-z]{2} [a-z]{2}`)

// isWords says whether an expression is a literal of several words.
func isWords(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && words.MatchString(lit.Value)
}

func isNewline(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == `"\n"`
}

// blank says whether an expression only asks if there is something.
func blank(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value == `""` || e.Kind != token.STRING
	case *ast.Ident:
		return e.Name == "nil"
	}
	return false
}

func (s *scan) note(n ast.Node) {
	from, to := s.files.Position(n.Pos()), s.files.Position(n.End())
	s.found = append(s.found, string(s.src[from.Offset:to.Offset]))
}
