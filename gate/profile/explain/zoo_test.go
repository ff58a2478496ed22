package explain_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
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
	zooSet    = "zoo"
	tableFile = "../../../docs/measurements/evidence/zoo.md"
)

var update = flag.Bool("update", false, "write the tables of docs/measurements/evidence anew")

// explained is a recorded pair, what is known of it, and what the rules make of that.
type explained struct {
	Pair
	in explain.Input
	explain.Explanation
}

var recordings = map[string][]explained{} // by their sets: each is read once

// recordingOf explains the recorded pairs of a set.
func recordingOf(t *testing.T, set string) []explained {
	t.Helper()
	if known, ok := recordings[set]; ok {
		return known
	}
	folder := filepath.Join(setsFolder, set)
	pairs, err := Read(folder)
	explain.Must(t, err)
	var out []explained
	for _, p := range pairs {
		in, err := p.input(folder)
		explain.Must(t, err)
		out = append(out, explained{p, in, explain.Explain(in)})
	}
	if set == zooSet && len(out) < 24 {
		t.Fatalf("only %d pairs are recorded", len(out))
	}
	recordings[set] = out
	return out
}

// TestZoo explains every recorded fault again. Nothing wrong is named, twelve causes at least are found in two kernels, an A/A
// pair names nothing, and the table that people read is the one that these rules give.
func TestZoo(t *testing.T) {
	count := map[string]int{}
	pairs := recordingOf(t, zooSet)
	for _, p := range pairs {
		got := p.Judge(p.Explanation)
		if got == Wrong {
			t.Errorf("%s %s: planted %q, named %s", p.Kernel, p.Flag, p.Cause, ids(p.Causes))
		}
		if p.Cause == "" {
			count["aa"]++
			continue
		}
		count[got]++
	}
	if twice := inTwoKernels(pairs); count["aa"] < 10 || len(twice) < 12 {
		t.Errorf("%d A/A pairs, causes in two kernels: %v", count["aa"], twice)
	}
	if all := count[Right] + count[Wrong] + count[Unexplained]; float64(count[Right]) < 0.9*float64(all) {
		t.Errorf("of %d faults: %v", all, count)
	}
	isPart(t, tableFile, zooSet, table(pairs))
}

