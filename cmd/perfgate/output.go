package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// publish writes the artifacts, prints the report and turns the conclusion into the exit code. The report is printed
// even if the artifacts cannot be written any more: what took minutes to find out is not lost to a full disk.
func publish(s *streams, f runFlags, res *result.Result) error {
	document := report.New(res)
	path, err := save(f.out, res, document)
	if shown := show(s, f, res, document, path); shown != nil {
		err = errors.Join(err, fmt.Errorf("print the report: %w", shown))
	}
	code := res.Conclusion.Exit
	if err != nil && code != result.ExitFailed { // the gate's no outweighs what went wrong afterwards
		code = result.ExitNotMeasurable
	}
	if code != result.ExitPassed {
		return &result.ExitError{Code: code, Err: err}
	}
	return nil
}

func save(dir string, res *result.Result, document report.Document) (string, error) {
	if err := saved.MakeFolder(dir); err != nil {
		return "", fmt.Errorf("make the folder for the results (--out names another): %w", err)
	}
	path := filepath.Join(dir, resultName)
	if err := result.WriteFile(path, res); err != nil {
		return "", err
	}
	if err := render.WriteFiles(dir, res, document, report.Repository(os.Getenv)); err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return path, nil
}

// The files of a run in the folder for the results.
const (
	resultName   = "result.json"
	profilesName = "profiles"
	profileFiles = "case*-*.ncu-rep" // in profiles
	unfinished   = ".tmp"            // ends the name under which a result or a report is begun
)

// clearOut removes what an earlier run left in the folder for the results. Where a file that is not ours has the name of one of
// ours, nothing is removed: it is an error of the caller's.
func clearOut(dir string) error {
	ours, err := ownResult(dir)
	if err != nil {
		return err
	}
	entries, _ := os.ReadDir(dir) // checkOut says what is wrong with a folder that cannot be listed
	for _, entry := range entries {
		if entry.IsDir() || !isVerdict(entry.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the results of the run before (--out names another folder): %w", err)
		}
	}
	if !ours {
		return nil
	}
	profiles, _ := os.ReadDir(filepath.Join(dir, profilesName))
	for _, entry := range profiles {
		if named, _ := filepath.Match(profileFiles, entry.Name()); named { // the pattern is well-formed
			os.Remove(filepath.Join(dir, profilesName, entry.Name())) // one that stays does no harm: no result names it
		}
	}
	return nil
}

// ownResult says whether the folder for the results has a result of an earlier run. A result or a report in it that perfgate did
// not write is the caller's error: a run would replace it.
func ownResult(dir string) (bool, error) {
	own, err := beginsWith(filepath.Join(dir, resultName), result.Document.Begins)
	if err != nil {
		return false, err
	}
	if own {
		return true, nil // the report beside it is of the same run
	}
	return false, ownRenderings(dir)
}

// ownRenderings refuses a folder in which a file that is not ours has the name of a report.
func ownRenderings(dir string) error {
	for name, mark := range render.Marks {
		if _, err := beginsWith(filepath.Join(dir, name), func(start []byte) bool { return bytes.HasPrefix(start, []byte(mark)) }); err != nil {
			return err
		}
	}
	return nil
}

// beginsWith looks at the start of a file that may not be there. One that is and begins otherwise is an error.
func beginsWith(path string, ours func(start []byte) bool) (bool, error) {
	f, err := untrusted.OpenLinked(path, untrusted.NoLimit)
	if err != nil {
		return false, nil // not there, or nothing that a run can read or replace: writing will say so
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil || ours(start) {
		return err == nil, nil
	}
	return false, result.Usagef("--out %s: %s is there, and perfgate did not write it: name another folder", filepath.Dir(path), filepath.Base(path))
}

// isVerdict names results and reports, and those that a killed run had begun.
func isVerdict(name string) bool {
	return slices.ContainsFunc(append(slices.Collect(maps.Keys(render.Marks)), resultName), func(ours string) bool {
		return name == ours || strings.HasPrefix(name, ours+".") && strings.HasSuffix(name, unfinished)
	})
}

// checkOut makes the folder for the results and sees that a file can be made in it, before minutes of measuring.
func checkOut(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return result.Usagef("--out %s is not a folder", dir)
	}
	if _, err := ownResult(dir); err != nil {
		return err
	}
	if err := saved.MakeFolder(dir); err != nil {
		return fmt.Errorf("make the folder for the results (--out names another): %w", err)
	}
	probe, err := os.CreateTemp(dir, ".perfgate-*")
	if err != nil {
		return fmt.Errorf("write into the folder for the results (--out names another): %w", err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// printAs prints what write makes in a format, after the log of a CI service has been thought of. Text has been by then.
func printAs(s *streams, format string, write func(io.Writer) error) error {
	disarm, ok := map[string]func(string) string{"json": render.JSONForLog, "markdown": render.ForLog}[format]
	if !ok {
		return write(s.out)
	}
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	_, err := io.WriteString(s.out, disarm(b.String()))
	return err
}

func show(s *streams, f runFlags, res *result.Result, document report.Document, saved string) error {
	switch f.format {
	case "json":
		return printAs(s, f.format, func(w io.Writer) error { return result.Write(w, res) })
	}
	if saved != "" {
		saved = filepath.Join(filepath.Dir(saved), render.HTMLName)
	}
	return s.showSaved(f.format, document, saved)
}

// showSaved prints a document, and on a terminal where the files are that have all of it.
func (s *streams) showSaved(format string, document report.Document, saved string) error {
	if format != "markdown" && saved != "" {
		document.Blocks = append(slices.Clip(document.Blocks), report.Saved(saved))
	}
	return s.showDocument(format, document)
}

// showDocument prints a document as Markdown, as HTML or as text.
func (s *streams) showDocument(format string, document report.Document) error {
	switch format {
	case "markdown":
		return printAs(s, format, func(w io.Writer) error { return render.Markdown(w, document, render.MarkdownOptions{}) })
	case "html":
		return render.HTML(s.out, document)
	}
	return render.Terminal(s.out, document, terminalOf(s))
}
