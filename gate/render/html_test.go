package render

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// documentOf is the document of a result, with links to its commits.
func documentOf(r *result.Result) report.Document {
	d := report.New(r)
	d.LinkCommits(r, "https://github.com/org/repo")
	return d
}

// parsed is the page of a document.
func parsed(t *testing.T, d report.Document) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(htmlOf(t, d)))
	must(t, err)
	return root
}

func pageOf(t *testing.T, r *result.Result) *html.Node { return parsed(t, documentOf(r)) }

// elements are all elements below a node, in the order of the page.
func elements(n *html.Node) []*html.Node {
	var out []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			out = append(out, d)
		}
	}
	return out
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "style" && d.Parent.Data != "script" {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// passive are the elements that a page is made of.
var passive = strings.Fields("html head meta title style script body a header div p h1 h2 h3 ul li dl dt dd nav main section article figure figcaption table caption thead tbody tr th td " +
	"h4 h5 details summary span strong b small code pre svg path rect circle text")

// inspect: a page asks for nothing and lets nothing act but what it brings along. Every picture has words or stands beside them.
func inspect(t *testing.T, name string, root *html.Node) {
	t.Helper()
	ids := map[string]bool{}
	var policy string
	for _, e := range elements(root) {
		if !slices.Contains(passive, e.Data) {
			t.Errorf("%s: an element %s", name, e.Data)
		}
		if e.Data == "meta" && attr(e, "http-equiv") == "Content-Security-Policy" {
			policy = attr(e, "content")
		}
		inspectAttributes(t, name, e)
		if id := attr(e, "id"); id != "" {
			if ids[id] {
				t.Errorf("%s: id %s twice", name, id)
			}
			ids[id] = true
		}
	}
	for _, e := range elements(root) {
		switch {
		case e.Data == "style" || e.Data == "script":
			sum := sha256.Sum256([]byte(e.FirstChild.Data))
			if want := e.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
				t.Errorf("%s: the policy does not let its own %s act", name, e.Data)
			}
		case e.Data == "a" && strings.HasPrefix(attr(e, "href"), "#") && !ids[attr(e, "href")[1:]]:
			t.Errorf("%s: a link to %s, which is nowhere", name, attr(e, "href"))
		case e.Data == "figure" && (textOf(e) == "" || len(labels(e)) != 1):
			t.Errorf("%s: a figure that says nothing in words: %s", name, textOf(e))
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: policy %q", name, policy)
	}
}

func inspectAttributes(t *testing.T, name string, e *html.Node) {
	t.Helper()
	for _, a := range e.Attr {
		switch {
		case a.Key == "style" || strings.HasPrefix(a.Key, "on"), a.Key == "src" || a.Key == "srcset" || a.Key == "action":
			t.Errorf("%s: %s has an attribute %s", name, e.Data, a.Key)
		case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "https://github.com/org/repo/commit/") && a.Val != "1/report.html" && a.Val != "2/report.html":
			t.Errorf("%s: a link to %q", name, a.Val)
		}
	}
}

// labels are the words of the pictures below a node.
func labels(n *html.Node) (out []string) {
	for _, e := range elements(n) {
		if e.Data == "svg" && attr(e, "aria-label") != "" {
			out = append(out, attr(e, "aria-label"))
		}
	}
	return out
}

// outline is the verdict, headings, figures and tables of a page.
func outline(root *html.Node) []string {
	var out []string
	for _, e := range elements(root) {
		switch e.Data {
		case "h1", "h2", "h3", "h4":
			out = append(out, strings.Repeat("#", int(e.Data[1]-'0'))+" "+textOf(e))
		case "p":
			if attr(e, "class") == "verdict" {
				out = append(out, "verdict: "+textOf(e))
			}
		case "figure":
			out = append(out, "figure: "+labels(e)[0])
		case "table":
			rows, heads := 0, []string{}
			for _, c := range elements(e) {
				if c.Data == "tr" {
					rows++
				}
				if c.Data == "th" && attr(c, "scope") == "col" {
					heads = append(heads, textOf(c))
				}
			}
			out = append(out, fmt.Sprintf("table of %d rows: %s", rows, strings.Join(heads, " | ")))
		}
	}
	return out
}

// payloads would act, end a context, or hide in one.
var payloads = []string{
	`<img src=x onerror=alert(1)>`, `</script><script>alert(1)</script>`, `" onload="alert(1)`, `</title></style></svg><b>x`, `javascript:alert(1)`, "\u202egnp.exe\x1b[2J\x00", `{{.Script}} &lt;b&gt;`,
}

// TestHostileHTML: whatever a result says in any of its fields is shown, as text, and is nothing else.
func TestHostileHTML(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"evidence", "parity", "errors", "head-no-build", "gpu", "new", "many"} {
		s := payloads[i]
		root := inspected(t, name, poisoned(t, name, s, schemaWords))
		if want := strings.Join(strings.Fields(text.Visible(s)), " "); !strings.Contains(textOf(root), want) {
			t.Errorf("%s: %q is not shown", name, want)
		}
		for _, e := range elements(root) {
			for _, a := range e.Attr {
				if strings.ContainsAny(a.Val, "\u202e\x1b\x00") {
					t.Errorf("%s: %s %q", e.Data, a.Key, a.Val)
				}
			}
		}
		if strings.ContainsAny(textOf(root), "\u202e\x1b\x00") {
			t.Errorf("%s: control characters in the text", name)
		}
	}
}

// TestReasonsOnce: why a case was not measured stands once in its own part of the page, short or long.
func TestReasonsOnce(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"flat tyre", "flat tyre" + strings.Repeat(", and another", 20)} {
		r := load(t, "pass")
		r.Cases[0].Verdict, r.Cases[0].Reason = result.Skipped, result.Message(reason)
		r.Cases[0].SetComparison(result.VariantHead, result.VariantBase, nil)
		for _, e := range elements(pageOf(t, r)) {
			if e.Data == "details" && strings.Contains(textOf(e), reason) && strings.Count(textOf(e), "flat tyre") != 1 {
				t.Errorf("%d times: %s", strings.Count(textOf(e), "flat tyre"), textOf(e))
			}
		}
		if page := textOf(pageOf(t, r)); !strings.Contains(page, reason) {
			t.Errorf("%s is not on the page", reason)
		}
	}
}

// TestCommitLinks: a commit is linked where there is one, and only to an address that is written as it is.
func TestCommitLinks(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		repository, revision string
		dirty, want          bool
	}{
		{"https://github.com/org/repo", commit, false, true},
		{"https://ghe.example:8443/org/repo", commit, false, true},
		{"https://github.com/org/repo", commit, true, false},
		{"https://github.com/org/repo", "../../evil", false, false},
		{"http://github.com/org/repo", commit, false, false},
		{"javascript:alert(1)", commit, false, false},
		{`https://github.com/org/repo"><script>`, commit, false, false},
		{"", commit, false, false},
	} {
		r := load(t, "pass")
		r.Head = result.Version{Kind: result.KindRevision, Label: "head", Revision: c.revision, Dirty: c.dirty}
		d := report.New(r)
		d.LinkCommits(r, c.repository)
		if got := strings.Contains(htmlOf(t, d), `href="`+c.repository+`/commit/`+c.revision+`"`); got != c.want {
			t.Errorf("%+v: linked %v", c, got)
		}
	}
}
