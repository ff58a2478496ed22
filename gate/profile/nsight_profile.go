package profile

import (
	"fmt"
	"math"
	"slices"
)

// Metric is one value in a base unit.
type Metric struct {
	Value float64
	Unit  string // byte, second, hz, %, inst, sector, byte/second, …; "" for a plain number
}

// Kernel is one launch of a kernel, in the order in which the profile has them.
type Kernel struct {
	ID      int
	Name    string // demangled, hostile
	Block   string // "(256, 1, 1)"
	Grid    string
	Metrics map[string]Metric
	Words   map[string]string // values that are no numbers
}

// Value returns a metric, and whether the profile has it.
func (k *Kernel) Value(name string) (float64, bool) {
	m, ok := k.Metrics[name]
	return m.Value, ok
}

// First returns the first of several spellings of one metric that the profile has: versions and GPUs name them
// differently.
func (k *Kernel) First(names ...string) (value float64, name string, ok bool) {
	for _, n := range names {
		if v, found := k.Value(n); found {
			return v, n, true
		}
	}
	return math.NaN(), "", false
}

// RuleOptimize is the type of a rule that sees something to gain.
const RuleOptimize = "OPT"

// Rule is one message of Nsight's own analysis.
type Rule struct {
	Kernel      int // ID
	Section     string
	Name        string // identifier, such as SOLBottleneck
	Type        string // RuleOptimize, INF, WRN or ERR
	Text        string
	SpeedupType string  // local, global or ""
	Speedup     float64 // estimated, as a fraction: 0.3135 is 31.35 %
}

// Profile is what was read of one report.
type Profile struct {
	Kernels []Kernel
	Rules   []Rule
}

// Missing lists which of the wanted metrics no kernel has.
func (p *Profile) Missing(wanted []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(name string) bool {
		return slices.ContainsFunc(p.Kernels, func(k Kernel) bool { _, ok := k.Value(name); return ok })
	})
}

// ParseError says where an export cannot be read.
type ParseError struct {
	Line int // 0 if it is about the whole
	Text string
}

func (e *ParseError) Error() string {
	if e.Line == 0 {
		return "ncu export: " + e.Text
	}
	return fmt.Sprintf("ncu export, line %d: %s", e.Line, e.Text)
}
