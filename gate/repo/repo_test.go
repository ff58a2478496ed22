package repo

import (
	"errors"
	"os/exec"
	"testing"
)

// Head alone needs no revisions and so no git; both sides do.
func TestHeadAloneDoesWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	p, err := Resolve(t.Context(), Request{Dir: dir, HeadAlone: true})
	if err != nil || p.Head.Root != dir || p.Base.Root != "" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := Resolve(t.Context(), Request{Dir: dir}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("both sides without git: %v", err)
	}
	if _, err := Resolve(t.Context(), Request{Dir: dir, HeadAlone: true, Base: "main"}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a revision without git: %v", err)
	}
}
