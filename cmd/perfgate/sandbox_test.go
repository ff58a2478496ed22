package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// logCommand is what a log of GitHub Actions obeys: a line that begins with two colons after blanks, or has ##[ anywhere.
var logCommand = regexp.MustCompile(`(?m)^\s*::|##\[|\x1b`)

// What a child prints is never passed on raw: not its commands to the log, not its sequences to the terminal.
func TestWhatKernelsPrintIsNeverRaw(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	p := newProject(t)
	_, prints, _ := strings.Cut(readText(t, "../../testdata/attacks/prints.cc"), "SAXPY_LAUNCH {")
	prints, _, _ = strings.Cut(prints, "(void)c;")
	for _, part := range []string{"bench", "perfgate.yaml"} {
		p.mustRun("sh", "-c", "mkdir -p before && cp -r "+part+" before/")
	}
	hostile := "#include <stdio.h>\n#include <stdlib.h>\n#include <initializer_list>\nstatic struct Attack { Attack() {" + prints + "abort(); } } attack;\n" + p.read("bench/scale_add.cc")
	p.write("bench/scale_add.cc", hostile)
	for _, format := range []string{"text", "markdown", "json"} {
		out := p.expect(1, "SIGABRT", "perfgate", "run", "--base", "before", "--head", ".", "--format", format)
		if !strings.Contains(out, "set-output") {
			t.Errorf("%s: what the crashing kernel printed is not shown at all:\n%s", format, out)
		}
		if at := logCommand.FindStringIndex(out); at != nil {
			t.Errorf("%s: %.100q would be obeyed", format, out[at[0]:])
		}
	}
	p.clean()
}

// --sandbox is checked before anything is built, and off is said in the report.
func TestSandboxFlag(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.expect(2, "auto, on, off", "perfgate", "run", "--base", ".", "--head", ".", "--sandbox", "maybe")
	p.expect(0, "all that the user may do", "perfgate", "run", "--base", ".", "--head", ".", "--sandbox=off", "-v")
	p.clean()
}

// Three shards and one verdict; a shard that is missing, a file that is none, one that was tampered with.
func TestShardsOnTheCommandLine(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	p := newProject(t)
	p.edit("perfgate.yaml", "      - {n: 20000, dtype: f32}\n", "      - {n: 20000, dtype: f32}\n      - {n: 1000, dtype: f32}\n      - {n: 1000, dtype: f64}\n")
	for _, shard := range []string{"1", "2", "3"} {
		p.mustRun("perfgate", "run", "--base", ".", "--head", ".", "--seed", "42", "--shard", shard+"/3", "--out", "results/part-"+shard)
	}
	p.expect(0, "merged of 3 results", "perfgate", "merge", "results", "-v")
	p.expect(3, "shard 2/3 is missing", "perfgate", "merge", "results/part-1", "results/part-3/result.json")
	p.expect(3, "overlap", "perfgate", "merge", "results", "results/part-1")
	for _, c := range []struct{ old, text, words string }{
		{`"verdict": "same"`, `"verdict": "improvement"`, "contradicts itself"},
		{`"tolerance": 0.05`, `"tolerance": 0.5`, "do not belong together"},
		{`"seed"`, `"extra": 1, "seed"`, "unknown field"},
	} {
		if err := os.CopyFS(filepath.Join(p.dir, "forged"), os.DirFS(filepath.Join(p.dir, "results"))); err != nil {
			t.Fatal(err)
		}
		p.edit("forged/part-2/result.json", c.old, c.text)
		p.expect(3, c.words, "perfgate", "merge", "forged")
		os.RemoveAll(filepath.Join(p.dir, "forged"))
	}
	for _, c := range [][]string{{"--shard", "4/3", "--seed", "1"}, {"--shard", "1/3"}, {"--shard", "1/9", "--seed", "1"}} {
		p.expect(2, "", "perfgate", append([]string{"run", "--base", ".", "--head", "."}, c...)...)
	}
	p.expect(2, "", "perfgate", "merge")
	p.expect(3, "no result.json", "perfgate", "merge", "bench")
	p.clean()
}
