package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/saved"
)

// sample is a small result with something in every kind of field.
func sample() *Result {
	return &Result{
		Schema: Schema, Started: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC), Repro: "perfgate run --base 'a b' && true",
		Conclusion: Conclusion{Verdict: RunFailed, Exit: ExitFailed, Counts: map[Verdict]int{Regression: 1}},
		Policy:     Policy{Tolerance: 0.015, Improvement: 0.1, Confidence: 0.99, OnInconclusive: OnInconclusiveStop, Cases: 1, Rule: RuleVersion},
		Base:       Version{Kind: KindDirectory, Label: "base"},
		Head:       Version{Kind: KindWorktree, Label: "head", Flags: []string{"-O3"}},
		Kernels:    []Kernel{{Name: "attention", Status: KernelCompared, Parity: Parity{Status: ParityPassed, Run: 3}}},
		Cases: []Case{{
			Name: "attention/B=1", Kernel: "attention", Params: []Param{{"B", "1"}}, Verdict: Regression,
			Looks:       []Look{{Rounds: 4, Verdict: Regression}},
			Comparisons: HeadToBase(&Comparison{Rounds: 4, Ratio: 1.92}),
			Processes:   []Process{{Variant: VariantHead, ValueNS: 812345.25}},
		}},
		Rounds: []Round{{Order: "ABBA"}},
	}
}

