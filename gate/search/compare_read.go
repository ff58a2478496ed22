package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// maxFile is the largest file that is read.
const maxFile = 1 << 30

// ReadOptions says how to read; the zero value reads wall time.
type ReadOptions struct {
	CPUTime bool // of Google Benchmark, the CPU time
}

// ReadSamples reads a file of any format that it knows, or a folder of such files, where each JSON file is a process of its
// own. The format is told by the content.
func ReadSamples(name string, o ReadOptions) (benchmark.Set, error) {
	info, err := os.Stat(name)
	if err != nil {
		return benchmark.Set{}, err
	}
	if info.IsDir() {
		return readSampleFolder(name, o)
	}
	return ReadSamplesFS(os.DirFS(filepath.Dir(name)), filepath.Base(name), name, o)
}

// ReadSamplesFS reads one file of folder; shown is its name in messages.
func ReadSamplesFS(folder fs.FS, file, shown string, o ReadOptions) (benchmark.Set, error) {
	set, err := readSampleFile(folder, file, shown, o)
	if err == nil {
		err = set.NoZeros()
	}
	return set, err
}

func readSampleFile(folder fs.FS, file, shown string, o ReadOptions) (benchmark.Set, error) {
	f, err := folder.Open(file)
	if err != nil {
		return benchmark.Set{}, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return benchmark.Set{}, fmt.Errorf("read %s: %w", shown, err)
	}
	all := io.MultiReader(bytes.NewReader(head[:n]), f)
	if !isRecord(head[:n]) && !looksLikeJSON(head[:n]) {
		return benchmark.ReadTable(shown, all)
	}
	data, err := io.ReadAll(io.LimitReader(all, maxFile+1))
	if err != nil {
		return benchmark.Set{}, fmt.Errorf("read %s: %w", shown, err)
	}
	if len(data) > maxFile {
		return benchmark.Set{}, &benchmark.FileError{Path: shown, Err: fmt.Errorf("larger than %d bytes", maxFile)}
	}
	if isRecord(data) {
		return readRecord(shown, data)
	}
	return readJSON(shown, data, folder, path.Dir(file), o)
}

func looksLikeJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// readJSON tells the formats apart by their top-level fields.
func readJSON(shown string, data []byte, folder fs.FS, dir string, o ReadOptions) (benchmark.Set, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var top map[string]json.RawMessage
	if err := benchmark.DecodeJSON(shown, data, 0, data, &top); err != nil {
		return benchmark.Set{}, err
	}
	has := func(field string) bool { _, ok := top[field]; return ok }
	switch {
	case has("schema"):
		return readResult(shown, data)
	case has("benchmarks") && has("devices"):
		beside, err := fs.Sub(folder, dir)
		if err != nil {
			return benchmark.Set{}, &benchmark.FileError{Path: shown, Err: err}
		}
		return benchmark.ReadNVBench(shown, data, beside, benchmark.NVBenchCold)
	case has("benchmarks") && has("machine_info"):
		return benchmark.ReadPytestBenchmark(shown, data)
	case has("benchmarks"):
		return benchmark.ReadGoogleBenchmark(shown, data, o.CPUTime)
	case has("results"):
		return benchmark.ReadHyperfine(shown, data)
	}
	return benchmark.Set{}, &benchmark.FileError{Path: shown, Err: errors.New(
		"neither a perfgate result (schema), nor Google Benchmark (benchmarks), nor nvbench (benchmarks and devices), nor pytest-benchmark " +
			"(benchmarks and machine_info), nor hyperfine (results)")}
}

// resultFile is what a run calls its result in the folder that it writes.
const resultFile = "result.json"

// readSampleFolder reads every .json and .csv file of a folder, in the order of their names, as one set; of the folder of a run, the result.
func readSampleFolder(name string, o ReadOptions) (benchmark.Set, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return benchmark.Set{}, err
	}
	folder := os.DirFS(name)
	set, err := ReadSamplesFS(folder, resultFile, filepath.Join(name, resultFile), o)
	if bad := new(saved.Error); err == nil && set.Format == ofResult || errors.As(err, &bad) {
		return set, err // the other files there are reports of it
	}
	var merged benchmark.Set
	for _, entry := range entries {
		file := entry.Name()
		ext := strings.ToLower(path.Ext(file))
		if entry.IsDir() || (ext != ".json" && ext != ".csv") {
			continue
		}
		set, err := ReadSamplesFS(folder, file, filepath.Join(name, file), o)
		if err != nil {
			return benchmark.Set{}, err
		}
		if err := merged.Merge(set, file); err != nil {
			return benchmark.Set{}, err
		}
	}
	if merged.Format == "" {
		return benchmark.Set{}, &benchmark.FileError{Path: name, Err: errors.New("no .json or .csv file in this folder")}
	}
	merged.Path = name
	return merged, nil
}

