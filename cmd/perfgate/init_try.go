package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/saved"
)

// wideTolerance is more than a gate should let pass.
const wideTolerance = 0.1

// compareWithItself runs the gate on unchanged code, and says what that shows of the benchmark. Where that run is not held by the default
// tolerance, the configuration gets the first that holds it.
func compareWithItself(ctx context.Context, s *streams, starter config.BenchStarter) error {
	f := runFlags{Run: request.Run{Base: ".", Head: ".", TimeIdentical: true, Trust: repo.TrustWorktree}, output: output{Out: "perfgate-out", Format: "text"}, Profile: result.ProfileNever}
	if err := render.ClearFolder(f.Out); err != nil {
		return err
	}
	res, err := inRun(ctx, s, f, func(opt run.Options) (*result.Result, error) {
		opt.BaseNamed = true
		opt.Profile.Policy = f.Profile
		return run.Run(ctx, opt)
	})
	if err != nil {
		return err
	}
	published := s.answer(f.output, ofResult(res))
	fmt.Fprintln(s.out)
	if err := s.print("text", answer{document: report.Steadier(res, cpuClockStep())}); err != nil {
		return err
	}
	if held := rule.HeldBy(res); published != nil && starter.Tolerance == "" && held > 0 {
		if err := widen(s, starter, res.Policy.Tolerance, math.Round(100*held)/100); err != nil {
			return err
		}
		published = nil
	}
	if published != nil {
		fmt.Fprint(s.out, "\nnot ready: unchanged code is no pass with this perfgate.yaml; change what the report names, then try perfgate run --base . --head . --time-identical\n")
		return published
	}
	fmt.Fprint(s.out, "\nthen: commit perfgate.yaml, and perfgate init --github writes the workflows\n")
	return nil
}

// widen writes the configuration again, with a tolerance that holds.
func widen(s *streams, starter config.BenchStarter, was, held float64) error {
	starter.Tolerance = fmt.Sprintf("%g%%", 100*held)
	if err := rewrite(starter); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nA tolerance of %s does not hold unchanged code here, and one of %s does: perfgate.yaml has it now.\n", report.Percent(was), report.Percent(held))
	if held > wideTolerance {
		fmt.Fprint(s.out, "It lets large losses pass. A quieter machine holds a smaller one: delete perfgate.yaml and init again there.\n")
	}
	return nil
}

// rewrite writes the configuration that was written a moment ago again.
func rewrite(starter config.BenchStarter) error {
	text, err := starter.Text()
	if err != nil {
		return err
	}
	return saved.Replace(config.DefaultFile, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// cpuClockStep is by how much the clock of the CPU moves at once here, as a program reads it.
func cpuClockStep() time.Duration {
	least, start := time.Duration(0), time.Now()
	before := cpuTime()
	for time.Since(start) < 50*time.Millisecond {
		now := cpuTime()
		if step := now - before; step > 0 && (least == 0 || step < least) {
			least = step
		}
		before = now
	}
	return least
}

func cpuTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
