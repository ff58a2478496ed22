package benchmark

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels"
)

// Recognised is what a command turned out to be.
type Recognised struct {
	Format Format
	Spec   Spec
	Set    Set // what it measured when it was tried
	Lived  time.Duration
	OfCPU  Set      // the same by the clock of the CPU, of formats that write both
	Unused []string // columns of a program's own table that may be values, and that its mapping leaves out

	named bool // by the command itself, as pytest and hyperfine are
}

// A GPU's times are no business of the CPU's clock, and what waits or works in other threads is not in it.
const ownThread = 0.9

// OnCPU says whether the clock of the CPU can time all cases, as far as one run shows: it moves in each, and shows what the wall clock shows, so
// that the program neither waits nor works in other threads.
func (r Recognised) OnCPU() bool {
	if len(r.OfCPU.Cases) == 0 || len(r.OfCPU.Cases) != len(r.Set.Cases) {
		return false
	}
	for i, c := range r.OfCPU.Cases {
		if c.Failed != "" {
			if c.Coarse {
				return false
			}
			continue
		}
		cpu, err := c.Processes[0].Value()
		real, realErr := r.Set.Cases[i].Processes[0].Value()
		if err != nil || realErr != nil || cpu < ownThread*real {
			return false
		}
	}
	return true
}

// Trial is how Recognise runs a command that it takes for one of a format: to its end, in the folder that the user is in.
type Trial func(ctx context.Context, f Format, s Spec) (Output, error)

// UnrecognisedError says why a command is of none of the formats that were tried, each in a line.
type UnrecognisedError struct {
	Command string
	Tried   []string
	Ran     bool // to a good end as one of them: what it printed could not be read
}

// tried adds what came of a try. Formats of which the same came are said together.
func (e *UnrecognisedError) tried(format string, err error) {
	for i, line := range e.Tried {
		if formats, said, _ := strings.Cut(strings.TrimPrefix(line, "as "), ": "); said == err.Error() {
			e.Tried[i] = fmt.Sprintf("as %s, %s: %s", formats, format, said)
			return
		}
	}
	e.Tried = append(e.Tried, fmt.Sprintf("as %s: %v", format, err))
}

// endsTrials says whether a command fails in a way that no option of a format could be the reason of.
func endsTrials(err error) bool {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return false
	}
	switch fault.Code {
	case result.CodeNotStarted, result.CodeHung, result.CodeFlooded, result.CodeFilled:
		return true
	}
	return false
}

func (e *UnrecognisedError) Error() string {
	if !e.Ran {
		return fmt.Sprintf("%s fails here, so perfgate cannot see what it prints:\n  %s", Quoted(e.Command), strings.Join(e.Tried, "\n  "))
	}
	return fmt.Sprintf("%s is no benchmark that perfgate can read:\n  %s\n"+
		"whatever prints a table is one that has a header and a column of times or rates whose name or cells have a unit: kernel,case,ns; "+
		"or a line for each result, such as \"size 128: 0.5 ms\" (docs/benchmarks.md)",
		Quoted(e.Command), strings.Join(e.Tried, "\n  "))
}

// Recognise tries a command as the formats that it may be of, the likeliest first, until an answer can be read. program is what the
// command's first file holds, nil where there is none: the traces of a library tell what it was built with.
func Recognise(ctx context.Context, line string, program []byte, try Trial) (Recognised, error) {
	failed := &UnrecognisedError{Command: line}
	var own *Recognised
	all := candidates(line, program)
	isNamed := slices.ContainsFunc(all, func(c Recognised) bool { return c.named })
	for _, c := range all {
		traits := c.Format.Traits()
		out, err := try(ctx, c.Format, c.Spec)
		if ctx.Err() != nil {
			return Recognised{}, context.Cause(ctx)
		}
		if endsTrials(err) {
			return Recognised{}, fmt.Errorf("%s: %w", Quoted(line), err)
		}
		ran := err == nil
		failed.Ran = failed.Ran || ran
		if ran {
			c.Lived = out.Lived
			c.Set, err = Read(c.Format, c.Spec, out)
		}
		if err == nil && slices.Contains(traits.Times, "cpu") {
			spec := c.Spec
			spec.Time = "cpu"
			c.OfCPU, _ = Read(c.Format, spec, out) // what cannot be read so is not chosen
		}
		if err == nil && slices.ContainsFunc(c.Set.Cases, func(c Case) bool { return c.Failed == "" }) {
			return c, nil
		}
		if ran && traits.Name == "csv" {
			own = c.asOwnTable(out)
		}
		if err == nil {
			err = fmt.Errorf("it measured nothing")
		}
		if ran || c.named || !isNamed { // that pytest fails as csv too helps nobody
			failed.tried(traits.Name, err)
		}
	}
	if own != nil {
		return *own, nil
	}
	return Recognised{}, failed
}

