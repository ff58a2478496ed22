package run

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// sanitizedCases are how many of the drawn cases each tool watches, the most valuable ones first: under a tool a kernel takes
// ten to a hundred times as long.
const sanitizedCases = 20

// Flags that a sanitizer needs of a build. On a GPU it watches from outside, and wants to know lines.
const (
	sanitizerFlags     = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"
	sanitizerFlagsCUDA = "-lineinfo"
)

// AddSanitizers has CheckParity look for what a right result does not show, too. The line that repeats a case asks for the same.
func (opt *Options) AddSanitizers() error {
	p, err := plan.New(opt.Trusted.Config, opt.Only)
	if err != nil {
		return err
	}
	reason, err := whyGPU(opt.Trusted.Config, p.Kernels)
	if err != nil {
		return err
	}
	opt.Parity.Sanitize = true
	opt.Parity.Command += " --sanitize"
	flags := sanitizerFlags
	if reason != "" {
		flags = sanitizerFlagsCUDA
	}
	for _, side := range []*Side{&opt.Base, &opt.Head} {
		side.Info.Flags = slices.Concat(side.Info.Flags, strings.Fields(flags))
	}
	if reason != "" {
		return nil
	}
	// The harness, which is built without AddressSanitizer, loads an adapter that brings it along. What comes so late does not see allocations with malloc;
	// the stack, globals and tensors it does. Its shadow takes terabytes of address space, so that limit goes.
	opt.Device.MemoryBytes = math.MaxInt64
	if err := os.Setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0:print_legend=0:allocator_may_return_null=1"); err != nil {
		return fmt.Errorf("--sanitize: %w", err)
	}
	return nil
}

// sanitize lets the tools of a sanitizer watch the kernels that parity found nothing wrong with. On a CPU they are in the builds
// themselves, so that parity has been theirs too.
func (c *checker) sanitize(ctx context.Context, checked *Checked, only ParityOnly) (err error) {
	sanitizer := ""
	if c.runners.device.target.IsCUDA() {
		if sanitizer, err = kernels.FindSanitizer(c.workshop.builder.Compiler); err != nil {
			return err
		}
	}
	checked.Kernels, err = through(checked.Kernels, func(k Kernel) (Kernel, *result.Kernel, error) {
		switch {
		case k.Parity.Status != result.ParityPassed:
		case sanitizer == "":
			k.Parity.Sanitizers = []string{"AddressSanitizer", "UndefinedBehaviorSanitizer"}
		default:
			if err := c.underTools(ctx, &k, sanitizer, only); err != nil {
				return k, nil, fmt.Errorf("sanitize %s: %w", k.Name(), err)
			}
		}
		return k, k.wrong(), nil
	})
	return err
}

// underTools runs a kernel's first cases under each tool in turn, until one finds something.
func (c *checker) underTools(ctx context.Context, k *Kernel, sanitizer string, only ParityOnly) error {
	subject := c.subject(*k)
	if only.Cases == 0 && c.only == nil {
		subject.Cases = subject.Cases[:min(len(subject.Cases), sanitizedCases)]
	}
	for _, tool := range kernels.SanitizerTools {
		opt := c.options(k.Name()+" under "+tool, subject)
		opt.Start = c.underTool(*k, sanitizer, tool)
		out, err := parity.Run(ctx, subject, opt)
		if err != nil {
			return err
		}
		if out.Status != result.ParityPassed {
			k.Parity = out
			return nil
		}
		k.Parity.Sanitizers = append(k.Parity.Sanitizers, tool)
	}
	return nil
}

// underTool starts head's runner under a tool. Base is not what is looked at.
func (c *checker) underTool(k Kernel, sanitizer, tool string) func(context.Context, string) (kernels.Process, error) {
	l := c.runners.of(k)
	return func(ctx context.Context, library string) (kernels.Process, error) {
		if library != k.Head.Library.Path {
			return l.start(ctx, library)
		}
		spec, err := l.spec(library)
		if err != nil {
			return nil, err
		}
		runner, err := kernels.StartSanitized(ctx, l.box.watched(spec, ofSanitizers), sanitizer, tool)
		if err != nil {
			return nil, err // not a nil *SanitizedRunner in an interface
		}
		return runner, nil
	}
}
