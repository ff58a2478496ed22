package calibrate

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/org/perfgate/stats"
)

// h200Suite is what docs/measurements/suite/record.py recorded of the CUDA examples on one NVIDIA H200: fresh processes
// that do 0, 1, 2, 3 and 5 % more work than they have to.
//
//go:embed recordings/h200_suite.csv
var h200Suite []byte

// Stream is one case whose slow-down was planted in its code: process values, in ns a launch, by the percentage of work
// that was planted. Dose 0 is the unchanged code.
type Stream struct {
	Case   string
	Values map[int][]float64
}

// leastProcesses is how many processes of a dose there have to be: from fewer, the scatter is guesswork.
const leastProcesses = 4

// Streams returns the streams that come with the program.
func Streams() []Stream {
	streams, err := ReadStreams("H200", bytes.NewReader(h200Suite))
	if err != nil {
		panic("calibrate: embedded streams: " + err.Error())
	}
	return streams
}

var streamHeader = []string{"case", "dose", "process", "ns"}

// ReadStreams reads a table case,dose,process,ns: one line a process and case, dose in percent of planted work. Streams
// come in order of first appearance. Errors name the line.
func ReadStreams(label string, from io.Reader) ([]Stream, error) {
	r := csv.NewReader(bufio.NewReader(from))
	r.FieldsPerRecord = len(streamHeader)
	header, err := r.Read()
	if err != nil || !slices.Equal(header, streamHeader) {
		return nil, fmt.Errorf("%s: the first line is not case,dose,process,ns", label)
	}
	var streams []Stream
	index := map[string]int{}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return streams, checkStreams(label, streams)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		line, _ := r.FieldPos(0)
		dose, errDose := strconv.Atoi(fields[1])
		ns, errNS := strconv.ParseFloat(fields[3], 64)
		if errDose != nil || dose < 0 || errNS != nil || !(ns > 0) || math.IsInf(ns, 0) {
			return nil, fmt.Errorf("%s:%d: dose %q and ns %q: want a percentage in whole numbers and a time above 0", label, line, fields[1], fields[3])
		}
		i, known := index[fields[0]]
		if !known {
			i = len(streams)
			index[fields[0]] = i
			streams = append(streams, Stream{Case: fields[0], Values: map[int][]float64{}})
		}
		streams[i].Values[dose] = append(streams[i].Values[dose], ns)
	}
}

func checkStreams(label string, streams []Stream) error {
	if len(streams) == 0 {
		return fmt.Errorf("%s: no process", label)
	}
	for _, s := range streams {
		if len(s.Values[0]) == 0 {
			return fmt.Errorf("%s: %s has no process with dose 0: there is nothing to compare with", label, s.Case)
		}
		for dose, values := range s.Values {
			if len(values) < leastProcesses {
				return fmt.Errorf("%s: %s has %d processes with dose %d, want at least %d", label, s.Case, len(values), dose, leastProcesses)
			}
		}
	}
	return nil
}

// Doses are the percentages of planted work above 0, in order.
func (s Stream) Doses() []int {
	var doses []int
	for dose := range s.Values {
		if dose > 0 {
			doses = append(doses, dose)
		}
	}
	slices.Sort(doses)
	return doses
}

// Median is the median of the unchanged code's processes, in ns.
func (s Stream) Median() float64 { return stats.MedianOrNaN(s.Values[0]) }

// Shift is how much slower a dose came out, as a fraction: the ratio of the geometric means less 1, which is what the gate
// estimates.
func (s Stream) Shift(dose int) float64 {
	return math.Expm1(meanLog(s.Values[dose]) - meanLog(s.Values[0]))
}

func meanLog(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x) / float64(len(xs))
	}
	return sum
}

// Scatter is the standard deviation of ln of the unchanged code's process values.
func (s Stream) Scatter() float64 {
	squares, mean := 0.0, meanLog(s.Values[0])
	for _, v := range s.Values[0] {
		squares += (math.Log(v) - mean) * (math.Log(v) - mean)
	}
	return math.Sqrt(squares / float64(len(s.Values[0])-1))
}

// dosed is a stream with one dose on the side of head. Exact scales head's processes, all by the same factor, so that their
// mean is what the dose says: what is planted is then the percentage itself, with the scatter of the code that does more.
type dosed struct {
	Stream
	dose  int
	exact bool
}

func (d dosed) Name() string { return fmt.Sprintf("%s +%d %% %v", d.Case, d.dose, d.exact) }

// Timing has no quantum: the values are means of many samples, and their scatter is real.
func (d dosed) Timing() Timing { return Timing{0, d.Median()} }

func (d dosed) Start(random *rand.Rand) Machine {
	factor := 1.0
	if d.exact {
		factor = (1 + float64(d.dose)/100) / (1 + d.Shift(d.dose))
	}
	return &dosedPlayer{dosed: d, random: random, factor: factor}
}

type dosedPlayer struct {
	dosed
	random *rand.Rand
	factor float64
	value  [1]float64
}

// Process draws one of the recorded processes, of dose 0 for base and of the dose for head. The dose is in them, the shift is not.
func (p *dosedPlayer) Process(at Place, shift float64) []float64 {
	values, factor := p.Values[0], 1.0
	if at.Head {
		values, factor = p.Values[p.dose], p.factor*math.Exp(shift)
	}
	p.value[0] = factor * values[p.random.IntN(len(values))]
	return p.value[:]
}
