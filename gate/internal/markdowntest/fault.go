// Package markdowntest finds what GitHub would act on in Markdown that has texts of a change in it. Its parser knows nothing of how perfgate escapes.
package markdowntest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

var dialect = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// ownHTML is the mark-up that a page has by itself.
var ownHTML = regexp.MustCompile(`^(?:<br>|<details><summary>[A-Za-z0-9 ,.+−%]+</summary>|</details>)$`)

// risks is what must not be in text outside of code: what GitHub makes something of after its parser, such as mentions, references to issues
// and commits, short names of pictures and formulas, and what another parser might.
var risks = regexp.MustCompile(`(?i)[@#<>&_*~$\\\[\]{}^=|` + "`" + `]|://|www\.|mailto:|xmpp:|\bgh-\d|[a-z]-\d|[0-9a-f]{7,}|^\s*([-+>]|\d+[.)])(\s|$)|:[a-z0-9+_-]+:`)

// Fault looks at every node of a page of GitHub's dialect and returns the first that should not be there, "" where there is none. own are the addresses
// that its links may lead to.
func Fault(markdown string, own ...string) (bad string) {
	page := []byte(markdown)
	headings, folds := 0, 0
	tree := dialect.Parser().Parse(text.NewReader(page))
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.CodeBlock, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Heading:
			if entering {
				headings++
			}
		case *ast.Link:
			if !slices.Contains(own, string(n.Destination)) {
				bad = "a link to " + string(n.Destination)
			}
		case *ast.HTMLBlock:
			block := string(n.Lines().Value(page))
			if entering {
				folds += strings.Count(block, "<details>") - strings.Count(block, "</details>")
			}
			bad = foreign(n.Lines(), page)
		default:
			bad = faultOfNode(n, page)
		}
		if bad != "" {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	if err == nil && bad == "" && (headings > 1 || folds != 0) {
		return fmt.Sprintf("%d headings, %d parts that do not end", headings, folds)
	}
	return bad
}

func faultOfNode(n ast.Node, page []byte) string {
	switch n := n.(type) {
	case *ast.AutoLink, *ast.Image, *ast.Blockquote, *ast.ThematicBreak,
		*extast.Footnote, *extast.FootnoteLink, *extast.Strikethrough, *extast.TaskCheckBox:
		return "a " + n.Kind().String()
	case *ast.RawHTML:
		return foreign(n.Segments, page)
	case *ast.Emphasis:
		if n.Level != 2 {
			return "emphasis"
		}
	case *ast.Paragraph, *ast.TextBlock, *extast.TableCell:
		return risks.FindString(plainOf(n, page))
	}
	return ""
}

// foreign returns the first line of HTML that is not ours.
func foreign(lines *text.Segments, page []byte) string {
	for i := range lines.Len() {
		line := lines.At(i)
		if html := strings.TrimSpace(string(line.Value(page))); html != "" && !ownHTML.MatchString(html) {
			return fmt.Sprintf("HTML %q", html)
		}
	}
	return ""
}

// plainOf is the text below a node without code.
func plainOf(n ast.Node, page []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan:
			if entering {
				b.WriteString(" C ")
			}
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(page))
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
