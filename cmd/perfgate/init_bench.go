package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/trial"
)

// benchFlags are the flags of init about a benchmark that a team has.
type benchFlags struct {
	Bench, Build, Tolerance string

	Budget time.Duration
}

// writeBench recognises a benchmark, writes its configuration, and sees what it can detect here.
func (f benchFlags) writeBench(ctx context.Context, s *streams, cwd string) error {
	if _, err := os.Lstat(config.DefaultFile); err == nil {
		return result.Usagef("%s exists already; nothing was written: add a kernel with bench to it (docs/benchmarks.md)", config.DefaultFile)
	}
	if err := trial.CheckShell(ctx, map[string]string{"--bench": f.Bench, "--build": f.Build}); err != nil {
		return interrupted(ctx, err)
	}
	var found []string
	starter, err := trial.Benchmark{
		Command: f.Bench, Build: f.Build, Tolerance: f.Tolerance, Budget: f.Budget, Found: func(line string) { found = append(found, line) }, Progress: s.progressTo(), Log: s.progress().command,
	}.Starter(ctx)
	if err != nil {
		return s.setUp(report.Setup{Found: found}, interrupted(ctx, err))
	}
	text, err := starter.Text()
	if err != nil {
		return result.Usage(err)
	}
	done, err := writeNew(cwd, map[string][]byte{config.DefaultFile: text})
	done.Found = found
	if path := trial.OwnEnvironment(cwd, starter.Bench.Python+" "+f.Bench); path != "" {
		done.Notes = append(done.Notes, path+" is an environment in the checkout, where a pull request could replace it, so its gate refuses it: make one outside, such as ~/.venvs/NAME")
	}
	if err := s.setUp(done, err); err != nil {
		return err
	}
	fmt.Fprintln(s.out)
	return compareWithItself(ctx, s, starter)
}
