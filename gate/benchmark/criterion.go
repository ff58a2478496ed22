package benchmark

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// criterion is a command that runs benchmarks of Rust's Criterion: cargo bench, or a program that it built. Criterion writes what it measured
// into the folder that CRITERION_HOME names.
type criterion struct{}

const criterionFolder = "criterion"

func (criterion) Traits() Traits { return Traits{Name: "criterion", Shorter: shorterCriterion} }

func (criterion) Command(s Spec, a Ask) Command {
	c := asks(s, a, "")
	c.Env = append(c.Env, "CRITERION_HOME="+filepath.Join(a.Out, criterionFolder))
	return c
}

// criterionName is what benchmark.json says of a benchmark, and criterionSample what sample.json has of it.
type criterionName struct {
	FullID     string `json:"full_id"`
	Throughput struct {
		Bytes float64 `json:"Bytes"`
	} `json:"throughput"`
}

type criterionSample struct {
	Iters []float64 `json:"iters"`
	Times []number  `json:"times"` // ns of so many iterations
}

// mostEntries bounds what is walked through of a folder that a benchmark wrote: a benchmark has 30 entries with plots.
const (
	mostEntries = 100_000
	mostDepth   = 20
)

var errTooMany = fmt.Errorf("it wrote more than %d files: --noplot leaves out those that nobody reads", mostEntries)

// Read takes every benchmark's new samples.
func (criterion) Read(_ Spec, o Output) (Set, error) {
	b, entries := newCaseBuilder(), 0
	err := fs.WalkDir(o.Folder, criterionFolder, func(name string, entry fs.DirEntry, err error) error {
		folder, file := path.Split(name)
		switch entries++; {
		case entries > mostEntries || strings.Count(name, "/") > mostDepth:
			return errTooMany
		case err == nil && file == "benchmark.json" && path.Base(folder) == "new" && !entry.IsDir():
			return b.criterion(o, folder)
		}
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Set{}, fmt.Errorf("%w: Criterion writes into the folder that CRITERION_HOME names, so the command has to run it (cargo bench), with that variable", ErrNothing)
	case err != nil:
		return Set{}, err
	case len(b.cases) == 0:
		return Set{}, errors.New("no benchmark was written by Criterion")
	}
	return b.set(criterionFolder, "criterion"), nil
}

// criterion adds the benchmark of a folder.
func (b *caseBuilder) criterion(o Output, folder string) error {
	var what criterionName
	if err := o.decode(path.Join(folder, "benchmark.json"), &what); err != nil {
		return err
	}
	var sample criterionSample
	file := path.Join(folder, "sample.json")
	if err := o.decode(file, &sample); err != nil {
		return err
	}
	if len(sample.Iters) != len(sample.Times) || len(sample.Times) == 0 {
		return &FileError{file, 0, fmt.Errorf("%d times of %d samples", len(sample.Times), len(sample.Iters))}
	}
	c := b.at(strings.Join(strings.Fields(what.FullID), " "))
	if len(c.Processes[0].Samples) > 0 {
		c.Failed = "two benchmarks have this name"
		return nil
	}
	for i, n := range sample.Iters {
		if err := c.take(float64(sample.Times[i])/n, n); err != nil {
			return &FileError{file, 0, fmt.Errorf("sample %d of %s: %w", i+1, Quoted(c.Name), err)}
		}
	}
	if bytes := what.Throughput.Bytes; bytes > 0 && bytes <= maxNS {
		c.Bytes, c.WorkSaid = bytes, true
	}
	return nil
}

// decode reads a file of JSON that a process left.
func (o Output) decode(name string, v any) error {
	data, err := o.answer(name)
	if err == nil && len(data) == 0 {
		err = fmt.Errorf("there is no %s", name)
	}
	if err != nil {
		return err
	}
	return DecodeJSON(name, data, 0, data, v)
}
