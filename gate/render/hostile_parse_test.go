package render

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// TestHostileParsed reads what is made of every hostile string with a parser of GitHub's dialect, which knows nothing of
// how this package escapes. The result has the string in every field there is: those that no sample fills, too.
func TestHostileParsed(t *testing.T) {
	t.Parallel()
	if len(hostile) < 200 {
		t.Errorf("%d hostile strings, want 200", len(hostile))
	}
	for i, s := range hostile {
		if testing.Short() && i%8 != 0 {
			continue
		}
		kinds := map[string]*result.Result{"all": saturated(s)}
		if i%4 == 0 { // the same fields, in the words of another verdict
			kinds["regression"] = kept(saturated(s))
		}
		for name, r := range kinds {
			where := fmt.Sprintf("%s with %.40q", name, s)
			d := report.New(r)
			inspectTerminal(t, where, d)
			inspectMarkdown(t, where, d)
			for _, most := range []int{0, 4000} {
				var out bytes.Buffer
				if err := Markdown(&out, d, MarkdownOptions{MaxBytes: most, ReportURL: ownLink}); err == nil {
					if bad := faultOf(out.Bytes()); bad != "" {
						t.Errorf("%s: %s gets through", where, bad)
					}
				} else if most == 0 {
					t.Errorf("%s: %v", where, err)
				}
			}
		}
	}
}

// saturated is a result with s in every text, and at least two of everything that there can be many of.
func saturated(s string) *result.Result {
	r := new(result.Result)
	saturate(reflect.ValueOf(r).Elem(), s)
	r.Started = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)
	return r
}

func saturate(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		saturate(v.Elem(), s)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			saturate(v.Index(i), s)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		saturate(key, s)
		saturate(value, s)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[time.Time]() {
				saturate(v.Field(i), s)
			}
		}
	}
}

// kept puts words of the schema back, so that the result is one that a reader takes: a regression that was measured.
func kept(r *result.Result) *result.Result {
	r.Schema = result.Schema
	r.Conclusion.Verdict, r.Conclusion.Exit = result.RunFailed, result.ExitFailed
	r.Base.Kind, r.Head.Kind, r.Policy.OnInconclusive = result.KindRevision, result.KindRevision, result.OnInconclusiveStop
	verdicts := []result.Verdict{result.Regression, result.Error}
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Verdict, c.ErrorSide = verdicts[i%2], result.SideHead
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		k.Status, k.Parity.Status, k.Parity.ErrorSide = result.KernelFailed, []result.ParityStatus{result.ParityFailed, result.ParityPassed}[i%2], ""
		k.Skipped = false
	}
	return r
}

var dialect = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// ownHTML is the mark-up that a page has by itself.
var ownHTML = regexp.MustCompile(`^(?:<br>|<details><summary>[A-Za-z0-9 ,.+−%]+</summary>|</details>)$`)

// acts is what GitHub makes something of in text that its parser leaves alone: mentions, references to issues and
// commits, short names of pictures, formulas.
var acts = regexp.MustCompile(`(?i)@[a-z0-9]|#\d|\bgh-\d|[0-9a-f]{7,}|:[a-z0-9_+-]+:|\$`)

const ownLink = "https://github.example/o/r/actions/runs/7"

// faultOf looks at every node of a page and returns the first that should not be there.
func faultOf(page []byte) (bad string) {
	headings := 0
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
			if string(n.Destination) != ownLink {
				bad = "a link"
			}
		default:
			bad = faultOfNode(n, page)
		}
		if bad != "" {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	if err == nil && bad == "" && headings != 1 {
		return fmt.Sprintf("%d headings", headings)
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
	case *ast.HTMLBlock:
		return foreign(n.Lines(), page)
	case *ast.Emphasis:
		if n.Level != 2 {
			return "emphasis"
		}
	case *ast.Paragraph, *ast.TextBlock, *extast.TableCell:
		return acts.FindString(plainOf(n, page))
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

// TestFaultOf plants what must be found: a check that finds nothing anywhere proves nothing.
func TestFaultOf(t *testing.T) {
	for _, s := range []string{
		"[x](https://evil.example)", "![x](https://evil.example/p.png)", "https://evil.example", "<b>x</b>", "@octocat", "see #12", "a@b.example",
		"<script>alert(1)</script>", "~~x~~", "- [x] done", "> quote", "# PASS", "*x*", ":tada:", "0123abcd", "$x$", "x[^1]\n\n[^1]: y", "| a @octocat |\n|--|\n| b |", "---", "www.evil.example",
	} {
		if faultOf([]byte("### ok\n\n"+s+"\n")) == "" {
			t.Errorf("%q is not seen", s)
		}
	}
	own := "### ✅ PASS: `x` is **fast**\n\n| a<br>b |\n|:--|\n| `@octocat` |\n\n[x](" + ownLink + ")\n\n<details><summary>Output</summary>\n\n```text\n@octocat <b> https://x\n```\n\n</details>\n"
	if bad := faultOf([]byte(own)); bad != "" {
		t.Errorf("own mark-up: %s", bad)
	}
}
