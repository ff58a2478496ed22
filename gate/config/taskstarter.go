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

// trials are as many inputs as KernelBench tries a solution with.
var trials = []int64{0, 1, 2, 3, 4}

// Text is the file. Its error is an Errors about what the problems have.
func (s TaskStarter) Text() ([]byte, error) {
	var t starterText
	t.add("# docs/judge.md says what of these problems is honoured, docs/config.md describes every key.\nversion: 1\nkernels:")
	var names []string
	for _, f := range s {
		name := taskName(f.Task, names)
		names = append(names, name)
		t.add("  - name: %s\n    adapter: %s   # a problem of %s\n    sources: [%s]", name, yamlText(f.Task.Path), f.Task.Format, yamlText(f.Solution))
		if f.Task.Format == task.KernelBench {
			t.add("    params: {trial: {values: %s}}   # each has other random inputs\n    measure: [{trial: 0}]\n    parity: {values: [spec]}", yamlList(trials))
		} else {
			t.gpuModeCases(f.Task)
		}
		t.add("    competitors:\n      - {name: reference, adapter: %s}   # the problem's own reference", yamlText(f.Task.Path))
	}
	return t.file()
}

// gpuModeCases writes the parameters of task.yml, its benchmarks as what is measured and its tests as what is checked.
func (t *starterText) gpuModeCases(p task.Task) {
	measured, listed := p.Cases(p.Benchmarks), p.Cases(p.Tests)
	if len(measured) == 0 {
		measured = listed
	}
	if len(p.Params()) > 0 {
		t.add("    params:")
	}
	for i, name := range p.Params() {
		var values []int64
		for _, row := range slices.Concat(measured, listed) {
			if !slices.Contains(values, row[i]) {
				values = append(values, row[i])
			}
		}
		t.add("      %s: {values: %s}%s", name, yamlList(values), comment(p.Choices(name)))
	}
	t.add("    measure:   # its benchmarks")
	t.rows("      ", p.Params(), measured)
	t.add("    parity:\n      values: [spec]   # inputs are those that the problem makes")
	if len(listed) > 0 {
		t.add("      cases:   # its tests")
		t.rows("        ", p.Params(), listed)
	}
}

// comment says what the integers of a parameter stand for.
func comment(choices []string) string {
	if len(choices) == 0 {
		return ""
	}
	return printable(fmt.Sprintf("%.200s", strings.ToValidUTF8("   # stand for "+strings.Join(choices, ", "), "?")))
}

func (t *starterText) rows(indent string, names []string, rows [][]int64) {
	for _, row := range rows {
		var parts []string
		for i, name := range names {
			parts = append(parts, name+": "+yamlText(row[i]))
		}
		t.add("%s- {%s}", indent, strings.Join(parts, ", "))
	}
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
