package baseline

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/stats"
)

// Schema names the format that this package reads and writes, and no other.
const Schema = "perfgate/record/v3"

// Record is what one session on one machine measured of one commit. Times are nanoseconds.
type Record struct {
	Schema    string           `json:"schema"`
	Tool      result.Tool      `json:"tool"`
	Commit    string           `json:"commit"`
	Time      time.Time        `json:"time"`
	Machine   result.Machine   `json:"machine"`
	Toolchain result.Toolchain `json:"toolchain"`
	WarmUp    result.WarmUp    `json:"warmUp"`
	Canaries  Canaries         `json:"canaries"` // medians over all processes of the session
	Cases     []Case           `json:"cases"`
	Accepted  []Acceptance     `json:"accepted,omitempty"` // regressions up to this commit that a person took the responsibility for

	// Observations are what kernels asked the file system for, by names that cases have for them, and Environments those of them by their digests.
	Observations map[string]Observation  `json:"observations,omitempty"`
	Environments map[string]*Environment `json:"environments,omitempty"`
}

// Canaries are the times of fixed pieces of work, in ns; 0 where there is none.
type Canaries struct {
	ComputeNS float64 `json:"computeNs,omitempty"`
	MemoryNS  float64 `json:"memoryNs,omitempty"`
}

// Case is one measured case. Rounds and ValuesNS are parallel: the round and the value of each process, in the order
// in which they ran.
type Case struct {
	Name        string        `json:"name"`
	Kernel      string        `json:"kernel"`
	ConfigHash  string        `json:"configHash"`          // config.CaseHash: what gives the case its meaning
	Fingerprint string        `json:"fingerprint"`         // CodeOf what was built
	Inputs      string        `json:"inputs,omitempty"`    // of what it was built, "" if unknown
	Libraries   string        `json:"libraries,omitempty"` // that it needs, as they were
	Method      result.Method `json:"method"`
	Rounds      []int         `json:"rounds"`
	ValuesNS    []float64     `json:"valuesNs"` // 20 % trimmed mean of each process's samples
	// Excess is how far elapsed time lies above the value, in log units: the mean over processes of ln(elapsed/value); 0 where nobody knows.
	Excess float64 `json:"excess,omitempty"`
	Canaries
	Pin         *Pin     `json:"pin,omitempty"`         // its best-known level at that time
	Competitors []Beside `json:"competitors,omitempty"` // that were timed in the same session
	Observed    string   `json:"observed,omitempty"`    // name of an observation; "" where what it asks for is not known
	Reads       string   `json:"reads,omitempty"`       // digest of what lay at all paths of the tree that it asks for, of code that reads some when it runs
}

// ErrNothing says that a side has no timed case.
var ErrNothing = errors.New("no case was timed, so there is nothing to record")

// FromResult makes a record of one side of a result, or of both where they are one commit: every case that was timed. A
// record of nothing is an error, and so is a side that no commit names.
func FromResult(r *result.Result, side result.Side, hash func(kernel string) string) (*Record, error) {
	if r.Kind != result.KindGate {
		return nil, fmt.Errorf("it is a result of perfgate %s, which measures other code than a commit's own: record a run of the gate", r.Kind)
	}
	info := r.Head
	if side == result.SideBase {
		info = r.Base
	}
	if side == result.SideBoth && r.Base.Revision != r.Head.Revision {
		return nil, errors.New("base and head are two commits: a record is of one")
	}
	if info.Revision == "" || info.Dirty || len(info.Flags) > 0 {
		return nil, fmt.Errorf("%s is no commit as it is (%s): only what a commit holds is recorded", side, describeSide(info))
	}
	rec := &Record{
		Schema: Schema, Tool: r.Tool, Commit: info.Revision, Time: r.Started.UTC(), Machine: r.Machine, Toolchain: r.Toolchain, WarmUp: r.WarmUp,
	}
	built := builds(r, side)
	kernels := map[string]result.Kernel{}
	for _, k := range r.Kernels {
		kernels[k.Name] = k
	}
	for _, c := range r.Cases {
		b, k := built[c.Kernel], kernels[c.Kernel]
		if kept, ok := caseFromResult(c, side); ok && b != nil {
			kept.ConfigHash, kept.Fingerprint, kept.Inputs, kept.Libraries = hash(c.Kernel), CodeOf(b.Fingerprint, k.Benchmark != nil, rec.Commit), b.Inputs, b.Libraries
			kept.Competitors = besideOf(c, k.Competitors)
			rec.Cases = append(rec.Cases, kept)
		}
	}
	if len(rec.Cases) == 0 {
		return nil, fmt.Errorf("%s: %w", side, ErrNothing)
	}
	rec.Canaries = medianCanaries(rec.Cases, func(c Case) Canaries { return c.Canaries })
	if side == result.SideHead {
		rec.takeAccepted(r)
	}
	return rec, nil
}

