package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/kernels/task"
)

// TaskStarter is a first configuration for problems of task formats and their solutions.
type TaskStarter []task.Found

// trials are as many inputs as KernelBench tries a solution with.
const trials = 5

// Text is the file. Its error is an Errors about what the problems have.
func (s TaskStarter) Text() ([]byte, error) {
	var t strings.Builder
	t.WriteString("# docs/tasks.md says what of these problems is honoured, docs/config.md describes every key.\nversion: 1\nkernels:\n")
	var names []string
	for _, f := range s {
		name := taskName(f.Task, names)
		names = append(names, name)
		fmt.Fprintf(&t, "  - name: %s\n    adapter: %s   # a problem of %s\n    sources: [%s]\n", name, scalarText(f.Task.Path), f.Task.Format, scalarText(f.Solution))
		measured, listed := f.Task.Cases(f.Task.Benchmarks), f.Task.Cases(f.Task.Tests)
		if f.Task.Format == task.KernelBench {
			t.WriteString("    params: {trial: {values: " + intsText(trialNumbers()) + "}}   # the inputs of each are drawn anew\n    measure: [{trial: 0}]\n    parity: {values: [spec]}\n")
		} else {
			gpuModeCases(&t, f.Task, measured, listed)
		}
		fmt.Fprintf(&t, "    competitors:\n      - {name: reference, adapter: %s}   # the problem's own reference\n", scalarText(f.Task.Path))
	}
	text := []byte(t.String())
	_, err := Parse(DefaultFile, text)
	return text, err
}

// gpuModeCases writes the parameters of task.yml, its benchmarks as what is measured and its tests as what is checked.
func gpuModeCases(t *strings.Builder, p task.Task, measured, listed [][]int64) {
	if len(measured) == 0 {
		measured = listed
	}
	if len(p.Params()) > 0 {
		t.WriteString("    params:\n")
	}
	for i, name := range p.Params() {
		fmt.Fprintf(t, "      %s: {values: %s}%s\n", name, intsText(column(slices.Concat(measured, listed), i)), comment(p.Choices(name)))
	}
	t.WriteString("    measure:   # its benchmarks\n")
	writeRows(t, "      ", p.Params(), measured)
	t.WriteString("    parity:\n      values: [spec]   # inputs are those that the problem makes\n")
	if len(listed) > 0 {
		t.WriteString("      cases:   # its tests\n")
		writeRows(t, "        ", p.Params(), listed)
	}
}

// comment says what the integers of a parameter stand for.
func comment(choices []string) string {
	if len(choices) == 0 {
		return ""
	}
	text := "   # stand for " + strings.Join(choices, ", ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, fmt.Sprintf("%.200s", strings.ToValidUTF8(text, "?")))
}

func writeRows(t *strings.Builder, indent string, names []string, rows [][]int64) {
	for _, row := range rows {
		var parts []string
		for i, name := range names {
			parts = append(parts, name+": "+strconv.FormatInt(row[i], 10))
		}
		fmt.Fprintf(t, "%s- {%s}\n", indent, strings.Join(parts, ", "))
	}
}

// column are the different values of one parameter.
func column(rows [][]int64, i int) []int64 {
	var values []int64
	for _, row := range rows {
		if !slices.Contains(values, row[i]) {
			values = append(values, row[i])
		}
	}
	return values
}

func intsText(values []int64) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, strconv.FormatInt(v, 10))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func trialNumbers() []int64 {
	var numbers []int64
	for i := range int64(trials) {
		numbers = append(numbers, i)
	}
	return numbers
}

// taskName is a name for the kernel of a problem, which no other has: of GPU MODE that of its folder, of KernelBench that of its file.
func taskName(t task.Task, taken []string) string {
	words := strings.Split(strings.TrimSuffix(t.Path, ".py"), "/")
	if t.Format == task.GPUMode {
		words = words[:max(len(words)-1, 1)]
	}
	name := strings.TrimLeft(strings.Map(func(r rune) rune {
		if problem, _ := checkName("a" + string(r)); problem == "" {
			return r
		}
		return '_'
	}, words[len(words)-1]), ".-")
	name = name[:min(len(name), 60)]
	if name == "" || name == "task.yml" {
		name = "problem"
	}
	for n, first := 2, name; slices.Contains(taken, name); n++ {
		name = first + "_" + strconv.Itoa(n)
	}
	return name
}
