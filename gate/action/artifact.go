package action

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/org/perfgate/gate/result"
)

// Most that an artifact of a measuring job may have. Profiles are its largest part.
const (
	maxArtifact = 128 << 20 // zipped
	maxEntries  = 1000
)

// entryHead begins every entry of a zip's directory.
var entryHead = []byte("PK\x01\x02")

// readArtifact reads what a measuring job kept: a zip of which nothing is known. It is read in memory and nothing of it is
// ever written to a file. Only the result and the outcome are unpacked, each within its own limit; names that such a job
// does not write are refused.
func readArtifact(l left, zipped []byte) (left, error) {
	if bytes.Count(zipped, entryHead) > maxEntries {
		return l, fmt.Errorf("over %d files", maxEntries)
	}
	files, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		return l, fmt.Errorf("it is no zip that can be used: %w", err)
	}
	seen := map[string]bool{}
	for _, f := range files.File {
		if err := plainEntry(f); err != nil {
			return l, err
		}
		if seen[f.Name] {
			return l, fmt.Errorf("it has %.80q twice", f.Name)
		}
		seen[f.Name] = true
		switch f.Name {
		case resultFile:
			l.result, err = readEntry(f, result.ReadStrictly)
		case outcomeFile:
			var o Outcome
			o, err = readEntry(f, decodeOutcome)
			l.why = o.Error
		}
		if err != nil {
			return l, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return l, nil
}

// plainEntry refuses everything that is not a file of a name that is expected.
func plainEntry(f *zip.File) error {
	name := f.Name
	expected := name == resultFile || name == outcomeFile || name == reportFile || name == ".gitignore" || strings.HasPrefix(name, "profiles/")
	local := filepath.IsLocal(name) && !strings.Contains(name, "..") && !strings.ContainsAny(name, "\\:") && strings.IndexFunc(name, unicode.IsControl) < 0
	switch {
	case !local:
		return fmt.Errorf("the name %.80q leads out of the folder", name)
	case !expected:
		return fmt.Errorf("it has %.80q, which no measuring job writes", name)
	case !f.Mode().IsRegular() && !f.Mode().IsDir():
		return fmt.Errorf("%.80q is no plain file", name)
	}
	return nil
}

// maxResult is what result.ReadStrictly takes.
const maxResult = 64 << 20

// readEntry unpacks a file for a reader that has a limit of its own. What the directory says of its size is looked at first,
// and not relied on.
func readEntry[T any](f *zip.File, read func(io.Reader) (T, error)) (T, error) {
	var none T
	if f.UncompressedSize64 > maxResult {
		return none, fmt.Errorf("%d bytes, at most %d MiB are read", f.UncompressedSize64, maxResult>>20)
	}
	content, err := f.Open()
	if err != nil {
		return none, err
	}
	defer content.Close()
	return read(content)
}

// decodeOutcome is readOutcome of what is not a file.
func decodeOutcome(in io.Reader) (Outcome, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxHandover+1))
	if err != nil {
		return Outcome{}, err
	}
	if len(data) > maxHandover {
		return Outcome{}, errors.New("it is too large")
	}
	var o Outcome
	if err := decodeHandover(outcomeFile, data, &o); err != nil {
		return Outcome{}, err
	}
	return o, checkOutcome(o)
}
