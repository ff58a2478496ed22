package main

import (
	"context"
	"fmt"
	"os"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/trial"
)

// benchStarter is what init --bench is given.
type benchStarter struct{ command, build, tolerance string }

// write recognises a benchmark, writes its configuration, and sees what it can detect here.
func (b benchStarter) write(ctx context.Context, s *streams) error {
	if _, err := os.Lstat(config.DefaultFile); err == nil {
		return result.Usagef("%s exists already; nothing was written: add a kernel with bench to it (docs/benchmarks.md)", config.DefaultFile)
	}
	if err := trial.CheckShell(ctx, map[string]string{"--bench": b.command, "--build": b.build}); err != nil {
		return interrupted(ctx, err)
	}
	starter, err := trial.Benchmark{
		Command: b.command, Build: b.build, Tolerance: b.tolerance, Out: s.out, Progress: s.progressTo(), Log: s.progress().command,
	}.Starter(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	text, err := starter.Text()
	if err != nil {
		return result.Usage(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	if _, err := writeNew(s, cwd, map[string][]byte{config.DefaultFile: text}); err != nil {
		return err
	}
	if path := trial.OwnEnvironment(cwd, starter.Bench.Python+" "+b.command); path != "" {
		fmt.Fprintf(s.out, "note: %s is an environment in the checkout, where a pull request could replace it, so its gate refuses it: make one outside, such as ~/.venvs/NAME\n", visible(path))
	}
	fmt.Fprintln(s.out)
	return compareWithItself(ctx, s, starter)
}
