package explain_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
)

const (
	recorded  = "../../../testdata/ncu/zoo"
	tableFile = "../../../docs/measurements/evidence/zoo.md"
)

var update = flag.Bool("update", false, "write docs/measurements/evidence/zoo.md anew")

func pairsForTest(t *testing.T) []Pair {
	t.Helper()
	pairs, err := Read(filepath.Join(recorded, "pairs.csv"))
	explain.Must(t, err)
	if len(pairs) < 24 {
		t.Fatalf("only %d pairs are recorded", len(pairs))
	}
	return pairs
}

// TestZoo explains every recorded fault again. Nothing wrong is named, twelve causes at least are found in two kernels, an A/A
// pair names nothing, and the table that people read is the one that these rules give.
func TestZoo(t *testing.T) {
	count := map[string]int{}
	pairs := pairsForTest(t)
	for _, p := range pairs {
		e, err := p.Explain(recorded)
		explain.Must(t, err)
		got := p.Judge(e)
		if got == Wrong {
			t.Errorf("%s %s: planted %q, named %s", p.Kernel, p.Flag, p.Cause, ids(e.Causes))
		}
		if p.Cause == "" {
			count["aa"]++
			continue
		}
		count[got]++
	}
	if twice := inTwoKernels(t, pairs); count["aa"] < 10 || len(twice) < 12 {
		t.Errorf("%d A/A pairs, causes in two kernels: %v", count["aa"], twice)
	}
	if all := count[Right] + count[Wrong] + count[Unexplained]; float64(count[Right]) < 0.9*float64(all) {
		t.Errorf("of %d faults: %v", all, count)
	}
	text := table(t, pairs)
	if *update {
		explain.Must(t, os.WriteFile(tableFile, text, 0o644))
	}
	want, err := os.ReadFile(tableFile)
	explain.Must(t, err)
	if !bytes.Equal(text, want) {
		t.Errorf("%s is not what the rules give now; go test ./gate/profile/explain -update writes it", tableFile)
	}
}

// TestMirror swaps the sides of every pair: an improvement is explained by what the slower side suffered from.
func TestMirror(t *testing.T) {
	for _, p := range pairsForTest(t) {
		forth, err := p.Explain(recorded)
		explain.Must(t, err)
		m := p
		m.Base, m.Head, m.BaseMHz, m.HeadMHz = p.Head, p.Base, p.HeadMHz, p.BaseMHz
		m.Log, m.Low, m.High = -p.Log, -p.High, -p.Low
		back, err := m.Explain(recorded)
		explain.Must(t, err)
		if ids(forth.Causes) != ids(back.Causes) {
			t.Errorf("%s %s: %s, mirrored %s", p.Kernel, p.Flag, ids(forth.Causes), ids(back.Causes))
		}
		for i := range min(len(forth.Causes), len(back.Causes)) {
			if math.Abs(forth.Causes[i].Log+back.Causes[i].Log) > 1e-9 || math.Abs(forth.Causes[i].Share-back.Causes[i].Share) > 1e-9 {
				t.Errorf("%s %s: %v and mirrored %v", p.Kernel, p.Flag, forth.Causes[i], back.Causes[i])
			}
		}
	}
}

// TestAAWithAnyRatio gives the A/A pairs ratios that they do not have: a cause that is named for twice the same code would
// be made of noise.
func TestAAWithAnyRatio(t *testing.T) {
	for _, p := range pairsForTest(t) {
		if p.Cause != "" {
			continue
		}
		for _, ratio := range []float64{0.9, 0.97, 1.03, 1.05, 1.1, 2} {
			p.Log = math.Log(ratio)
			p.Low, p.High = p.Log-0.01, p.Log+0.01
			e, err := p.Explain(recorded)
			explain.Must(t, err)
			if len(e.Causes) > 0 {
				t.Errorf("%s at %v: %s is named", p.Kernel, ratio, ids(e.Causes))
			}
		}
	}
}

// inTwoKernels are the planted causes that are named, and nothing else with them, in two kernels or more; sorted.
func inTwoKernels(t *testing.T, pairs []Pair) []string {
	t.Helper()
	kernels := map[string][]string{}
	for _, p := range pairs {
		e, err := p.Explain(recorded)
		explain.Must(t, err)
		if p.Cause != "" && p.Strict(e) == Right && !slices.Contains(kernels[p.Cause], p.Kernel) {
			kernels[p.Cause] = append(kernels[p.Cause], p.Kernel)
		}
	}
	var out []string
	for cause, in := range kernels {
		if len(in) > 1 {
			out = append(out, cause)
		}
	}
	slices.Sort(out)
	return out
}

func ids(causes []result.Cause) string {
	var out []string
	for _, c := range causes {
		out = append(out, string(c.ID))
	}
	return strings.Join(out, ", ")
}

