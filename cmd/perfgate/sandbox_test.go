package main

import (
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
