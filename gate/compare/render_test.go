package compare

import (
	"io"
	"testing"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/saved"
)

var formats = []string{"text", "json", "markdown", "csv"}

// renderAs writes a comparison as the command does.
func renderAs(d Document, w io.Writer, format string, terminal render.TerminalOptions) error {
	_, words := d.Run()
	switch format {
	case "json":
		return saved.Print(w, d)
	case "markdown":
		return render.Markdown(w, words, render.MarkdownOptions{})
	case "csv":
		return d.CSV(w)
	}
	return render.Terminal(w, words, terminal)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
