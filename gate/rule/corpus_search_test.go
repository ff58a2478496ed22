package rule_test

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/stats"
)

// tune is a race of settings that were measured in the same rounds.
type tune struct {
	Confidence     float64    `json:"confidence"`
	Gain           float64    `json:"gain"`
	Shipped        int        `json:"shipped"` // -1: none
	Configurations int        `json:"settings"`
	Cases          []tuneCase `json:"cases"`
}

type tuneCase struct {
	Timer timer `json:"timer"`
	// Lanes have the times of each setting, two a round; none of one that is not measured.
	Lanes [][][2]float64 `json:"lanes"`
}

type tuneAnswer struct {
	Looks  []tuneLook    `json:"looks"`
	Over   bool          `json:"over"`
	Tracks []trackAnswer `json:"tracks"` // the cases, and all together
}

// tuneLook is which settings are still measured in each case after a look.
type tuneLook struct {
	Rounds int     `json:"rounds"`
	Wanted [][]int `json:"wanted"`
}

type trackAnswer struct {
	Best           int           `json:"best"` // -1: none
	Configurations []placeAnswer `json:"settings"`
}

type placeAnswer struct {
	Standing string      `json:"standing"`
	Dropped  bool        `json:"dropped"`
	Level    bool        `json:"level"`
	Behind   *comparison `json:"behind,omitempty"` // the leader
}

func (u *tune) answer() (any, error) {
	e := rule.Elimination{Confidence: u.Confidence, Gain: u.Gain, Cases: len(u.Cases)}
	for setting := range u.Configurations {
		e.Variants = append(e.Variants, variantOf(setting))
	}
	if u.Shipped >= 0 {
		e.Shipped = variantOf(u.Shipped)
	}
	running := rule.NewSurvivors(e)
	out := tuneAnswer{}
	for rounds := 1; rounds <= running.Last() && !running.Over() && u.has(rounds); rounds++ {
		if !running.LooksAt(rounds) {
			continue
		}
		if _, err := running.Look(rounds, u.measured(running, rounds)); err != nil {
			return nil, err
		}
		look := tuneLook{Rounds: rounds}
		for i := range u.Cases {
			look.Wanted = append(look.Wanted, u.wanted(running, i))
		}
		out.Looks = append(out.Looks, look)
	}
	out.Over = running.Over()
	for track := range len(u.Cases) + 1 {
		out.Tracks = append(out.Tracks, u.track(running, track))
	}
	return out, nil
}

// variantOf is the setting with a number.
func variantOf(setting int) result.Variant { return result.ConfigurationNamed(strconv.Itoa(setting)) }

// nameOf is the case with a number, without its processes.
func nameOf(track int) *result.Case { return &result.Case{Name: strconv.Itoa(track)} }

// has says whether so many rounds were measured.
func (u *tune) has(rounds int) bool { return rounds <= len(u.Cases[0].Lanes[0]) }

func (u *tune) wanted(running *rule.Survivors, track int) []int {
	out := []int{}
	for setting := range u.Configurations {
		if running.Wants(nameOf(track), variantOf(setting)) {
			out = append(out, setting)
		}
	}
	return out
}

// measured are the cases with the processes of the settings that are still measured.
func (u *tune) measured(running *rule.Survivors, rounds int) []*result.Case {
	var out []*result.Case
	for track, c := range u.Cases {
		one := nameOf(track)
		one.Method = c.Timer.today()
		for setting, times := range c.Lanes {
			if len(times) == 0 || !running.Wants(one, variantOf(setting)) {
				continue
			}
			for round, both := range times[:rounds] {
				for _, ns := range both {
					one.Processes = append(one.Processes, result.Process{Round: round, Variant: variantOf(setting), ValueNS: ns, Quantiles: result.Quantiles{Min: ns, Max: ns}})
				}
			}
		}
		out = append(out, one)
	}
	return out
}

func (u *tune) track(running *rule.Survivors, track int) trackAnswer {
	out, all := trackAnswer{Best: -1}, running.Standings(track, nil)
	for setting := range u.Configurations {
		q := all[slices.IndexFunc(all, func(q result.Comparison) bool { return q.Of == variantOf(setting) })]
		place := placeAnswer{Standing: standings[q.Verdict]}
		switch {
		case q.IsOfFastest():
			out.Best, place.Standing = setting, "best"
		case q.Verdict != result.Unmeasured:
			place.Dropped, place.Level, place.Behind = q.Low > 0, q.High < math.Log1p(u.Gain), comparisonOf(&q)
		}
		out.Configurations = append(out.Configurations, place)
	}
	return out
}

// standings are the words of the corpus for verdicts.
var standings = map[result.Verdict]string{
	result.Same: "level", result.Inconclusive: "inconclusive", result.Slower: "slower", result.Regression: "slower", result.Unmeasured: "unmeasured",
}

// judged is a run of a candidate beside another, that follows the course of a search.
type judged struct {
	Run        run     `json:"run"`
	Confidence float64 `json:"confidence"`
	Gain       float64 `json:"gain"`
	Claim      float64 `json:"claim"` // chance of error that a confirmation spends; 0 of a screening
}

type judgedAnswer struct {
	Verdict     string        `json:"verdict"` // "" where it could not be judged
	Exit        int           `json:"exit"`
	Unconfirmed bool          `json:"unconfirmed,omitempty"`
	Unmeasured  string        `json:"unmeasured,omitempty"`  // kind of the finding that keeps it from being judged
	BlamesOther bool          `json:"blamesOther,omitempty"` // the other side failed
	Faults      []faultAnswer `json:"faults,omitempty"`
	Stand       *standAnswer  `json:"stand,omitempty"`
	Cases       []string      `json:"cases,omitempty"` // verdicts
	Findings    []finding     `json:"findings,omitempty"`
}