// CodeOf names the code of a case: by the fingerprint of what was built, and that of a benchmark by the commit as well. What it reads of its tree is
// not known, and its adapter is not what it times.
func CodeOf(fingerprint string, isBenchmark bool, commit string) string {
	if isBenchmark && fingerprint != "" {
		return fingerprint + " of " + commit
	}
	return fingerprint
}

func describeSide(s result.Version) string {
	switch {
	case s.Revision == "":
		return "a " + string(s.Kind)
	case s.Dirty:
		return "with uncommitted changes"
	}
	return "built with additional flags"
}

// builds are a side's builds by kernel, as far as their code is known.
func builds(r *result.Result, side result.Side) map[string]*result.Build {
	out := map[string]*result.Build{}
	for _, k := range r.Kernels {
		b := k.Head
		if side == result.SideBase {
			b = k.Base
		}
		if b != nil && !b.Failed && b.Fingerprint != "" {
			out[k.Name] = b
		}
	}
	return out
}

// caseFromResult keeps the processes of one side, and says whether there are enough for a scatter.
func caseFromResult(c result.Case, side result.Side) (Case, bool) {
	out := Case{Name: c.Name, Kernel: c.Kernel}
	if c.Method == nil || c.ErrorSide != "" {
		return out, false
	}
	out.Method = *c.Method
	processes := c.Sides()
	if len(processes) == 0 && side == result.SideHead {
		processes = c.For(result.PurposeScreening) // settled without rounds
	}
	var counted []result.Process
	for _, p := range processes {
		if side != result.SideBoth && p.Variant != side.Variant() || p.Stopped != "" {
			continue
		}
		counted = append(counted, p)
		out.Rounds = append(out.Rounds, p.Round)
		out.ValuesNS = append(out.ValuesNS, significant(p.ValueNS))
	}
	out.Canaries, out.Excess = medianCanaries(counted, canariesOf), excessOf(counted)
	return out, len(out.ValuesNS) >= minProcesses
}

// minProcesses is the fewest processes that make a session.
const minProcesses = 4

// significant keeps seven digits: a hundred times finer than any process scatters, and half the bytes.
func significant(x float64) float64 {
	if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	scale := math.Pow(10, 6-math.Floor(math.Log10(x)))
	return math.Round(x*scale) / scale
}

func canariesOf(p result.Process) Canaries {
	return Canaries{ComputeNS: p.ComputeNS, MemoryNS: p.MemoryNS}
}

// medianCanaries are the medians over processes or cases.
func medianCanaries[T any](of []T, canaries func(T) Canaries) Canaries {
	var compute, memory []float64
	for _, one := range of {
		c := canaries(one)
		compute, memory = append(compute, c.ComputeNS), append(memory, c.MemoryNS)
	}
	return Canaries{ComputeNS: medianPositive(compute), MemoryNS: medianPositive(memory)}
}

func medianPositive(xs []float64) float64 {
	xs = slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return !(x > 0) })
	m, err := stats.Median(xs)
	if err != nil {
		return 0
	}
	return m
}

// Case returns the case of that name, or nil.
func (r *Record) Case(name string) *Case {
	for i := range r.Cases {
		if r.Cases[i].Name == name {
			return &r.Cases[i]
		}
	}
	return nil
}

// Merge takes over the cases of an older record of the same commit and machine that this one did not measure. A record of a narrowed run must not forget the other kernels.
func (r *Record) Merge(older *Record) {
	if older.Commit != r.Commit || older.Machine.Key != r.Machine.Key {
		return
	}
	for _, c := range older.Cases {
		if r.Case(c.Name) != nil {
			continue
		}
		if o, ok := older.Observation(&c); ok {
			c.Observed = r.keepObservation(o)
		}
		r.Cases = append(r.Cases, c)
	}
	for _, a := range older.Accepted {
		r.accept(a)
	}
}

// Key is where a record lies in every store: <machine>/<commit>.json.gz.
func (r *Record) Key() string { return Key(r.Machine.Key, r.Commit) }

const keySuffix = ".json.gz"

// Key joins a machine key and a commit.
func Key(machine, commit string) string { return machine + "/" + commit + keySuffix }

// Words of a key. Records come from branches that others write to: nothing of them becomes a path unseen.
var (
	// Compiled when a record is read or kept: most processes of this program do neither.
	machineWord = text.Pattern(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$`)
	commitWord  = text.Pattern(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
)

// SplitKey takes a key apart; ok is false for anything that is no key of a record.
func SplitKey(key string) (machine, commit string, ok bool) {
	machine, rest, found := strings.Cut(key, "/")
	commit, isRecord := strings.CutSuffix(rest, keySuffix)
	if !found || !isRecord || !machineWord().MatchString(machine) || !commitWord().MatchString(commit) {
		return "", "", false
	}
	return machine, commit, true
}

func checkKey(key string) error {
	if _, _, ok := SplitKey(key); !ok {
		return fmt.Errorf("%q is no key of a record (<machine>/<commit>%s)", key, keySuffix)
	}
	return nil
}