func written(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	must(t, Write(&b, r))
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	got, err := Read(strings.NewReader(written(t, want)))
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestSamples reads the recorded runs that reports are tested with.
func TestSamples(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/report/*/result.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d samples, %v", len(paths), err)
	}
	for _, path := range paths {
		r, err := ReadArtifact(path)
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := Read(strings.NewReader(written(t, r)))
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s reads differently when written anew (%v)", path, err)
		}
	}
}

// TestBadFiles damages a good result, one place at a time, by what package saved does not know of: its words, and what goes with what.
func TestBadFiles(t *testing.T) {
	good := written(t, sample())
	replaced := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the sample has no %s", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"older", `{"schema": "perfgate/result/v1"}`, "measure again"},
		{"newer", replaced(Schema, "perfgate/result/v4"), "perfgate/result/v4, and this perfgate reads perfgate/result/v3"},
		{"unknown verdict", replaced(`"verdict": "regression"`, `"verdict": "fine"`), `r.json: cases[0].verdict: "fine" is none of`},
		{"unknown status", replaced(`"status": "compared"`, `"status": "ok"`), `r.json: kernels[0].status: "ok" is none of compared`},
		{"unknown parity", replaced(`"status": "passed"`, `"status": "fine"`), `kernels[0].parity.status`},
		{"unknown role", replaced(`"role": "head"`, `"role": "tail"`), `cases[0].processes[0].variant.role`},
		{"unknown order", replaced(`"ABBA"`, `"AABA"`), `rounds[0].order`},
		{"too many parameters", replaced(`"params": [`, `"params": [`+strings.Repeat(`{"name": "a", "value": "1"},`, 256)), `r.json: cases[0].params: 257 entries, at most 256`},
		{"many samples", replaced(`"processes": [`, `"processes": [`+strings.Repeat(`{"checks": 1},`, 5000)), "processes: 5001 entries"},
		{"many cases", replaced(`"cases": [`, `"cases": [`+strings.Repeat(`{"verdict": "same"},`, 10_001)), "cases: 10002 entries"},
		{"error with exit 1", replaced(`"verdict": "fail"`, `"verdict": "error"`), `conclusion.exit: 1 does not go with "error", which has 3`},
		{"pass with exit 1", replaced(`"verdict": "fail"`, `"verdict": "pass"`), `conclusion.exit: 1 does not go with "pass", which has 0`},
		{"fail with exit 0", replaced(`"exit": 1`, `"exit": 0`), `conclusion.exit: 0 does not go with "fail"`},
	} {
		path := filepath.Join(t.TempDir(), "r.json")
		must(t, os.WriteFile(path, []byte(c.text), 0o666))
		_, err := ReadFile(path)
		var bad *saved.Error
		if !errors.As(err, &bad) {
			t.Errorf("%s: error is %T %v, not a *saved.Error", c.name, err, err)
			continue
		}
		message := strings.ReplaceAll(err.Error(), path, "r.json")
		if !strings.Contains(message, c.want) || !strings.HasPrefix(message, "r.json:") {
			t.Errorf("%s: %q, want %q", c.name, message, c.want)
		}
	}
}

// FindingKinds and Effects list what is declared: what is not in them is refused when it is read.
func TestKindsAreListed(t *testing.T) {
	text, err := os.ReadFile("finding.go")
	must(t, err)
	declared := regexp.MustCompile(`(?m)^\t(Finding|Effect)\w+ +(FindingKind|Effect) += "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1)
	listed := append(Words(FindingKinds), Words(Effects)...)
	for _, d := range declared {
		if !slices.Contains(listed, d[3]) {
			t.Errorf("%s is declared and not listed", d[3])
		}
	}
	if len(declared) != len(listed) {
		t.Errorf("%d declared, %d listed", len(declared), len(listed))
	}
}

// TestVariantsOfNoRun: a process or a comparison that no run has is refused, whatever else is right.
func TestVariantsOfNoRun(t *testing.T) {
	lib := CompetitorNamed("lib")
	best, record := Variant{RoleBestKnown, "b357"}, Variant{RoleRecord, "c0de"}
	whole := func() *Result {
		r := sample()
		c := &r.Cases[0]
		c.Stored = &Stored{Commit: "c0de", BestCommit: "b357"}
		c.Processes = []Process{
			{Variant: VariantBase}, {Variant: VariantHead}, {Variant: lib},
			{Variant: VariantHead, Purpose: PurposeScreening}, {Variant: VariantHead, Purpose: PurposeBestKnown}, {Variant: best, Purpose: PurposeBestKnown},
		}
		c.Comparisons = []Comparison{
			{Of: VariantHead, To: VariantBase, Verdict: Regression}, {Of: VariantHead, To: record, Verdict: Slower}, {Of: VariantHead, To: best, Verdict: Error},
			{Of: VariantHead, To: lib, MinSpeedup: 1.2, Verdict: Met}, {Of: VariantBase, To: lib},
		}
		return r
	}
	if _, err := Read(strings.NewReader(written(t, whole()))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		forge func(*Case)
	}{
		{`cases[0].verdict: "met" is none of`, func(c *Case) { c.Verdict = Met }},
		{`cases[0].looks[0].verdict: "unmeasured" is none of`, func(c *Case) { c.Looks[0].Verdict = Unmeasured }},
		{`cases[0].processes[0].variant.role: "" is none of`, func(c *Case) { c.Processes[0].Variant = Variant{} }},
		{`cases[0].processes[0].purpose: "fun" is none of`, func(c *Case) { c.Processes[0].Purpose = "fun" }},
		{`cases[0].processes[0].variant: "base" has no name, and here it is "x"`, func(c *Case) { c.Processes[0].Variant.Name = "x" }},
		{`cases[0].processes[2].variant: a competitor has a name`, func(c *Case) { c.Processes[2].Variant.Name = "" }},
		{`cases[0].processes[1].variant.role: "record" has no processes of purpose ""`, func(c *Case) { c.Processes[1].Variant = record }},
		{`cases[0].processes[5].variant.role: "best-known" has no processes of purpose ""`, func(c *Case) { c.Processes[5].Purpose = PurposeRounds }},
		{`cases[0].processes[0].variant.role: "base" has no processes of purpose "screening"`, func(c *Case) { c.Processes[0].Purpose = PurposeScreening }},
		{`cases[0].processes[2].variant.role: "competitor" has no processes of purpose "best-known"`, func(c *Case) { c.Processes[2].Purpose = PurposeBestKnown }},
		{`cases[0].processes[5].variant: head is not compared with "other"`, func(c *Case) { c.Processes[5].Variant.Name = "other" }},
		{`cases[0].comparisons[0].of.role: "" is none of`, func(c *Case) { c.Comparisons[0].Of = Variant{} }},
		{`cases[0].comparisons[0].to.role: "tail" is none of`, func(c *Case) { c.Comparisons[0].To.Role = "tail" }},
		{`cases[0].comparisons[0]: "base" is compared with "head" in no case`, func(c *Case) { c.Comparisons[0].Of, c.Comparisons[0].To = VariantBase, VariantHead }},
		{`cases[0].comparisons[0]: "head" is compared with "head" in no case`, func(c *Case) { c.Comparisons[0].To = VariantHead }},
		{`cases[0].comparisons[4]: "competitor" is compared with "competitor" in no case`, func(c *Case) { c.Comparisons[4].Of = lib }},
		{`cases[0].comparisons[4].to: a competitor has a name`, func(c *Case) { c.Comparisons[4].To.Name = "" }},
		{`cases[0].comparisons[0].verdict: "fine" is none of`, func(c *Case) { c.Comparisons[0].Verdict = "fine" }},
		{`cases[0].comparisons[0].verdict: "met" is none of a comparison of "head" with "base"`, func(c *Case) { c.Comparisons[0].Verdict = Met }},
		{`cases[0].comparisons[1].verdict: "error" is none of`, func(c *Case) { c.Comparisons[1].Verdict = Error }},
		{`cases[0].comparisons[2].verdict: "met" is none of`, func(c *Case) { c.Comparisons[2].Verdict = Met }},
		{`cases[0].comparisons[3].verdict: "same" is none of`, func(c *Case) { c.Comparisons[3].Verdict = Same }},
		{`cases[0].comparisons[4].verdict: "met" is none of`, func(c *Case) { c.Comparisons[4].Verdict = Met }},
		{`cases[0].comparisons[1]: "head" is compared with "base" twice`, func(c *Case) { c.Comparisons[1] = c.Comparisons[0] }},
		{`cases[0].comparisons[5]: "head" is compared with "lib" twice`, func(c *Case) { c.Comparisons = append(c.Comparisons, c.Comparisons[3]) }},
		{`cases[0].comparisons[5]: "head" is compared with "else" twice`, func(c *Case) {
			c.Comparisons = append(c.Comparisons, Comparison{Of: VariantHead, To: Variant{RoleBestKnown, "else"}})
		}},
		{`cases[0].comparisons[1].to: "else" is none of the commits of the case's records`, func(c *Case) { c.Comparisons[1].To.Name = "else" }},
		{`cases[0].comparisons[1].to: "c0de" is none of the commits`, func(c *Case) { c.Stored = nil }},
		{`cases[0].comparisons[0].minSpeedup: only head has one, over a competitor`, func(c *Case) { c.Comparisons[0].MinSpeedup = 1.2 }},
		{`cases[0].comparisons[4].minSpeedup: only head has one`, func(c *Case) { c.Comparisons[4].MinSpeedup = 1.2 }},
		{`cases[0].comparisons[3].tolerance: a comparison with a competitor has none`, func(c *Case) { c.Comparisons[3].Tolerance = 0.02 }},
		{`cases[0].comparisons: 10 entries, at most 9`, func(c *Case) { c.Comparisons = slices.Repeat(c.Comparisons, 2) }},
		{`cases[0].processes: 4098 entries, at most 4096`, func(c *Case) { c.Processes = slices.Repeat(c.Processes, 683) }},
	} {
		r := whole()
		c.forge(&r.Cases[0])
		text, err := json.Marshal(r)
		must(t, err)
		_, err = Read(bytes.NewReader(text))
		var bad *saved.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// FuzzRead: whatever comes in, what is accepted can be written, and read again as the same.
func FuzzRead(f *testing.F) {
	var small bytes.Buffer
	if err := Write(&small, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes())
	f.Add([]byte(`{"schema": "perfgate/result/v1"}`))
	f.Add([]byte(`[[[[[[[[[[[[[[[[[[[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, r); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := Read(&again); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}

// TestAllOfALargeRunIsSaved: a round has all cases, and a case all of its processes.
func TestAllOfALargeRunIsSaved(t *testing.T) {
	r := sample()
	r.Cases[0].Processes = slices.Repeat([]Process{{Variant: VariantHead}}, 144)
	r.Rounds = slices.Repeat([]Round{{Order: "ABBA", Cases: slices.Repeat([]string{"k"}, 5000)}}, 36)
	got, err := Read(strings.NewReader(written(t, r)))
	if err != nil || len(got.Rounds[35].Cases) != 5000 || len(got.Cases[0].Processes) != 144 {
		t.Errorf("%v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
