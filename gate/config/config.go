// Package config reads perfgate.yaml strictly: whatever is unknown, of the wrong type or impossible is an error that
// shows file, line, the offending text and what is allowed. Every problem of a file is reported at once, up to ten.
//
// Keys are described in docs/config.md. Percentages become fractions (1.5% is 0.015), paths are cleaned, written with
// forward slashes and relative to the folder of the file, which they cannot leave.
//
//	perfgate.yaml -> lines and values -> Config, or every problem with its line
//	two Configs -> the rules in which they differ
package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Version is the version of the format that this package reads.
const Version = 1

// DefaultFile is the name of the file that perfgate looks for.
const DefaultFile = "perfgate.yaml"

// Devices that a configuration can ask for.
const (
	DeviceAuto = "auto" // what the sources need: a .cu needs a GPU
	DeviceCUDA = "cuda"
	DeviceCPU  = "cpu"
	// DeviceOther is an accelerator that perfgate has no clock for: benchmarks time themselves on it.
	DeviceOther = "other"
)

// What it means when head's errors are worse than base's, though within tolerance.
const (
	YardstickWarn = "warn"
	YardstickFail = "fail"
)

// Ways to compare with the stored baseline.
const (
	BaselineAuto   = "auto"
	BaselineStored = "stored"
	BaselinePaired = "paired"
)

// Config is one perfgate.yaml with defaults applied.
type Config struct {
	Version int `key:"version" is:"version" form:"version: 1" required:"yes" first:"yes"` // format of this file: 1
	// where kernels run: auto goes by the sources; other: an accelerator that perfgate has no clock for
	Device  string           `key:"device" is:"auto|cuda|cpu|other" default:"auto"`
	Python  string           `key:"python" is:"interpreter" default:"python3"` // interpreter of adapters in Python: a program on the PATH, or a path
	Machine *MachineCommands `key:"machine"`                                   // commands that describe the accelerator of device: other
	Devices []string         `key:"devices" is:"device"`                       // with device: other, files below /dev that benchmarks may open in the sandbox
	// packages, libraries and programs of the tree that a benchmark may also load from elsewhere
	Installed []string `key:"installed" is:"line"`
	// patterns of the kernels' files, or with ! in front of files that none reads
	Watch       []string     `key:"paths" is:"path"`
	Environment *Environment `key:"environment"`                                       // packages that each side is built and run with, instead of the installed ones
	Kernels     []Kernel     `key:"kernels" one:"a kernel" name:"Name" required:"yes"` // at least one
	Gate        GateSettings `key:"gate"`                                              // what decides
	// for some cases, instead of gate.tolerance: the last one that matches applies
	Tolerances []CaseTolerance `key:"tolerances" one:"an entry of tolerances" name:"Cases" most:"256"`
	// cases that may be slower until a day: the last one that matches and has not lapsed applies
	Waivers  []Waiver         `key:"waivers" one:"an entry of waivers" name:"Cases" most:"256"`
	Suite    SuiteSettings    `key:"suite"`                                    // what the cases must meet jointly
	Goals    []Goal           `key:"goals" one:"a goal" name:"Over" most:"64"` // speedups over competitors that some cases should reach
	Profile  ProfileSettings  `key:"profile" aside:"yes"`                      // which changes are profiled
	Baseline BaselineSettings `key:"baseline"`                                 // where records are kept, and what they decide
	Cost     CostSettings     `key:"cost" aside:"yes"`                         // what machine time costs

	File   string // as given to Load or Parse
	Dir    string // folder of File, which the paths are relative to
	SHA256 string // of the source, in hex

	nodes map[string]ast.Node // of values, by path: kernels[0].sources[1]
	src   *source
}

