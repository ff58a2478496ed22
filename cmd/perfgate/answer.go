package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/gate/text"
)

// output says how an answer is printed, and in which folder it is kept. Out is "" where it is not.
type output struct{ Format, Out string }

// answer is what a verb has found.
type answer struct {
	document report.Document
	data     func(io.Writer) error // all of it, as JSON; nil is what the document says
	csv      func(io.Writer) error
	name     string                 // of the file for the data; "" keeps none
	files    func(dir string) error // in place of that file and the document, in the folder
	exit     result.ExitCode
	reason   error // why it is not 0, where the document does not say it
}

// printed is data whose type has no writer of its own.
func printed(v any) func(io.Writer) error {
	return func(w io.Writer) error { return saved.Print(w, v) }
}

// ofResult is the answer of a run of the gate.
func ofResult(res *result.Result) answer {
	document := report.New(res)
	return answer{
		document: document, exit: res.Conclusion.Exit, data: func(w io.Writer) error { return result.Write(w, res) },
		files: func(dir string) error {
			if err := result.WriteFile(filepath.Join(dir, render.ResultName), res); err != nil {
				return err
			}
			return render.WriteFiles(dir, res, document, report.Repository(os.Getenv))
		},
	}
}

// saidOf is the answer of a run that is not the gate's: its result, as a file of that name.
func saidOf(res *result.Result, name string) answer {
	return answer{document: report.New(res), data: func(w io.Writer) error { return result.Write(w, res) }, name: name, exit: res.Conclusion.Exit}
}

// keep leaves an answer in a folder: its data, and the document as Markdown and HTML.
func (a answer) keep(dir string) error {
	if a.files != nil {
		if err := saved.MakeFolder(dir); err != nil {
			return fmt.Errorf("make the folder for the results (--out names another): %w", err)
		}
		return a.files(dir)
	}
	if a.name != "" {
		if err := saved.ReplaceIn(dir, a.name, a.data); err != nil {
			return err
		}
	}
	return render.WriteDocument(dir, a.document)
}

// answer keeps what was found, prints it, and ends with its exit code. It is printed even if it cannot be kept: what took minutes to
// find out is not lost to a full disk.
func (s *streams) answer(o output, a answer) error {
	reasons := []error{a.reason}
	if o.Out != "" {
		if err := a.keep(o.Out); err != nil {
			reasons = append(reasons, fmt.Errorf("keep the results: %w", err))
		} else if o.Format == "text" {
			a.document.Blocks = append(slices.Clip(a.document.Blocks), report.Saved(filepath.Join(o.Out, render.HTMLName)))
		}
	}
	if err := s.print(o.Format, a); err != nil {
		reasons = append(reasons, fmt.Errorf("print the answer: %w", err))
	}
	err := errors.Join(reasons...)
	switch {
	case err != nil && a.exit != result.ExitFailed: // a no outweighs what went wrong afterwards
		return &result.ExitError{Code: result.ExitNotMeasurable, Err: err}
	case a.exit != result.ExitPassed:
		return &result.ExitError{Code: a.exit, Err: err}
	}
	return nil
}

// leave keeps the answer of a job, which ends in a later step, and prints it for the log.
func (s *streams) leave(dir string, a answer) error { return cmp.Or(a.keep(dir), s.print("text", a)) }

// print prints an answer in a format. The log of a CI service must not take JSON or Markdown for its own commands; text is safe already.
func (s *streams) print(format string, a answer) error {
	var b strings.Builder
	switch format {
	case "json":
		data := a.data
		if data == nil {
			data = func(w io.Writer) error { return render.JSON(w, a.document) }
		}
		if err := data(&b); err != nil {
			return err
		}
		_, err := io.WriteString(s.out, text.JSONForLog(b.String()))
		return err
	case "markdown":
		if err := render.Markdown(&b, a.document, render.MarkdownOptions{}); err != nil {
			return err
		}
		_, err := io.WriteString(s.out, text.ForLog(b.String()))
		return err
	case "html":
		return render.HTML(s.out, a.document)
	case "csv":
		return a.csv(s.out)
	}
	return render.Terminal(s.out, a.document, terminalOf(s))
}

// explained is an error with the sentences of its findings, where it has some.
func explained(err error) error {
	var why *search.Unmeasured
	if errors.As(err, &why) {
		return fmt.Errorf("%w: %s", err, strings.Join(report.Sentences(why.Findings), "; "))
	}
	return err
}
