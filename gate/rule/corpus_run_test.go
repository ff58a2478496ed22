package rule_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// runAnswer is what a run comes to.
type runAnswer struct {
	Conclusion conclusion   `json:"conclusion"`
	Cases      []caseAnswer `json:"cases,omitempty"`
	Accepted   []string     `json:"accepted,omitempty"`
	// Again is what it comes to when it is decided again from what it holds.
	Again *again  `json:"again,omitempty"`
	Held  *number `json:"held,omitempty"` // tolerance
	Jobs  []int   `json:"jobs,omitempty"` // exit codes
}

// again is a result that was decided again.
type again struct {
	Exit     int        `json:"exit"`
	Forged   bool       `json:"forged"` // it contradicts itself
	Unproven []unproven `json:"unproven,omitempty"`
}

// unproven is what only the word of the job that measured is there for.
type unproven struct {
	Kind   string `json:"kind"`
	Kernel string `json:"kernel,omitempty"`
	Case   string `json:"case,omitempty"`
}

func (r *run) answer() (any, error) {
	res, cases, err := r.decided()
	if err != nil {
		return nil, err
	}
	out := runAnswer{Cases: cases}
	if !r.isGiven() {
		out.Again = decidedAgain(res)
	}
	if r.Held {
		held := number(rule.HeldBy(res))
		out.Held = &held
	}
	for _, words := range r.FailOn {
		on, err := rule.ParseFailOn(words)
		if err != nil {
			return nil, err
		}
		out.Jobs = append(out.Jobs, int(on.Exit(res.Conclusion.Exit, rule.Problems(res.Conclusion))))
	}
	out.Accepted = accept(res, r.Accept)
	out.Conclusion = conclusionOf(res.Conclusion)
	return out, nil
}

// accept lets what was asked for pass, and names the cases.
func accept(res *result.Result, asked []string) (cases []string) {
	if len(asked) == 0 {
		return nil
	}
	rule.AcceptAsked(res, rule.ParseAcceptances(asked), "someone", "a label")
	for _, a := range res.Accepted {
		cases = append(cases, a.Case)
	}
	return cases
}

func decidedAgain(res *result.Result) *again {
	d := rule.Replay(res, res.Policy)
	out := &again{Exit: int(d.Conclusion.Exit), Forged: d.Err() != nil}
	for _, u := range d.Unproven {
		out.Unproven = append(out.Unproven, unproven{string(u.Kind), u.Kernel, u.Case})
	}
	return out
}

// isGiven says whether a case comes with numbers in place of what they are of.
func (r *run) isGiven() bool {
	for _, c := range r.Cases {
		if c.Given != nil {
			return true
		}
	}
	return false
}

// decided decides a run as the gate does.
func (r *run) decided() (*result.Result, []caseAnswer, error) {
	p := r.Policy.today()
	out := &result.Result{
		Schema: result.Schema, Policy: p, Config: result.Config{Trust: "base"}, Machine: result.Machine{Key: "key-" + r.Machine, Model: r.Machine},
		Base: result.Version{Kind: result.KindRevision, Revision: "b453"}, Head: result.Version{Kind: result.KindRevision, Revision: "4ead" + r.Head}, Seed: "42",
	}
	if r.Shard[1] > 0 {
		out.Shard = &result.Shard{Index: r.Shard[0], Of: r.Shard[1], Seed: "42"}
	}
	for _, k := range r.Kernels {
		out.Kernels = append(out.Kernels, k.today())
	}
	var answers []caseAnswer
	for _, one := range r.Cases {
		c, answer, err := one.decided(p)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", one.Name, err)
		}
		out.Cases, answers = append(out.Cases, c), append(answers, answer)
	}
	out.Conclusion = rule.ConcludePart(rule.Part{Cases: out.Cases, Kernels: out.Kernels, IsShard: out.Shard != nil}, p)
	if r.Idle != "" {
		out.Conclusion = rule.NothingToDo(result.Reason{Kind: result.ReasonKind(r.Idle)})
	}
	r.claim(out)
	return out, answers, nil
}

