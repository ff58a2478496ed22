package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

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

// publish writes the artifacts, prints the report and turns the conclusion into the exit code.
func publish(s *streams, f runFlags, res *result.Result) error {
	document := report.New(res)
	saved, err := save(f.out, res, document)
	if err != nil {
		return err
	}
	if err := show(s, f, res, document, saved); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if code := int(res.Conclusion.Exit); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

func save(dir string, res *result.Result, document report.Document) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
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

func show(s *streams, f runFlags, res *result.Result, document report.Document, saved string) error {
	switch f.format {
	case "json":
		return result.Write(s.out, res)
	case "markdown":
		return report.Markdown(s.out, document)
	}
	if err := report.Terminal(s.out, document, report.TerminalOptions{Color: useColor(s.out), Width: terminalWidth(s.out)}); err != nil {
		return err
	}
	if f.timings {
		if err := report.TerminalTimings(s.out, document); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(s.out, "\nsaved: %s\n", saved)
	return err
}
