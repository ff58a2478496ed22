package rule

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func recorded(t *testing.T, name string) *result.Result {
	t.Helper()
	r, err := result.ReadFile(filepath.Join("testdata", "replay", name+".json"))
	must(t, err)
	return r
}

// rounded is a case as it is saved, without what the order of a sum makes of it.
func rounded(c result.Case) string {
	for _, s := range []**result.Summary{&c.Base, &c.Head} {
		if *s != nil {
			copied := **s
			copied.ProcessCV = float64(float32(copied.ProcessCV))
			*s = &copied
		}
	}
	text, _ := json.Marshal(c)
	return string(text)
}

// Real runs of every kind of outcome are decided again as they were.
func TestRecordedRunsReplay(t *testing.T) {
	paths, err := filepath.Glob("testdata/replay/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d recorded runs, %v", len(paths), err)
	}
	decided := 0
	for _, path := range paths {
		r := recorded(t, strings.TrimSuffix(filepath.Base(path), ".json"))
		j := Replay(r, r.Policy)
		for _, d := range j.Differences {
			t.Errorf("%s: %s", filepath.Base(path), d)
		}
		// What is published is what perfgate wrote, though it was made anew.
		for i, c := range j.Take(*r).Cases {
			if is, was := rounded(c), rounded(r.Cases[i]); is != was {
				t.Errorf("%s: %s\nis  %s\nwas %s", filepath.Base(path), c.Name, is, was)
			}
			if len(c.Looks) > 0 {
				decided++
			}
		}
	}
	if decided < 5 {
		t.Errorf("only %d cases had anything to decide", decided)
	}
}

func TestForgeriesAreFound(t *testing.T) {
	red := func(r *result.Result) *result.Case {
		for i := range r.Cases {
			if r.Cases[i].Verdict == result.Regression {
				return &r.Cases[i]
			}
		}
		panic("the recorded run has no regression")
	}
	for name, c := range map[string]struct {
		forge func(*result.Result)
		words string
	}{
		"the run's verdict": {func(r *result.Result) { r.Conclusion = result.Conclusion{Verdict: result.RunPassed} }, "conclusion: it says pass (exit 0)"},
		"a case's verdict":  {func(r *result.Result) { red(r).Verdict = result.Same }, "its samples come to regression"},
		"everything but the samples": {func(r *result.Result) {
			c := red(r)
			c.Verdict, c.Compared().Theta, c.Compared().Low, c.Compared().High = result.Same, 0, -0.001, 0.001
			r.Conclusion = result.Conclusion{Verdict: result.RunPassed}
		}, "its samples come to regression"},
		"samples taken out":         {func(r *result.Result) { c := red(r); c.Processes = c.Processes[1:] }, "should have 2 to 4 of each"},
		"a round far out":           {func(r *result.Result) { red(r).Processes[0].Round = 1 << 40 }, "rounds 0 to 35"},
		"a negative round":          {func(r *result.Result) { red(r).Processes[0].Round = -1 }, "rounds 0 to 35"},
		"a place that is none":      {func(r *result.Result) { red(r).Processes[0].Position = 9 }, "place 9"},
		"no time":                   {func(r *result.Result) { red(r).Processes[0].ValueNS = 0 }, "took 0 ns"},
		"a mean beyond its samples": {func(r *result.Result) { red(r).Processes[0].ValueNS *= 3 }, "by samples of"},
		"looser policy":             {func(r *result.Result) { r.Policy.Tolerance = 0.9 }, "policy"},
		"more cases planned":        {func(r *result.Result) { r.Policy.Cases = 1 << 30 }, "policy"},
		"a look left out":           {func(r *result.Result) { c := red(r); c.Looks = append(c.Looks, c.Looks[0]) }, "looks"},
		"no samples at all": {func(r *result.Result) {
			c := red(r)
			c.Verdict, c.Processes, c.Looks = result.Improvement, nil, nil
		}, "nothing that it could come from"},
		"a new kernel with a base": {func(r *result.Result) { red(r).Verdict = result.New }, "has a base"},
		"the same code that is not": {func(r *result.Result) {
			c := red(r)
			c.Verdict, c.Processes, c.Looks = result.Same, nil, nil
			c.SetComparison(result.VariantHead, result.VariantBase, nil)
		}, "nothing that it could come from"},
		"records that said otherwise": {func(r *result.Result) {
			c := red(r)
			c.Verdict, c.Processes, c.Looks = result.Same, nil, nil
			c.SetComparison(result.VariantHead, result.Variant{Role: result.RoleRecord}, &result.Comparison{Verdict: result.Slower})
		}, "stored records said slower"},
		"a failed parity": {func(r *result.Result) {
			r.Kernels[0].Parity.Status = result.ParityFailed
			r.Conclusion = result.Conclusion{Verdict: result.RunPassed}
		}, "conclusion"},
		"a kernel twice":      {func(r *result.Result) { r.Kernels = append(r.Kernels, r.Kernels[0]) }, "this name too"},
		"a case twice":        {func(r *result.Result) { r.Cases = append(r.Cases, r.Cases[0]) }, "this name too"},
		"a case of no kernel": {func(r *result.Result) { r.Cases[0].Kernel = "other" }, "no such kernel"},
		"nothing":             {func(r *result.Result) { r.Kernels, r.Cases = nil, nil }, "nothing was built or measured"},
		"accepted by itself":  {func(r *result.Result) { r.Accepted = []result.Accepted{{By: "me"}} }, "accepts nothing"},
		"no method":           {func(r *result.Result) { red(r).Method = nil }, "no method"},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, "regression")
			policy := r.Policy
			c.forge(r)
			j := Replay(r, policy)
			if err := j.Err(); !errors.Is(err, ErrForged) {
				t.Fatalf("nothing was found: %+v", j)
			}
			var all []string
			for _, d := range j.Differences {
				all = append(all, d.String())
			}
			if !strings.Contains(strings.Join(all, "\n"), c.words) {
				t.Errorf("want %q among:\n%s", c.words, strings.Join(all, "\n"))
			}
			if j.Conclusion.Exit == result.ExitPassed && len(r.Cases) > 0 {
				t.Errorf("it passes all the same")
			}
		})
	}
}

