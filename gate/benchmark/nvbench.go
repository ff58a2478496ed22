package benchmark

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// nvbenchBench is the part that matters of a benchmark in what nvbench writes with --json or --jsonbin (format 1.x).
type nvbenchBench struct {
	Name   string         `json:"name"`
	States []nvbenchState `json:"states"`
}

type nvbenchState struct {
	Name        string           `json:"name"`
	Description string           `json:"description"` // before names had their field
	Axes        []nvbenchAxis    `json:"axis_values"`
	Summaries   []nvbenchSummary `json:"summaries"`
	IsSkipped   bool             `json:"is_skipped"`
	SkipReason  string           `json:"skip_reason"`
}

// nvbenchAxis is a parameter of a state.
type nvbenchAxis struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"` // a string in format 1.0, also for numbers
}

type nvbenchSummary struct {
	Tag  string `json:"tag"`
	Data []struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"` // a string in format 1.0, also for numbers
	} `json:"data"`
}

const (
	nvbenchSamples = "nv/json/bin:nv/cold/sample_times"
	nvbenchMean    = "nv/cold/time/gpu/mean"
	nvbenchCPUMean = "nv/cold/time/cpu/mean"

	nvbenchBatchMean = "nv/batch/time/gpu/mean"

	// Of a benchmark without a GPU, which has no cache to flush and no batches.
	nvbenchCPUSamples  = "nv/json/bin:nv/cpu_only/sample_times"
	nvbenchCPUOnlyMean = "nv/cpu_only/time/cpu/mean"
)

// maxSampleFile is the most bytes of a binary sample file that are read: 16 million samples.
const maxSampleFile = 64 << 20

// Which of nvbench's times rules.
const (
	NVBenchCold  = "cold"  // single launches with a flushed cache
	NVBenchBatch = "batch" // launches one after the other
)

// ReadNVBench reads the JSON of nvbench: the cold GPU times of a state are the samples of the one process that wrote
// the file, read from its binary files (32-bit floats, little-endian, seconds) where --jsonbin wrote them, else only
// the mean is known. Of batches there is never more than a mean. folder is the one that holds the JSON file: binary files are
// looked for in it.
func ReadNVBench(name string, data []byte, folder fs.FS, which string) (Set, error) {
	set, err := readCases(name, data, "benchmarks", "nvbench", "no benchmark states", func(b *caseBuilder, bench nvbenchBench) error {
		for _, state := range bench.States {
			c := b.at(result.CaseID{Kernel: bench.Name, Row: cmp.Or(state.Name, state.Description)}.String())
			c.Params = state.params()
			if state.IsSkipped {
				c.Failed, c.Skipped = "nvbench skipped it: "+Quoted(state.SkipReason), true
				continue
			}
			if err := state.read(c, folder, which); err != nil {
				return fmt.Errorf("%s: %w", Quoted(c.Name), err)
			}
		}
		return nil
	})
	if err == nil && !slices.ContainsFunc(set.Cases, func(c Case) bool { return c.Failed == "" || c.Skipped }) {
		return Set{}, &FileError{name, 0, fmt.Errorf("of no state a time, of %s for one: %s", Quoted(set.Cases[0].Name), set.Cases[0].Failed)}
	}
	return set, err
}

// read fills in the samples of a state, or its mean.
func (s nvbenchState) read(c *Case, folder fs.FS, which string) error {
	if summary, ok := s.summary(nvbenchSamples, nvbenchCPUSamples); ok && which == NVBenchCold {
		return summary.samples(c, folder)
	}
	means := []string{nvbenchMean, nvbenchCPUMean, nvbenchCPUOnlyMean}
	if which == NVBenchBatch {
		means = []string{nvbenchBatchMean}
	}
	summary, ok := s.summary(means...)
	if !ok {
		c.Failed = fmt.Sprintf("nvbench gives no %s time of it (none of %s)", which, strings.Join(means, ", "))
		return nil
	}
	text, err := summary.value("value")
	if err != nil {
		return err
	}
	seconds, err := parseNumber(text)
	if err != nil {
		return fmt.Errorf("mean time %s is not a number", Quoted(text))
	}
	return c.Processes[0].standsFor(seconds * 1e9)
}

// params are the axes of a state, in its own order; a power of two as 2^N.
func (s nvbenchState) params() []result.Param {
	var params []result.Param
	for _, axis := range s.Axes {
		value := unquoted(axis.Value)
		for _, word := range strings.Fields(cmp.Or(s.Name, s.Description)) {
			if power, ok := strings.CutPrefix(word, axis.Name+"=2^"); ok {
				value = "2^" + power
			}
		}
		params = append(params, result.Param{Name: axis.Name, Value: value})
	}
	return params
}

// unquoted is a value of JSON as text: a string's own, or a number's.
func unquoted(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// summary is the first of some that there is.
func (s nvbenchState) summary(tags ...string) (nvbenchSummary, bool) {
	for _, tag := range tags {
		if i := slices.IndexFunc(s.Summaries, func(summary nvbenchSummary) bool { return summary.Tag == tag }); i >= 0 {
			return s.Summaries[i], true
		}
	}
	return nvbenchSummary{}, false
}

// value returns a named value of the summary, without the quotes that format 1.0 puts around numbers.
func (s nvbenchSummary) value(name string) (string, error) {
	for _, d := range s.Data {
		if d.Name == name {
			return unquoted(d.Value), nil
		}
	}
	return "", fmt.Errorf("summary %s has no %s", s.Tag, name)
}

// samples adds those of a binary file to a case.
func (s nvbenchSummary) samples(c *Case, folder fs.FS) error {
	file, err := s.value("filename")
	if err != nil {
		return err
	}
	raw, err := readSampleFile(folder, file)
	if err != nil {
		return err
	}
	if len(raw)%4 != 0 || len(raw) == 0 {
		return fmt.Errorf("sample file %s has %d bytes, not a number of 32-bit floats", Quoted(file), len(raw))
	}
	if size, err := s.value("size"); err == nil && size != strconv.Itoa(len(raw)/4) {
		return fmt.Errorf("sample file %s has %d samples, %s were announced", Quoted(file), len(raw)/4, Quoted(size))
	}
	for i := range len(raw) / 4 {
		seconds := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if err := c.take(float64(seconds)*1e9, 1); err != nil {
			return fmt.Errorf("sample file %s, sample %d: %w", Quoted(file), i+1, err)
		}
	}
	return nil
}

// readSampleFile looks for a binary file beside the JSON. nvbench writes its path as the command line had it, which
// no longer holds once the files have moved: what does is the last two elements, <file>.json-bin/<n>.bin. Nothing
// outside the folder is opened.
func readSampleFile(folder fs.FS, file string) ([]byte, error) {
	if folder == nil {
		return nil, fmt.Errorf("sample file %s cannot be read here", Quoted(file))
	}
	slashed := strings.ReplaceAll(file, `\`, "/")
	short := path.Join(path.Base(path.Dir(slashed)), path.Base(slashed))
	for _, candidate := range []string{path.Clean(slashed), short} {
		if !fs.ValidPath(candidate) {
			continue
		}
		info, err := fs.Stat(folder, candidate)
		if err != nil {
			continue
		}
		if !info.Mode().IsRegular() || info.Size() > maxSampleFile {
			return nil, fmt.Errorf("sample file %s is not a file of at most %d bytes", Quoted(file), maxSampleFile)
		}
		return fs.ReadFile(folder, candidate)
	}
	return nil, fmt.Errorf("sample file %s is not next to the JSON file", Quoted(file))
}
