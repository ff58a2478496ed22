package report

import (
	"encoding/csv"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// ban is a word that no document has: testdata/words.csv says which one is used instead, and where the word has a good sense.
type ban struct {
	pattern, exception *regexp.Regexp
	instead            string
}

func bans(t *testing.T) []ban {
	t.Helper()
	f, err := os.Open("testdata/words.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []ban
	for _, row := range rows[1:] {
		b := ban{pattern: regexp.MustCompile("(?i)" + row[0]), instead: row[1]}
		if row[2] != "document" {
			t.Errorf("%s: no scope %q", row[0], row[2])
		}
		if row[3] != "" {
			b.exception = regexp.MustCompile("(?i)" + row[3])
		}
		out = append(out, b)
	}
	return out
}

func (b ban) in(text string) bool {
	if b.exception != nil {
		text = b.exception.ReplaceAllString(text, "")
	}
	return b.pattern.MatchString(text)
}

// TestNoDocumentHasABannedWord reads every sentence of the tables, and the documents of the samples.
func TestNoDocumentHasABannedWord(t *testing.T) {
	texts := map[string]string{}
	for _, kind := range result.FindingKinds {
		for side, sentence := range wordings[kind].sentence {
			texts["finding "+string(kind)+" "+string(side)] = sentence + " " + wordings[kind].title
		}
		texts["filled "+string(kind)] = Sentence(result.Finding{Kind: kind, Kernel: "k", MDE: 0.1, BudgetGone: true, BudgetNeededS: 90})
	}
	for kind, sentence := range reasonSentences {
		texts["reason "+string(kind)] = sentence
	}
	for kind, words := range unprovenWords {
		texts["unproven "+string(kind)] = words
	}
	for _, name := range samples {
		texts["sample "+name] = flat(New(load(t, name)))
	}
	for _, where := range slices.Sorted(maps.Keys(texts)) {
		for _, b := range bans(t) {
			if b.in(texts[where]) {
				t.Errorf("%s: %q, where %s is written: %s", where, b.pattern.FindString(texts[where]), b.instead, around(b.pattern, texts[where]))
			}
		}
	}
}

func around(pattern *regexp.Regexp, text string) string {
	at := pattern.FindStringIndex(text)
	return strings.ToValidUTF8(text[max(0, at[0]-40):min(len(text), at[1]+40)], "")
}

// TestBans: a table that finds nothing proves nothing.
func TestBans(t *testing.T) {
	found := 0
	for _, b := range bans(t) {
		for text, want := range map[string]bool{"it is surely slower": true, "the first look": false, "it looks fine": true, "a data race": false} {
			if b.in(text) != want && want {
				continue
			}
			if b.in(text) {
				found++
				if !want {
					t.Errorf("%s: %q", b.pattern, text)
				}
			}
		}
	}
	if found != 2 {
		t.Errorf("%d bans in two sentences", found)
	}
}

// TestBlocksHaveOneContent reads every block of the samples: one kind of content, and a key that no other block of its document has.
func TestBlocksHaveOneContent(t *testing.T) {
	for _, name := range samples {
		keys := map[string]bool{}
		var walk func(blocks []Block)
		walk = func(blocks []Block) {
			for _, b := range blocks {
				if keys[b.Key] || b.Key == "" {
					t.Errorf("%s: two blocks have the key %q", name, b.Key)
				}
				keys[b.Key] = true
				contents := 0
				for _, has := range []bool{len(b.Paragraphs) > 0, len(b.List) > 0, b.Table != nil, b.Figure != nil, b.Log != nil, len(b.Blocks) > 0} {
					if has {
						contents++
					}
				}
				if contents != 1 {
					t.Errorf("%s: %q has %d contents", name, b.Key, contents)
				}
				if b.Table != nil {
					checkTable(t, name+" "+b.Key, *b.Table)
				}
				walk(b.Blocks)
			}
		}
		walk(New(load(t, name)).Blocks)
	}
}

// checkTable: the keys of columns are unique, and no cell is lost for want of a column.
func checkTable(t *testing.T, where string, table Table) {
	t.Helper()
	columns := map[string]bool{}
	for _, c := range table.Columns {
		if columns[c.Key] || c.Key == "" {
			t.Errorf("%s: two columns have the key %q", where, c.Key)
		}
		columns[c.Key] = true
	}
	for _, r := range table.Rows {
		for key := range r.Cells {
			if !columns[key] {
				t.Errorf("%s: %s has a cell %q, and no column has", where, r.Name.Full, key)
			}
		}
	}
}