// Kernel is a named function under test: how to build it, which cases there are, what is right.
type Kernel struct {
	Name string `key:"name" is:"name" required:"yes"` // up to 64 of A-Z a-z 0-9 _ . -
	// file that describes the tensors, launches the kernel and has the reference: C++, CUDA, .pg.py, or a task. Required without build or bench
	Adapter     string        `key:"adapter" is:"file"`
	Sources     []string      `key:"sources" is:"file"`                                                // files compiled with the adapter; for a task, its solution
	Flags       []string      `key:"flags" is:"line" repeats:"yes"`                                    // for the compiler and the linker (-lz)
	Python      string        `key:"python" is:"interpreter"`                                          // interpreter of the adapter or the script (default the top level's)
	Pin         []kernels.Pin `key:"pin" names:"function" one:"the choice for" most:"64" ordered:"no"` // configurations that @triton.autotune may choose among, by function
	Environment *Environment  `key:"environment"`                                                      // as at the top level, for this kernel
	Build       *Build        `key:"build"`                                                            // a command that makes the adapter's library, or a benchmark
	Bench       *Bench        `key:"bench"`                                                            // a benchmark that times the cases itself
	Files       []string      `key:"files" is:"pattern"`                                               // patterns of the files that the benchmark consists of: both sides get the same
	Cases       []string      `key:"cases" is:"rows"`                                                  // patterns of the benchmark's rows that are timed, or with ! in front are not
	// parameters, in the order of the names of cases
	Params      []Param           `key:"params" names:"param" one:"parameter" most:"32" form:"{values: [1, 2]}, {fuzz: {min: 1, max: 48}}"`
	Measure     [][]Value         `key:"measure" is:"assignments" ordered:"no"`               // cases that are timed (default the product of all values)
	Cache       string            `key:"cache" is:"cold|hot" default:"cold"`                  // cold: caches are flushed before every sample
	Epoch       int64             `key:"epoch" is:"epoch" default:"1"`                        // the next number says that the cases mean something else from now on
	Host        bool              `key:"host-time" is:"true"`                                 // time what a launch costs the host, as a separate case
	Parity      Parity            `key:"parity" is:"parity"`                                  // how outputs are checked, or off
	Resources   Resources         `key:"limits"`                                              // on what the compiler reports for head's CUDA kernels; exceeding one fails
	Tune        []TuningParameter `key:"tune" names:"macro" one:"values of"`                  // values that perfgate tune tries, as macros, variables or constants of Python
	Competitors []Competitor      `key:"competitors" one:"a competitor" name:"Name" most:"3"` // at most three other implementations, measured in the same rounds

	at string // the path of the kernel
}

// Environment is how a side gets what it is built and run with: a folder that commands fill, in the place of what is installed.
type Environment struct {
	Fetch  string   `key:"fetch" is:"script"`                            // command for sh with a network, which sees the inputs that are lists of packages
	Build  string   `key:"build" is:"script" required:"yes"`             // command for sh without a network, which fills the folder PERFGATE_ENV
	Inputs []string `key:"inputs" is:"pattern" required:"yes" most:"64"` // patterns of the files that the environment is made of; the commands see nothing else
}

// Build is a command of the user that makes the adapter's shared library.
type Build struct {
	Command string `key:"command" is:"script" required:"yes"` // for sh, in the folder of this file, from a clean tree
	Output  string `key:"output" is:"file"`                   // the shared library that it makes; required without bench
}

// Bench is a benchmark of the user's that times the cases of a kernel itself.
type Bench struct {
	Format string `key:"format" is:"format" required:"yes"` // criterion, csv, cuda.bench, go, google-benchmark, hyperfine, nvbench, pytest-benchmark or triton
	Build  string `diff:"build"`                            // command that builds it; "" where none does, or the one that makes the adapter's library
	benchmark.Spec
	Check *Check `key:"check" is:"check"` // a command that writes what the kernel computes, or off: outputs are not compared
}

// Check is a command that writes what a benchmark's kernel computes, from a seed. Head's outputs are compared with base's.
type Check struct {
	Off     bool     // nobody compares them, by choice
	Command string   `key:"command" is:"script" required:"yes"` // for sh, in the tree of its side: writes .npy or .raw files into PERFGATE_CHECK_OUT, from PERFGATE_CHECK_SEED
	ATol    *float64 `key:"atol" is:"atol"`                     // absolute error that passes (default by type and magnitude)
	RTol    *float64 `key:"rtol" is:"rtol"`                     // relative error that passes (default by type)
}

// Param is one parameter of a kernel. It has Values, or Fuzz, or both.
type Param struct {
	Name   string
	Values []Value `key:"values" is:"value" one:"a value" most:"256"` // integers, or dtypes: f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i8 u8
	Fuzz   *Fuzz   `key:"fuzz"`                                       // a range of integers that parity draws from
}

