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
	source, err := os.ReadFile(filepath.Join("..", "..", "testdata", "attacks", "prints.cc"))
	if err != nil {
		t.Fatal(err)
	}
	_, prints, _ := strings.Cut(string(source), "SAXPY_LAUNCH {")
	prints, _, _ = strings.Cut(prints, "(void)c;")
	code, err := os.ReadFile(filepath.Join(p.dir, "bench", "scale_add.cc"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"bench", "perfgate.yaml"} {
		p.mustRun("sh", "-c", "mkdir -p before && cp -r "+part+" before/")
	}
	hostile := "#include <stdio.h>\n#include <stdlib.h>\n#include <initializer_list>\nstatic struct Attack { Attack() {" + prints + "abort(); } } attack;\n" + string(code)
	p.write("bench/scale_add.cc", hostile)
	for _, format := range []string{"text", "markdown", "json"} {
		out, exit := p.run("perfgate", "run", "--base", "before", "--head", ".", "--format", format)
		if exit != 1 || !strings.Contains(out, "SIGABRT") {
			t.Errorf("%s: exit code %d, want 1 for a crash:\n%s", format, exit, out)
		}
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
	if out, exit := p.run("perfgate", "run", "--base", ".", "--head", ".", "--sandbox", "maybe"); exit != 2 || !strings.Contains(out, "auto, on, off") {
		t.Errorf("exit code %d:\n%s", exit, out)
	}
	out, exit := p.run("perfgate", "run", "--base", ".", "--head", ".", "--sandbox=off", "-v")
	if exit != 0 || !strings.Contains(out, "all that the user may do") {
		t.Errorf("exit code %d:\n%s", exit, out)
	}
	p.clean()
}

// Three shards and one verdict; a shard that is missing, a file that is none, one that was tampered with.
func TestShardsOnTheCommandLine(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	p := newProject(t)
	p.edit("perfgate.yaml", "      - {n: 20000, dtype: f32}\n", "      - {n: 20000, dtype: f32}\n      - {n: 1000, dtype: f32}\n      - {n: 1000, dtype: f64}\n")
	for _, shard := range []string{"1", "2", "3"} {
		out, exit := p.run("perfgate", "run", "--base", ".", "--head", ".", "--seed", "42", "--shard", shard+"/3", "--out", "results/part-"+shard)
		if exit != 0 {
			t.Fatalf("shard %s: exit code %d:\n%s", shard, exit, out)
		}
	}
	if out, exit := p.run("perfgate", "merge", "results", "-v"); exit != 0 || !strings.Contains(out, "merged of 3 results") {
		t.Errorf("exit code %d:\n%s", exit, out)
	}
	if out, exit := p.run("perfgate", "merge", "results/part-1", "results/part-3/result.json"); exit != 3 || !strings.Contains(out, "shard 2/3 is missing") {
		t.Errorf("a missing shard: exit code %d:\n%s", exit, out)
	}
	if out, exit := p.run("perfgate", "merge", "results", "results/part-1"); exit != 3 || !strings.Contains(out, "overlap") {
		t.Errorf("a shard twice: exit code %d:\n%s", exit, out)
	}
	for _, c := range []struct{ old, text, words string }{
		{`"verdict": "same"`, `"verdict": "improvement"`, "contradicts itself"},
		{`"tolerance": 0.05`, `"tolerance": 0.5`, "do not belong together"},
		{`"seed"`, `"extra": 1, "seed"`, "unknown field"},
	} {
		if err := os.CopyFS(filepath.Join(p.dir, "forged"), os.DirFS(filepath.Join(p.dir, "results"))); err != nil {
			t.Fatal(err)
		}
		p.edit("forged/part-2/result.json", c.old, c.text)
		if out, exit := p.run("perfgate", "merge", "forged"); exit != 3 || !strings.Contains(out, c.words) {
			t.Errorf("%s: exit code %d, want 3 and %q:\n%s", c.text, exit, c.words, out)
		}
		os.RemoveAll(filepath.Join(p.dir, "forged"))
	}
	for _, c := range [][]string{{"--shard", "4/3", "--seed", "1"}, {"--shard", "1/3"}, {"--shard", "1/9", "--seed", "1"}} {
		if out, exit := p.run("perfgate", append([]string{"run", "--base", ".", "--head", "."}, c...)...); exit != 2 {
			t.Errorf("%v: exit code %d:\n%s", c, exit, out)
		}
	}
	if out, exit := p.run("perfgate", "merge"); exit != 2 {
		t.Errorf("exit code %d:\n%s", exit, out)
	}
	if out, exit := p.run("perfgate", "merge", "bench"); exit != 3 || !strings.Contains(out, "no result.json") {
		t.Errorf("exit code %d:\n%s", exit, out)
	}
	p.clean()
}