// table is the page of the zoo.
func table(t *testing.T, pairs []Pair) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(tableHead)
	count, strict := map[string]int{}, map[string]int{}
	confusion := map[[2]string]int{}
	for _, p := range pairs {
		e, err := p.Explain(recorded)
		explain.Must(t, err)
		verdict, planted, named, share := p.Judge(e), p.Cause, ids(e.Causes), ""
		if planted == "" {
			planted, verdict = "(A/A)", "A/A "+verdict
		}
		if named == "" {
			named = "–"
		}
		if len(e.Causes) > 0 {
			share = fmt.Sprintf("%.0f %%", 100*e.Causes[0].Share)
		}
		count[verdict]++
		if p.Cause != "" {
			strict[p.Strict(e)]++
		}
		confusion[[2]string{planted, named}]++
		flag := p.Flag
		if flag == "" {
			flag = "–"
		}
		fmt.Fprintf(&b, "| %s %s | `%s` | %s | %.2fx | %s | %s | %s |\n", p.Kernel, p.Case, flag, planted, math.Exp(p.Log), named, share, verdict)
	}
	b.WriteString("\n## Planted against named\n\n| planted | named | faults |\n|:--|:--|--:|\n")
	keys := make([][2]string, 0, len(confusion))
	for k := range confusion {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
	for _, k := range keys {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", k[0], k[1], confusion[k])
	}
	fmt.Fprintf(&b, "\nOf %s. Of %d A/A pairs %d name a cause.\n", figures(count), count["A/A "+Right]+count["A/A "+Wrong], count["A/A "+Wrong])
	fmt.Fprintf(&b, "\nStrictly, with the planted cause alone for right and what the list has beside it (`also`) for wrong: of %s.\n", figures(strict))
	twice := inTwoKernels(t, pairs)
	fmt.Fprintf(&b, "\nStrictly named in two kernels or more, %d causes: %s.\n", len(twice), strings.Join(twice, ", "))
	return b.Bytes()
}

// figures says how many faults of those that slow their kernel down are named right.
func figures(count map[string]int) string {
	all := count[Right] + count[Wrong] + count[Unexplained]
	return fmt.Sprintf("%d faults that slow their kernel down %d are named right (%.0f %%), %d wrong, %d are unexplained",
		all, count[Right], 100*float64(count[Right])/float64(all), count[Wrong], count[Unexplained])
}

// TestStrict: a cause that the list has beside the planted one is right, and strictly wrong.
func TestStrict(t *testing.T) {
	p := Pair{Fault: Fault{Cause: "a", Also: []string{"b"}}, Log: 1}
	for _, c := range []struct {
		named          []string
		judged, strict string
	}{{[]string{"a"}, Right, Right}, {[]string{"b"}, Right, Wrong}, {[]string{"a", "b"}, Right, Wrong}, {[]string{"c"}, Wrong, Wrong}, {nil, Unexplained, Unexplained}} {
		var e explain.Explanation
		for _, id := range c.named {
			e.Causes = append(e.Causes, result.Cause{ID: result.CauseID(id)})
		}
		if got, strict := p.Judge(e), p.Strict(e); got != c.judged || strict != c.strict {
			t.Errorf("%v: %s and strictly %s", c.named, got, strict)
		}
	}
	faster := Pair{Fault: Fault{Cause: "a"}, Log: -0.2}
	if got := faster.Judge(explain.Explanation{Causes: []result.Cause{{ID: "b"}}}); got != NotSlower {
		t.Errorf("a fault that makes its kernel faster is %s", got)
	}
	if len(p.Also) != 1 {
		t.Error("judging strictly changed the pair")
	}
}

// TestCausesWithoutRecording keeps docs/evidence.md honest about the causes that no recorded fault or pair is expected to have and is named for.
func TestCausesWithoutRecording(t *testing.T) {
	page, err := os.ReadFile("../../../docs/evidence.md")
	explain.Must(t, err)
	_, rest, _ := strings.Cut(string(page), "Causes that no recording shows:")
	list, _, found := strings.Cut(rest, ".")
	if !found {
		t.Fatal("docs/evidence.md does not list them")
	}
	named := map[string]bool{string(explain.Unexplained): true}
	for _, p := range pairsForTest(t) {
		e, err := p.Explain(recorded)
		explain.Must(t, err)
		if len(e.Causes) > 0 && string(e.Causes[0].ID) == p.Cause {
			named[p.Cause] = true
		}
	}
	for _, set := range sets {
		for _, p := range readSet(t, set) {
			named[p.Cause] = named[p.Cause] || p.verdict == Right
		}
	}
	for _, cause := range explain.All() {
		if listed := strings.Contains(list, "`"+string(cause)+"`"); listed == named[string(cause)] {
			t.Errorf("%s: listed as without a recording: %v, planted and named in one: %v", cause, listed, named[string(cause)])
		}
	}
}
