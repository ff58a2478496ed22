package simulate

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/stats"
)

// h200Suite is what docs/measurements/suite/record.py recorded of the CUDA examples on one NVIDIA H200: fresh processes
// that do 0, 1, 2, 3 and 5 % more work than they have to.
//
//go:embed recordings/h200_suite.csv
var h200Suite []byte

// Injected is one case with work injected into its code: process values, in ns a launch, by the slowdown, which is the percentage of work that was
// injected. Slowdown 0 is the unchanged code.
type Injected struct {
	Case   string
	Values map[int][]float64
}

// leastProcesses is how many processes of a slowdown there have to be: fewer do not show how they vary.
const leastProcesses = 4

// InjectedRecordings returns those that come with the program.
func InjectedRecordings() []Injected {
	all, err := ReadInjected("H200", h200Suite)
	if err != nil {
		panic("simulate: embedded injected recordings: " + err.Error())
	}
	return all
}

var injectedHeader = []string{"case", "slowdown", "process", "ns"}

// ReadInjected reads a table case,slowdown,process,ns: one line a process and case, the slowdown in percent. Cases come in order of first
// appearance. Errors name the line.
func ReadInjected(label string, data []byte) ([]Injected, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = len(injectedHeader)
	header, err := r.Read()
	if err != nil || !slices.Equal(header, injectedHeader) {
		return nil, fmt.Errorf("%s: the first line is not %s", label, strings.Join(injectedHeader, ","))
	}
	var all []Injected
	index := map[string]int{}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, checkInjected(label, all)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		line, _ := r.FieldPos(0)
		slowdown, errSlowdown := strconv.Atoi(fields[1])
		ns, errNS := strconv.ParseFloat(fields[3], 64)
		if errSlowdown != nil || slowdown < 0 || errNS != nil || !(ns > 0) || math.IsInf(ns, 0) {
			return nil, fmt.Errorf("%s:%d: slowdown %q and ns %q: want a percentage in whole numbers and a time above 0", label, line, fields[1], fields[3])
		}
		i, known := index[fields[0]]
		if !known {
			i = len(all)
			index[fields[0]] = i
			all = append(all, Injected{Case: fields[0], Values: map[int][]float64{}})
		}
		all[i].Values[slowdown] = append(all[i].Values[slowdown], ns)
	}
}

func checkInjected(label string, all []Injected) error {
	if len(all) == 0 {
		return fmt.Errorf("%s: no process", label)
	}
	for _, s := range all {
		if len(s.Values[0]) == 0 {
			return fmt.Errorf("%s: %s has no process with slowdown 0: there is nothing to compare with", label, s.Case)
		}
		for slowdown, values := range s.Values {
			if len(values) < leastProcesses {
				return fmt.Errorf("%s: %s has %d processes with slowdown %d, want at least %d", label, s.Case, len(values), slowdown, leastProcesses)
			}
		}
	}
	return nil
}

// Slowdowns are the percentages of injected work above 0, in order.
func (s Injected) Slowdowns() []int {
	var slowdowns []int
	for slowdown := range s.Values {
		if slowdown > 0 {
			slowdowns = append(slowdowns, slowdown)
		}
	}
	slices.Sort(slowdowns)
	return slowdowns
}

// Median is the median of the unchanged code's processes, in ns.
func (s Injected) Median() float64 { return stats.MedianOrNaN(s.Values[0]) }

// Shift is how much slower the code with a slowdown was measured, as a fraction: the ratio of the geometric means less 1, which is what the gate
// estimates.
func (s Injected) Shift(slowdown int) float64 {
	return math.Expm1(stats.Mean(s.logs(slowdown)) - stats.Mean(s.logs(0)))
}

func (s Injected) logs(slowdown int) (out []float64) {
	for _, ns := range s.Values[slowdown] {
		out = append(out, math.Log(ns))
	}
	return out
}

// SD is the standard deviation of ln of the unchanged code's process values.
func (s Injected) SD() float64 { return stat.StdDev(s.logs(0), nil) }

// recording has the slowdown in head's processes. Exact scales them, all by the same factor, so that their mean is what the slowdown says: what is
// injected is then the percentage itself, with the variation of the code that does more. The timer has no part in it: the values are means of many
// samples.
func (s Injected) recording(slowdown int, exact bool) Recording {
	r := Recording{label: fmt.Sprintf("%s +%d %% %v", s.Case, slowdown, exact), medianNS: s.Median(), samples: 1}
	factor := 1.0
	if exact && slowdown > 0 {
		factor = (1 + float64(slowdown)/100) / (1 + s.Shift(slowdown))
	}
	for _, ns := range s.Values[0] {
		r.processes[base] = append(r.processes[base], []float64{ns})
	}
	for _, ns := range s.Values[slowdown] {
		r.processes[head] = append(r.processes[head], []float64{ns * factor})
	}
	return r
}
