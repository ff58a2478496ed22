package main

import (
	"cmp"
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
	"github.com/org/perfgate/gate/text"
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
	var done report.Setup
	if held := rule.HeldBy(res); published != nil && starter.Tolerance == "" && held > 0 {
		if done.Notes, err = widen(starter, res.Policy.Tolerance, math.Round(100*held)/100); err != nil {
			return err
		}
		published = nil
	}
	if published != nil {
		done.Notes = append(done.Notes, "not ready: unchanged code does not pass with this perfgate.yaml")
		done.Steps = []report.Step{{What: "Change what the report names, then try again", Command: "perfgate run --base . --head . --time-identical"}}
	} else {
		if starter.Tolerance == "" && len(done.Notes) == 0 {
			done.Notes = append(done.Notes, fmt.Sprintf("unchanged code passes with the default tolerance of %s, so perfgate.yaml sets none", text.Limit(res.Policy.Tolerance)))
		}
		done.Steps = []report.Step{{What: "Commit perfgate.yaml, then write the workflows", Command: "perfgate init --github"}}
	}
	closing := report.Steadier(res, cpuClockStep())
	closing.Blocks = append(closing.Blocks, done.Document().Blocks...)
	fmt.Fprintln(s.out)
	return cmp.Or(s.print("text", answer{document: closing}), published)
}

// widen writes the configuration again, with a tolerance that holds, and says so.
func widen(starter config.BenchStarter, was, held float64) (notes []string, err error) {
	starter.Tolerance = fmt.Sprintf("%g%%", 100*held)
	if err := rewrite(starter); err != nil {
		return nil, err
	}
	notes = append(notes, fmt.Sprintf("a tolerance of %s does not hold unchanged code here, and one of %s does: perfgate.yaml has it now", text.Percent(was), text.Percent(held)))
	if held > wideTolerance {
		notes = append(notes, "it lets large losses pass; a quieter machine holds a smaller one: delete perfgate.yaml and init again there")
	}
	return notes, nil
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