// claim makes a result claim what its samples do not say.
func (r *run) claim(res *result.Result) {
	for i, c := range res.Cases {
		if v, ok := r.Claims[c.Name]; ok {
			res.Cases[i].Verdict = result.Verdict(v)
			res.Conclusion = result.Conclusion{Verdict: result.RunPassed}
		}
		for n, q := range c.Comparisons {
			if v, ok := r.Claims[c.Name+" "+q.To.Name]; ok && q.Of == result.VariantHead && q.To.Role == result.RoleCompetitor {
				c.Comparisons[n].Verdict = result.Verdict(v)
				res.Conclusion = result.Conclusion{Verdict: result.RunPassed}
			}
		}
	}
}

func (p *policy) today() result.Policy {
	if p == nil {
		return rule.Default()
	}
	var waivers []result.Waiver
	for _, w := range p.Waivers {
		waivers = append(waivers, result.Waiver{Cases: w.Cases, Until: w.Until, Tolerance: w.Tolerance, Reason: "a driver", Owner: "@kernels"})
	}
	var goals []result.Goal
	for _, g := range p.Goals {
		goals = append(goals, result.Goal(g))
	}
	return result.Policy{
		Waivers: waivers, Day: p.Day, Goals: goals,
		Tolerance: p.Tolerance, Improvement: p.Improvement, Confidence: p.Confidence, OnInconclusive: result.OnInconclusive(p.OnInconclusive),
		Cases: p.Cases, PlannedLooks: p.PlannedLooks, Rule: p.Rule, MinSpeedups: p.MinSpeedups, Competitors: p.Competitors, NeedsBase: p.NeedsBase,
		Suite: result.Suite{Tolerance: p.Suite, Worst: p.Worst},
	}
}

func (k kernel) today() result.Kernel {
	out := result.Kernel{
		Name: k.Name, Status: result.KernelStatus(k.Status), Reason: whyOf(k.Reason), Adapter: result.AdapterFault(k.Adapter), Base: k.Base.today(), Head: k.Head.today(), Skipped: k.Skipped,
		Parity: result.Parity{Status: result.ParityStatus(k.Parity.Status), ErrorSide: result.Side(k.Parity.Side), Reason: whyOf(k.Parity.Reason), Run: k.Parity.Run},
	}
	if k.Parity.Code != "" {
		out.Parity.Failure = &result.ParityFailure{Case: "the smallest", Code: result.Code(k.Parity.Code)}
	}
	for _, l := range k.Limits {
		out.Limits = append(out.Limits, result.OverLimit{Key: l.Key, Function: l.Function, Needs: l.Needs, Limit: l.Limit, Over: l.Over})
	}
	for _, u := range k.Uncompared {
		out.Uncompared = append(out.Uncompared, result.Uncompared{Reason: *whyOf(u.Reason), Only: u.Only, Approved: u.Approved})
	}
	if e := k.Environment; e != nil {
		out.Environment = &result.Environment{Only: e.Only, Count: e.Packages}
	}
	if b := k.Benchmark; b != nil {
		out.Benchmark = &result.Benchmark{Format: b.Format, OurClock: b.OurClock}
	}
	for _, c := range k.Competitors {
		out.Competitors = append(out.Competitors, result.Competitor{Name: c.Name, MinSpeedup: c.MinSpeedup, Status: result.CompetitorStatus(c.Status), Adapter: c.Adapter})
	}
	return out
}

func (b *build) today() *result.Build {
	if b == nil {
		return nil
	}
	return &result.Build{Fingerprint: b.Code, Failed: b.Failed, Cause: result.BuildCause(b.Cause)}
}

func whyOf(kind string) *result.Reason {
	if kind == "" {
		return nil
	}
	return &result.Reason{Kind: result.ReasonKind(kind)}
}

