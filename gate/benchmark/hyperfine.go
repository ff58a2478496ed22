package benchmark

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// hyperfineRun is the part that matters of a command in what hyperfine writes with --export-json (version 1).
type hyperfineRun struct {
	Command    string            `json:"command"` // or the name that --command-name gives it
	Mean       number            `json:"mean"`    // seconds
	Times      []number          `json:"times"`
	ExitCodes  []*int            `json:"exit_codes"` // null: ended by a signal
	Parameters map[string]string `json:"parameters"`
}

// ReadHyperfine reads the JSON of hyperfine: each run of a command is a process of its own.
func ReadHyperfine(path string, data []byte) (Set, error) {
	return readCases(path, data, "results", "hyperfine", "no results", func(b *caseBuilder, run hyperfineRun) error {
		c, err := run.read()
		if err != nil {
			return fmt.Errorf("command %s: %w", Quoted(run.Command), err)
		}
		b.cases = append(b.cases, c)
		return nil
	})
}

func (r hyperfineRun) read() (Case, error) {
	c := Case{Name: r.Command, Launches: 1}
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		c.Params = append(c.Params, result.Param{Name: name, Value: r.Parameters[name]})
	}
	for i, code := range r.ExitCodes {
		if code == nil || *code != 0 {
			c.Failed = fmt.Sprintf("run %d of the command did not end with exit status 0", i+1)
		}
	}
	for i, seconds := range r.Times {
		ns := float64(seconds) * 1e9
		if err := checkSample(ns); err != nil {
			return c, fmt.Errorf("run %d: %w", i+1, err)
		}
		c.TotalNS += ns
		c.Processes = append(c.Processes, Process{ID: fmt.Sprint(i + 1), ValueNS: ns})
	}
	if len(c.Processes) > 0 {
		return c, nil
	}
	c.Processes = []Process{{ID: "1"}}
	return c, c.Processes[0].standsFor(float64(r.Mean) * 1e9)
}

// hyperfine is a command that runs hyperfine. All of its runs in one round are one value: base and head alternate by rounds alone.
type hyperfine struct{}

func (hyperfine) Traits() Traits { return Traits{Name: "hyperfine", Shorter: shorterHyperfine} }

func (hyperfine) Command(s Spec, a Ask) Command {
	file := filepath.Join(a.Out, jsonAnswer)
	return asks(s, a, file, "--export-json", file)
}

func (hyperfine) Read(_ Spec, o Output) (Set, error) {
	data, err := o.jsonOf("--export-json")
	if err != nil {
		return Set{}, err
	}
	set, err := ReadHyperfine(jsonAnswer, data)
	for i, c := range set.Cases {
		one := Process{ID: "1"}
		for _, p := range c.Processes {
			one.Samples = append(one.Samples, p.ValueNS)
		}
		set.Cases[i].Processes = []Process{one}
	}
	return set, err
}
