package report

import (
	"encoding/csv"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ban is a word that no document has, or no sentence of the program: testdata/words.csv says which one is used instead, and where the word has a good sense.
type ban struct {
	pattern, exception *regexp.Regexp
	instead            string
	everywhere         bool // in help, errors and closing words, too
}

func bans(t *testing.T) []ban {
	t.Helper()
	f, err := os.Open("testdata/words.csv")
	must(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must(t, err)
	var out []ban
	for _, row := range rows[1:] {
		b := ban{pattern: regexp.MustCompile("(?i)" + row[0]), instead: row[1], everywhere: row[2] == "all"}
		if !b.everywhere && row[2] != "document" {
			t.Errorf("%s: no scope %q", row[0], row[2])
		}
		if row[3] != "" {
			b.exception = regexp.MustCompile("(?i)" + row[3])
		}
		out = append(out, b)
	}
	return out
}

// without is a text without the good senses of the word.
func (b ban) without(text string) string {
	if b.exception == nil {
		return text
	}
	return b.exception.ReplaceAllString(text, "")
}

func (b ban) in(text string) bool { return b.pattern.MatchString(b.without(text)) }

// TestNobodyReadsABannedWord reads every sentence of the program, what every layout of the samples says, and the pages, where a runner is GitHub's.
func TestNobodyReadsABannedWord(t *testing.T) {
	texts, documents := map[string]string{}, []string{"report", "render", "doctor", "text"}
	for _, pattern := range []string{"../*/*.go", "../*/*/*.go", "../../cmd/*/*.go", "../../kernels/*.go", "../../kernels/*/*.go"} {
		for _, path := range filesAt(t, pattern) {
			if !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "/internal/") {
				texts[path] = sentencesIn(t, path)
			}
		}
	}
	for _, path := range append(filesAt(t, samplesDir+"/*/verbose.txt"), filesAt(t, samplesDir+"/*/page.txt")...) {
		data, err := os.ReadFile(path)
		must(t, err)
		texts[path] = strings.Join(strings.Fields(string(data)), " ")
	}
	for _, path := range append(filesAt(t, "../../docs/*.md"), "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		data, err := os.ReadFile(path)
		must(t, err)
		texts[path] = proseOf(string(data))
	}
	all := bans(t)
	for _, where := range slices.Sorted(maps.Keys(texts)) {
		isDocument := strings.HasSuffix(where, ".txt") || slices.Contains(documents, filepath.Base(filepath.Dir(where)))
		for line := range strings.Lines(texts[where]) {
			for _, b := range all {
				if (isDocument || b.everywhere) && b.in(line) {
					said := b.without(line)
					t.Errorf("%s: %q, where %s is written: %s", where, b.pattern.FindString(said), b.instead, around(b.pattern, said))
				}
			}
		}
	}
}

// proseOf is a page without its code, a line for each paragraph.
func proseOf(page string) string {
	var out []string
	for paragraph := range strings.SplitSeq(codeOfPage.ReplaceAllString(page, ""), "\n\n") {
		out = append(out, strings.Join(strings.Fields(paragraph), " "))
	}
	return strings.Join(out, "\n")
}

var codeOfPage = regexp.MustCompile("(?ms)^ *```.*?^ *```|`[^`\n]*`|^    .*?$|\\]\\([^)]*\\)")

// filesAt are the files that a pattern matches, of which there have to be some.
func filesAt(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths
}

// sentencesIn are the string literals of a file that have more than one word, a line each.
func sentencesIn(t *testing.T, path string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	must(t, err)
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, " ") {
			out = append(out, l.Value)
		}
		return true
	})
	return strings.Join(out, "\n")
}

func around(pattern *regexp.Regexp, text string) string {
	at := pattern.FindStringIndex(text)
	return strings.ToValidUTF8(text[max(0, at[0]-80):min(len(text), at[1]+60)], "")
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