// What only the job knows is listed, for whoever decides how far to trust it.
func TestUnproven(t *testing.T) {
	r := recorded(t, "identical")
	if j := Replay(r, r.Policy); len(j.Unproven) == 0 || len(j.Differences) != 0 {
		t.Errorf("%+v", j)
	}
	r = recorded(t, "regression")
	for i, c := range r.Cases {
		r.Cases[i] = result.Case{Name: c.Name, Kernel: c.Kernel, Params: c.Params, Verdict: result.New}
	}
	for i := range r.Kernels {
		r.Kernels[i].Base = nil
	}
	r.Conclusion = result.Conclusion{Verdict: result.RunPassed}
	if j := Replay(r, r.Policy); len(j.Differences) != 0 || !slices.Contains(j.Unproven, Unproven{Kind: UnprovenNew, Kernel: r.Kernels[0].Name}) || len(j.Unproven) != len(r.Kernels) {
		t.Errorf("a result in which all is new says nothing of what it rests on: %+v", j)
	}
	r.Kernels, r.Cases, r.Conclusion = nil, nil, NothingToDo(result.Reason{Kind: result.ReasonUnwatched})
	if j := Replay(r, r.Policy); len(j.Unproven) != 1 || len(j.Differences) != 0 {
		t.Errorf("%+v", j)
	}
}

// Numbers that no verdict rests on are taken from the samples, whatever a result says of them.
func TestForgedNumbersAreNotPublished(t *testing.T) {
	r := recorded(t, "regression")
	at := slices.IndexFunc(r.Cases, func(c result.Case) bool { return c.Verdict == result.Regression })
	was := r.Cases[at]
	forged := was
	q := *was.To(result.RoleBase)
	q.MDE, q.Ratio, q.RatioLow, q.RatioHigh, q.Boot95Low, q.Boot95High, q.RoundsNeeded, q.S, q.SE, q.Delta = 0.9, 7, 6, 8, 0.5, 0.6, 9, 1, 1, 0.1
	forged.SetComparison(result.VariantHead, result.VariantBase, &q)
	head := *was.Head
	head.MedianNS, head.P90NS, head.P99NS, head.ProcessCV, head.SampleCV, head.Processes, head.GFlops, head.GBytesPerSec = 1, 2, 3, 4, 5, 6, 7, 8
	forged.Head = &head
	forged.Looks = slices.Clone(was.Looks)
	forged.Looks[0].Theta, forged.Looks[0].Low = 0.5, 0.4
	r.Cases[at] = forged
	d := Replay(r, r.Policy)
	must(t, d.Err())
	if got := d.Take(*r).Cases[at]; rounded(got) != rounded(was) {
		t.Errorf("published: %s", rounded(got))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
