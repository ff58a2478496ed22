package compare

import (
	"bytes"
	"fmt"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/benchmark"
)

// gzipMagic begins every stored record, and no other file that is read here.
var gzipMagic = []byte{0x1f, 0x8b}

// readRecord reads a stored record: the processes of one commit on one machine.
func readRecord(path string, data []byte) (benchmark.Set, error) {
	r, err := baseline.Decode(data)
	if err != nil {
		return benchmark.Set{}, &benchmark.FileError{Path: path, Err: err}
	}
	set := benchmark.Set{Path: path, Format: "record"}
	for _, c := range r.Cases {
		set.Cases = append(set.Cases, recordedCase(c))
	}
	if r.Machine.Key != "" {
		set.Notes = append(set.Notes, fmt.Sprintf("%s was measured on %s", path, r.Machine.Key))
	}
	return set, nil
}

func recordedCase(c baseline.Case) benchmark.Case {
	out := benchmark.Case{Name: c.Name, QuantumNS: c.Method.QuantumNS, Launches: max(1, c.Method.Launches)}
	for i, ns := range c.ValuesNS {
		if err := benchmark.CheckNS(ns); err != nil {
			out.Failed = fmt.Sprintf("process %d: %v", i+1, err)
			continue
		}
		out.Processes = append(out.Processes, benchmark.Process{ID: fmt.Sprint(i + 1), ValueNS: ns})
	}
	if len(out.Processes) == 0 && out.Failed == "" {
		out.Failed = "was not timed"
	}
	return out
}

func isRecord(head []byte) bool { return bytes.HasPrefix(head, gzipMagic) }
