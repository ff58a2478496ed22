package benchmark

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// tritonScript is a benchmark script of Triton or torch. perfgate's Python package runs it and times what it would time: the
// script says what, our methods say how.
type tritonScript struct{}

func (tritonScript) Traits() Traits {
	return Traits{Name: "triton", OurClock: true, Lists: true, CUDA: true, Script: true, Python: true, Filters: true}
}

// Files are the Python package.
func (tritonScript) Files() fs.FS { return kernels.PythonPackage() }

// AskVariable holds the question that the package answers, as JSON.
const AskVariable = "PERFGATE_BENCH_ASK"

// tritonVersion is the version of question and answer: docs/protocol.md.
const tritonVersion = 1

// tritonAsk is the question.
type tritonAsk struct {
	Version     int                      `json:"version"`
	Mode        Mode                     `json:"mode"`
	Cases       []string                 `json:"cases,omitempty"`
	Wanted      []string                 `json:"wanted,omitempty"`
	Competitors []string                 `json:"competitors,omitempty"`
	Methods     map[string]result.Method `json:"methods,omitempty"`
	Seed        uint64                   `json:"seed"`
}

// Question is what a process is asked.
func (tritonScript) Question(s Spec, a Ask) string {
	question, err := json.Marshal(tritonAsk{tritonVersion, a.Mode, a.Cases, a.Wanted, s.Competitors, a.Methods, a.Seed})
	if err != nil {
		panic(err) // a method with infinities, which freezing one never makes
	}
	return string(question)
}

func (f tritonScript) Command(s Spec, a Ask) Command {
	return f.process(s, a, " -m perfgate.bench", AskVariable+"="+f.Question(s, a))
}

// Ahead runs a file by its path: with -m the folder that the process is in, which is the side's, would come first while another process measures.
func (f tritonScript) Ahead(s Spec, a Ask, packages []string) Command {
	start := filepath.Join(a.Support, "perfgate", "bench_ahead.py")
	return f.process(s, a, " "+kernels.ShellWord(start), "PERFGATE_BENCH_AHEAD="+strings.Join(packages, " "))
}

func (tritonScript) process(s Spec, a Ask, how, variable string) Command {
	return Command{
		Line: kernels.ShellWord(cmp.Or(s.Python, "python3")) + how,
		Args: append([]string{s.Script}, s.Args...),
		Env: []string{
			variable, OutVariable + "=" + filepath.Join(a.Out, jsonAnswer), "PYTHONPATH=" + a.Support, "PYTHONNOUSERSITE=1", "PYTHONDONTWRITEBYTECODE=1",
		},
	}
}

// Profile asks for one launch of a row: the package starts and stops the profiler.
func (f tritonScript) Profile(s Spec, a Ask, row Case) Command {
	a.Mode, a.Cases = Profile, []string{row.Name}
	return f.Command(s, a)
}

// Narrows: the package times and shows what it is asked for, whatever the script goes through.
func (tritonScript) Narrows(Spec) bool { return true }

// ScriptError is what a script raised, with its place and what helps where that is known: untrusted text.
type ScriptError struct{ Raised string }

func (e *ScriptError) Error() string { return "the script failed: " + e.Raised }

// tritonAnswer is what the package writes.
type tritonAnswer struct {
	Version int          `json:"version"`
	Cases   []tritonCase `json:"cases"`
	Others  []string     `json:"others"` // points that the default spread left out
	Notes   []string     `json:"notes"`
	Imports []string     `json:"imports"` // installed packages
	Error   string       `json:"error"`   // of the script as a whole
}

type tritonCase struct {
	Name     string         `json:"name"`
	Params   []result.Param `json:"params"`
	Method   *result.Method `json:"method"`
	Samples  []float64      `json:"samples"` // ns of a launch
	WaitedNS float64        `json:"waitedNs"`
	Planned  int            `json:"planned"`
	Stopped  string         `json:"stopped"`
	Config   string         `json:"config"`
	Failed   string         `json:"failed"`
	Skipped  bool           `json:"skipped"`
	Notes    []string       `json:"notes"`
	Provider string         `json:"provider"` // the line of a perf_report
	Place    string         `json:"place"`    // the same of points that differ in their line alone
	Offered  string         `json:"offered"`  // the function that the script called
}

func (tritonScript) Read(s Spec, o Output) (Set, error) {
	data, err := o.jsonFile()
	if err != nil {
		return Set{}, err
	}
	var a tritonAnswer
	if err := DecodeJSON(jsonAnswer, data, 0, data, &a); err != nil {
		return Set{}, err
	}
	switch {
	case a.Version != tritonVersion:
		return Set{}, fmt.Errorf("%s has version %d, want %d: its process ran another perfgate.bench", jsonAnswer, a.Version, tritonVersion)
	case a.Error != "":
		return Set{}, &ScriptError{clipped(a.Error)}
	case len(a.Cases) == 0 && len(a.Others) == 0:
		return Set{}, errors.New("the script times nothing that perfgate can take over: it never came to triton.testing.do_bench, " +
			"perf_report or torch.utils.benchmark.Timer (is its benchmark behind an argument or a condition?)")
	}
	set := Set{Path: jsonAnswer, Format: tritonScript{}.Traits().Name, Notes: a.Notes, Imports: kernels.ImportableAhead(a.Imports)}
	for _, raw := range a.Cases {
		c, err := raw.read(s)
		if err != nil {
			return Set{}, fmt.Errorf("case %s: %w", Quoted(raw.Name), err)
		}
		set.Cases = append(set.Cases, c)
		for _, note := range raw.Notes {
			set.Notes = append(set.Notes, clipped(raw.Name+": "+note))
		}
	}
	return set, nil
}

func (r tritonCase) read(s Spec) (Case, error) {
	c := Case{
		Name: r.Name, Params: r.Params, Method: r.Method, Chosen: clipped(r.Config), Failed: clipped(r.Failed), Skipped: r.Skipped,
		Launches: 1, Processes: []Process{{ID: "1", Samples: r.Samples, WaitedNS: r.WaitedNS, Planned: r.Planned, Stopped: r.Stopped}},
		Competitor: r.isCompetitor(s.Competitors), Line: r.Provider, Place: r.Place,
	}
	if r.Skipped && c.Failed == "" {
		c.Failed = clipped(cmp.Or(strings.Join(r.Notes, "; "), "the script skips it"))
	}
	if r.Stopped != "" && r.Stopped != "limit" {
		return c, fmt.Errorf("stopped is %s", Quoted(r.Stopped))
	}
	if r.Method != nil {
		if r.Method.Launches < 1 {
			return c, fmt.Errorf("a method of %d launches", r.Method.Launches)
		}
		c.Launches, c.QuantumNS = r.Method.Launches, r.Method.QuantumNS
	}
	for _, ns := range r.Samples {
		if err := checkSample(ns); err != nil {
			return c, err
		}
		c.TotalNS += ns * float64(c.Launches)
	}
	return c, nil
}

// isCompetitor says whether patterns name the row, or the line of the plot that it is on.
func (r tritonCase) isCompetitor(patterns []string) bool {
	return MatchesRow(patterns, r.Name) || r.Provider != "" && slices.Contains(patterns, r.Provider)
}

// clipped bounds what a script wrote.
func clipped(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
