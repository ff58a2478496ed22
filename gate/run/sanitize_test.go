package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// A program in compute-sanitizer's place that starts a CPU's harness and writes the log that is named by tool: recorded ones, since
// the tools themselves need a GPU.
const sanitizerStandIn = `#!/bin/sh
while [ "$1" != "" ]; do
  case $1 in
  --tool) tool=$2; shift 2 ;;
  --log-file) log=$2; shift 2 ;;
  --*) shift 2 ;;
  *) break ;;
  esac
done
echo "$tool" >>"%[1]s/asked"
cat "%[1]s/$tool.log" >"$log"
exec "$1" "$2" "$3" "$4" "$5" "$6" "$7"
`

// sanitizedRun is a run of saxpy that parity has passed, on what it takes for a GPU with the tools beside nvcc.
func sanitizedRun(t *testing.T, findings map[string]string) (c *checker, checked *Checked, asked func() []string) {
	t.Helper()
	dir := t.TempDir()
	logs := filepath.Join("..", "..", "testdata", "cuda", "sanitizer")
	var err error
	for _, tool := range kernels.SanitizerTools {
		name := findings[tool]
		if name == "" {
			name = "memcheck-clean.log"
		}
		write(t, filepath.Join(dir, tool+".log"), read(t, filepath.Join(logs, name)))
	}
	must(t, kernelstest.WriteProgram(filepath.Join(dir, "compute-sanitizer"), fmt.Appendf(nil, sanitizerStandIn, dir)))
	opt := example(t, "saxpy", "saxpy")
	opt.Parity.Sanitize, opt.Parity.Command = true, "perfgate parity --sanitize"
	opt.Trusted.Config.Kernels[0].Parity.Cases = 30
	s, v := builtRun(t, opt)
	c = s.checker(checkDrawn)
	if v.Checked, err = c.check(t.Context(), v.Builds); err != nil {
		t.Fatal(err)
	}
	s.device.target = kernels.Target{Device: result.DeviceCUDA, Arch: "sm_90"}
	s.workshop.builder.Compiler.Path = filepath.Join(dir, "nvcc")
	return c, &v.Checked, func() []string {
		text, _ := os.ReadFile(filepath.Join(dir, "asked"))
		return slices.Compact(strings.Fields(string(text)))
	}
}

func TestEveryToolWatchesWhatParityPassed(t *testing.T) {
	kernelstest.Live(t)
	c, checked, asked := sanitizedRun(t, nil)
	must(t, c.sanitize(t.Context(), checked, ParityOnly{}))
	p := checked.On[0].Parity
	if p.Status != result.ParityPassed || !slices.Equal(p.Sanitizers, kernels.SanitizerTools) || !slices.Equal(asked(), kernels.SanitizerTools) {
		t.Errorf("asked %q, parity %+v", asked(), p)
	}
	if p.Run != 30 {
		t.Errorf("%d cases: the pass of parity itself is gone", p.Run)
	}
}

func TestWhatAToolFindsFailsTheKernel(t *testing.T) {
	kernelstest.Live(t)
	c, checked, asked := sanitizedRun(t, map[string]string{"racecheck": "racecheck.log"})
	must(t, c.sanitize(t.Context(), checked, ParityOnly{}))
	k := checked.Ended[0]
	f := k.Parity.Failure
	if k.Status != result.KernelFailed || f == nil || f.Code != result.CodeSanitizer || !strings.Contains(f.Message, "racecheck: Race reported") || !strings.Contains(f.Repro, "--sanitize --kernel saxpy --param n=") {
		t.Errorf("%+v, failure %+v", k, f)
	}
	if want := []string{"memcheck", "initcheck", "racecheck"}; !slices.Equal(asked(), want) {
		t.Errorf("asked %q, want %q", asked(), want)
	}
}

func TestSanitizeWithoutTheToolSaysSo(t *testing.T) {
	c, checked, _ := sanitizedRun(t, nil)
	c.workshop.builder.Compiler.Path = filepath.Join(t.TempDir(), "nvcc")
	t.Setenv("PATH", t.TempDir())
	if err := c.sanitize(t.Context(), checked, ParityOnly{}); !errors.Is(err, kernels.ErrNoSanitizer) {
		t.Errorf("err = %v", err)
	}
}