// Fuzz is a range of integers that parity draws from, both ends included.
type Fuzz struct {
	Min        int64 `key:"min" is:"size" required:"yes"`      // smallest value
	Max        int64 `key:"max" is:"size" required:"yes"`      // largest value
	Near       int64 `key:"near" is:"step"`                    // a tile: sizes around its multiples are favoured
	MultipleOf int64 `key:"multiple-of" is:"step" default:"1"` // only its multiples are drawn
	Log        bool  `key:"log" is:"true"`                     // draw uniformly over magnitudes
}

// Parity says how outputs are checked.
type Parity struct {
	Off   bool
	Cases int `key:"cases" is:"drawn-or-listed" default:"200"` // how many a run draws, or a list of cases
	// tried in place of drawn ones, in addition to those that are measured; empty: cases are drawn
	Listed        [][]Value  `diff:"cases" ordered:"no"`
	ATol          *float64   `key:"atol" is:"atol"`                                           // absolute tolerance of floating outputs: atol + rtol * |reference| (default an error bound)
	RTol          *float64   `key:"rtol" is:"rtol"`                                           // relative tolerance
	Yardstick     string     `key:"accuracy-regression" is:"warn|fail" default:"warn"`        // when head's worst error is over twice base's, though within tolerance
	Deterministic bool       `key:"deterministic" is:"true"`                                  // two runs that differ in any bit fail
	Where         *Where     `key:"where" is:"condition"`                                     // condition on the parameters of drawn cases
	Metamorphic   []Relation `key:"metamorphic" is:"relation" one:"a relation" repeats:"yes"` // relations of the outputs: scale(v), permute-batch(q, k, v), split(B)
	Values        []string   `key:"values" is:"inputs"`                                       // kinds of inputs (default all)
	Accumulate    string     `key:"accumulate" is:"f32|f16|bf16|tf32"`                        // dtype in which the error bound allows sums to be kept (default f32, for f64 f64)
	Matched       float64    `key:"min-matched" is:"percent matched" default:"99%"`           // share of the elements of eight-bit outputs that must be within the tolerance
}

// Resources are limits on what the compiler reports for a kernel; nil: no limit.
type Resources struct {
	SpillBytes  *int64 `key:"spill-bytes" is:"bytes"`  // registers spilled, bytes per thread
	Registers   *int64 `key:"registers" is:"bytes"`    // per thread
	SharedBytes *int64 `key:"shared-bytes" is:"bytes"` // static shared memory, bytes per block
}

// When a competitor is measured.
const (
	WhenChanged = "changed" // in rounds that its kernel is measured in anyway, and in the first record of its kernel's code
	WhenAlways  = "always"  // in every run, for which its kernel is measured where its code is the same, too, and in every record
	WhenRecord  = "record"  // in every record, and in no run
	WhenManual  = "manual"  // where a run asks for it
)

// Competitor is an implementation that a kernel is measured alongside, for the same cases and tensors. Each takes as long in a round as base or head.
type Competitor struct {
	Name       string   `key:"name" is:"name" required:"yes"`       // as reports call it
	Adapter    string   `key:"adapter" is:"adapter" required:"yes"` // its adapter, or torch:sdpa, torch:matmul, torch:softmax, torch:layer_norm
	Sources    []string `key:"sources" is:"file"`                   // files that are compiled with it
	Flags      []string `key:"flags" is:"line" repeats:"yes"`       // for the compiler
	Python     string   `key:"python" is:"interpreter"`             // interpreter (default the kernel's)
	MinSpeedup float64  `key:"min-speedup" is:"factor"`             // such as 1.2x: the gate fails if head is significantly below it
	// changed: with its kernel's rounds; always: in every run; record: in records only; manual: with --manual-competitors
	When string `key:"when" is:"changed|always|record|manual" default:"changed"`
}

