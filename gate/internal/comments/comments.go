// Package comments reads what the comments of a package say of types, fields and constants: reference pages and schemas are made of them, in tests.
package comments

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// Comments are those of a package: of types by name, of fields by Type.Field, and of the constants of a type of text.
type Comments struct {
	Types, Fields map[string]string
	Words         map[string][]Word
}

// Word is a constant of text.
type Word struct{ Text, Means string }

// Read reads the package in a folder, its tests left out.
func Read(dir string) (Comments, error) {
	c := Comments{map[string]string{}, map[string]string{}, map[string][]Word{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return c, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return c, err
		}
		for _, decl := range tree.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					c.add(g, spec)
				}
			}
		}
	}
	return c, nil
}

func (c Comments) add(g *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		c.Types[spec.Name.Name] = text(g.Doc)
		if fields, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range fields.Fields.List {
				for _, name := range f.Names {
					c.Fields[spec.Name.Name+"."+name.Name] = text(f.Doc, f.Comment)
				}
			}
		}
	case *ast.ValueSpec:
		typ, typed := spec.Type.(*ast.Ident)
		if !typed || len(spec.Values) != 1 {
			return
		}
		if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
			word, _ := strconv.Unquote(value.Value)
			means := strings.TrimPrefix(text(spec.Doc, spec.Comment), spec.Names[0].Name+": ")
			c.Words[typ.Name] = append(c.Words[typ.Name], Word{word, means})
		}
	}
}

// text is what comments say, in one line.
func text(groups ...*ast.CommentGroup) string {
	var words []string
	for _, g := range groups {
		words = append(words, strings.Fields(g.Text())...)
	}
	return strings.Join(words, " ")
}
