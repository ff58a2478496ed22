package benchmark

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Set is what was measured on one side.
type Set struct {
	Path   string
	Format string // result, record, csv, googlebenchmark, nvbench, …
	Cases  []Case // in file order
	Notes  []string
	// Imports are installed packages that the process imported, and that later ones may import before they are asked: see Ahead.
	Imports []string
}

// Case is a kernel and one assignment of its parameters.
type Case struct {
	Name      string // kernel/parameters
	Processes []Process
	QuantumNS float64 // step of the timer, 0 if not known
	Launches  int     // launches in one sample
	Failed    string  // why there is nothing to compare, if there is not
	Skipped   bool    // Failed because the benchmark chose to skip it
	Coarse    bool    // Failed because its clock did not move in it, which is no side's fault

	Untimed *result.Reason // of a saved run: why it has no processes, in place of Failed

	Params       []result.Param // where the format tells them apart
	Unit         Unit           // what the program wrote
	Flops, Bytes float64        // of a launch, 0 if not known
	WorkSaid     bool           // they are what the program says, and not made of a rate
	TotalNS      float64        // that the program says it spent on what it timed of this case; 0 if it does not say
	Method       *result.Method // of formats with OurClock: how the case was timed
	Chosen       string         // the configuration that an autotuner chose, "" if that is not known
	Competitor   bool           // a library's row, which is no case of its own
	Line         string         // of a plot that the row is on, "" if of none: what a library's row calls the library
	Place        string         // the same of rows that differ in their line alone: a library's is a competitor of the others; "" if of no plot
}

// Unit is what a program wrote of a case.
type Unit string

// A rate is turned into time with the work that the program gave with it.
const (
	UnitTime Unit = "" // of any unit that the format names
	UnitRate Unit = "rate"
)

// Process is one fresh process's measurement of a case: its samples, or only the value that stands for them.
type Process struct {
	ID      string
	Samples []float64 // ns
	ValueNS float64   // 20 % trimmed mean; set where there are no samples
	// Of formats with OurClock:
	WaitedNS float64 // what a launch waited beside its samples: see kernels.TimeReply
	Planned  int     // samples that it was to take
	Stopped  string  // "limit" where it took fewer, because they took far longer than base's
}

// Value returns what stands for the process: its trimmed mean in ns.
func (p Process) Value() (float64, error) {
	if len(p.Samples) == 0 {
		return p.ValueNS, nil
	}
	return stats.TrimmedMean(p.Samples, 0.2)
}

// Iterations are how many launches the times of a case's only process are of, as far as the program says; 0 where it says nothing.
func (c Case) Iterations() float64 {
	mean, err := stats.TrimmedMean(c.Processes[0].Samples, 0)
	if err != nil || mean == 0 {
		return 0
	}
	return c.TotalNS / mean
}

// Merge adds the processes of another file.
func (s *Set) Merge(other Set, file string) error {
	if s.Format == "" {
		s.Format = other.Format
	}
	if s.Format != other.Format {
		return &FileError{other.Path, 0, fmt.Errorf("%s, together with files of %s", other.Format, s.Format)}
	}
	for _, c := range other.Cases {
		for i := range c.Processes {
			c.Processes[i].ID = file + ":" + c.Processes[i].ID
		}
		at := slices.IndexFunc(s.Cases, func(have Case) bool { return have.Name == c.Name })
		if at < 0 {
			s.Cases = append(s.Cases, c)
			continue
		}
		have := &s.Cases[at]
		have.Processes = append(have.Processes, c.Processes...)
		have.Failed, have.Untimed = cmp.Or(have.Failed, c.Failed), cmp.Or(have.Untimed, c.Untimed)
	}
	for _, note := range other.Notes {
		if !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
	return nil
}

// FileError says what is wrong with a file and where.
type FileError struct {
	Path string
	Line int // from 1; 0 if the file has no lines
	Err  error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// Quoted is text from a file in a message, cut to a readable length.
func Quoted(text string) string {
	const longest = 60
	if len(text) > longest {
		return strconv.QuoteToASCII(text[:longest]) + "…"
	}
	return strconv.QuoteToASCII(text)
}

// maxNS is the longest latency that is believed: thirty years.
const maxNS = 1e18

// minNS is the shortest: a thousandth of a clock cycle.
const minNS = 1e-4

// CheckNS returns an error unless ns is a latency.
func CheckNS(ns float64) error {
	if !(ns >= minNS && ns <= maxNS) {
		return fmt.Errorf("%v is not a latency in nanoseconds", ns)
	}
	return nil
}

// checkSample is CheckNS for a sample of a program. 0 is one of a clock that did not move, see settleZeros.
func checkSample(ns float64) error {
	if ns == 0 {
		return nil
	}
	return CheckNS(ns)
}

// standsFor has a value, where it is one, stand for the process that wrote it without samples.
func (p *Process) standsFor(ns float64) error {
	if p.ValueNS = ns; ns == 0 {
		p.Samples = []float64{0}
	}
	return checkSample(ns)
}

// NoZeros is an error about a set with a case that takes no time.
func (s Set) NoZeros() error {
	for _, c := range s.Cases {
		for _, p := range c.Processes {
			if slices.Contains(p.Samples, 0) {
				return &FileError{s.Path, 0, fmt.Errorf("case %s: %w", Quoted(c.Name), CheckNS(0))}
			}
		}
	}
	return nil
}

// settleZeros leaves out samples in which the clock stood still. A case with many of them has no time: that is the clock's fault, whichever side
// it is seen on.
func (s *Set) settleZeros() {
	for i := range s.Cases {
		c := &s.Cases[i]
		for j := range c.Processes {
			p := &c.Processes[j]
			if len(p.Samples) == 0 {
				continue
			}
			moving, err := stats.Moving(p.Samples)
			switch {
			case err == nil:
				p.Samples = moving
			case c.Failed == "":
				c.Failed, c.Coarse = err.Error(), true
			}
		}
	}
}
