package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// BenchStarter is a first configuration for a benchmark.
type BenchStarter struct {
	Kernel    string
	Bench     Bench
	Build     string   // what builds it; "" where nothing has to, or that is not known
	Files     []string // patterns of what it seems to be made of. It may define what it times, so they are only suggested
	Cases     []string // what it times; nil: all of it
	Tolerance string   // slowdown that passes; "" leaves the default
	CPU       bool     // it was seen to run without a GPU, which its format would ask for
}

// Text is the file. Its error is an Errors about what the starter was given.
func (b BenchStarter) Text() ([]byte, error) {
	var t strings.Builder
	t.WriteString("# docs/config.md describes every key, docs/benchmarks.md benchmarks.\nversion: 1\n")
	if b.CPU {
		t.WriteString("device: cpu                            # it ran on a machine without a GPU\n")
	}
	t.WriteString("kernels:\n")
	fmt.Fprintf(&t, "  - name: %s\n", b.Kernel)
	if b.Bench.Script == "" {
		b.command(&t)
	} else {
		fmt.Fprintf(&t, "    bench: {script: %s, %sformat: %s}\n", scalarText(b.Bench.Script), argsText(b.Bench.Args), b.Bench.Format)
	}
	if b.Bench.Python != "" {
		fmt.Fprintf(&t, "    python: %s\n", scalarText(b.Bench.Python))
	}
	b.picks(&t)
	if b.Tolerance != "" {
		fmt.Fprintf(&t, "gate: {tolerance: %s}\n", scalarText(b.Tolerance))
	}
	text := []byte(t.String())
	_, err := Parse(DefaultFile, text)
	return text, err
}

// command writes what is run, and what builds it before.
func (b BenchStarter) command(t *strings.Builder) {
	if b.Build != "" {
		fmt.Fprintf(t, "    build: {command: %s}\n", scalarText(b.Build))
	} else {
		t.WriteString("    # build: {command: make bench}       # what builds it, in the tree of each side\n")
	}
	clock := ""
	if b.Bench.Time == "cpu" {
		clock = ", time: cpu"
	}
	fmt.Fprintf(t, "    bench: {command: %s, format: %s%s}\n", scalarText(b.Bench.Command), b.Bench.Format, clock)
}

// picks writes what the benchmark is made of, and what of it is timed.
func (b BenchStarter) picks(t *strings.Builder) {
	files := b.Files
	if len(files) == 0 {
		files = []string{"benchmarks/**"}
	}
	t.WriteString("    # Each side runs the benchmark that it has. Files that only time others, and define nothing of what is timed, can be the same on both:\n")
	fmt.Fprintf(t, "    # files: [%s]\n", listText(files))
	if len(b.Cases) > 0 {
		t.WriteString("    cases:                               # some of those that it has; with ! those that are left out\n")
	}
	for _, c := range b.Cases {
		fmt.Fprintf(t, "      - %s\n", scalarText(c))
	}
}

func argsText(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return fmt.Sprintf("args: [%s], ", listText(args))
}

func listText(all []string) string {
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = scalarText(s)
	}
	return strings.Join(texts, ", ")
}

// scalarText is a string of YAML, in quotes: JSON's are YAML's.
func scalarText(s string) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // && stays as it is
	if err := e.Encode(s); err != nil {
		panic(err) // strings always marshal
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// KernelName makes a name for a kernel of a program's.
func KernelName(program string) string {
	base := program[strings.LastIndexByte(program, '/')+1:]
	base, _, _ = strings.Cut(base, ".")
	var name strings.Builder
	for _, r := range strings.ToLower(base) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			name.WriteRune(r)
		}
	}
	text := strings.Trim(name.String(), "-_0123456789")
	if text == "" {
		return "benchmark"
	}
	return text
}
