package report

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

var update = flag.Bool("update", false, "write the sample results of testdata/report")

const samplesDir = "../../testdata/report"

// TestSamples writes the samples; tests read them from their files, as a report job would.
func TestSamples(t *testing.T) {
	for name, sample := range samples {
		path := filepath.Join(samplesDir, name, "result.json")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := result.WriteFile(path, sample(t)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%v: go test ./gate/report -update writes it", err)
		}
	}
}

// flat is all that a document says, on one line.
func flat(d Document) string {
	var b strings.Builder
	say := func(texts ...Text) {
		for _, t := range texts {
			if len(t) > 0 {
				b.WriteString(PlainText(t) + " ")
			}
		}
	}
	say(Say(d.Verdict), d.Headline)
	var walk func(blocks []Block)
	walk = func(blocks []Block) {
		for _, block := range blocks {
			say(block.Title)
			say(block.Paragraphs...)
			for _, i := range block.List {
				say(Say(i.Label), i.Text, i.Next)
			}
			if t := block.Table; t != nil {
				say(Say(t.First))
				for _, c := range t.Columns {
					say(Say(c.Title))
				}
				for _, r := range t.Rows {
					say(Say(r.Name.Full), Say(r.Instead.Text))
					for _, c := range t.Columns {
						say(Say(r.Cells[c.Key].Text))
					}
				}
			}
			if l := block.Log; l != nil {
				say(Say(l.Command), Say(strings.Join(l.Lines, " ")))
			}
			walk(block.Blocks)
		}
	}
	walk(d.Blocks)
	return strings.Join(strings.Fields(b.String()), " ")
}

// made is the document of a run with the parts that it was made of.
func made(r *result.Result) parts {
	d := gather(r)
	d.Blocks = runBlocks(r, d)
	return d
}