// asOwnTable is a command whose table has columns of its own; nil where none of them is a time or a rate.
func (r Recognised) asOwnTable(out Output) *Recognised {
	path, text, err := out.table()
	if err != nil {
		return nil
	}
	proposed, found := propose(text)
	if !found {
		return nil
	}
	r.Spec.Table, r.Unused, r.Lived = &proposed.Mapping, proposed.Unused, out.Lived
	r.Set, err = Read(r.Format, r.Spec, out)
	if err != nil || !slices.ContainsFunc(r.Set.Cases, func(c Case) bool { return c.Failed == "" }) {
		return nil
	}
	r.Set.Path = path
	return &r
}

// traces are what commands and programs of a format have in them.
var traces = []struct {
	format         string
	line, contents func() *regexp.Regexp
}{
	{"pytest-benchmark", text.Pattern(`(^|[\s/])(pytest|py\.test)(\s|$)`), nil},
	{"hyperfine", text.Pattern(`(^|[\s/])hyperfine(\s|$)`), nil},
	{"pytest-benchmark", text.Pattern(`\.sh(\s|$)`), text.Pattern(`(?m)^[^#\n]*\b(pytest|py\.test)\s`)}, // a script that runs it
	{"hyperfine", text.Pattern(`\.sh(\s|$)`), text.Pattern(`(?m)^[^#\n]*\bhyperfine\s`)},
	{"go", text.Pattern(`(^|[\s/])go\s+test\s|-test\.bench`), nil},
	{"criterion", text.Pattern(`(^|[\s/])cargo\s+(\+\S+\s+)?(bench|criterion)`), nil},
	{"cuda.bench", text.Pattern(`\.py(\s|$)`), text.Pattern(`cuda\.(bench|nvbench)`)},
	{"criterion", nil, text.Pattern(`CRITERION_HOME`)},
	{"go", nil, text.Pattern(`test\.benchtime`)},
	{"nvbench", nil, text.Pattern(`nvbench`)},
	{"google-benchmark", nil, text.Pattern(`benchmark_filter|libbenchmark`)},
	{"triton", text.Pattern(`\.py(\s|$)`), text.Pattern(`triton\.testing|perf_report|torch\.utils\.benchmark`)},
}

// candidates are the formats that leave traces, then all that a command can be of without any: a script may hide what it runs.
func candidates(line string, program []byte) []Recognised {
	var found []Recognised
	has := func(name string) bool {
		return slices.ContainsFunc(found, func(c Recognised) bool { return c.Format.Traits().Name == name })
	}
	for _, t := range traces {
		seen := (t.line == nil || t.line().MatchString(line)) && (t.contents == nil || t.contents().Match(program))
		if c, ok := candidate(t.format, line); seen && ok && !has(t.format) {
			c.named = t.contents == nil
			found = append(found, c)
		}
	}
	for _, name := range []string{"csv", "triton", "google-benchmark", "nvbench"} { // a script may time through a library of its own
		if c, ok := candidate(name, line); ok && !has(name) {
			found = append(found, c)
		}
	}
	return found
}

// candidate is a command as one of a format; false where it cannot be.
func candidate(name, line string) (Recognised, bool) {
	f, _ := Named(name)
	c := Recognised{Format: f, Spec: Spec{Command: line}}
	if times := f.Traits().Times; len(times) > 0 {
		c.Spec.Time = times[0]
	}
	if !f.Traits().Script {
		return c, true
	}
	python, script, args, ok := scriptOf(line)
	c.Spec = Spec{Script: script, Args: args, Python: python}
	return c, ok
}

// scriptOf takes a command such as "python3 bench/x.py --quick" apart; false where a shell has more to do than that.
func scriptOf(line string) (python, script string, args []string, ok bool) {
	if strings.ContainsAny(line, "|&;<>()$`\\\"'*?[]#~\n{}!=%") {
		return "", "", nil, false
	}
	words := strings.Fields(line)
	if len(words) > 0 && strings.HasPrefix(path.Base(words[0]), "python") {
		python, words = words[0], words[1:]
	}
	if len(words) == 0 || !strings.HasSuffix(words[0], ".py") {
		return "", "", nil, false
	}
	if python == "python3" {
		python = "" // as it is without
	}
	return python, words[0], words[1:], true
}
