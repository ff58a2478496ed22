package compare

import (
	"errors"
	"fmt"
	"strings"

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
	set := benchmark.Set{Path: path, Format: ofResult}
	voided := map[int]bool{}
	for _, round := range r.Rounds {
		voided[round.Index] = round.Voided != ""
	}
	for _, c := range r.Cases {
		set.Cases = append(set.Cases, headOf(c, voided))
	}
	if len(set.Cases) == 0 {
		return benchmark.Set{}, &benchmark.FileError{Path: path, Err: errors.New("the run has no cases")}
	}
	if r.Machine.Key != "" {
		set.Notes = append(set.Notes, fmt.Sprintf("%s was measured on %s", path, r.Machine.Key))
	}
	return set, nil
}

func headOf(c result.Case, voided map[int]bool) benchmark.Case {
	out := benchmark.Case{Name: c.Name, Launches: 1}
	if c.Method != nil {
		out.QuantumNS, out.Launches = c.Method.QuantumNS, max(1, c.Method.Launches)
	}
	for _, p := range c.Of(result.VariantHead) {
		if voided[p.Round] {
			continue
		}
		if err := benchmark.CheckNS(p.ValueNS); err != nil {
			out.Failed = fmt.Sprintf("round %d: %v", p.Round, err)
			continue
		}
		id := fmt.Sprintf("%d.%d", p.Round, p.Position)
		out.Processes = append(out.Processes, benchmark.Process{ID: id, ValueNS: p.ValueNS})
	}
	if len(out.Processes) == 0 && out.Failed == "" {
		out.Failed = strings.TrimSuffix(fmt.Sprintf("was not timed (%s): %s", c.Verdict, report.Reason(c.Reason)), ": ")
	}
	return out
}
