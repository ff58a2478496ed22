package render

import (
	"cmp"
	"encoding/xml"
	"io"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// Names of what a result is rendered into, next to result.json.
const (
	MarkdownName = "report.md"
	HTMLName     = "report.html"
	JUnitName    = "junit.xml"
	CSVName      = "cases.csv"
)

// Marks are what each rendering begins with, by its name: a file of that name without it is not perfgate's.
var Marks = map[string]string{
	MarkdownName: "<!-- perfgate report -->\n\n",
	HTMLName:     "<!DOCTYPE html>\n<!-- perfgate report -->\n",
	JUnitName:    xml.Header + "<!-- perfgate report -->\n",
	CSVName:      "machine,kernel,case,verdict,",
}

// WriteFiles writes all renderings of a result into a folder, each in one step. repository is its address on the web, or empty.
func WriteFiles(dir string, r *result.Result, d report.Document, repository string) error {
	d.LinkCommits(r, repository)
	return cmp.Or(
		WriteDocument(dir, d),
		write(dir, JUnitName, func(w io.Writer) error { return JUnit(w, report.Tests(r, d), r.Machine.Model, r.Started) }),
		write(dir, CSVName, func(w io.Writer) error { return CSV(w, report.Values(r)) }),
	)
}

// WriteDocument writes a document into a folder: as Markdown, and as a page to open in a browser.
func WriteDocument(dir string, d report.Document) error {
	return cmp.Or(
		write(dir, MarkdownName, func(w io.Writer) error { return Markdown(w, d, MarkdownOptions{}) }),
		write(dir, HTMLName, func(w io.Writer) error { return HTML(w, d) }),
	)
}

// write writes one rendering, which begins with its mark.
func write(dir, name string, render func(io.Writer) error) error {
	return saved.ReplaceIn(dir, name, func(w io.Writer) error {
		if name == MarkdownName || name == JUnitName { // the others begin with their mark anyway
			if _, err := io.WriteString(w, Marks[name]); err != nil {
				return err
			}
		}
		return render(w)
	})
}
