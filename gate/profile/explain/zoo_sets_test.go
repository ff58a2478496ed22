package explain_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
)

// sets are recordings of mistakes that others found and explained: a list of them, and the recordings beside it. Rules were adjusted on the
// first; the second was recorded once they had been frozen. The last two are ours: faults of the Python examples,
// of which some were seen before, and a second set that was recorded after a freeze.
var sets = []string{"learn", "frozen", "planted", "blind"}

const (
	setsPage   = "../../../docs/measurements/evidence/pairs.md"
	setsFolder = "../../../testdata/ncu"
)

// Acceptable is an explanation whose causes are all among those that the source's words bear, and that has another one first.
const Acceptable = "acceptable"

// judged is a pair with what is said of it.
type judged struct {
	explained
	verdict string
}

// verdict judges an explanation by the list: right where the largest cause is the expected one, acceptable where it is one beside it. An
// A/A pair is right where nothing is named.
func verdict(p Pair, e explain.Explanation) string {
	v := p.Judge(e)
	if v == Right && p.Cause != "" && string(e.Causes[0].ID) != p.Cause {
		return Acceptable
	}
	return v
}

// readSet explains the recorded pairs of a list.
func readSet(t *testing.T, name string) []judged {
	t.Helper()
	listed := readList(t, name)
	var out []judged
	for _, p := range recordingOf(t, name) {
		if i := slices.IndexFunc(listed, func(f Fault) bool { return f.Dir == p.Dir && f.Kernel == p.Kernel && f.Flag == p.Flag }); i >= 0 {
			p.Fault = listed[i]
		} else if p.Flag != "" {
			t.Errorf("%s %s is recorded, and not in the list", p.Kernel, p.Flag)
		}
		out = append(out, judged{p, verdict(p.Pair, p.Explanation)})
	}
	return out
}

func readList(t *testing.T, name string) []Fault {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(setsFolder, name+".yaml"))
	explain.Must(t, err)
	var listed []Fault
	explain.Must(t, yaml.Unmarshal(text, &listed))
	return listed
}

// TestSets explains the recordings of all sets again: the page says what these rules make of them. TestAAWithAnyRatio blames no A/A pair.
func TestSets(t *testing.T) {
	for _, name := range sets {
		var part bytes.Buffer
		writeSet(&part, name, readSet(t, name))
		isPart(t, setsPage, name, part.Bytes())
	}
}

// isPart wants the part of a page that a name marks to be this text, which -update writes.
func isPart(t *testing.T, file, name string, text []byte) {
	t.Helper()
	page, err := os.ReadFile(file)
	explain.Must(t, err)
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->\n"
	before, rest, marked := strings.Cut(string(page), begin)
	there, after, ended := strings.Cut(rest, end)
	if !marked || !ended {
		t.Fatalf("%s has no part %s", file, name)
	}
	part := "\n" + string(text) + "\n"
	if *update {
		explain.Must(t, os.WriteFile(file, []byte(before+begin+part+end+after), 0o644))
	} else if there != part {
		t.Errorf("%s, part %s, is not what the rules give now; go test ./gate/profile/explain -update writes it", file, name)
	}
}

// TestListsOfSets: every entry says what is expected in the rules' own ids, where that is explained, and why; no source is in both lists.
func TestListsOfSets(t *testing.T) {
	seen := map[string]string{}
	for _, name := range sets {
		for _, f := range readList(t, name) {
			if f.Source == "" || f.Reason == "" || f.Cause == "" || f.Flag == "" {
				t.Errorf("%s: %s lacks something: %+v", name, f.Kernel, f)
			}
			for _, id := range append([]string{f.Cause}, f.Also...) {
				if !slices.Contains(expected, id) {
					t.Errorf("%s: %s expects %q, which is no cause", name, f.Kernel, id)
				}
			}
			if other := seen[sourceOf(f)]; other != "" && other != name {
				t.Errorf("%s is a source of both sets", sourceOf(f))
			}
			seen[sourceOf(f)] = name
		}
	}
}

