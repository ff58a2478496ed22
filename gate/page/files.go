package page

import (
	"encoding/xml"
	"io"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/export"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// Names of what a result is rendered into, beside result.json.
const (
	MarkdownName = "report.md"
	PageName     = "report.html"
	JUnitName    = "junit.xml"
	CSVName      = "cases.csv"
)

// Marks are what each rendering begins with, by its name: a file of that name without it is not ours.
var Marks = map[string]string{
	MarkdownName: "<!-- perfgate report -->\n\n",
	PageName:     "<!DOCTYPE html>\n<!-- perfgate report -->\n",
	JUnitName:    xml.Header + "<!-- perfgate report -->\n",
	CSVName:      strings.Join(export.Columns, ",") + "\n",
}

// WriteFiles writes all renderings of a result into a folder, each in one step.
func WriteFiles(dir string, r *result.Result, d report.Document, o Options) error {
	marked := func(name string, render func(io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, err := io.WriteString(w, Marks[name]); err != nil {
				return err
			}
			return render(w)
		}
	}
	for name, render := range map[string]func(io.Writer) error{
		MarkdownName: marked(MarkdownName, func(w io.Writer) error { return render.Markdown(w, d, render.MarkdownOptions{}) }),
		PageName:     func(w io.Writer) error { return Write(w, r, d, o) },
		JUnitName:    marked(JUnitName, func(w io.Writer) error { return export.JUnit(w, r, d) }),
		CSVName:      marked(CSVName, func(w io.Writer) error { return export.CSV(w, r) }),
	} {
		if err := saved.Replace(filepath.Join(dir, name), render); err != nil {
			return err
		}
	}
	return nil
}
