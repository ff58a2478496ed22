package render

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// What else a run leaves in the folder for the results.
const (
	ResultName   = "result.json"
	ProfilesName = "profiles"
	profileFiles = "case*-*.ncu-rep" // in profiles
	unfinished   = ".tmp"            // ends the name under which a result or a report is begun
)

// ClearFolder removes what an earlier run left in the folder for the results. Where a file that is not perfgate's has the name of one
// that is, nothing is removed: it is an error of the caller's.
func ClearFolder(dir string) error {
	ours, err := hasOwnResult(dir)
	if err != nil {
		return err
	}
	entries, _ := os.ReadDir(dir) // CheckFolder says what is wrong with a folder that cannot be listed
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
	profiles, _ := os.ReadDir(filepath.Join(dir, ProfilesName))
	for _, entry := range profiles {
		if named, _ := filepath.Match(profileFiles, entry.Name()); named { // the pattern is well-formed
			os.Remove(filepath.Join(dir, ProfilesName, entry.Name())) // one that stays does no harm: no result names it
		}
	}
	return nil
}

// hasOwnResult says whether the folder for the results has a result of an earlier run. A result or a report in it that perfgate did
// not write is the caller's error: a run would replace it.
func hasOwnResult(dir string) (bool, error) {
	own, err := beginsWith(filepath.Join(dir, ResultName), result.Document.Begins)
	if err != nil || own { // the reports next to it are of the same run
		return own, err
	}
	return false, CheckRenderings(dir)
}

// CheckRenderings refuses a folder in which a file that is not perfgate's has the name of a report.
func CheckRenderings(dir string) error {
	for name, mark := range Marks {
		if _, err := beginsWith(filepath.Join(dir, name), func(start []byte) bool { return bytes.HasPrefix(start, []byte(mark)) }); err != nil {
			return err
		}
	}
	return nil
}

// beginsWith checks the start of a file that may not be there. One that is and begins otherwise is an error.
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
	return slices.ContainsFunc(append(slices.Collect(maps.Keys(Marks)), ResultName), func(ours string) bool {
		return name == ours || strings.HasPrefix(name, ours+".") && strings.HasSuffix(name, unfinished)
	})
}

// CheckFolder sees that the folder for the results can be made, or that a file can be made in it, before minutes of measuring. It makes neither: a run that is
// refused afterwards leaves nothing.
func CheckFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return result.Usagef("--out %s is not a folder", dir)
	}
	if _, err := hasOwnResult(dir); err != nil {
		return err
	}
	at := filepath.Clean(dir)
	for _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at); _, err = os.Lstat(at) {
		at = filepath.Dir(at)
	}
	probe, err := os.CreateTemp(at, ".perfgate-*")
	if err != nil {
		return fmt.Errorf("write into the folder for the results (--out names another): %w", err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// Names of what a result is rendered into, next to result.json.
const (
	MarkdownName = "report.md"
	HTMLName     = "report.html"
	JUnitName    = "junit.xml"
	CSVName      = "cases.csv"
)

// Marks are what each rendering begins with, by its name: a file of that name without it is not perfgate's.
var Marks = map[string]string{
	MarkdownName: "<!-- perfgate report -->\n\n",
	HTMLName:     "<!DOCTYPE html>\n<!-- perfgate report -->\n",
	JUnitName:    xml.Header + "<!-- perfgate report -->\n",
	CSVName:      "machine,kernel,case,verdict,",
}

// WriteFiles writes all renderings of a result into a folder, each in one step. repository is its address on the web, or empty.
func WriteFiles(dir string, r *result.Result, d report.Document, repository string) error {
	d.LinkCommits(r, repository)
	return cmp.Or(
		WriteDocument(dir, d),
		write(dir, JUnitName, func(w io.Writer) error { return JUnit(w, report.Tests(r, d), r.Machine.Model, r.Started) }),
		write(dir, CSVName, func(w io.Writer) error { return CSV(w, report.Values(r)) }),
	)
}

// WriteDocument writes a document into a folder: as Markdown, and as a page to open in a browser.
func WriteDocument(dir string, d report.Document) error {
	return cmp.Or(
		write(dir, MarkdownName, func(w io.Writer) error { return Markdown(w, d, MarkdownOptions{}) }),
		write(dir, HTMLName, func(w io.Writer) error { return HTML(w, d) }),
	)
}

// write writes one rendering, which begins with its mark.
func write(dir, name string, render func(io.Writer) error) error {
	return saved.ReplaceIn(dir, name, func(w io.Writer) error {
		if name == MarkdownName || name == JUnitName { // the others begin with their mark anyway
			if _, err := io.WriteString(w, Marks[name]); err != nil {
				return err
			}
		}
		return render(w)
	})
}
