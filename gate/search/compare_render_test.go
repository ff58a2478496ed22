package search_test

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/search"
)

var formats = []string{"text", "json", "markdown", "csv"}

// written is a comparison as the command prints it.
func written(t testing.TB, d search.Comparison, format string, terminal render.TerminalOptions) string {
	t.Helper()
	words := report.CompareDocument(d)
	var b strings.Builder
	var err error
	switch format {
	case "json":
		err = saved.Print(&b, d)
	case "markdown":
		err = render.Markdown(&b, words, render.MarkdownOptions{})
	case "csv":
		err = render.CSV(&b, report.ComparedValues(d))
	default:
		err = render.Terminal(&b, words, terminal)
	}
	must(t, err)
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
