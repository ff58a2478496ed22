package benchmark

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// googleRun is the part that matters of a benchmark in what Google Benchmark writes with --benchmark_format=json.
type googleRun struct {
	Name          string  `json:"name"`
	RunName       string  `json:"run_name"`
	RunType       string  `json:"run_type"` // iteration or aggregate; absent before 1.5
	RealTime      number  `json:"real_time"`
	CPUTime       number  `json:"cpu_time"`
	TimeUnit      string  `json:"time_unit"`
	ErrorOccurred bool    `json:"error_occurred"`
	ErrorMessage  string  `json:"error_message"`
	AggregateName string  `json:"aggregate_name"`
	AggregateUnit string  `json:"aggregate_unit"`
	Iterations    float64 `json:"iterations"`
	BytesPerSec   float64 `json:"bytes_per_second"`
	Skipped       bool    `json:"skipped"` // since 1.8
	SkipMessage   string  `json:"skip_message"`
	Family        int     `json:"family_index"` // since 1.5.3
	Instance      int     `json:"per_family_instance_index"`
}

var googleUnits = map[string]float64{"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

// ReadGoogleBenchmark reads the JSON of Google Benchmark: each repetition of a benchmark is a sample of the one
// process that wrote the file. Where there are aggregates alone, the median stands for the process, or else the mean. cpu picks the
// CPU time instead of the wall time.
func ReadGoogleBenchmark(path string, data []byte, cpu bool) (Set, error) {
	const none = "no benchmark runs, and no mean or median of any"
	standFor := map[string]float64{}  // by case: the value of its aggregates
	registered := map[string][2]int{} // by case: which of the program's benchmarks it is
	set, err := readCases(path, data, "benchmarks", "googlebenchmark", none, func(b *caseBuilder, run googleRun) error {
		name := cmp.Or(run.RunName, run.Name)
		if name == "" {
			return errors.New("a benchmark has no name")
		}
		if run.isAggregate() {
			return run.standsFor(b.at(name).Name, cpu, standFor)
		}
		this := [2]int{run.Family, run.Instance}
		if first, again := registered[name]; again && first != this {
			b.at(name).Failed = "two benchmarks of the program have this name: give one another with ->Name()"
			return nil
		}
		registered[name] = this
		if err := run.into(b.at(name), cpu); err != nil {
			return fmt.Errorf("benchmark %s: %w", Quoted(name), err)
		}
		return nil
	})
	for i := range set.Cases {
		c := &set.Cases[i]
		if ns, has := standFor[c.Name]; has && len(c.Processes[0].Samples) == 0 {
			_ = c.Processes[0].standsFor(ns) // it is one
		}
	}
	set.Cases = slices.DeleteFunc(set.Cases, func(c Case) bool {
		return c.Failed == "" && len(c.Processes[0].Samples) == 0 && c.Processes[0].ValueNS == 0
	})
	if err == nil && len(set.Cases) == 0 {
		return Set{}, &FileError{path, 0, errors.New(none)}
	}
	return set, err
}

func (r googleRun) isAggregate() bool { return r.RunType == "aggregate" || r.AggregateName != "" }

// standsFor keeps the value of an aggregate that can stand for a process: a median before a mean.
func (r googleRun) standsFor(name string, cpu bool, values map[string]float64) error {
	if _, has := values[name]; r.AggregateName != "median" && (r.AggregateName != "mean" || has) {
		return nil
	}
	ns, err := r.ns(cpu)
	if err != nil {
		return fmt.Errorf("benchmark %s: its %s: %w", Quoted(name), r.AggregateName, err)
	}
	values[name] = ns
	return nil
}

// into adds a repetition to its case.
func (r googleRun) into(c *Case, cpu bool) error {
	switch {
	case r.ErrorOccurred:
		c.Failed = "benchmark reported an error: " + Quoted(r.ErrorMessage)
		return nil
	case r.Skipped:
		c.Failed, c.Skipped = "the benchmark skips it: "+Quoted(r.SkipMessage), true
		return nil
	}
	ns, err := r.ns(cpu)
	if err != nil {
		return err
	}
	c.Bytes = max(0, r.BytesPerSec) * ns / 1e9
	return c.take(ns, max(0, r.Iterations))
}

func (r googleRun) ns(cpu bool) (float64, error) {
	unit, ok := googleUnits[r.TimeUnit]
	if !ok {
		return 0, fmt.Errorf("unknown time unit %s", Quoted(r.TimeUnit))
	}
	ns := float64(r.RealTime) * unit
	if cpu {
		ns = float64(r.CPUTime) * unit
	}
	return ns, checkSample(ns)
}

// caseBuilder collects the cases of a file that one process wrote.
type caseBuilder struct {
	cases []Case
	index map[string]int
	steps map[string]grid // of the clock, by case, where numbers are seen as they are written
}

func newCaseBuilder() *caseBuilder {
	return &caseBuilder{index: map[string]int{}, steps: map[string]grid{}}
}

// set is what was collected.
func (b *caseBuilder) set(path, format string) Set {
	for i := range b.cases {
		b.cases[i].QuantumNS = b.steps[b.cases[i].Name].step()
	}
	return Set{Path: path, Format: format, Cases: b.cases}
}

// wrote notes a number that a sample of a case was made of, as it is written; one of it is so many ns.
func (b *caseBuilder) wrote(c *Case, number string, unitNS float64) {
	b.steps[c.Name] = b.steps[c.Name].with(number, unitNS)
}

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

// take adds a sample to the only process of a case, the mean of so many launches, where it is one.
func (c *Case) take(ns, launches float64) error {
	c.Processes[0].Samples = append(c.Processes[0].Samples, ns)
	c.TotalNS += ns * launches
	return checkSample(ns)
}

// googleBenchmark is a program with Google Benchmark's main.
type googleBenchmark struct{}

func (googleBenchmark) Traits() Traits {
	return Traits{Name: "google-benchmark", Times: []string{"real", "cpu"}, Filters: true, Shorter: shorterGoogle}
}

func (googleBenchmark) Command(s Spec, a Ask) Command {
	file := filepath.Join(a.Out, jsonAnswer)
	args := []string{"--benchmark_out=" + file, "--benchmark_out_format=json"}
	var names []string
	for _, name := range a.Cases {
		names = append(names, escaped(name))
	}
	if len(names) == 0 {
		for _, pattern := range a.Wanted {
			names = append(names, strings.ReplaceAll(escaped(strings.Join(pieces(pattern), anything)), anything, ".*"))
		}
	}
	if filter := strings.Join(names, "|"); filter != "" && len(filter) <= MostArgument {
		args = append(args, "--benchmark_filter=^("+filter+")$")
	}
	return asks(s, a, file, args...)
}

// anything stands in a pattern for any text while it is escaped.
const anything = "\x1f"

// escaped is a name as a regular expression, in every dialect that Google Benchmark may be built with: std::regex knows no escaped ] and }.
func escaped(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`.[{()*+?^$|\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (googleBenchmark) Read(s Spec, o Output) (Set, error) {
	data, err := o.jsonOf("--benchmark_out")
	if err != nil {
		return Set{}, err
	}
	return ReadGoogleBenchmark(jsonAnswer, data, s.Time == "cpu")
}
