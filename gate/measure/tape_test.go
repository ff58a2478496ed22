package measure

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// How long each thing takes on a tape, by a clock that only the tape moves. No two things that run beside each other end at once.
const (
	takesCall  = 1000003 * time.Nanosecond
	takesStart = 500009 * time.Nanosecond
	takesOpen  = 700001 * time.Nanosecond
	takesClose = 300007 * time.Nanosecond
)

// tape is a bench that writes down, in order, what is asked of it.
type tape struct {
	*bench
	mu        sync.Mutex
	lines     []taped
	at        string // round and position of what is measured
	processes int
	asked     map[string]int // by what fault is told
	shift     map[string]float64
	fault     func(op, library, name string, nth int) error // may be nil
	tensors   map[string]string                             // the type of a library's tensors, where it is not f32
	unwell    func(question int) string                     // may be nil
	checked   bool                                          // by an external clock
	timing    time.Duration                                 // of a time command, beside takesCall
}

type taped struct {
	at         time.Time
	background bool
	text       string
}

func newTape() *tape {
	return &tape{bench: newBench(5), asked: map[string]int{}, shift: map[string]float64{}, tensors: map[string]string{}}
}

func (p *tape) say(format string, args ...any) { p.write(false, format, args...) }

// aside says what may go on beside the process that measures.
func (p *tape) aside(format string, args ...any) { p.write(true, format, args...) }

func (p *tape) write(background bool, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if !background {
		text = fmt.Sprintf("%-14s %s", p.at, text)
	} else {
		text = fmt.Sprintf("%-14s %s", "", text)
	}
	p.lines = append(p.lines, taped{time.Now(), background, text})
}

// text is all that was said. A gap is a pause, as after a voided round.
func (p *tape) text() string {
	slices.SortStableFunc(p.lines, func(a, b taped) int {
		if c := a.at.Compare(b.at); c != 0 || !a.background && !b.background {
			return c
		}
		if a.background != b.background {
			return map[bool]int{true: -1, false: 1}[a.background]
		}
		return cmp.Compare(a.text, b.text)
	})
	var out strings.Builder
	last := time.Now()
	if len(p.lines) > 0 {
		last = p.lines[0].at
	}
	for _, l := range p.lines {
		if gap := l.at.Sub(last); gap >= time.Second/2 {
			fmt.Fprintf(&out, "%-14s %s pass\n", "", gap.Round(time.Millisecond))
		}
		last = l.at
		out.WriteString(strings.TrimRight(l.text, " ") + "\n")
	}
	return out.String()
}

// fails counts what is asked and says whether it goes wrong.
func (p *tape) fails(op, library, name string) error {
	p.mu.Lock()
	key := op + " " + library
	p.asked[key]++
	nth := p.asked[key]
	p.mu.Unlock()
	if p.fault == nil {
		return nil
	}
	return p.fault(op, library, name, nth)
}

// wait lets time pass, unless the context ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func (p *tape) start(ctx context.Context, library string) (kernels.Process, error) {
	err := cmp.Or(wait(ctx, takesStart), p.fails("start", library, ""))
	p.processes++
	p.say("start %d of %s%s", p.processes, library, wrong(err))
	if err != nil {
		return nil, err
	}
	r, _ := p.bench.start(ctx, library)
	return &tapedRunner{fakeRunner: r.(*fakeRunner), tape: p, number: p.processes}, nil
}

func (p *tape) open(ctx context.Context, side result.Side, library string) (kernels.Process, error) {
	err := cmp.Or(wait(ctx, takesOpen), p.fails("open", library, ""))
	p.aside("open one for %s %s%s", cmp.Or(string(side), "a competitor:"), library, wrong(err))
	if err != nil {
		return nil, err
	}
	r, _ := p.bench.open(ctx, library)
	return &tapedRunner{fakeRunner: r.(*fakeRunner), tape: p}, nil
}

func (p *tape) health() string {
	said := ""
	if p.fails("health", "", ""); p.unwell != nil {
		said = p.unwell(p.asked["health "])
	}
	p.say("health %q", said)
	return said
}

func (p *tape) progress(g Progress) {
	p.at = fmt.Sprintf("%d.%d (%d left)", g.Round, g.Process, g.Open)
}

func (p *tape) options(cases int) Options {
	return Options{
		Policy: policy(0.015, cases), Budget: time.Hour, Seed: 7, Start: p.start, Progress: p.progress, Health: p.health, NoTimingCheck: !p.checked,
	}
}

