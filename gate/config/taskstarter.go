package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/org/perfgate/kernels/task"
)

// TaskStarter is a first configuration for problems of task formats and their solutions.
type TaskStarter []task.Found

// startedTask is what a problem's part of the file is made of.
type startedTask struct {
	task.Found
	Name             string
	Params           []startedParam
	Measured, Listed []string // cases: its benchmarks, or where it has none its tests; its tests
}

type startedParam struct {
	Name    string
	Values  []int64
	Comment string
}

// Text is the file. Its error is an Errors about what the problems have.
func (s TaskStarter) Text() ([]byte, error) {
	var names []string
	var all []startedTask
	for _, f := range s {
		names = append(names, taskName(f.Task, names))
		one := startedTask{Found: f, Name: names[len(names)-1]}
		measured, listed := f.Task.Cases(f.Task.Benchmarks), f.Task.Cases(f.Task.Tests)
		if len(measured) == 0 {
			measured = listed
		}
		params := f.Task.Params()
		for i, name := range params {
			var values []int64
			for _, row := range slices.Concat(measured, listed) {
				if !slices.Contains(values, row[i]) {
					values = append(values, row[i])
				}
			}
			one.Params = append(one.Params, startedParam{name, values, comment(f.Task.Choices(name))})
		}
		one.Measured, one.Listed = rows(params, measured), rows(params, listed)
		all = append(all, one)
	}
	return starterText("tasks.yaml", all)
}

// comment says what the integers of a parameter stand for.
func comment(choices []string) string {
	if len(choices) == 0 {
		return ""
	}
	return printable(fmt.Sprintf("%.200s", strings.ToValidUTF8("   # stand for "+strings.Join(choices, ", "), "?")))
}

// rows are cases as mappings of YAML, without their braces.
func rows(params []string, cases [][]int64) (out []string) {
	for _, values := range cases {
		var parts []string
		for i, name := range params {
			parts = append(parts, fmt.Sprintf("%s: %d", name, values[i]))
		}
		out = append(out, strings.Join(parts, ", "))
	}
	return out
}

// taskName is a name for the kernel of a problem, which no other has: of GPU MODE that of its folder, of KernelBench that of its file.
func taskName(t task.Task, taken []string) string {
	at := strings.TrimSuffix(t.Path, ".py")
	if t.Format == task.GPUMode {
		at = path.Dir(at)
	}
	name := nameOf(path.Base(at), "problem")
	for n, first := 2, name; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s_%d", first, n)
	}
	return name
}
