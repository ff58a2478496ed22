package run

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// selfTimed runs a kernel by its benchmark.
type selfTimed struct {
	*measure.Program
	runners *runners
	opt     Question
}

// newProgram is the benchmark of a kernel that has one.
func newProgram(k Kernel, r *runners, opt Question) *measure.Program {
	return &measure.Program{
		Spec: k.Plan.Kernel.Bench.Spec, Format: k.Plan.Kernel.Format(), First: k.First, Timed: len(k.rowsTimed()),
		Sides: map[result.Side]measure.ProgramFolder{result.SideBase: k.Base.folder(), result.SideHead: k.Head.folder()},
		Home:  filepath.Join(r.scratch, "bench", k.Name()), Cache: opt.Cache, Budget: opt.Trusted.Config.Gate.Budget, Seed: opt.Seed, Log: r.log, Command: r.command,
	}
}

// folder is where a benchmark's processes of a build run, and with what.
func (b Build) folder() measure.ProgramFolder {
	return measure.ProgramFolder{
		Tree: b.Runs.Tree, Root: b.Runs.root(), Python: b.Python.Path, Env: b.Environment.Variables(), Reads: slices.Concat(b.Python.Folders, b.Environment.Reads()),
	}
}

// rowsTimed are those of a benchmark, and the libraries' beside them, each once.
func (k Kernel) rowsTimed() []string {
	rows := k.rowsMeasured()
	for _, c := range k.Plan.Measured {
		for _, row := range k.Lines[c.Row] {
			rows = append(rows, row.Name)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// rowsMeasured are those that are cases.
func (k Kernel) rowsMeasured() []string {
	var rows []string
	for _, c := range k.Plan.Measured {
		rows = append(rows, c.Row)
	}
	return rows
}

func (s selfTimed) subject(k Kernel, c plan.Case) measure.Subject {
	side := measure.Variant{Waits: s.CanWait()}
	return measure.Subject{
		Name: c.Name(), Benchmark: s.Program, Row: c.Row,
		Variants: append([]measure.Variant{side.As(result.VariantBase, ""), side.As(result.VariantHead, "")}, k.measuredLines(c)...),
	}
}

// observed is of base's side also what built the benchmark.
func (s selfTimed) observed(ctx context.Context, k Kernel, side result.Side) (observe.Report, string, error) {
	first := k.First.Of(side)
	if first.Lived == 0 {
		return observe.Report{}, "its benchmark had no first run", nil
	}
	asked, why, err := s.Launch(ctx, side, k.rowsMeasured())
	if side == result.SideBase {
		return observe.Union(k.askedFirst(), asked), why, err
	}
	return observe.Union(first.Asked, asked), why, err
}

func (s selfTimed) claim(k Kernel) claim {
	c := claim{showsShared: true}
	if s.opt.sameBenchmark(k) {
		c.proof, c.built = result.ReasonSameFiles, k.askedFirst()
	}
	return c
}

func (s selfTimed) job(p profiled, side result.Side, limit time.Duration) (j profile.Job, leave func(), err error) {
	spec, leave, err := s.Show(side, p.Case.Plan.Row, limit)
	if err != nil {
		return j, leave, err
	}
	spec.Env = slices.Concat(s.runners.device.environment(), spec.Env)
	_, once := s.Format.(benchmark.Profiled)
	return profile.Job{
		Runner: kernels.RunnerSpec{Dir: s.runners.scratch}, Limit: limit / 2, Cache: s.cacheOf(p.Record),
		Program: &profile.Program{Command: spec, Kernel: s.Spec.Kernel, Once: once},
	}, leave, nil
}

// cacheOf says whether a launch found the cache cold when it was timed. Programs that do not say so repeat their launches.
func (s selfTimed) cacheOf(c result.Case) string {
	if m := c.Method; m != nil && m.Cache != "" {
		return m.Cache
	}
	if s.Spec.Time == benchmark.NVBenchCold {
		return "cold"
	}
	return "hot"
}

func (s selfTimed) notProfiled(c profiled) *result.Gap {
	shower, shows := s.Format.(benchmark.Profiled)
	gap := result.Gap{Case: c.Record.Name, Kind: result.GapNotSupported}
	switch box := s.runners.box.runners; {
	case !s.runners.device.target.IsCUDA():
		gap.Text = "instructions of a benchmark are not counted: a launch cannot be distinguished from the rest of its process"
		gap.Cure = "inspect both sides with perf record, or measure the kernel by an adapter"
	case box != nil && box.Commands:
		gap.Text = "a benchmark is not profiled in the sandbox: Nsight Compute needs sockets in its process, which it could then use for more"
		gap.Cure = "a local perfgate run, where profilers work outside of it; or measure the kernel by an adapter, which gives them up"
	case shows && !shower.Narrows(s.Spec):
		gap.Text = "the command names several benchmarks itself, and cannot be asked for only this case"
		gap.Cure = "leave them out of the command: perfgate asks for those that it needs, and cases picks some"
	case shows:
		return nil
	case s.Spec.Kernel == "":
		gap.Text = "which launches of the process are the benchmark's cannot be told"
		gap.Cure = "name its functions on the GPU by a pattern: kernel, next to command"
	case !s.Format.Traits().Filters && len(s.First.Head.Set.Cases) > 1:
		gap.Text = "which launches of the process are of this case cannot be told: the benchmark runs all of its cases"
		gap.Cure = "add a kernel to perfgate.yaml whose command runs only this case"
	default:
		return nil
	}
	return &gap
}

// lines are the libraries' rows of a benchmark, by the row that they stand beside and by the library.
type lines map[string]map[string]benchmark.Case

// withLines makes the libraries that a benchmark measures beside rows that are timed competitors of the kernel. The error is that of a configuration that
// names too many.
func (f *finding) withLines(k Kernel, pairs []benchmark.Pair, timed []benchmark.Case) (Kernel, error) {
	k.Lines = lines{}
	found := map[string]bool{}
	for _, row := range timed {
		if beside := benchmark.Beside(pairs, row); len(beside) > 0 {
			k.Lines[row.Name] = beside
			for name := range beside {
				found[name] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(found))
	if len(names) > result.MaxCompetitors {
		return k, f.opt.Trusted.Config.CasesError(k.Name(), "competitors of its bench are %d lines (%s), and at most %d are measured alongside a kernel: name fewer",
			len(names), strings.Join(names, ", "), result.MaxCompetitors)
	}
	for _, name := range names {
		k.Competitors = append(slices.Clip(k.Competitors), Competitor{Record: result.Competitor{Name: name, Status: result.CompetitorNoRounds}})
	}
	return k, nil
}

// measuredLines are the competitors of a case of a benchmark. Records have none of them: what code a line is of cannot be told.
func (k Kernel) measuredLines(c plan.Case) []measure.Variant {
	return k.askedCompetitors(func(_ Competitor, one *measure.Variant) {
		if row, ok := k.Lines[c.Row][one.Name]; ok {
			one.Row = row.Name
		} else {
			one.Fault = &kernels.RunnerError{Code: result.CodeVanished, Message: "the benchmark has no such line at this point"}
		}
	})
}
