package compare

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

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
		set.Cases = append(set.Cases, timed(out, strings.TrimSuffix(fmt.Sprintf(" (%s): %s", c.Verdict, report.Reason(c.Reason)), ": ")))
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
		set.Cases = append(set.Cases, timed(out, ""))
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

// timed is a case, which has failed if it has no process.
func timed(c benchmark.Case, why string) benchmark.Case {
	if len(c.Processes) == 0 && c.Failed == "" {
		c.Failed = "was not timed" + why
	}
	return c
}
