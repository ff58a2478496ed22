package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// worthIt is the most of its time that a process may keep for an option to be written: less than that is not told from noise.
const worthIt = 0.75

// fit shortens the processes of a benchmark of which the budget has no time for many: it adds options of the format, as long as the same cases come out
// and a process gets shorter.
func (t *trial) fit(ctx context.Context, found *benchmark.Recognised, run benchmark.Trial) error {
	cases, _ := sortedCases(found.Set)
	for _, option := range found.Format.Traits().Shorter {
		if starterTimes*found.Lived <= t.budget() {
			return nil
		}
		spec, ok := shortened(found.Spec, option)
		if !ok {
			continue
		}
		fmt.Fprintf(t.Progress, "trying: with %s\n", option.Args)
		out, err := run(ctx, found.Format, spec)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || float64(out.Lived) > worthIt*float64(found.Lived) {
			continue
		}
		set, err := benchmark.Read(found.Format, spec, out)
		if same, _ := sortedCases(set); err != nil || !slices.Equal(same, cases) {
			continue
		}
		t.Found(fmt.Sprintf("command: %s is added: a process takes %s and not %s, so the budget has time for more of them", option.Args, roughly(out.Lived), roughly(found.Lived)))
		found.Spec, found.Lived = spec, out.Lived
	}
	return nil
}

// fitting runs a command, and where that does not end within a trial's limit, with an option of the format that shortens it.
func (t *trial) fitting(run benchmark.Trial) benchmark.Trial {
	return func(ctx context.Context, f benchmark.Format, spec benchmark.Spec) (benchmark.Output, error) {
		out, err := run(ctx, f, spec)
		for _, option := range f.Traits().Shorter {
			with, ok := shortened(spec, option)
			if !isHung(err) || !ok {
				continue
			}
			fmt.Fprintf(t.Progress, "trying: with %s\n", option.Args)
			again, failed := run(ctx, f, with)
			if failed == nil {
				t.added[f.Traits().Name] = option.Args
			}
			if failed == nil || isHung(failed) {
				return again, failed
			}
		}
		return out, err
	}
}

// isHung says whether a command did not end within its limit.
func isHung(err error) bool {
	var fault *kernels.RunnerError
	return errors.As(err, &fault) && fault.Code == result.CodeHung
}

// shortened is a benchmark with an option; false where its command chooses that itself.
func shortened(spec benchmark.Spec, option benchmark.Shortening) (benchmark.Spec, bool) {
	if option.IsSetBy(spec.Command) {
		return spec, false
	}
	spec.Command = strings.TrimSpace(spec.Command) + " " + option.Args
	return spec, true
}

// roughly is a time without digits that the next process changes.
func roughly(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
