package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/text"
)

// reportFlags are the flags of report.
type reportFlags struct {
	Out        string
	Repository string
}

func newReportCommand(s *streams) *cobra.Command {
	var f reportFlags
	return verb(&cobra.Command{
		Use:   "report FILE|FOLDER...",
		Short: "Write reports of a saved result: HTML, Markdown, JUnit and CSV",
		Long: `report reads the result.json of a run or a merge, and writes report.html (one file with all figures, which needs
no network), report.md, junit.xml and cases.csv. Nothing is measured. Reports show what the result says, and report
warns where its samples, decided again, come to something else.

With several results, for example of different machines or days, each gets a folder (1, 2, …), and report.html
shows them side by side.`,
		Example: `  perfgate report perfgate-out/result.json -o report
  perfgate report l4 h200/result.json -o both`,
		Args: takes(1, 0, "at least one result.json"),
	}, &f, func(_ context.Context, args []string) error { return runReports(s, f, args) })
}

// runReports writes the report of each result, and of several a page that has them side by side. A file that cannot be read ends it before anything
// is written.
func runReports(s *streams, f reportFlags, args []string) error {
	paths, err := request.ResultPaths(args)
	if err != nil {
		return result.Usage(err)
	}
	var all []report.Named
	for i, path := range paths {
		res, err := result.ReadFile(path)
		if err != nil {
			return result.Usage(err)
		}
		if err := rule.Replay(res, res.Policy).Err(); err != nil {
			fmt.Fprintf(s.err, "perfgate: warning: %s: %s\n", path, text.Visible(err.Error()))
		}
		all = append(all, report.Named{Name: path, Page: fmt.Sprintf("%d/%s", i+1, render.HTMLName), Result: res})
	}
	if len(all) == 1 {
		return runReport(s, f, all[0].Result)
	}
	if err := cmp.Or(render.CheckRenderings(f.Out), render.CheckFolder(f.Out)); err != nil {
		return err
	}
	if err := saved.MakeFolder(f.Out); err != nil {
		return fmt.Errorf("make the folder for the reports: %w", err)
	}
	for i, n := range all {
		own := f
		own.Out = filepath.Join(f.Out, strconv.Itoa(i+1))
		if err := runReport(s, own, n.Result); err != nil {
			return err
		}
	}
	to := filepath.Join(f.Out, render.HTMLName)
	if err := saved.Replace(to, func(w io.Writer) error { return render.HTML(w, report.SideBySide(all)) }); err != nil {
		return fmt.Errorf("write the page of all: %w", err)
	}
	_, err = fmt.Fprintln(s.out, "saved:", to)
	return err
}

func runReport(s *streams, f reportFlags, res *result.Result) error {
	if err := cmp.Or(render.CheckRenderings(f.Out), render.CheckFolder(f.Out)); err != nil {
		return err
	}
	if err := render.WriteFiles(f.Out, res, report.New(res), cmp.Or(f.Repository, report.Repository(os.Getenv))); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	_, err := fmt.Fprintln(s.out, "saved:", filepath.Join(f.Out, render.HTMLName))
	return err
}