// GateSettings rule the verdict. All but Budget and OnInconclusive are fractions.
type GateSettings struct {
	Tolerance   float64       `key:"tolerance" is:"percent tolerance" default:"1.5%"`  // slowdown that passes
	Improvement float64       `key:"improvement" is:"percent change" default:"10%"`    // speedup that is called an improvement
	Confidence  float64       `key:"confidence" is:"percent confidence" default:"99%"` // of the whole run, over all cases and looks
	Budget      time.Duration `key:"budget" is:"budget" default:"5m"`                  // wall time of all rounds
	// stop: no answer (exit 3), or fail where significantly slower with the estimate over the tolerance
	OnInconclusive string `key:"on-inconclusive" is:"stop|pass|fail" default:"stop"`
}

// CaseTolerance is the tolerance of the cases that a pattern names, as --case does.
type CaseTolerance struct {
	Cases     string        `key:"cases" is:"cases" required:"yes"`                 // name or pattern of cases, or name of a kernel
	Tolerance float64       `key:"tolerance" is:"percent tolerance" required:"yes"` // slowdown that passes
	Floor     time.Duration `key:"floor" is:"floor"`                                // a slowdown of less time, such as 0.5us, passes too
}

// Waiver lets the cases that a pattern names be slower, until a day.
type Waiver struct {
	Cases     string  `key:"cases" is:"cases" required:"yes"`  // name or pattern of cases, or name of a kernel
	Reason    string  `key:"reason" is:"words" required:"yes"` // why
	Owner     string  `key:"owner" is:"words" required:"yes"`  // who answers for it
	Until     string  `key:"until" is:"day" required:"yes"`    // last day in UTC, at most 180 days ahead
	Tolerance float64 `key:"tolerance" is:"percent tolerance"` // slowdown that passes; without one, any
}

// ProfileSettings say when a shift is worth a profile. Regression and Improvement are fractions.
type ProfileSettings struct {
	Regression  float64 `key:"regression" is:"percent change" default:"3%"`   // significant slowdown of this much
	Improvement float64 `key:"improvement" is:"percent change" default:"10%"` // significant speedup of this much
	Cases       int     `key:"cases" is:"profiled" default:"3"`               // at most, worst first
}

// BaselineSettings say where records are kept and what they decide.
type BaselineSettings struct {
	Store               string  `key:"store" is:"store" aside:"yes" default:"dir:.perfgate"` // dir:PATH or git:BRANCH; only this path may be absolute
	Named               bool    // the configuration names the store: it is no default
	Mode                string  `key:"mode" is:"auto|stored|paired" default:"auto"`         // auto: records first, rounds if they do not say same; stored and paired force one
	CumulativeTolerance float64 `key:"cumulative-tolerance" is:"percent loss" default:"5%"` // slowdown from the best-known level that passes
}

// CostSettings turn machine time into money.
type CostSettings struct {
	GPUHour float64 `key:"gpu-hour" is:"price"` // price of an hour of the machine, in your currency
}

// Kernel returns the kernel of that name.
func (c *Config) Kernel(name string) (Kernel, bool) {
	if i := slices.IndexFunc(c.Kernels, func(k Kernel) bool { return k.Name == name }); i >= 0 {
		return c.Kernels[i], true
	}
	return Kernel{}, false
}

// EnvironmentOf is the environment of a kernel; nil where it uses what is installed.
func (c *Config) EnvironmentOf(k Kernel) *Environment { return cmp.Or(k.Environment, c.Environment) }

// Parse reads a configuration from src; name is what errors call it. It touches no file. Its error is an Errors.
func Parse(name string, src []byte) (*Config, error) {
	s, root, problem := parseSource(name, src)
	if problem != nil {
		return nil, Errors{problem}
	}
	sum := sha256.Sum256(src)
	c := Defaults()
	c.src, c.File, c.Dir, c.SHA256, c.nodes = s, name, filepath.Dir(name), hex.EncodeToString(sum[:]), map[string]ast.Node{}
	d := &decoder{src: s, nodes: c.nodes}
	d.object(root, "", "the configuration", valueOf(c))
	if err := d.errs.sorted(); err != nil {
		return nil, err
	}
	return c, nil
}

// Defaults is a configuration without what has to be given.
func Defaults() *Config {
	c := &Config{}
	setDefaults(valueOf(c))
	return c
}

// errorAt is an error about the value at a path.
func (c *Config) errorAt(path, allowed, format string, args ...any) *Error {
	return c.src.atNode(c.nodes[path], allowed, format, args...)
}