// TestMirror swaps the sides of every pair: an improvement is explained by what the slower side suffered from.
func TestMirror(t *testing.T) {
	for _, p := range recordingOf(t, zooSet) {
		m, forth := p.in, p.Explanation
		m.Base, m.Head, m.BaseMHz, m.HeadMHz = m.Head, m.Base, m.HeadMHz, m.BaseMHz
		m.Measured = explain.Measured{Log: -p.Log, Low: -p.High, High: -p.Low}
		back := explain.Explain(m)
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

// TestAAWithAnyRatio gives the A/A pairs of all recordings, besides their own, ratios that they do not have: a cause that is named for twice the same
// code would be made of noise.
func TestAAWithAnyRatio(t *testing.T) {
	for _, set := range append([]string{zooSet}, sets...) {
		for _, p := range recordingOf(t, set) {
			if p.Flag != "" {
				continue
			}
			in := p.in
			for _, ratio := range []float64{math.Exp(p.Log), 0.9, 0.95, 0.97, 1.03, 1.05, 1.1, 1.2, 2} {
				log := math.Log(ratio)
				in.Measured = explain.Measured{Log: log, Low: log - 0.01, High: log + 0.01}
				if e := explain.Explain(in); len(e.Causes) > 0 {
					t.Errorf("%s: %s at %v: %s is named", set, p.Kernel, ratio, ids(e.Causes))
				}
			}
		}
	}
}

// inTwoKernels are the planted causes that are named, and nothing else with them, in two kernels or more; sorted.
func inTwoKernels(pairs []explained) []string {
	kernels := map[string][]string{}
	for _, p := range pairs {
		if p.Cause != "" && p.Strict(p.Explanation) == Right && !slices.Contains(kernels[p.Cause], p.Kernel) {
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

// table is what the page of the zoo has of these rules.
func table(pairs []explained) []byte {
	var b bytes.Buffer
	b.WriteString("| kernel, case | fault | planted | ratio | named | share | |\n|:--|:--|:--|--:|:--|--:|:--|\n")
	count, strict := map[string]int{}, map[string]int{}
	confusion := map[[2]string]int{}
	for _, p := range pairs {
		e := p.Explanation
		verdict, planted, named := p.Judge(e), p.Cause, named(e.Causes)
		if planted == "" {
			planted, verdict = "(A/A)", "A/A "+verdict
		}
		count[verdict]++
		if p.Cause != "" {
			strict[p.Strict(e)]++
		}
		confusion[[2]string{planted, named}]++
		fmt.Fprintf(&b, "| %s %s | `%s` | %s | %.2fx | %s | %s | %s |\n", p.Kernel, p.Case, cmp.Or(p.Flag, "–"), planted, math.Exp(p.Log), named, share(e.Causes), verdict)
	}
	b.WriteString("\n## Planted against named\n\n| planted | named | faults |\n|:--|:--|--:|\n")
	for _, k := range slices.SortedFunc(maps.Keys(confusion), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", k[0], k[1], confusion[k])
	}
	fmt.Fprintf(&b, "\nOf %s. Of %d A/A pairs %d name a cause.\n", figures(count), count["A/A "+Right]+count["A/A "+Wrong], count["A/A "+Wrong])
	fmt.Fprintf(&b, "\nStrictly, with the planted cause alone for right and what the list has beside it (`also`) for wrong: of %s.\n", figures(strict))
	twice := inTwoKernels(pairs)
	fmt.Fprintf(&b, "\nStrictly named in two kernels or more, %d causes: %s.\n", len(twice), strings.Join(twice, ", "))
	return b.Bytes()
}

// figures says how many faults of those that slow their kernel down are named right.
func figures(count map[string]int) string {
	all := count[Right] + count[Wrong] + count[Unexplained]
	return fmt.Sprintf("%d faults that slow their kernel down %d are named right (%.0f %%), %d wrong, %d are unexplained",
		all, count[Right], 100*float64(count[Right])/float64(all), count[Wrong], count[Unexplained])
}

// TestVerdicts: a cause that the list has beside the planted one is right, acceptable where it is the first, and strictly wrong.
func TestVerdicts(t *testing.T) {
	p := Pair{Fault: Fault{Cause: "a", Also: []string{"b"}}, Log: 1}
	for _, c := range []struct {
		named                   []string
		judged, strict, verdict string
	}{
		{[]string{"a"}, Right, Right, Right}, {[]string{"b"}, Right, Wrong, Acceptable}, {[]string{"a", "b"}, Right, Wrong, Right}, {[]string{"b", "a"}, Right, Wrong, Acceptable},
		{[]string{"c"}, Wrong, Wrong, Wrong}, {[]string{"a", "c"}, Wrong, Wrong, Wrong}, {nil, Unexplained, Unexplained, Unexplained},
	} {
		var e explain.Explanation
		for _, id := range c.named {
			e.Causes = append(e.Causes, result.Cause{ID: result.CauseID(id)})
		}
		if judged, strict, got := p.Judge(e), p.Strict(e), verdict(p, e); judged != c.judged || strict != c.strict || got != c.verdict {
			t.Errorf("%v: %s, strictly %s, %s", c.named, judged, strict, got)
		}
	}
	faster := Pair{Fault: Fault{Cause: "a"}, Log: -0.2}
	if got := faster.Judge(explain.Explanation{Causes: []result.Cause{{ID: "b"}}}); got != NotSlower {
		t.Errorf("a fault that makes its kernel faster is %s", got)
	}
	if got := verdict(Pair{}, explain.Explanation{}); got != Right {
		t.Errorf("an A/A pair for which nothing is named is %s", got)
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
	for _, p := range recordingOf(t, zooSet) {
		if len(p.Causes) > 0 && string(p.Causes[0].ID) == p.Cause {
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
