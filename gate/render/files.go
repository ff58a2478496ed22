package render

import (
	"encoding/xml"
	"io"
	"path/filepath"

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
	for name, write := range map[string]func(io.Writer) error{
		MarkdownName: func(w io.Writer) error { return Markdown(w, d, MarkdownOptions{}) },
		HTMLName:     func(w io.Writer) error { return HTML(w, d) },
		JUnitName:    func(w io.Writer) error { return JUnit(w, report.Tests(r, d), r.Machine.Model, r.Started) },
		CSVName:      func(w io.Writer) error { return CSV(w, report.Values(r)) },
	} {
		marked := func(w io.Writer) error {
			if name == MarkdownName || name == JUnitName { // the others begin with their mark anyway
				if _, err := io.WriteString(w, Marks[name]); err != nil {
					return err
				}
			}
			return write(w)
		}
		if err := saved.Replace(filepath.Join(dir, name), marked); err != nil {
			return err
		}
	}
	return nil
}
