package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// Options say what a result does not know of itself. The zero value is a page without links.
type Options struct {
	Repository string // its address on the web, such as https://github.com/org/repo; commits are linked below it
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// pageTemplate is parsed when a page is written: most processes of this program write none.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"show": report.Visible}).Parse(pageHTML))
})

// view is what the template is filled with: everything is worked out before.
type view struct {
	Title   string
	Policy  string
	Style   template.CSS
	Script  template.JS
	Verdict string
	Class   string // of the verdict
	Lead    template.HTML
	Also    []template.HTML
	Top     []fact
	Chips   []chip
	Answer  table    // of documents that are no run's
	Figures []figure // of these

	Overview    overview
	Competitors *competitorsView
	Cases       []caseView
	Code        []template.HTML // what compiled code and growth of time say
	Gaps        []template.HTML
	Static      []table
	Parity      []parityView
	Problems    []problem
	Machine     []figure
	Tables      []table
	Facts       []fact
	Notes       []template.HTML
	Accepted    []template.HTML
	Repro       string
	MadeBy      string
}

type fact struct {
	Label string
	Text  template.HTML
	Link  string // of more about it
	Says  string // the words of the link
}

// Method says whether there is anything to say of how the page's numbers came about.
func (v view) Method() bool { return len(v.Facts)+len(v.Notes)+len(v.Tables) > 0 || v.Repro != "" }

// Write writes the page of a result. d is its document, with all that its caller added to it.
func Write(w io.Writer, r *result.Result, d report.Document, o Options) error {
	return write(w, newView(r, d, o))
}

func write(w io.Writer, v view) error {
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(Marks[PageName]) // Flush has its error
	if err := pageTemplate().Execute(out, v); err != nil {
		return err
	}
	return out.Flush()
}

func newView(r *result.Result, d report.Document, o Options) view {
	v := view{
		Title:   d.Verdict + ": " + report.PlainText(d.Headline),
		Policy:  policy(),
		Style:   template.CSS(style), //nolint:gosec // ours
		Script:  template.JS(script), //nolint:gosec // ours
		Verdict: d.Verdict, Class: toneClass[d.Tone],
		Lead: prose(d.Headline), Also: proses(d.Also),
		Top: topFacts(r, d, o), Chips: chips(r),
		Overview: newOverview(r, d), Competitors: newCompetitors(d), Cases: caseViews(r, d),
		Code: proses(d.Static), Gaps: proses(d.Gaps), Static: codeTables(r),
		Parity: parityViews(r, d), Problems: problems(d.Problems),
		Machine: machineFigures(r), Tables: tables(d),
		Notes: proses(d.Notes), Accepted: proses(d.Accepted), Repro: report.Visible(d.Repro),
	}
	if len(r.Cases) == 0 && len(d.Cases.Rows) > 0 {
		v.Answer = tableOf(d.Cases)
	}
	for _, f := range d.Facts {
		v.Facts = append(v.Facts, fact{Label: f.Label, Text: prose(f.Text)})
	}
	return v
}

// policy lets nothing act but the style and the script that the page brings along.
func policy() string {
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) + "'"
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// topFacts are what a reader wants beside the answer; the section on the method has all.
func topFacts(r *result.Result, d report.Document, o Options) []fact {
	words := map[string]report.Text{}
	for _, f := range d.Facts {
		words[f.Label] = f.Text
	}
	all := []fact{
		{"base", prose(words["base"]), commitLink(o, r.Base), "commit"},
		{"machine", prose(report.Say(r.Machine.Model)), "", ""},
		{"head", prose(words["head"]), commitLink(o, r.Head), "commit"},
		{"measured", prose(extent(r)), "", ""},
		{"took", prose(words["took"]), "", ""},
		{"cost", prose(words["cost"]), "", ""},
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.Text == "" })
}

// extent says how much of the run was measured: what was not is no part of its answer.
func extent(r *result.Result) report.Text {
	if len(r.Kernels) == 0 && len(r.Cases) == 0 {
		return nil
	}
	compared, voided := 0, 0
	for _, c := range r.Cases {
		if c.Compared != nil {
			compared++
		}
	}
	for _, round := range r.Rounds {
		if round.Voided != "" {
			voided++
		}
	}
	text := fmt.Sprintf("%d of %s timed side by side", compared, report.Count(len(r.Cases), "case"))
	if n := len(r.Rounds) - voided; n > 0 {
		text += " in " + report.Count(n, "round")
	}
	if voided > 0 {
		text += fmt.Sprintf(", %d more voided", voided)
	}
	return report.Say(text)
}

var (
	isCommit = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	// isRepository matches addresses that are written as they are.
	isRepository = regexp.MustCompile(`^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)+$`)
)

// commitLink is the address of a side's commit; "" where it is not known, or the tree is not that commit.
func commitLink(o Options, side result.Version) string {
	if side.Dirty || !isCommit.MatchString(side.Revision) || !isRepository.MatchString(o.Repository) {
		return ""
	}
	return o.Repository + "/commit/" + side.Revision
}

// Repository is the address of the repository that a job of GitHub Actions works for, by the environment; "" elsewhere.
func Repository(env func(string) string) string {
	server, name := env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY")
	if server == "" || name == "" {
		return ""
	}
	return server + "/" + name
}

type problem struct {
	Title  template.HTML
	Output string
}

func problems(all []report.Problem) []problem {
	out := make([]problem, len(all))
	for i, p := range all {
		var b strings.Builder
		if p.Command != "" {
			b.WriteString("$ " + report.Visible(p.Command) + "\n")
		}
		for _, line := range p.Output {
			b.WriteString(report.Visible(strings.ReplaceAll(line, "\t", "    ")) + "\n")
		}
		out[i] = problem{prose(p.Title), b.String()}
	}
	return out
}
