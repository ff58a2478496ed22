package benchmark

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// nvbench is a program with nvbench's main, or a script whose cuda.bench hands nvbench its arguments (run_all_benchmarks(sys.argv)).
type nvbench struct{ python bool }

func (n nvbench) Traits() Traits {
	t := Traits{Name: "nvbench", CUDA: true, Times: []string{NVBenchCold, NVBenchBatch}, Filters: true, Shorter: shorterNVBench}
	if n.python {
		t.Name, t.Python = "cuda.bench", true
	}
	return t
}

func (nvbench) Command(s Spec, a Ask) Command {
	file := filepath.Join(a.Out, jsonAnswer)
	args := []string{"--jsonbin", file}
	if namedBenchmarks(s.Command) == 0 {
		args = append(args, selected(a)...)
	}
	return asks(s, a, file, args...)
}

// Profile runs one state of one benchmark once, as nvbench does for profilers: without the kernel that blocks the stream meanwhile, which
// would wait for ever under one.
func (nvbench) Profile(s Spec, a Ask, row Case) Command {
	args := []string{"--profile"}
	if namedBenchmarks(s.Command) == 0 {
		args = append(args, "-b", result.ParseCaseID(row.Name).Kernel)
	}
	args = append(args, axesOf(row)...)
	return asks(s, a, filepath.Join(a.Out, jsonAnswer), args...)
}

// Narrows: --profile and -a are of the last benchmark that a line names, so one of several cannot be chosen.
func (nvbench) Narrows(s Spec) bool { return namedBenchmarks(s.Command) <= 1 }

// namedBenchmarks is how many benchmarks a command line names itself: one that is named twice runs twice.
func namedBenchmarks(line string) int {
	n := 0
	for _, word := range strings.Fields(line) {
		if word == "-b" || word == "--benchmark" {
			n++
		}
	}
	return n
}

// selected are the arguments that choose what is asked for: a benchmark with all of its states, or one state after the other where others of it
// are not asked for and its axes can be written as arguments.
func selected(a Ask) []string {
	var args []string
	if len(a.Cases) == 0 {
		return wantedBenchmarks(a.Wanted)
	}
	for _, bench := range benchmarksOf(a.Cases) {
		has := slices.DeleteFunc(slices.Clone(a.Known), func(c Case) bool { return result.ParseCaseID(c.Name).Kernel != bench })
		wanted := slices.DeleteFunc(slices.Clone(has), func(c Case) bool { return !slices.Contains(a.Cases, c.Name) })
		if len(wanted) == 0 || len(wanted) == len(has) || slices.ContainsFunc(wanted, func(c Case) bool { return !writable(c) }) {
			args = append(args, "-b", bench)
			continue
		}
		for _, c := range wanted {
			args = append(append(args, "-b", bench), axesOf(c)...)
		}
	}
	return args
}

// wantedBenchmarks are the arguments that choose the benchmarks that patterns name, or none where one may stand for any.
func wantedBenchmarks(patterns []string) []string {
	var rows, args []string
	for _, p := range patterns {
		parts := pieces(p)
		if len(parts) > 1 && !strings.Contains(parts[0], "/") {
			return nil
		}
		rows = append(rows, parts[0])
	}
	for _, bench := range benchmarksOf(rows) {
		args = append(args, "-b", bench)
	}
	return args
}

// benchmarksOf are the benchmarks that rows are of, each once.
func benchmarksOf(rows []string) []string {
	var out []string
	for _, row := range rows {
		if name := result.ParseCaseID(row).Kernel; !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// axesOf are the arguments that give each axis the value of a row.
func axesOf(row Case) []string {
	var args []string
	for _, axis := range row.Params {
		name, value := axis.Name, axis.Value
		if power, ok := strings.CutPrefix(value, "2^"); ok {
			name, value = name+"[pow2]", power
		}
		args = append(args, "-a", name+"="+value)
	}
	return args
}

// writable says whether nvbench reads back the axes of a row as it wrote them: lists, ranges and flags have characters of their own.
func writable(row Case) bool {
	for _, axis := range row.Params {
		if axis.Value == "" || strings.ContainsAny(axis.Name+axis.Value, "[]=,: \t") {
			return false
		}
	}
	return len(row.Params) > 0
}

// Read names rows by their axes: sum/T=F32,Elements=2^24. The device is left out, since one is shown.
func (nvbench) Read(s Spec, o Output) (Set, error) {
	data, err := o.jsonOf("--jsonbin")
	if err != nil {
		return Set{}, err
	}
	set, err := ReadNVBench(jsonAnswer, data, o.Folder, cmp.Or(s.Time, NVBenchCold))
	for i, c := range set.Cases {
		id := result.ParseCaseID(c.Name)
		axes := slices.DeleteFunc(strings.Fields(id.Args()), func(axis string) bool { return strings.HasPrefix(axis, "Device=") })
		set.Cases[i].Name = result.CaseID{Kernel: id.Kernel, Row: strings.Join(axes, ",")}.String()
	}
	return set, err
}
