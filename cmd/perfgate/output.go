package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

func checkFormat(format string) error {
	switch format {
	case "text", "markdown", "json":
		return nil
	}
	return usagef("--format %q is not one of text, markdown, json", format)
}

// publish writes the artifacts, prints the report and turns the conclusion into the exit code. The report is printed
// even if the artifacts cannot be written any more: what took minutes to find out is not lost to a full disk.
func publish(s *streams, f runFlags, res *result.Result) error {
	document := report.New(res)
	saved, err := save(f.out, res, document)
	if shown := show(s, f, res, document, saved); shown != nil {
		err = errors.Join(err, fmt.Errorf("print the report: %w", shown))
	}
	code := res.Conclusion.Exit
	if err != nil && code != gate.ExitFailed { // the gate's no outweighs what went wrong afterwards
		code = gate.ExitNotMeasurable
	}
	if code != gate.ExitPassed {
		return &exitError{int(code), err}
	}
	return nil
}

func save(dir string, res *result.Result, document report.Document) (string, error) {
	if err := makeOut(dir); err != nil {
		return "", fmt.Errorf("make the folder for the results (--out names another): %w", err)
	}
	path := filepath.Join(dir, "result.json")
	if err := result.WriteFile(path, res); err != nil {
		return "", err
	}
	var md bytes.Buffer
	if err := report.Markdown(&md, document); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "report.md"), md.Bytes(), 0o644); err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return path, nil
}

// checkOut makes the folder for the results and sees that a file can be made in it, before minutes of measuring.
func checkOut(dir string) error {
	if err := makeOut(dir); err != nil {
		return fmt.Errorf("make the folder for the results (--out names another): %w", err)
	}
	probe, err := os.CreateTemp(dir, ".perfgate-*")
	if err != nil {
		return fmt.Errorf("write into the folder for the results (--out names another): %w", err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// makeOut makes the folder for the results. A folder of our own is invisible to git: results are no change of the tree.
func makeOut(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644)
}

// printFor prints what render makes, after the log of a CI service has been thought of.
func printFor(s *streams, disarm func(string) string, render func(io.Writer) error) error {
	var b strings.Builder
	if err := render(&b); err != nil {
		return err
	}
	_, err := io.WriteString(s.out, disarm(b.String()))
	return err
}

func show(s *streams, f runFlags, res *result.Result, document report.Document, saved string) error {
	switch f.format {
	case "json":
		return printFor(s, report.JSONForLog, func(w io.Writer) error { return result.Write(w, res) })
	case "markdown":
		return printFor(s, report.ForLog, func(w io.Writer) error { return report.Markdown(w, document) })
	}
	if err := report.Terminal(s.out, document, report.TerminalOptions{Color: useColor(s.out), Width: terminalWidth(s.out)}); err != nil {
		return err
	}
	if f.timings {
		fmt.Fprintln(s.out)
		if err := report.TerminalTimings(s.out, document); err != nil {
			return err
		}
	}
	if saved == "" {
		return nil
	}
	_, err := fmt.Fprintf(s.out, "\nsaved: %s\n", saved)
	return err
}
