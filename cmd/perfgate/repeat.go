package main

import (
	"cmp"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// commandLine is the line that does the same by the flags of a verb.
func commandLine(verb string, flags any, args ...string) string {
	return request.Line(verb, request.TargetsOf(flags), args...)
}

// line is the command line that makes the same run.
func (f runFlags) line(verb string, seed uint64) string {
	f.Seed = strconv.FormatUint(seed, 10)
	return commandLine(verb, &f)
}

// pin names revisions by their commits, base's even where it was found and not asked for: errors are judged against its own, and the merge base or a branch
// is another one tomorrow.
func (f *runFlags) pin(opt run.Options) {
	for typed, side := range map[*string]run.Side{&f.Base: opt.Base, &f.Head: opt.Head} {
		if side.Info.Kind == result.KindRevision {
			*typed = side.Info.Revision
		}
	}
}

// replayLine is the start of the command line that replays a case of these sides: the caller appends kernel, case and seed.
func (f runFlags) replayLine() string {
	f.Kernels, f.Cases, f.Seed = nil, nil, ""
	return commandLine("parity", &f)
}

// repeat sets the options of a run that are not set and that say what is measured, as the line of another run has them: anybody may have
// written that. other are the options of that line that have to be given again to count.
func (f *runFlags) repeat(line string) (other []string, err error) {
	words := report.CommandWords(line)
	if len(words) < 2 || words[1] != "run" {
		return nil, nil
	}
	saved := pflag.NewFlagSet("run", pflag.ContinueOnError)
	saved.Usage = func() {}
	define(saved, "run", request.TargetsOf(new(runFlags)))
	if err := saved.Parse(words[2:]); err != nil {
		return nil, result.Usagef("its command line, %.300q, is not one of this perfgate: %w", line, err)
	}
	mine := request.TargetsOf(f)
	saved.Visit(func(flag *pflag.Flag) {
		s := flag.Value.(*request.Setting)
		now := &request.Setting{Option: s.Option, Verb: "run", To: mine[s.Key()]}
		switch {
		case now.String() != "" || err != nil:
		case !s.Repeats:
			other = append(other, "--"+flag.Name)
		default:
			for _, text := range s.Given {
				err = cmp.Or(err, now.Set(text))
			}
			err = cmp.Or(err, now.Check("--"+flag.Name))
		}
	})
	return other, err
}