func (t *timer) today() *result.Method {
	if t == nil {
		return nil
	}
	return &result.Method{Clock: t.Clock, Launches: t.Launches, LaunchNS: t.LaunchNS, QuantumNS: t.StepNS}
}

// letters are the variants that the letters of an order stand for.
var letters = map[rune]result.Variant{
	'A': result.VariantBase, 'B': result.VariantHead, 'R': result.CompetitorNamed("R"), 'S': result.CompetitorNamed("S"), 'T': result.CompetitorNamed("T"),
}

// processesOf are the processes of rounds by side: those of base and head in one, and those of each competitor.
func processesOf(rounds []round, foreign bool) (sides []result.Process, competitors map[string][]result.Process, err error) {
	competitors = map[string][]result.Process{}
	for i, r := range rounds {
		for place, letter := range r.Order {
			p, err := r.process(place, foreign)
			if err != nil {
				return nil, nil, err
			}
			p.Round, p.Position, p.Variant = i, place, letters[letter]
			if p.Variant.Role == result.RoleCompetitor {
				competitors[p.Variant.Name] = append(competitors[p.Variant.Name], p)
			} else {
				sides = append(sides, p)
			}
		}
	}
	return sides, competitors, nil
}

// process is the one at a place of a round. What is not said of its samples is as its times need it.
func (r round) process(place int, foreign bool) (p result.Process, err error) {
	if len(r.Samples) > 0 {
		y, err := stats.LogProcess(r.Samples[place])
		if err != nil {
			return p, err
		}
		p.ValueNS = math.Exp(y)
	} else {
		p.ValueNS = r.NS[place]
	}
	at := func(of []float64, missing float64) float64 {
		if len(of) == 0 {
			return missing
		}
		return of[place]
	}
	p.ElapsedNS, p.WaitedNS = at(r.Elapsed, p.ValueNS), at(r.Waited, 0)
	if beyond := at(r.Beyond, 0); beyond != 0 {
		p.TimingCheck = &result.TimingCheck{ClaimedNS: p.ValueNS, BeyondNS: beyond, CPUNS: at(r.CPU, 0), Launches: 1}
	}
	mean := p.ElapsedNS - p.WaitedNS
	p.Quantiles = result.Quantiles{Min: min(p.ValueNS, mean), Max: at(r.Most, max(p.ValueNS, mean))}
	if foreign {
		p.ElapsedNS = 0
	}
	return p, nil
}

func (c oneOf) decided(p result.Policy) (result.Case, caseAnswer, error) {
	out := result.Case{
		Name: c.Name, Kernel: c.Kernel, Method: c.Timer.today(), Verdict: result.Verdict(c.Verdict), ErrorSide: result.Side(c.Side), ErrorCode: result.Code(c.Code), Reason: whyOf(c.Reason),
		BudgetGone: c.BudgetGone, BudgetNeededS: c.BudgetNeeded,
	}
	answer := caseAnswer{Name: c.Name}
	if c.Record != nil {
		known, err := c.Record.screen(&out, p)
		if err != nil {
			return out, answer, err
		}
		answer.Record = known
	}
	if c.WithinBest {
		out.Stored = &result.Stored{WithinBest: true}
	}
	if c.Given != nil {
		out.Looks = make([]result.Look, c.Given.Looks)
		out.SetComparison(result.VariantHead, result.VariantBase, c.Given.Compared.today())
	}
	sides, competitors, err := processesOf(c.Rounds, out.Method != nil && out.Method.IsForeign())
	if err != nil {
		return out, answer, err
	}
	if len(sides) > 0 && out.Verdict == "" {
		out.Processes = sides
		if answer.Looks, err = takeLooks(&out, p.OfCase(out)); err != nil {
			return out, answer, err
		}
	}
	for i, v := range c.Competitors {
		processes := competitors["RST"[i:i+1]]
		for j := range processes {
			processes[j].Variant.Name = v.Name
		}
		head, base, err := v.decided(slices.Concat(sides, processes), out.Method, p)
		if err != nil {
			return out, answer, err
		}
		out.Comparisons = append(out.Comparisons, head)
		if base != nil {
			out.Comparisons = append(out.Comparisons, *base)
		}
		answer.Competitors = append(answer.Competitors, keepAnswerOf(&head, base))
	}
	for i := range c.Competitors {
		out.Processes = append(out.Processes, competitors["RST"[i:i+1]]...)
	}
	if c.Best != nil {
		answer.Best, err = c.Best.decided(&out, p)
	}
	answer.Verdict, answer.Compared = string(out.Verdict), comparisonOf(out.Compared())
	return out, answer, err
}

