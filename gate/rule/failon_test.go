package rule

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestProblems(t *testing.T) {
	built := result.Kernel{Name: "k", Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed}}
	wrong, unbuilt, broken, crashed, gone := built, built, built, built, built
	wrong.Parity.Status = result.ParityFailed
	crashed.Parity = result.Parity{Status: result.ParityError, ErrorSide: result.SideHead}
	unbuilt.Head = &result.Build{Failed: true}
	broken.Limits = []result.OverLimit{{Key: "registers", Needs: 255, Limit: 128}}
	gone.Head = nil
	one := func(v result.Verdict) []result.Case {
		return []result.Case{{Name: "k/a", Kernel: "k", Verdict: v, ErrorSide: result.SideHead}}
	}
	left := one(result.Inconclusive)
	left[0].Looks = looks(mostLooks)
	left[0].SetComparison(result.VariantHead, result.VariantBase, &result.Comparison{Rounds: 34, Theta: 0.1, Low: 0.01, MDE: 0.01})
	lost := one(result.Slower)
	lost[0].Stored = &result.Stored{}
	lost[0].SetComparison(result.VariantHead, result.Variant{Role: result.RoleBestKnown}, &result.Comparison{Verdict: result.Regression})
	conclude := func(cases []result.Case, kernels ...result.Kernel) result.Conclusion {
		return Conclude(cases, kernels, Default())
	}
	for name, c := range map[string]struct {
		concluded result.Conclusion
		want      string
	}{
		"passed":            {result.Conclusion{}, ""},
		"could not measure": {result.Conclusion{Exit: result.ExitNotMeasurable}, "error"},
		"regression":        {conclude(one(result.Regression), built), "regression"},
		"open, failed":      {conclude(left, built), "regression"},
		"lost":              {conclude(lost, built), "regression"},
		"wrong":             {conclude(one(result.Skipped), wrong), "parity"},
		"crashed in parity": {conclude(one(result.Skipped), crashed), "parity"},
		"slower, not why":   {conclude(one(result.Slower), wrong), "parity"},
		"does not build":    {conclude(nil, unbuilt), "build"},
		"resource limit":    {conclude(nil, broken), "build"},
		"kernel gone":       {conclude(one(result.Skipped), gone), "build"},
		"head crashed":      {conclude(one(result.Error), built), "build"},
		"two":               {conclude(one(result.Regression), wrong), "regression, parity"},
		"no finding":        {result.Conclusion{Exit: result.ExitFailed}, "regression, parity, build"},
	} {
		if got := strings.Join(result.Words(Problems(c.concluded)), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestFailOn(t *testing.T) {
	for text, codes := range map[string]map[Problem]result.ExitCode{
		"any":          {"regression": 1, "parity": 1, "build": 1, "error": 3},
		"never":        {"regression": 0, "parity": 0, "build": 0, "error": 0},
		"parity":       {"regression": 0, "parity": 1, "build": 0, "error": 0},
		"parity,error": {"regression": 0, "parity": 1, "build": 0, "error": 3},
	} {
		f, err := ParseFailOn(text)
		if err != nil {
			t.Fatal(err)
		}
		for problem, want := range codes {
			code := result.ExitFailed
			if problem == ProblemError {
				code = result.ExitNotMeasurable
			}
			if got := f.Exit(code, []Problem{problem}); got != want {
				t.Errorf("%s, %s: %d, want %d", text, problem, got, want)
			}
		}
	}
}
