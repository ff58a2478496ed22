package benchmark

import (
	"cmp"
	"errors"
	"fmt"
)

// googleRun is the part that matters of a benchmark in what Google Benchmark writes with --benchmark_format=json.
type googleRun struct {
	Name          string  `json:"name"`
	RunName       string  `json:"run_name"`
	RunType       string  `json:"run_type"` // iteration or aggregate; absent before 1.5
	RealTime      float64 `json:"real_time"`
	CPUTime       float64 `json:"cpu_time"`
	TimeUnit      string  `json:"time_unit"`
	ErrorOccurred bool    `json:"error_occurred"`
	ErrorMessage  string  `json:"error_message"`
	AggregateName string  `json:"aggregate_name"`
}

var googleUnits = map[string]float64{"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

// ReadGoogleBenchmark reads the JSON of Google Benchmark: each repetition of a benchmark is a sample of the one
// process that wrote the file. Aggregates are left out. cpu picks the CPU time instead of the wall time.
func ReadGoogleBenchmark(path string, data []byte, cpu bool) (Set, error) {
	b := newCaseBuilder()
	err := decodeList(path, data, "benchmarks", func(run googleRun) error {
		if run.RunType == "aggregate" || run.AggregateName != "" {
			return nil
		}
		name := cmp.Or(run.RunName, run.Name)
		if name == "" {
			return errors.New("a benchmark has no name")
		}
		c := b.at(name)
		if run.ErrorOccurred {
			c.Failed = "benchmark reported an error: " + Quoted(run.ErrorMessage)
			return nil
		}
		ns, err := run.ns(cpu)
		if err != nil {
			return fmt.Errorf("benchmark %s: %w", Quoted(name), err)
		}
		c.Processes[0].Samples = append(c.Processes[0].Samples, ns)
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	if len(b.cases) == 0 {
		return Set{}, &FileError{path, 0, errors.New("no benchmark runs (aggregates alone cannot be compared)")}
	}
	return Set{Path: path, Format: "googlebenchmark", Cases: b.cases}, nil
}

func (r googleRun) ns(cpu bool) (float64, error) {
	unit, ok := googleUnits[r.TimeUnit]
	if !ok {
		return 0, fmt.Errorf("unknown time unit %s", Quoted(r.TimeUnit))
	}
	ns := r.RealTime * unit
	if cpu {
		ns = r.CPUTime * unit
	}
	return ns, CheckNS(ns)
}

// caseBuilder collects the cases of a file that one process wrote.
type caseBuilder struct {
	cases []Case
	index map[string]int
}

func newCaseBuilder() *caseBuilder { return &caseBuilder{index: map[string]int{}} }

// at returns the case of that name, made at first sight.
func (b *caseBuilder) at(name string) *Case {
	i, ok := b.index[name]
	if !ok {
		i = len(b.cases)
		b.index[name] = i
		b.cases = append(b.cases, Case{Name: name, Launches: 1, Processes: []Process{{ID: "1"}}})
	}
	return &b.cases[i]
}
