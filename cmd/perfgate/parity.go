package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/saved"
)

func newParityCommand(s *streams) *cobra.Command {
	f := runFlags{Run: request.Run{HeadAlone: true}}
	var params []string
	var cases int
	var extra parityExtras
	cmd := &cobra.Command{
		Use:   "parity",
		Short: "Check that head's kernel is right, without timing it",
		Long: `parity draws cases from the configuration and compares head's outputs with the adapter's float64 reference, or with
base's outputs where there is none, or both where there are both. --case names cases
of the configuration to check; --param and --seed replay one case of an earlier run.
What fails is shrunk to a small case first. --save-corpus remembers it in a file of cases that are tried first from then on.`,
		Example: `  perfgate parity --kernel attention
  perfgate parity --kernel softmax,layernorm --fuzz-cases 1000
  perfgate parity --case 'gemm/**'
  perfgate parity --kernel attention --param B=1,H=1,S=65,D=64,causal=0 --seed 7
  perfgate parity --fuzz-time 10m --save-corpus`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return checkParity(cmd.Context(), s, f, run.ParityOnly{Case: strings.Join(params, ","), Cases: cases}, extra)
		},
	}
	define(cmd, f.targets().with(targets{
		"param": &params, "fuzz-cases": &cases, "fuzz-time": &extra.until, "corpus": &extra.corpus, "save-corpus": &extra.save, "sanitize": &extra.sanitize,
	}))
	return cmd
}

// parityExtras are the flags that only parity has.
type parityExtras struct {
	until    time.Duration
	corpus   string
	save     bool
	sanitize bool
}

// wishes are what parity is asked for beyond the configuration. The corpus lies beside the configuration, unless head is a
// checkout that goes away.
func (e parityExtras) wishes(f runFlags, opt run.Options) parity.Wishes {
	path := e.corpus
	if real, err := filepath.EvalSymlinks(path); path != "" && err == nil { // what the user names may be a link
		path = real
	}
	if path == "" {
		path = parity.CorpusFile
		if f.Head == "" {
			path = filepath.Join(opt.Desk, path)
		}
	}
	return parity.Wishes{Until: e.until, Corpus: path, Save: e.save}
}

func checkParity(ctx context.Context, s *streams, f runFlags, only run.ParityOnly, extra parityExtras) error {
	switch {
	case only.Case != "" && len(f.Cases) > 0:
		return result.Usagef("--case and --param both name cases: leave one out")
	case only.Cases > 0 && (only.Case != "" || len(f.Cases) > 0):
		return result.Usagef("--fuzz-cases draws cases, and --case or --param names them: leave one out")
	case only.Case != "" && len(f.Kernels) != 1:
		return result.Usagef("--param needs --kernel with one kernel, to say whose case it is")
	}
	var saved []string // said when the progress line is gone
	res, err := inRun(ctx, s, f, func(opt run.Options) (*result.Result, error) {
		if extra.sanitize {
			if err := opt.AddSanitizers(); err != nil {
				return nil, err
			}
		}
		opt.Parity.Wishes = extra.wishes(f, opt)
		opt.Parity.Saved = func(text string) { saved = append(saved, text) }
		return run.CheckParity(ctx, opt, only)
	})
	for _, text := range saved {
		fmt.Fprintf(s.err, "corpus: %s\n", text)
	}
	if err != nil {
		return err
	}
	if err := showParity(s, f.format, res); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return exitWith(res.Conclusion.Exit)
}

func showParity(s *streams, format string, res *result.Result) error {
	if format == "json" {
		return printAs(s, format, func(w io.Writer) error { return writeParity(w, res) })
	}
	return s.showDocument("text", report.Parity(res))
}

// writeParity writes the kernels of a result, in its form, and what they come to. A whole result has sides and a policy, which parity
// alone need not have.
func writeParity(w io.Writer, res *result.Result) error {
	return saved.Print(w, struct {
		Seed    string          `json:"seed"`
		Exit    result.ExitCode `json:"exit"`
		Kernels []result.Kernel `json:"kernels"`
	}{res.Seed, res.Conclusion.Exit, res.Kernels})
}
