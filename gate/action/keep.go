package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// pageFolder holds only the page, under a name that tells the gates of a run apart: an artifact that is not an archive has its file's.
const pageFolder = "page"

// keepPage writes the page of what was trusted next to the folder of results. One that code under test may have written is not kept anywhere:
// browsers would open it. A comment leads to the artifacts of the run: the page's own address is known only once it is uploaded.
func (s *step) keepPage(_ context.Context, p *publication) error {
	dir := filepath.Join(s.work(), pageFolder)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if p.result == nil {
		os.Remove(filepath.Join(s.out(), render.HTMLName))
		return nil
	}
	if !s.in.UploadArtifact {
		return nil
	}
	file := filepath.Join(dir, s.in.Name+"-"+render.HTMLName)
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		d := p.document
		d.LinkCommits(p.result, s.repository())
		err = saved.Replace(file, func(w io.Writer) error { return render.HTML(w, d) })
	}
	if err == nil {
		p.page, p.meta.PageURL = file, s.runURL()+"#artifacts"
	}
	return err
}

// keep writes the report again from what was trusted and names the folder's artifact.
func (s *step) keep(_ context.Context, p *publication) (err error) {
	if p.result != nil {
		err = errors.Join(
			result.WriteFile(filepath.Join(s.out(), resultFile), p.result),
			render.WriteFiles(s.out(), p.result, p.document, s.repository()))
	}
	if entries, _ := os.ReadDir(s.out()); len(entries) > 0 && s.in.UploadArtifact {
		p.artifact = s.partName()
		if s.does.suffix != "" { // another step of the workflow fetches it by this name, whatever part of the cases it has
			p.artifact = s.in.Name + s.does.suffix
		}
	}
	if line := s.rerunLine(p.verdict, p.artifact); line != "" {
		p.document.Repeat(line)
	}
	return err
}

// rerunLine fetches the result and repeats it locally; "" of what cannot be repeated so: results of several machines or parts, and
// folders.
func (s *step) rerunLine(v verdict, artifact string) string {
	r := v.result
	if artifact == "" || r == nil || len(r.Merged) > 0 || r.Base.Kind != result.KindRevision || r.Head.Kind != result.KindRevision {
		return ""
	}
	line := fmt.Sprintf("gh run download %d -n %s -D %s && perfgate rerun %s", s.event.RunID, artifact, artifact, artifact)
	if s.event.PR != nil {
		line = fmt.Sprintf("git fetch origin pull/%d/head && %s", s.event.PR.Number, line)
	}
	return line
}