// expected are the ids of causes in lists: those that the rules have, and words of sources that they have no id for.
var expected = func() []string {
	out := []string{"shared-atomics", "constant-cache", "dispatch-stall"}
	for _, id := range explain.All() {
		out = append(out, string(id))
	}
	return out
}()

// sourceOf is the repository or the site of a source, or the book.
func sourceOf(f Fault) string {
	parts := strings.Split(f.Source, "/")
	switch {
	case len(parts) > 4 && parts[2] == "github.com":
		return parts[3] + "/" + strings.Fields(parts[4])[0]
	case len(parts) > 2:
		return parts[2]
	}
	return f.Source
}

func writeSet(b *bytes.Buffer, name string, pairs []judged) {
	count := map[string]int{}
	b.WriteString("| kernel | ratio | expected, or else | named | share | |\n|:--|--:|:--|:--|--:|:--|\n")
	for _, p := range pairs {
		if p.Cause == "" {
			count["A/A "+p.verdict]++
			continue
		}
		count[p.verdict]++
		fmt.Fprintf(b, "| [%s](%s) | %.2fx | %s | %s | %s | %s |\n", p.Kernel, "../../../testdata/ncu/"+name+".yaml", math.Exp(p.Log), wanted(p.Fault), named(p.Causes), share(p.Causes), p.verdict)
	}
	all := count[Right] + count[Acceptable] + count[Wrong] + count[Unexplained]
	of := func(verdict string) string {
		return fmt.Sprintf("%d %s (%.0f %%)", count[verdict], verdict, 100*float64(count[verdict])/float64(max(all, 1)))
	}
	fmt.Fprintf(b, "\nOf %d pairs in which head is slower: **%s, %s, %s, %s**. ", all, of(Right), of(Acceptable), of(Wrong), of(Unexplained))
	fmt.Fprintf(b, "Not slower here: %d. Of %d A/A pairs %d are blamed.\n", count[NotSlower], count["A/A "+Right]+count["A/A "+Wrong], count["A/A "+Wrong])
	writeWrong(b, pairs)
}

// writeWrong has the wrong and the unexplained ones in full.
func writeWrong(b *bytes.Buffer, pairs []judged) {
	for _, p := range pairs {
		if p.Cause == "" || (p.verdict != Wrong && p.verdict != Unexplained) {
			continue
		}
		fmt.Fprintf(b, "\n### %s: %s\n\nExpected: %s. %s (%s)\n\n", p.Kernel, p.verdict, wanted(p.Fault), p.Reason, p.Source)
		e := p.Explanation
		if e.Nothing != "" {
			fmt.Fprintf(b, "- nothing is looked for: %s\n", e.Nothing)
		}
		writeCauses(b, "named", e.Causes)
		writeCauses(b, "looked at", e.Rest[:min(len(e.Rest), 3)])
	}
}

func writeCauses(b *bytes.Buffer, how string, causes []result.Cause) {
	for _, c := range causes {
		var figures []string
		for _, change := range c.Changes {
			figures = append(figures, fmt.Sprintf("%s %s → %s", change.Name, figure(change.Base), figure(change.Head)))
		}
		fmt.Fprintf(b, "- %s: `%s`, %.0f %%: %s\n", how, c.ID, 100*c.Share, strings.Join(append(figures, c.Facts...), "; "))
	}
}

func figure(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.4g", *x)
}

func wanted(f Fault) string {
	if len(f.Also) == 0 {
		return f.Cause
	}
	return f.Cause + " (" + strings.Join(f.Also, ", ") + ")"
}

func named(causes []result.Cause) string {
	if len(causes) == 0 {
		return "–"
	}
	return ids(causes)
}

func share(causes []result.Cause) string {
	if len(causes) == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*causes[0].Share)
}
