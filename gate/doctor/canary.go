package doctor

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// canary is a kernel bound by memory and one bound by arithmetic, for a GPU. On a CPU a shipped example serves.
//
//go:embed canary
var canary embed.FS

// cpuCanary is the shipped example that is measured where there is no GPU.
const cpuCanary = "saxpy"

const (
	canaryBudget = 3 * time.Minute
	seenPower    = 0.9 // at which effects are called seen
)

// measureNoise runs the gate itself on two sides of the same code, as far as its first look: sixteen fresh processes.
func (f *Facts) measureNoise(ctx context.Context, o Options) {
	opt, err := canaryRun(f.Machine.GPU != nil, o)
	if err != nil {
		f.NoiseTrouble = err.Error()
		return
	}
	res, err := run.Run(ctx, opt)
	if err != nil {
		f.NoiseTrouble = err.Error()
		return
	}
	if f.Noise, err = noiseOf(res); err != nil {
		f.NoiseTrouble = err.Error()
	}
	f.Unsandboxed = res.Sandbox != nil && res.Sandbox.Landlock > 0 && !res.Sandbox.Kernels
	if g := res.Machine.GPU; g != nil && f.Machine.GPU != nil {
		f.Machine.GPU.Watch = g.Watch
		if g.L2Bytes > 0 {
			f.Machine.GPU.SMs, f.Machine.GPU.L2Bytes = g.SMs, g.L2Bytes
		}
	}
}

// canaryRun lays out the canary in the scratch folder.
func canaryRun(gpu bool, o Options) (run.Options, error) {
	dir := filepath.Join(o.Scratch, "canary")
	var err error
	if gpu {
		err = os.CopyFS(o.Scratch, canary)
	} else {
		err = kernels.WriteExample(cpuCanary, dir)
	}
	if err != nil {
		return run.Options{}, fmt.Errorf("write the canary: %w", err)
	}
	cfg, err := config.Load(filepath.Join(dir, config.DefaultFile))
	if err != nil {
		return run.Options{}, fmt.Errorf("read the canary: %w", err)
	}
	side := run.Side{Tree: dir, Info: result.Version{Kind: result.KindDirectory, Label: "canary"}}
	return againstItself(o, cfg, side, canaryProgress), nil
}

// againstItself are the options of a run of a folder against itself, as far as the first look, with what to say of its progress.
func againstItself(o Options, cfg *config.Config, side run.Side, say func(run.Progress) string) run.Options {
	// Nearly any shift passes, so that the first look ends it.
	cfg.Gate.Tolerance, cfg.Gate.Improvement, cfg.Gate.Budget = 0.99, 9.9, canaryBudget
	for i := range cfg.Kernels {
		cfg.Kernels[i].Parity.Off = true
	}
	return run.Options{
		Question: run.Question{
			Trusted: repo.Trusted{Config: cfg, Trust: repo.TrustWorktree}, Base: side, Head: side, NoSkip: true, Seed: 1,
			Scratch: o.Scratch, Cache: o.Cache, Log: o.Log,
			Progress: func(p run.Progress) {
				if o.Progress != nil {
					o.Progress(say(p))
				}
			},
		},
		Version: o.Version, Profile: run.Profile{Policy: result.ProfileNever},
		Device: run.DeviceOptions{GPU: o.GPU, Sandbox: result.SandboxAuto}, // as a run has it unless it is told otherwise
	}
}

func canaryProgress(p run.Progress) string {
	switch {
	case p.Measure != nil:
		return fmt.Sprintf("measuring the canary against itself: round %d of %d", p.Measure.Round, rule.MinRounds)
	case p.Stage == run.StageWait:
		return "waiting: " + p.What
	}
	return "building the canary"
}

// noiseOf reads the noise out of an A/A.
func noiseOf(res *result.Result) ([]Noise, error) {
	voided, why := 0, ""
	for _, r := range res.Rounds {
		if r.Voided != "" {
			voided, why = voided+1, r.Voided
		}
	}
	for _, k := range res.Kernels {
		if k.Status != result.KernelCompared {
			return nil, errors.New(report.Reason(k.Reason) + buildOutput(k))
		}
	}
	var all []Noise
	for _, c := range res.Cases {
		if c.Compared() == nil || c.Base == nil {
			return nil, fmt.Errorf("%s: %s", c.Name, report.Reason(c.Reason))
		}
		n := Noise{
			Case: c.Name, MedianNS: c.Base.MedianNS, Processes: len(c.Processes), Scatter: c.Compared().S, Voided: voided, VoidReason: why,
			ComputeCV: canaryCV(c.Processes, func(p result.Process) float64 { return p.ComputeNS }),
			MemoryCV:  canaryCV(c.Processes, func(p result.Process) float64 { return p.MemoryNS }),
		}
		if err := n.foresee(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		all = append(all, n)
	}
	return all, nil
}

// buildOutput is the first line of a compiler's refusal.
func buildOutput(k result.Kernel) string {
	for _, b := range []*result.Build{k.Head, k.Base} {
		if b != nil && b.Failed {
			line, _, _ := strings.Cut(b.Output, "\n")
			return ": " + line
		}
	}
	return ""
}

// foresee says what a run of one case with the default policy would see, given the scatter.
func (n *Noise) foresee() error {
	policy := rule.Default()
	alpha := rule.Alpha(policy)
	schedule := rule.ScheduleOf(policy)
	looks := schedule.Looks()
	first, err1 := stats.MDE(n.Scatter, schedule.Size(looks[0]), alpha, seenPower)
	last, err2 := stats.MDE(n.Scatter, schedule.Size(rule.LastLook(policy)), alpha, seenPower)
	n.SeenFirst, n.SeenLast = math.Expm1(first), math.Expm1(last)
	if needed, err := stats.RoundsNeeded(n.Scatter, math.Log1p(policy.Tolerance), alpha, seenPower, schedule.Size); err == nil { // else it is beyond reach, which Rounds = 0 says
		if i := slices.IndexFunc(looks, func(look int) bool { return look >= needed }); i >= 0 {
			n.Rounds = looks[i]
		}
	}
	return errors.Join(err1, err2)
}

// canaryCV is how much one of the harness's canaries scatters over processes; 0 where it was not run.
func canaryCV(processes []result.Process, of func(result.Process) float64) float64 {
	var xs []float64
	for _, p := range processes {
		if x := of(p); x > 0 {
			xs = append(xs, x)
		}
	}
	if len(xs) < 2 {
		return 0
	}
	mean, sd := stat.MeanStdDev(xs, nil)
	return sd / mean
}