type faultAnswer struct {
	Verdict string `json:"verdict"`
	Kind    string `json:"kind"`
	Code    string `json:"code,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	Case    string `json:"case,omitempty"`
}

type standAnswer struct {
	Standing  string      `json:"standing"`
	Over      bool        `json:"over"`
	ClaimHigh number      `json:"claimHigh"`
	Look      int         `json:"look"`
	Compared  *comparison `json:"comparison"`
}

func (j *judged) course() rule.Course {
	if j.Claim == 0 {
		return rule.Screening(j.Confidence, j.Gain)
	}
	return rule.Confirmation(j.Claim, j.Confidence, j.Gain)
}

func (j *judged) answer() (any, error) {
	course := j.course()
	res, err := j.measured(course)
	if err != nil {
		return nil, err
	}
	out := judgedAnswer{}
	for _, c := range res.Cases {
		out.Cases = append(out.Cases, string(c.Verdict))
	}
	for _, f := range res.Conclusion.Findings {
		out.Findings = append(out.Findings, findingOf(f))
	}
	outcome, err := search.Decide(res, course)
	var unmeasured *search.Unmeasured
	switch {
	case errors.As(err, &unmeasured):
		out.Unmeasured, out.BlamesOther, out.Exit = string(unmeasured.Findings[0].Kind), search.BlamesOther(err), int(result.ExitNotMeasurable)
		return out, nil
	case err != nil:
		return nil, err
	}
	out.Verdict, out.Exit, out.Unconfirmed = string(outcome.Verdict), int(outcome.Verdict.Exit()), outcome.Unconfirmed
	for _, f := range outcome.Faults {
		out.Faults = append(out.Faults, faultAnswer{string(f.Verdict), string(f.Kind), string(f.Code), f.Kernel, f.Case})
	}
	if s := outcome.Stand; s != nil {
		out.Stand = &standAnswer{string(s.Standing), s.Over, number(s.ClaimHigh), s.Compared.Look, comparisonOf(&s.Compared)}
	}
	return out, nil
}

// measured is what rounds leave that are looked at for all cases together, and end for all of them at once.
func (j *judged) measured(course rule.Course) (*result.Result, error) {
	plain := j.Run
	plain.Cases = nil
	res, _, err := plain.decided()
	if err != nil {
		return nil, err
	}
	rounds := math.MaxInt
	for _, one := range j.Run.Cases {
		alone := one
		alone.Rounds = nil
		c, _, err := alone.decided(res.Policy)
		if err != nil {
			return nil, err
		}
		if c.Processes, _, err = processesOf(one.Rounds, false); err != nil {
			return nil, err
		}
		if len(one.Rounds) > 0 {
			rounds, c.Verdict = min(rounds, len(one.Rounds)), result.Undecided
		}
		res.Cases = append(res.Cases, c)
	}
	rounds, err = lookTogether(res, course, rounds)
	if err != nil {
		return nil, err
	}
	for i := range res.Cases {
		c := &res.Cases[i]
		c.Processes = c.Processes[:min(len(c.Processes), 4*min(rounds, len(c.Processes)))]
		if c.Verdict == result.Undecided { // the time budget is exhausted before a look said enough
			c.Verdict, c.BudgetGone = result.Inconclusive, true
		}
	}
	res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
	return res, nil
}

// lookTogether takes the looks of a course, and returns after how many rounds measuring ends.
func lookTogether(res *result.Result, course rule.Course, rounds int) (int, error) {
	for n, size := range course.Looks {
		if size > rounds || rounds == math.MaxInt {
			break
		}
		var all [][]stats.Round
		var timings []rule.Timing
		for _, c := range res.Cases {
			if len(c.Processes) > 0 {
				all, timings = append(all, rule.Rounds(c.Processes[:4*size])), append(timings, rule.TimingOf(*c.Method))
			}
		}
		stand, err := course.Look(all, timings)
		if err != nil {
			return 0, err
		}
		for i := range res.Cases {
			if err := lookInCourse(&res.Cases[i], res.Policy, n+1, size, stand.Over); err != nil {
				return 0, err
			}
		}
		if stand.Over {
			return size, nil
		}
	}
	return rounds, nil
}

// lookInCourse takes one look at a case, which has a verdict only when all looks are over.
func lookInCourse(c *result.Case, p result.Policy, number, rounds int, over bool) error {
	if len(c.Processes) == 0 {
		return nil
	}
	compared, err := rule.CompareProcesses(c.Processes[:4*rounds], number, *c.Method, p)
	if err != nil {
		return err
	}
	c.SetComparison(result.VariantHead, result.VariantBase, &compared)
	if c.Verdict = result.Undecided; over {
		c.Verdict = rule.Decide(compared, p, true)
	}
	c.Looks = append(c.Looks, result.Look{Rounds: rounds, Theta: compared.Theta, Low: compared.Low, High: compared.High, Verdict: c.Verdict})
	return nil
}

// spend is how a search spends its chance of error on requests, each of which was granted or not.
type spend struct {
	Total   float64 `json:"total"`
	Granted []bool  `json:"granted"`
}

func (s *spend) answer() (any, error) {
	var next []number
	for n := range len(s.Granted) + 1 {
		next = append(next, number(rule.Spending{Total: s.Total, Granted: s.Granted[:n]}.Next()))
	}
	return next, nil
}
