package main

import (
	"context"
	"fmt"
	"os"

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
	opt.Repro, opt.Parity.Command = f.line("run", opt.Seed), parityLine(f, opt)
	return opt, nil
}

// newScratch is the private folder of a run: the supervisor's, or one of our own.
func newScratch() (string, error) {
	if dir := child.Scratch(); dir != "" {
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "perfgate-")
	if err != nil {
		return "", fmt.Errorf("make a temporary folder (TMPDIR names another place): %w", err)
	}
	return dir, nil
}
