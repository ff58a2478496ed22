package compare

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// ReadResult reads a saved run: the set is its head, since that is what the run was about; its base served as the
// yardstick of that day.
func ReadResult(path string, data []byte) (Set, error) {
	r, err := result.Read(bytes.NewReader(data))
	if err != nil {
		var bad *result.ReadError
		if errors.As(err, &bad) {
			bad.File = path
			return Set{}, bad
		}
		return Set{}, &FileError{path, 0, err}
	}
	set := Set{Path: path, Format: "result"}
	voided := map[int]bool{}
	for _, round := range r.Rounds {
		voided[round.Index] = round.Voided != ""
	}
	for _, c := range r.Cases {
		set.Cases = append(set.Cases, headOf(c, voided))
	}
	if len(set.Cases) == 0 {
		return Set{}, &FileError{path, 0, errors.New("the run has no cases")}
	}
	if r.Machine.Key != "" {
		set.Notes = append(set.Notes, fmt.Sprintf("%s was measured on %s", path, r.Machine.Key))
	}
	return set, nil
}

func headOf(c result.Case, voided map[int]bool) Case {
	out := Case{Name: c.Name, Launches: 1}
	if c.Method != nil {
		out.QuantumNS, out.Launches = c.Method.QuantumNS, max(1, c.Method.Launches)
	}
	for _, p := range c.Processes {
		if p.Side != "head" || voided[p.Round] {
			continue
		}
		if err := checkNS(p.ValueNS); err != nil {
			out.Failed = fmt.Sprintf("round %d: %v", p.Round, err)
			continue
		}
		id := fmt.Sprintf("%d.%d", p.Round, p.Position)
		out.Processes = append(out.Processes, Process{ID: id, ValueNS: p.ValueNS})
	}
	if len(out.Processes) == 0 && out.Failed == "" {
		out.Failed = strings.TrimSuffix(fmt.Sprintf("was not timed (%s): %s", c.Verdict, c.Reason), ": ")
	}
	return out
}