func wrong(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

type tapedRunner struct {
	*fakeRunner
	tape   *tape
	number int // of a process that was used, from 1
}

func (r *tapedRunner) Call(ctx context.Context, op, name string, args, answer any, limit time.Duration) error {
	p := r.tape
	if r.number == 0 {
		p.processes++
		r.number = p.processes
	}
	takes := takesCall
	if op == "time" {
		takes += p.timing
	}
	err := cmp.Or(wait(ctx, takes), p.fails(op, r.library, name))
	if err == nil {
		err = r.fakeRunner.Call(ctx, op, name, args, answer, limit)
	}
	r.answer(name, args, answer)
	p.say("%s %s in %d of %s%s%s", op, name, r.number, r.library, details(args), wrong(err))
	return err
}

// answer bends what the bench says.
func (r *tapedRunner) answer(name string, args, answer any) {
	switch a := answer.(type) {
	case *kernels.SpecReply:
		if other := r.tape.tensors[r.library]; other != "" && len(a.Tensors) > 0 {
			a.Tensors[0].Dtype = other
		}
	case *kernels.TimeReply:
		if shift := r.tape.shift[name]; shift != 0 && strings.HasPrefix(r.library, "head") {
			for i := range a.Samples {
				a.Samples[i] *= shift
			}
		}
		cmd := args.(kernels.TimeCommand)
		if cmd.Deliver != "" {
			a.Checks = make([]kernels.OutputCheck, 1)
			os.WriteFile(cmd.Deliver+"0", nil, 0o600)
		}
		if cmd.TimingCheck != "" {
			a.Seen = r.seen(a.Samples, cmd.Method.Launches)
		}
	case *kernels.ParityReply:
		a.Elements, a.Passed = 1, true
	}
}

func details(args any) string {
	switch a := args.(type) {
	case kernels.TimeCommand:
		out := fmt.Sprintf(": seed %s, %d × %d, %d checks by %s", a.Seed, a.Method.Samples, a.Method.Launches, a.Checks, a.Oracle)
		if a.NoCanaries {
			out += ", no canaries"
		}
		if a.TimingCheck != "" {
			out += fmt.Sprintf(", %s checked", a.TimingCheck)
		}
		if a.RenewMade {
			out += ", renewed"
		}
		return out
	case kernels.JudgeCommand:
		return fmt.Sprintf(": seed %s, %s by %s", a.Seed, filepath.Base(a.Outputs), a.Oracle)
	case map[string]any:
		if seed, ok := a["seed"]; ok {
			return fmt.Sprintf(": seed %s", seed)
		}
		if library, ok := a["adapter"]; ok {
			return fmt.Sprintf(": %s", library)
		}
		if ns, ok := a["limitNs"]; ok {
			return fmt.Sprintf(": %v ns, fixed %v", ns, a["fixed"])
		}
	}
	return ""
}

func (r *tapedRunner) Leave() { r.tape.say("leave %d", r.number) }

func (r *tapedRunner) Close() {
	time.Sleep(takesClose)
	if r.number == 0 {
		r.tape.aside("close one that nobody used")
	} else {
		r.tape.aside("close %d", r.number)
	}
	r.fakeRunner.Close()
}

// tapedProgram is a benchmark on the tape.
type tapedProgram struct {
	*program
	tape *tape
}

func (p *tapedProgram) Start(ctx context.Context, side result.Side, waits bool) (kernels.Process, error) {
	if waits {
		err := wait(ctx, takesOpen)
		p.tape.aside("open a benchmark for %s%s", side, wrong(err))
		if err != nil {
			return nil, err
		}
	}
	return answering{p, side}, nil
}

func (p *tapedProgram) Calibrate(ctx context.Context, side result.Side, cases []string, methods map[string]result.Method) (map[string]Reading, error) {
	p.tape.say("benchmark of %s says how it times %s, %d known", side, strings.Join(cases, " "), len(methods))
	return p.program.Calibrate(ctx, side, cases, methods)
}

func (p *tapedProgram) Time(ctx context.Context, side result.Side, cases []string, methods map[string]result.Method) (map[string]Reading, error) {
	err := wait(ctx, takesCall)
	p.tape.say("benchmark of %s times %s%s", side, strings.Join(cases, " "), wrong(err))
	if err != nil {
		return nil, err
	}
	return p.program.Time(ctx, side, cases, methods)
}

// outcome writes down what was found.
func (p *tape) outcome(out Outcome, err error) {
	p.at = ""
	p.say("outcome%s", wrong(err))
	p.say("warm-up %+v, %.6f s in runners", out.WarmUp, out.RunnersSeconds)
	for _, phase := range result.Phases {
		if s, ok := out.Phases[phase]; ok {
			p.say("%.6f s of %s", s, phase)
		}
	}
	if out.BudgetGone {
		p.say("budget gone")
	}
	for _, note := range out.Notes {
		p.say("note %s", note)
	}
	for _, r := range out.Rounds {
		p.say("round %d %s of %s, %.6f s, voided %q", r.Index, r.Order, strings.Join(r.Cases, " "), r.Seconds, r.Voided)
	}
	for _, c := range out.Cases {
		p.found(c)
	}
}

func (p *tape) found(c *Case) {
	head := slices.IndexFunc(c.Subject.Variants, func(v Variant) bool { return v.Role == result.RoleHead })
	p.say("case %s of %s: %s, side %q, code %q, reason %q, budget gone %v, %.6g s needed", c.Subject.Name, c.Subject.Variants[head].Library, c.Verdict, c.ErrorSide, c.ErrorCode, reasonOn(c.Reason), c.BudgetGone, c.BudgetNeededS)
	if c.Method != nil {
		m := *c.Method
		p.say("  method %s %s %d × %d, %d sets, %s, blocked %v, pinned %v, %d bytes flushed, a launch %.6g ns, at most %.6g ns, by %s",
			m.Clock, m.How, m.Samples, m.Launches, m.Pool, m.Cache, m.Block, m.Pin, m.FlushBytes, m.LaunchNS, m.LimitNS, m.Oracle)
	}
	for _, l := range c.Looks {
		p.say("  look after %d rounds: %.5g in %.5g to %.5g, %s", l.Rounds, l.Theta, l.Low, l.High, l.Verdict)
	}
	p.measured(c.Sides())
	for _, v := range c.variants {
		if v.isOneOfMany {
			p.say("  %s of %s: dropped %v, reason %q", v, v.Library, !c.hasFailed(&v) && !c.wants(&v), result.MessageOf(reasonLeftOut(c, v)))
		}
		if v.Role == result.RoleConfiguration {
			p.measured(c.Of(v.Variant.Variant))
		}
	}
	for i, b := range c.competitors() {
		v := speedupOf(c, i)
		p.say("  competitor %s: %s, %d looks, reason %q, budget gone %v", b.Name, cmp.Or(string(v.Verdict), "none"), v.Look, result.MessageOf(v.Reason), v.BudgetGone)
		p.measured(measuredBeside(c, i))
	}
}

// reasonOn is a reason on the tape: its text, or its kind.
func reasonOn(r *result.Reason) string {
	if r == nil || r.Message != "" {
		return result.MessageOf(r)
	}
	return fmt.Sprint(r.Kind, " ", r.Count)
}

func (p *tape) measured(processes []result.Process) {
	for _, one := range processes {
		beyond := ""
		if check := one.TimingCheck; check != nil {
			beyond = fmt.Sprintf(", beyond %.6g of %.7g", check.BeyondNS, check.ClaimedNS)
		}
		p.say("  %d.%d %s %.7g ns%s", one.Round, one.Position, one.Variant, one.ValueNS, beyond)
	}
}

// compareTape compares a tape with the one that is kept.
func compareTape(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "rounds", name+".txt")
	if *update {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	must(t, err)
	got, kept := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(kept)) {
		if g, w := lineOf(got, i), lineOf(kept, i); g != w {
			t.Fatalf("%s: line %d is\n%s\nand was\n%s", path, i+1, g, w)
		}
	}
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// speedupOf is head's comparison with a case's competitor, by its place in the list.
func speedupOf(c *Case, i int) result.Comparison { return *c.answer(c.competitors()[i]) }

// reasonLeftOut says why one of many in head's place was left out; nil where it was not, or its whole case was.
func reasonLeftOut(c *Case, v variant) *result.Reason {
	if q := c.Comparison(v.Variant.Variant, v.Variant.Variant); q != nil && q.Reason != c.Reason {
		return q.Reason
	}
	return nil
}

// measuredBeside are the processes of a case's competitor, by its place in the list, as a result has them.
func measuredBeside(c *Case, i int) []result.Process {
	return c.Of(c.competitors()[i].Variant.Variant)
}
