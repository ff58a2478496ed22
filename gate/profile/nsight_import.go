package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/child"
)

// Pages of a report, as CSV.
const (
	pageRaw     = "raw"
	pageDetails = "details"
)

// Exported is the text of both pages of a report. Without the details page, which has Nsight's rules, it says why.
type Exported struct {
	Raw, Details string
	NoDetails    error
}

// Export reads a report with ncu, which in has all of but its arguments: environment, sandbox. The code that was profiled may have
// made the report itself.
func (t Nsight) Export(ctx context.Context, report string, in child.Spec) (Exported, error) {
	var e Exported
	var rawErr error
	in.Path, in.HeadBytes = t.Path, maxExport
	details := make(chan struct{})
	go func() { // each takes about half a second, most of it to start
		defer close(details)
		e.Details, e.NoDetails = page(ctx, in, report, pageDetails)
	}()
	e.Raw, rawErr = page(ctx, in, report, pageRaw)
	<-details
	return e, cmp.Or(rawErr, ctx.Err())
}

// page exports one page of a report, with all digits of values in place of two decimals, and all of the details page.
func page(ctx context.Context, in child.Spec, report, name string) (string, error) {
	in.Args = []string{"--import", report, "--csv", "--print-units", "base", "--print-fp", "--page", name}
	if name == pageDetails {
		in.Args = append(in.Args, "--print-details", "all")
	}
	out, err := child.Run(ctx, in)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Stdout, nil
	case ctx.Err() != nil || !errors.As(err, &exit):
		return "", fmt.Errorf("export %s: %w", filepath.Base(report), err)
	}
	return "", Recognise(out.Stdout + out.Stderr)
}

// ReadEither reads a profile as it is, a report, with an ncu of this machine, or an export of one. Errors name the file.
func ReadEither(ctx context.Context, path, details string) (Profile, error) {
	if !strings.HasSuffix(path, reportSuffix) {
		return ReadFiles(path, details)
	}
	if details != "" {
		return Profile{}, fmt.Errorf("%s has Nsight's rules itself, so %s is not needed: a details page is for an exported raw page", path, details)
	}
	f, err := untrusted.OpenLinked(path, untrusted.NoLimit)
	if err != nil {
		return Profile{}, err
	}
	f.Close()
	p, err := readReport(ctx, path)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// readReport reads a report with the first ncu of this machine that can: one does not read the reports of newer versions.
func readReport(ctx context.Context, path string) (Profile, error) {
	dir, err := os.MkdirTemp("", "ncu-export-")
	if err != nil {
		return Profile{}, fmt.Errorf("make a folder for ncu: %w", err)
	}
	defer os.RemoveAll(dir)
	first := fmt.Errorf("a report is read by ncu, and there is none here. Where there is one: ncu --import %s --csv --page raw --print-units base > %s.csv",
		path, strings.TrimSuffix(path, reportSuffix))
	for i, ncu := range NsightPaths("") {
		var text Exported
		tool, err := AskNsight(ctx, ncu)
		if err == nil {
			text, err = tool.Export(ctx, path, child.Spec{Env: environment(child.Scrub(os.Environ()), dir)})
		}
		switch {
		case ctx.Err() != nil:
			return Profile{}, ctx.Err()
		case err == nil:
			return text.read()
		case i == 0:
			first = fmt.Errorf("%s: %w", ncu, err)
		}
	}
	return Profile{}, first
}

// read parses both pages. Without the rules it is a profile all the same.
func (e Exported) read() (Profile, error) {
	p, err := Read(strings.NewReader(e.Raw), strings.NewReader(e.Details))
	if len(p.Kernels) > 0 {
		return p, nil
	}
	return p, cmp.Or(err, error(NewFailure(result.GapNothingProfiled, "")))
}
