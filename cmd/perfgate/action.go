package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

func newActionCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "action",
		Short: "The steps of the GitHub action: prepare, measure, report",
		Long: `action has the steps of action.yml: prepare decides what to compare and holds the token, measure runs it and holds
none, report publishes the results. Inputs are read from INPUT_ variables; docs/action.md describes them.`,
	}
	step := func(name, short string, run func(context.Context, action.Job) error) *cobra.Command {
		return &cobra.Command{Use: name, Short: short, Example: "  perfgate action " + name, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			return inJob(cmd.Context(), s, run)
		}}
	}
	return verbs(cmd,
		step("prepare", "Read the event and write the job request", action.Prepare),
		step("measure", "Run the job request, without any token", func(ctx context.Context, j action.Job) error {
			// Everything that a run prints may quote the code under test, so all of it goes through the job's log.
			quiet := &streams{in: s.in, out: logWriter{j.Log}, err: logWriter{j.Log}}
			return action.Measure(ctx, j, func(ctx context.Context, p action.JobRequest, out string) action.Outcome {
				return measureRequest(ctx, quiet, p, out)
			})
		}),
		step("report", "Publish what was measured and end with the gate's exit code", action.Report),
	)
}

// inJob runs a step as part of the job that the environment describes.
func inJob(ctx context.Context, s *streams, run func(context.Context, action.Job) error) error {
	dir := os.Getenv("GITHUB_WORKSPACE")
	if dir == "" {
		return result.Usagef("not in a job of GitHub Actions: GITHUB_WORKSPACE is not set (locally, perfgate run is the gate)")
	}
	if err := os.Chdir(dir); err != nil {
		return fmt.Errorf("go to the checkout: %w", err)
	}
	return run(ctx, action.Job{Env: os.Getenv, Dir: dir, Log: github.NewLog(s.out, os.Getenv), Version: versionText()})
}

// logWriter is the job's log as a stream: nothing that is written to it can be taken for a command of the runner.
type logWriter struct{ log *github.Log }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.Print(string(p))
	return len(p), nil
}