// firstOf is the first of some keys of a kernel that the file has.
func (c *Config) firstOf(k Kernel, keys ...string) string {
	for _, key := range keys {
		if c.nodes[join(k.at, key)] != nil {
			return join(k.at, key)
		}
	}
	return k.at
}

// ErrorAt is an Errors about the value at a path, such as waivers[0].cases.
func (c *Config) ErrorAt(path, format string, args ...any) error {
	return Errors{c.errorAt(path, "", format, args...)}
}

// CasesError is an Errors about the cases that a kernel's benchmark is asked for, at the place that picks them.
func (c *Config) CasesError(kernel, format string, args ...any) error {
	k, _ := c.Kernel(kernel)
	return c.ErrorAt(c.firstOf(k, "cases", "bench"), format, args...)
}

// MeasuredError is an Errors about a case that is measured, at the place that asks for it: values are in the order of the
// kernel's parameters.
func (c *Config) MeasuredError(kernel string, values []Value, format string, args ...any) error {
	k, _ := c.Kernel(kernel)
	row := slices.IndexFunc(k.Measure, func(own []Value) bool { return slices.Equal(own, values) })
	return c.ErrorAt(c.firstOf(k, index("measure", row), "params", "name"), format, args...)
}

// check judges the file as a whole.
func (c *Config) check(d *decoder, _ ast.Node, _ string, _ bool) {
	c.Baseline.Named = d.nodes["baseline.store"] != nil
	c.checkInterpreters(d)
	c.checkOther(d)
	for _, k := range c.Kernels {
		if k.Bench != nil && k.Bench.Command != "" {
			d.failAt("python", "", "python does not apply to bench.command of kernel %s: name the interpreter in that command, such as .venv/bin/python -m pytest, "+
				"and give python to the kernels that it is for", quoted(k.Name))
			break
		}
	}
	if err := c.checkCumulative(); err != nil {
		d.failAt(cumulativeKey, "at least "+percentText(c.Gate.Tolerance)+", or a smaller gate.tolerance", "%v", err)
		return
	}
	today := result.Day(time.Now())
	for i, w := range c.Waivers {
		if latest := result.LatestDay(today); w.Until > latest {
			d.failAt(join(index("waivers", i), "until"), "a day until "+latest, "the waiver of %s ends on %s, more than %d days from %s", quoted(w.Cases), w.Until, result.MaxWaiverDays, today)
		}
	}
	c.checkSuite(d)
	c.checkGoals(d)
	limit := c.CumulativeTolerance()
	for i, t := range c.Tolerances {
		at := index("tolerances", i)
		if t.Tolerance > limit {
			d.failAt(join(at, "tolerance"), "a tolerance of at most "+percentText(limit)+", or baseline: {cumulative-tolerance: "+percentText(t.Tolerance)+"}",
				"the tolerance %s of %s is larger than baseline.cumulative-tolerance (%s)", percentText(t.Tolerance), quoted(t.Cases), percentText(limit))
		}
	}
}

const cumulativeKey = "baseline.cumulative-tolerance"

// CumulativeTolerance is the fraction that may be lost against the best-known level: at least gate.tolerance where the file does not say it.
func (c *Config) CumulativeTolerance() float64 {
	if c.nodes[cumulativeKey] != nil {
		return c.Baseline.CumulativeTolerance
	}
	return max(c.Baseline.CumulativeTolerance, c.Gate.Tolerance)
}

// LineOf is the line of the file that a value begins on, by its path, such as waivers[0].cases; 0 where the file does not say it.
func (c *Config) LineOf(path string) int { return c.src.atNode(c.nodes[path], "", "").Line }

// checkCumulative returns an error where a case may lose more in one change than in all of them together. The entries of tolerances are checked where they stand.
func (c *Config) checkCumulative() error {
	if limit := c.CumulativeTolerance(); c.Gate.Tolerance > limit {
		return fmt.Errorf("cumulative-tolerance is %s, less than the tolerance of cases (%s)", percentText(limit), percentText(c.Gate.Tolerance))
	}
	return nil
}

// SetTolerance replaces gate.tolerance, as --tolerance does.
func (c *Config) SetTolerance(text string) (err error) {
	if c.Gate.Tolerance, err = ParseTolerance(text); err != nil {
		return err
	}
	return c.checkCumulative()
}
