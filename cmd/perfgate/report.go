package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// reportFlags are the flags of report.
type reportFlags struct {
	out        string
	repository string
}

func newReportCommand(s *streams) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "Show a saved result again, as a page to open in a browser",
		Long: `report reads a result.json that a run, a merge or the action left, and writes report.html (one file with every figure in it,
which needs no network), report.md, junit.xml and cases.csv. Nothing is decided anew: the verdict is the saved one.`,
		Example: `  perfgate report perfgate-out/result.json -o report`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return runReport(s, f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "perfgate-report", "folder for what is written")
	flags.StringVar(&f.repository, "repository", "", "address of the repository on the web, such as https://github.com/org/repo, to link commits to")
	return cmd
}

// explainAgain gives a result its findings back: an earlier perfgate kept sentences in their place, which are not read. The verdict stays.
func explainAgain(res *result.Result) {
	if len(res.Conclusion.Findings) > 0 || res.Conclusion.Verdict == result.RunPassed {
		return
	}
	if again := rule.Conclude(res.Cases, res.Kernels, res.Policy); again.Verdict == res.Conclusion.Verdict {
		res.Conclusion.Findings = again.Findings
	}
}

func runReport(s *streams, f reportFlags, path string) error {
	res, err := result.ReadFile(path)
	if err != nil {
		return usage(err)
	}
	explainAgain(res)
	if err := cmp.Or(ownRenderings(f.out), checkOut(f.out)); err != nil {
		return err
	}
	o := page.Options{Repository: cmp.Or(f.repository, page.Repository(os.Getenv))}
	if err := page.WriteFiles(f.out, res, report.New(res), o, result.ReplaceFile); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	_, err = fmt.Fprintln(s.out, "saved:", filepath.Join(f.out, page.PageName))
	return err
}
