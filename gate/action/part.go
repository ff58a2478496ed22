package action

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/render"

	"github.com/org/perfgate/gate/result"
)

// part is the artifact of one measuring job: what it is expected to be called, and what the job left in it.
type part struct {
	name    string         // of the artifact
	machine string         // as the workflow calls it; "" where there is one
	result  *result.Result // nil if there is none
	why     string         // there is none, in the job's words
}

// artifactName is what the artifact of a measuring job is called; machine is "" where there is one, part 0 where the plan is in
// one piece.
func artifactName(key, machine string, part int) string {
	name := key
	if machine != "" {
		name += "-on-" + machine
	}
	if part != 0 {
		name += fmt.Sprintf("-shard-%d", part)
	}
	return name
}

// expected are the artifacts that make one verdict: all parts from every machine.
func (s *step) expected() []part {
	machines := s.in.Machines
	if len(machines) == 0 {
		machines = []string{""}
	}
	var all []part
	for _, machine := range machines {
		for shard := min(1, s.in.Shards); shard <= s.in.Shards; shard++ { // 0 alone where the plan is in one piece
			all = append(all, part{name: artifactName(s.in.Name, machine, shard), machine: machine})
		}
	}
	return all
}

// answered splits parts into those that have a result, and lines on those that have none.
func answered(all []part) (measured []part, silent []string) {
	for _, p := range all {
		if p.result != nil {
			measured = append(measured, p)
			continue
		}
		silent = append(silent, fmt.Sprintf("%s: %s", p.name, cmp.Or(p.why, "its job left nothing")))
	}
	return measured, silent
}

// readFolder reads a part that was downloaded into a folder. One that is not there is not an error: its job has left nothing.
func (p part) readFolder(dir string) (part, error) {
	if o, err := readOutcome(dir); err == nil {
		p.why = o.Error
	}
	data, err := readRegular(filepath.Join(dir, resultFile), result.MaxArtifact)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		p.result, err = result.Read(bytes.NewReader(data))
	}
	return p, err
}

// fetch reads the newest artifact of the part's name among those that a run has kept; ok is false where there is none.
func (p part) fetch(ctx context.Context, client *github.Client, kept []github.Artifact) (_ part, ok bool, err error) {
	newest, ok := github.Newest(kept, p.name)
	if !ok {
		return p, false, nil
	}
	zipped, err := client.DownloadArtifact(ctx, newest.ID, maxArtifact)
	if err != nil {
		return p, true, err
	}
	if p, err = p.readZip(zipped); err != nil {
		err = fmt.Errorf("the artifact %s cannot be used: %w", p.name, err)
	}
	return p, true, err
}

// Most that an artifact of a measuring job may have. Profiles are its largest part.
const (
	maxArtifact = 128 << 20 // zipped
	maxEntries  = 1000
)

// entryHead begins every entry of a zip's directory.
var entryHead = []byte("PK\x01\x02")

// readZip reads a part from the zip that its job kept, of which nothing is known. It is read in memory and nothing of it is
// ever written to a file. Only the result and the outcome are unpacked, each within its own limit; names that such a job
// does not write are refused.
func (p part) readZip(zipped []byte) (part, error) {
	if bytes.Count(zipped, entryHead) > maxEntries {
		return p, fmt.Errorf("over %d files", maxEntries)
	}
	files, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		return p, fmt.Errorf("it is not a zip that can be used: %w", err)
	}
	seen := map[string]bool{}
	for _, f := range files.File {
		if err := plainEntry(f); err != nil {
			return p, err
		}
		if seen[f.Name] {
			return p, fmt.Errorf("it has %.80q twice", f.Name)
		}
		seen[f.Name] = true
		switch f.Name {
		case resultFile:
			p.result, err = readEntry(f, result.Read)
		case outcomeFile:
			var o *Outcome
			if o, err = readEntry(f, outcomeDocument.Read); err == nil {
				p.why = o.Error
			}
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return p, nil
}

// plainEntry refuses everything that is not a file of a name that is expected.
func plainEntry(f *zip.File) error {
	name := f.Name
	_, rendering := render.Marks[name]
	expected := name == resultFile || name == outcomeFile || rendering || name == ".gitignore" || strings.HasPrefix(name, "profiles/")
	local := filepath.IsLocal(name) && !strings.Contains(name, "..") && !strings.ContainsAny(name, "\\:") && strings.IndexFunc(name, unicode.IsControl) < 0
	switch {
	case !local:
		return fmt.Errorf("the name %.80q leads out of the folder", name)
	case !expected:
		return fmt.Errorf("it has %.80q, which no measuring job writes", name)
	case !f.Mode().IsRegular() && !f.Mode().IsDir():
		return fmt.Errorf("%.80q is not a plain file", name)
	}
	return nil
}

// readEntry unpacks a file for a reader that has a limit of its own. What the directory says of its size is looked at first,
// and not relied on.
func readEntry[T any](f *zip.File, read func(io.Reader) (T, error)) (T, error) {
	var none T
	if f.UncompressedSize64 > result.MaxArtifact {
		return none, fmt.Errorf("%d bytes, at most %d MiB are read", f.UncompressedSize64, result.MaxArtifact>>20)
	}
	content, err := f.Open()
	if err != nil {
		return none, err
	}
	defer content.Close()
	return read(content)
}
