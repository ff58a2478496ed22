package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

func newParityCommand(s *streams) *cobra.Command {
	f := parityFlags{runFlags: runFlags{Run: request.Run{HeadAlone: true}}}
	return verb(&cobra.Command{
		Use:   "parity",
		Short: "Check that head computes the right results, without timing it",
		Long: `parity draws cases from the parameters in the configuration and compares head's outputs with a reference: the
adapter's (float64), base's outputs, or both. A case that fails is shrunk to a small one.

--case checks cases of the configuration in place of drawn ones. --param and --seed repeat one case of an earlier
run. --save-corpus keeps the case that fails in a file; cases in this file are tried first in later runs.`,
		Example: `  perfgate parity --kernel attention
  perfgate parity --kernel softmax,layernorm --fuzz-cases 1000
  perfgate parity --case 'gemm/**'
  perfgate parity --kernel attention --param B=1,H=1,S=65,D=64,causal=0 --seed 7
  perfgate parity --fuzz-time 10m --save-corpus`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error { return f.check(ctx, s) })
}

// parityFlags are the flags of parity.
type parityFlags struct {
	runFlags
	Param      []string
	FuzzCases  int
	FuzzTime   time.Duration
	Corpus     string
	SaveCorpus bool
	Sanitize   bool
}

// wishes are what parity is asked for beyond the configuration. The corpus lies beside the configuration, unless head is a
// checkout that goes away.
func (f parityFlags) wishes(opt run.Options) parity.Wishes {
	path := f.Corpus
	if real, err := filepath.EvalSymlinks(path); path != "" && err == nil { // what the user names may be a link
		path = real
	}
	if path == "" {
		path = parity.CorpusFile
		if f.Head == "" {
			path = filepath.Join(opt.Desk, path)
		}
	}
	return parity.Wishes{Until: f.FuzzTime, Corpus: path, Save: f.SaveCorpus}
}

func (f parityFlags) check(ctx context.Context, s *streams) error {
	only := run.ParityOnly{Case: strings.Join(f.Param, ","), Cases: f.FuzzCases}
	switch {
	case only.Case != "" && len(f.Cases) > 0:
		return result.Usagef("--case and --param both name cases: leave one out")
	case only.Cases > 0 && (only.Case != "" || len(f.Cases) > 0):
		return result.Usagef("--fuzz-cases draws cases, and --case or --param names them: leave one out")
	case only.Case != "" && len(f.Kernels) != 1:
		return result.Usagef("--param needs --kernel with one kernel, to say whose case it is")
	}
	var saved []string // said when the progress line is gone
	res, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (*result.Result, error) {
		if f.Sanitize {
			if err := opt.AddSanitizers(); err != nil {
				return nil, err
			}
		}
		opt.Parity.Wishes = f.wishes(opt)
		opt.Parity.Saved = func(text string) { saved = append(saved, text) }
		return run.CheckParity(ctx, opt, only)
	})
	for _, text := range saved {
		fmt.Fprintf(s.err, "corpus: %s\n", text)
	}
	if err != nil {
		return err
	}
	// Its data are the kernels of a result and what they come to: a whole result has sides and a policy, which parity need not have.
	return s.answer(f.output, answer{document: report.Parity(res), exit: res.Conclusion.Exit, data: printed(struct {
		Seed    string          `json:"seed"`
		Exit    result.ExitCode `json:"exit"`
		Kernels []result.Kernel `json:"kernels"`
	}{res.Seed, res.Conclusion.Exit, res.Kernels})})
}