// takeLooks goes through the looks of a case as a run does, until one decides.
func takeLooks(c *result.Case, p result.Policy) (looks []lookAnswer, err error) {
	c.Verdict = result.Undecided
	for n, size := range rule.LooksOf(rule.Rounds(c.Processes)) {
		if c.Verdict != result.Undecided {
			break
		}
		first := slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Round >= size })
		compared, err := rule.CompareProcesses(first, n+1, *c.Method, p)
		if err != nil {
			return nil, err
		}
		c.Verdict = rule.Decide(compared, p, n+1 == rule.PlannedLooks(p))
		c.SetComparison(result.VariantHead, result.VariantBase, &compared)
		c.Looks = append(c.Looks, result.Look{Rounds: size, Theta: compared.Theta, Low: compared.Low, High: compared.High, Verdict: c.Verdict})
		looks = append(looks, lookAnswer{
			Rounds: compared.Rounds, Verdict: string(c.Verdict), Theta: number(compared.Theta), Low: number(compared.Low), High: number(compared.High), PassHigh: number(compared.PassHigh),
		})
	}
	if c.Verdict == result.Undecided && c.BudgetGone {
		c.Verdict = result.Inconclusive
	}
	return looks, nil
}

// decided takes the looks at a competitor as a run does, as long as one is wanted.
func (v versus) decided(processes []result.Process, m *result.Method, p result.Policy) (head result.Comparison, base *result.Comparison, err error) {
	head = rule.ToCompetitor(v.Name, v.MinSpeedup)
	if v.Verdict != "" {
		if given := v.Compared.today(); given != nil {
			head = given.Between(head.Of, head.To)
		}
		head.MinSpeedup, head.Verdict, head.BudgetGone = v.MinSpeedup, result.Verdict(v.Verdict), v.BudgetGone
		return head, nil, nil
	}
	head.BudgetGone = v.BudgetGone
	for i, size := range rule.CompetitorLooks(p.Competitors) {
		if !rule.CompetitorWanted(head, p) || !rule.InRounds(head.To, processes, size) {
			break
		}
		var ofBase result.Comparison
		if head, ofBase, err = rule.LookAtCompetitor(head, processes, i+1, rule.TimingOf(*m), p); err != nil {
			return head, nil, err
		}
		base = &ofBase
	}
	return head, base, nil
}

// decided holds a case against its best-known level, where it may fail for that.
func (b beside) decided(c *result.Case, p result.Policy) (*bestAnswer, error) {
	if !rule.MayFailCumulatively(c.Verdict) && p.Suite.Worst == 0 {
		return &bestAnswer{}, nil
	}
	sides, _, err := processesOf(b.Rounds, false)
	if err != nil {
		return nil, err
	}
	of := result.Case{Processes: sides, Method: c.Method}
	if _, err := takeLooks(&of, rule.CumulativePolicy(p, b.Limit)); err != nil {
		return nil, err
	}
	if c.Stored == nil {
		c.Stored = &result.Stored{}
	}
	c.Stored.CumulativeLimit = b.Limit
	if q := of.Compared(); q != nil {
		q.Verdict = of.Verdict
		c.SetComparison(result.VariantHead, result.Variant{Role: result.RoleBestKnown}, q)
	}
	return &bestAnswer{Verdict: string(of.Verdict), Compared: comparisonOf(of.Compared())}, nil
}
