package pipeline

import (
	"context"
	"fmt"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// sanitizedCases are how many of the drawn cases each tool watches, the most valuable ones first: under a tool a kernel takes
// ten to a hundred times as long.
const sanitizedCases = 20

// sanitize lets the tools of a sanitizer watch the kernels that parity found nothing wrong with. On a CPU they are in the builds
// themselves, so that parity has been theirs too.
func (r *run) sanitize(ctx context.Context, only ParityOnly) error {
	if !r.opt.Sanitize {
		return nil
	}
	sanitizer := ""
	if r.device.target.IsCUDA() {
		var err error
		if sanitizer, err = kernels.FindSanitizer(r.builder.Compiler); err != nil {
			return err
		}
	}
	for _, k := range r.kernels {
		switch {
		case k.record.Parity.Status != result.ParityPassed:
		case sanitizer == "":
			k.record.Parity.Sanitizers = []string{"AddressSanitizer", "UndefinedBehaviorSanitizer"}
		default:
			if err := r.sanitizeKernel(ctx, k, sanitizer, only); err != nil {
				return fmt.Errorf("sanitize %s: %w", k.record.Name, err)
			}
		}
	}
	return nil
}

// sanitizeKernel runs a kernel's first cases under each tool in turn, until one finds something.
func (r *run) sanitizeKernel(ctx context.Context, k *kernelRun, sanitizer string, only ParityOnly) error {
	settings := k.plan.Kernel.Parity
	subject := parity.Subject{Kernel: k.record.Name, Head: k.head.Path, Base: k.base.Path, Cases: k.fuzzCases(r.opt.Seed),
		ATol: settings.ATol, RTol: settings.RTol, Replay: k.fuzz != nil}
	if only.Cases == 0 && only.Case == "" {
		subject.Cases = subject.Cases[:min(len(subject.Cases), sanitizedCases)]
	}
	for _, tool := range kernels.SanitizerTools {
		out, err := r.underTool(ctx, subject, sanitizer, tool)
		if err != nil {
			return err
		}
		if out.Status != result.ParityPassed {
			k.record.Parity = out
			k.settleParity()
			return nil
		}
		k.record.Parity.Sanitizers = append(k.record.Parity.Sanitizers, tool)
	}
	return nil
}

// underTool is parity with head's runner under a tool. Base is not what is looked at.
func (r *run) underTool(ctx context.Context, subject parity.Subject, sanitizer, tool string) (result.Parity, error) {
	progress := func(done, total int) {
		r.progress(Progress{Stage: StageParity, What: subject.Kernel + " under " + tool, Done: done, Total: total})
	}
	progress(0, len(subject.Cases))
	return parity.Run(ctx, subject, parity.Options{
		Start: func(ctx context.Context, library string) (parity.Runner, error) {
			if library != subject.Head {
				return r.start(ctx, library)
			}
			spec, err := r.runnerSpec(library)
			if err != nil {
				return nil, err
			}
			runner, err := kernels.StartSanitized(ctx, r.watchedFromOutside(spec, ofSanitizers), sanitizer, tool)
			if err != nil {
				return nil, err // not a nil *SanitizedRunner in an interface
			}
			return runner, nil
		},
		Scratch: r.opt.Scratch, Seed: r.res.Seed, Repro: r.opt.ParityCmd, CaseLimit: r.opt.HangLimit, Progress: progress,
	})
}

// OnGPU says whether the kernels of a run need a GPU.
func OnGPU(opt Options) (bool, error) {
	p, err := plan.New(opt.Trusted.Config, opt.Only)
	if err != nil {
		return false, err
	}
	reason, err := whyGPU(opt.Trusted.Config, p.Kernels)
	return reason != "", err
}
