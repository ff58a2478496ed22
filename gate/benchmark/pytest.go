package benchmark

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// pytestRun is the part that matters of a benchmark in what pytest-benchmark writes with --benchmark-json (version 3 and 4).
type pytestRun struct {
	Name     string         `json:"name"`
	FullName string         `json:"fullname"`
	Params   map[string]any `json:"params"`
	Stats    struct {
		Data       []number `json:"data"` // seconds, of one iteration each
		Median     number   `json:"median"`
		Iterations float64  `json:"iterations"`
	} `json:"stats"`
}

// ReadPytestBenchmark reads the JSON of pytest-benchmark: each round of a test is a sample of the one process that wrote the file.
func ReadPytestBenchmark(path string, data []byte) (Set, error) {
	files := map[string]map[string]bool{} // that have a test, by its name
	err := decodeList(path, data, "benchmarks", func(run pytestRun) error {
		if files[run.test()] == nil {
			files[run.test()] = map[string]bool{}
		}
		files[run.test()][run.FullName] = true
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	return readCases(path, data, "benchmarks", "pytest-benchmark", "no benchmarks", func(b *caseBuilder, run pytestRun) error {
		name := run.test()
		if len(files[name]) > 1 {
			name = run.FullName
		}
		if name == "" {
			return errors.New("a benchmark has no name")
		}
		if err := run.into(b.at(name)); err != nil {
			return fmt.Errorf("benchmark %s: %w", Quoted(name), err)
		}
		return nil
	})
}

// test is its name without that of its file, which depends on the folder that pytest takes for its root. Where several files have such a test,
// the whole name tells them apart.
func (r pytestRun) test() string {
	if _, test, ok := strings.Cut(r.FullName, "::"); ok && test != "" {
		return test
	}
	return cmp.Or(r.FullName, r.Name)
}

func (r pytestRun) into(c *Case) error {
	for _, seconds := range r.Stats.Data {
		if err := c.take(float64(seconds)*1e9, max(1, r.Stats.Iterations)); err != nil {
			return err
		}
	}
	if p := &c.Processes[0]; len(p.Samples) == 0 {
		return p.standsFor(float64(r.Stats.Median) * 1e9)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		c.Params = append(c.Params, result.Param{Name: name, Value: fmt.Sprint(r.Params[name])})
	}
	return nil
}

// pytestBenchmark is a command that runs pytest with the plugin pytest-benchmark.
type pytestBenchmark struct{}

func (pytestBenchmark) Traits() Traits {
	return Traits{Name: "pytest-benchmark", Python: true, Filters: true, OwnClock: true, Shorter: shorterPytest}
}

// selectable are the names that pytest's -k takes as they are.
var selectable = text.Pattern(`^[A-Za-z0-9_:+.\[\]-]+$`)

func (pytestBenchmark) Command(s Spec, a Ask) Command {
	file := filepath.Join(a.Out, jsonAnswer)
	// What pytest and the plugin keep goes with the process: no tree is written to, and no process finds what another saved.
	args := []string{"--benchmark-json=" + file, "--benchmark-storage=file://" + filepath.Join(a.Out, "saved"), "-o", "cache_dir=" + filepath.Join(a.Out, "cache")}
	if k := selection(a); k != "" && len(k) <= MostArgument {
		args = append(args, "-k", k)
	}
	return asks(s, a, file, args...)
}

// selection is the expression that selects tests by name, or "" where one of them has a name that it cannot say: then all run. It
// may select more than these, since -k looks for parts of names.
func selection(a Ask) string {
	rows := a.Cases
	if len(rows) == 0 {
		for _, pattern := range a.Wanted {
			rows = append(rows, slices.MaxFunc(pieces(pattern), func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
		}
	}
	var names []string
	for _, row := range rows {
		name := row[strings.LastIndex(row, "::")+1:]
		name = strings.TrimPrefix(name, ":")
		if !selectable().MatchString(name) || name == "and" || name == "or" || name == "not" {
			return ""
		}
		names = append(names, name)
	}
	return strings.Join(names, " or ")
}

func (pytestBenchmark) Read(_ Spec, o Output) (Set, error) {
	data, err := o.jsonOf("--benchmark-json")
	if errors.Is(err, ErrNothing) {
		err = fmt.Errorf("%w; without a benchmark pytest writes none either: are they skipped, or off by --benchmark-disable or -n?", err)
	}
	if err != nil {
		return Set{}, err
	}
	return ReadPytestBenchmark(jsonAnswer, data)
}
