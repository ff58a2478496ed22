package github_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFakeInTheProgram reads the imports of everything that is built into a program: the fake and what it validates
// with are for tests and rehearsals.
func TestNoFakeInTheProgram(t *testing.T) {
	files := 0
	for _, root := range []string{"../../cmd/perfgate", "../../gate", "../../kernels", "../../stats"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "gate/internal/") || strings.Contains(path, "testdata/") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			files++
			for _, i := range file.Imports {
				for _, bad := range []string{"gate/internal/", "getkin/kin-openapi", "yuin/goldmark"} {
					if strings.Contains(i.Path.Value, bad) {
						t.Errorf("%s imports %s", path, i.Path.Value)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("%d files read: are these the right folders?", files)
	}
}
