package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits far beyond any configuration that a person writes, and well within what the YAML parser does quickly. It
// recurses once per key and per level, and two things take it the square of their length: blank lines in a block of
// text, and a row of less-than signs, which it takes for merge keys.
const (
	maxBytes  = 1 << 20
	maxLines  = 10_000
	maxTokens = 20_000
	maxDepth  = 16
	maxLess   = 128
)

// source is the text of a configuration, kept to show lines of it.
type source struct {
	name  string
	lines []string
}

// at makes the error for a place in the source.
func (s *source) at(line, column int, allowed, format string, args ...any) *Error {
	e := &Error{File: s.name, Line: line, Column: max(column, 1), Msg: fmt.Sprintf(format, args...), Allowed: allowed}
	if line >= 1 && line <= len(s.lines) {
		e.Text = strings.TrimSuffix(s.lines[line-1], "\r")
	}
	// The parser places what is missing behind the last line.
	e.Column = min(e.Column, utf8.RuneCountInString(e.Text)+1)
	return e
}

// atNode is at for the place of a node; without one there is no place.
func (s *source) atNode(n ast.Node, allowed, format string, args ...any) *Error {
	if n == nil {
		return s.at(0, 1, allowed, format, args...)
	}
	line, column := position(n)
	return s.at(line, column, allowed, format, args...)
}

// parseSource checks the text and turns it into the tree of its only document.
func parseSource(name string, src []byte) (*source, ast.Node, *Error) {
	if len(src) > maxBytes {
		return nil, nil, &Error{File: name, Msg: "larger than 1 MiB"}
	}
	// A byte order mark is legal at the start of YAML, and some editors write one.
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	text := string(src)
	s := &source{name: name, lines: strings.Split(text, "\n")}
	if e := s.checkText(); e != nil {
		return nil, nil, e
	}
	tokens := lexer.Tokenize(text)
	if e := s.checkTokens(tokens); e != nil {
		return nil, nil, e
	}
	file, e := s.parse(tokens)
	if e != nil {
		return nil, nil, e
	}
	root, e := s.document(file)
	return s, root, e
}

// checkText refuses what is not plain text: other encodings, control characters, tabs as indentation.
func (s *source) checkText() *Error {
	if len(s.lines) > maxLines {
		return s.at(maxLines+1, 1, "", "more than %d lines", maxLines)
	}
	for i, line := range s.lines {
		if at := strings.Index(line, strings.Repeat("<", maxLess+1)); at >= 0 {
			return s.at(i+1, utf8.RuneCountInString(line[:at])+1, "", "more than %d < in a row", maxLess)
		}
		line = strings.TrimSuffix(line, "\r")
		column, indent := 0, strings.TrimSpace(line) != ""
		for at, r := range line {
			column++
			switch {
			case r == utf8.RuneError && !strings.HasPrefix(line[at:], "\uFFFD"):
				return s.at(i+1, column, "UTF-8", "not UTF-8 text")
			case r == '\t' && indent:
				return s.at(i+1, column, "spaces", "tab in the indentation")
			case r < ' ' && r != '\t' || r == 0x7f:
				return s.at(i+1, column, "", "control character %U", r)
			}
			indent = indent && r == ' '
		}
	}
	return nil
}

// Features of YAML that have no use here. Anchors and aliases are how a small file becomes an enormous tree.
var refused = map[token.Type]string{
	token.AnchorType:     "anchors (&) are not supported",
	token.AliasType:      "aliases (*) are not supported; quote a text that starts with an asterisk",
	token.MergeKeyType:   "merge keys (<<) are not supported",
	token.TagType:        "tags (!) are not supported; quote a text that starts with an exclamation mark",
	token.DirectiveType:  "directives (%) are not supported",
	token.MappingKeyType: "complex keys (?) are not supported",
}

// checkTokens runs before the parser, which would recurse into whatever depth it is given.
func (s *source) checkTokens(tokens token.Tokens) *Error {
	if len(tokens) > maxTokens {
		p := tokens[maxTokens].Position
		return s.at(p.Line, p.Column, "", "more than %d words and signs", maxTokens)
	}
	var depth nesting
	for _, t := range tokens {
		if msg, ok := refused[t.Type]; ok {
			return s.at(t.Position.Line, t.Position.Column, "", "%s", msg)
		}
		if depth.add(t) > maxDepth {
			return s.at(t.Position.Line, t.Position.Column, "", "nested deeper than %d levels", maxDepth)
		}
	}
	return nil
}

// nesting follows how deep a token lies: in brackets, in indentation, or in dashes on one line.
type nesting struct {
	flow, dashes, line int
	columns            []int // where the lines that enclose this one begin, ever further right
}

func (n *nesting) add(t *token.Token) int {
	if t.Position.Line != n.line {
		n.line, n.dashes = t.Position.Line, 0
		n.indent(t.Position.Column)
	}
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		n.flow++
	case token.MappingEndType, token.SequenceEndType:
		n.flow--
	case token.SequenceEntryType:
		n.dashes++
	}
	return n.flow + n.dashes + len(n.columns)
}

// indent makes column the innermost of the enclosing lines.
func (n *nesting) indent(column int) {
	for len(n.columns) > 0 && n.columns[len(n.columns)-1] >= column {
		n.columns = n.columns[:len(n.columns)-1]
	}
	n.columns = append(n.columns, column)
}

// parse runs the YAML parser. Its panics on malformed input become errors: the file may come from anybody.
func (s *source) parse(tokens token.Tokens) (file *ast.File, problem *Error) {
	defer func() {
		if recover() != nil {
			file, problem = nil, s.at(1, 1, "", "not valid YAML")
		}
	}()
	// Duplicate keys are found by the decoder, which says it better.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, s.syntax(err)
	}
	return file, nil
}

func (s *source) syntax(err error) *Error {
	e, ok := err.(yaml.Error)
	if !ok || e.GetToken() == nil || e.GetToken().Position == nil {
		return s.at(1, 1, "", "not valid YAML: %s", printable(err.Error()))
	}
	p := e.GetToken().Position
	return s.at(p.Line, p.Column, "", "not valid YAML: %s", printable(e.GetMessage()))
}

// document returns the body of the only document.
func (s *source) document(file *ast.File) (ast.Node, *Error) {
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, s.at(1, 1, "", "the file is empty; perfgate init writes a first one")
	case 1:
		return bodies[0], nil
	}
	line, column := position(bodies[1])
	return nil, s.at(line, column, "", "a second document; a configuration is one")
}

// position is where a node starts.
func position(n ast.Node) (line, column int) {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return position(m.Values[0].Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, t.Position.Column
	}
	return 1, 1
}
