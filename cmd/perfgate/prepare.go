package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/kernels/child"
)

// maxSamples bounds what a process is timed for; 0 leaves it to measuring. Only tests and rehearsals set it, whose effects are too large to need more.
var maxSamples int

// options turns flags into those of a run, whose private files are in scratch.
func (f runFlags) options(ctx context.Context, scratch string) (run.Options, error) {
	opt, err := f.Options(ctx, scratch)
	if err != nil {
		return opt, err
	}
	if opt.Shard != nil { // auto is another one tomorrow
		f.Shard = fmt.Sprintf("%d/%d", opt.Shard.Index, opt.Shard.Of)
	}
	opt.Version, opt.Rounds.MaxSamples = versionText(), maxSamples
	opt.Repro = f.line("run", opt.Seed)
	f.pin(opt)
	opt.Parity.Command, opt.Parity.Whole = f.replayLine(), f.line("run", opt.Seed)
	return opt, nil
}

// inScratch does work in a private folder, the supervisor's or one of its own, and takes that away.
func inScratch[T any](work func(scratch string) (T, error)) (out T, err error) {
	scratch := child.Scratch()
	if scratch == "" {
		if scratch, err = os.MkdirTemp("", "perfgate-"); err != nil {
			return out, fmt.Errorf("make a temporary folder (TMPDIR names another place): %w", err)
		}
	}
	defer os.RemoveAll(scratch)
	out, err = work(scratch)
	return out, inRepository(err, scratch)
}

// inRun prepares what flags ask for, shows how the work on it gets on, and takes its private files away.
func inRun[T any](ctx context.Context, s *streams, f runFlags, work func(run.Options) (T, error)) (T, error) {
	return inScratch(func(scratch string) (out T, err error) {
		opt, err := f.options(ctx, scratch)
		if err != nil {
			return out, err
		}
		return shown(ctx, s, opt, work)
	})
}

// shown does the work of a run and shows how it gets on.
func shown[T any](ctx context.Context, s *streams, opt run.Options, work func(run.Options) (T, error)) (T, error) {
	progress := s.progress()
	progress.follow(&opt)
	out, err := work(opt)
	progress.done()
	return out, interrupted(ctx, err)
}

// interrupted says what happened in the user's words when it was the user who ended the run.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted: nothing was decided")
	}
	return err
}

// inRepository names files of a side as the repository does: where they were laid out says nothing to anybody.
func inRepository(err error, scratch string) error {
	if err == nil {
		return nil
	}
	return &repositoryError{err, strings.NewReplacer(filepath.Join(scratch, "head")+"/", "", filepath.Join(scratch, "base")+"/", "").Replace(err.Error())}
}

type repositoryError struct {
	err  error
	text string
}

func (e *repositoryError) Error() string { return e.text }
func (e *repositoryError) Unwrap() error { return e.err }