// ReadBoth reads two sets at the same time.
func ReadBoth(oldName, newName string, o ReadOptions) (base, head benchmark.Set, err error) {
	var headErr error
	var reading sync.WaitGroup
	reading.Go(func() { head, headErr = ReadSamples(newName, o) })
	base, err = ReadSamples(oldName, o)
	reading.Wait()
	return base, head, errors.Join(err, headErr)
}

// ofResult is the format of a saved run.
const ofResult = "result"

// readResult reads a saved run: the set is its head, since that is what the run was about; its base served as the
// yardstick of that day.
func readResult(path string, data []byte) (benchmark.Set, error) {
	r, err := result.Decode(data)
	if err != nil {
		var bad *saved.Error
		if errors.As(err, &bad) {
			bad.File = path
			return benchmark.Set{}, bad
		}
		return benchmark.Set{}, &benchmark.FileError{Path: path, Err: err}
	}
	set := setOf(path, ofResult, r.Machine)
	voided := map[int]bool{}
	for _, round := range r.Rounds {
		voided[round.Index] = round.Voided != ""
	}
	for _, c := range r.Cases {
		out := benchmark.Case{Name: c.Name, Launches: 1}
		if c.Method != nil {
			out.QuantumNS, out.Launches = c.Method.QuantumNS, max(1, c.Method.Launches)
		}
		for _, p := range c.Of(result.VariantHead) {
			if !voided[p.Round] {
				addProcess(&out, fmt.Sprintf("%d.%d", p.Round, p.Position), p.ValueNS)
			}
		}
		set.Cases = append(set.Cases, timedCase(out, string(c.Verdict), c.Reason))
	}
	if len(set.Cases) == 0 {
		return benchmark.Set{}, &benchmark.FileError{Path: path, Err: errors.New("the run has no cases")}
	}
	return set, nil
}

// gzipMagic begins every stored record, and no other file that is read here.
var gzipMagic = []byte{0x1f, 0x8b}

func isRecord(head []byte) bool { return bytes.HasPrefix(head, gzipMagic) }

// readRecord reads a stored record: the processes of one commit on one machine.
func readRecord(path string, data []byte) (benchmark.Set, error) {
	r, err := baseline.Decode(data)
	if err != nil {
		return benchmark.Set{}, &benchmark.FileError{Path: path, Err: err}
	}
	set := setOf(path, "record", r.Machine)
	for _, c := range r.Cases {
		out := benchmark.Case{Name: c.Name, QuantumNS: c.Method.QuantumNS, Launches: max(1, c.Method.Launches)}
		for i, ns := range c.ValuesNS {
			addProcess(&out, fmt.Sprint(i+1), ns)
		}
		set.Cases = append(set.Cases, timedCase(out, "recorded", nil))
	}
	return set, nil
}

// setOf is a set without cases of a saved file, which knows its machine.
func setOf(path, format string, m result.Machine) benchmark.Set {
	set := benchmark.Set{Path: path, Format: format}
	if m.Key != "" {
		set.Notes = []string{fmt.Sprintf("%s was measured on %s", path, m.Key)}
	}
	return set
}

// addProcess adds a process by its value; a case with one that is no time has failed.
func addProcess(c *benchmark.Case, id string, ns float64) {
	if err := benchmark.CheckNS(ns); err != nil {
		c.Failed = fmt.Sprintf("process %s: %v", id, err)
		return
	}
	c.Processes = append(c.Processes, benchmark.Process{ID: id, ValueNS: ns})
}

// timedCase is a case, or what came of it where it has no process.
func timedCase(c benchmark.Case, verdict string, why *result.Reason) benchmark.Case {
	if len(c.Processes) == 0 && c.Failed == "" {
		c.Untimed = &result.Reason{Kind: result.ReasonUntimed, Name: verdict, Message: result.MessageOf(why)}
		if why != nil && !why.Is(result.ReasonMessage) {
			c.Untimed.Name += ", " + string(why.Kind)
		}
	}
	return c
}
