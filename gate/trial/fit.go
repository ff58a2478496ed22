package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
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
// and a process gets shorter. First the benchmark runs once more as it is, since the first process may have compiled what later ones find.
func (t *trial) fit(ctx context.Context, found *benchmark.Recognised, run benchmark.Trial) error {
	if t.fits(*found) {
		return nil
	}
	fmt.Fprintln(t.Progress, "trying: again, now that all is compiled")
	lived, err := t.again(ctx, *found, found.Spec, run)
	if err != nil {
		return err
	}
	found.Lived = min(found.Lived, lived)
	for _, option := range found.Format.Traits().Shorter {
		spec, ok := shortened(found.Spec, option)
		if !ok || t.fits(*found) {
			continue
		}
		fmt.Fprintf(t.Progress, "trying: with %s\n", option.Args)
		if lived, err = t.again(ctx, *found, spec, run); err != nil {
			return err
		}
		if float64(lived) > worthIt*float64(found.Lived) {
			continue
		}
		t.Found(fmt.Sprintf("command: %s is added: a process takes %s and not %s, so the budget has time for more of them", option.Args, roughly(lived), roughly(found.Lived)))
		found.Spec, found.Lived = spec, lived
	}
	return nil
}

// fits says whether a budget has time for what a decision may take of processes.
func (t *trial) fits(found benchmark.Recognised) bool {
	return found.Format.Traits().Lists || starterTimes*found.Lived <= t.budget()
}

// again is how long a process of a benchmark lives, as spec has it; for ever where not the same cases come out.
func (t *trial) again(ctx context.Context, found benchmark.Recognised, spec benchmark.Spec, run benchmark.Trial) (time.Duration, error) {
	out, err := run(ctx, found.Format, spec)
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err != nil {
		return math.MaxInt64, nil //nolint:nilerr // it does not take the option
	}
	set, err := benchmark.Read(found.Format, spec, out)
	cases, _ := sortedCases(found.Set)
	if same, _ := sortedCases(set); err != nil || !slices.Equal(same, cases) {
		return math.MaxInt64, nil //nolint:nilerr // as above
	}
	return out.Lived, nil
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
