package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/config"
)

func TestCheckFiles(t *testing.T) {
	src := "version: 1\nkernels:\n  - name: k\n    adapter: bench/k.cc\n    sources: [a.cc, gone.cc, out.cc, folder, loop.cc]\n" +
		"    competitors: [{name: c, adapter: old.cc}, {name: sdpa, adapter: \"torch:sdpa\"}]\n"
	c, err := config.Parse("perfgate.yaml", []byte(src))
	must(t, err)
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "out.cc")
	err = errors.Join(os.WriteFile(filepath.Join(dir, "a.cc"), nil, 0o644), os.WriteFile(outside, nil, 0o644), os.Mkdir(filepath.Join(dir, "folder"), 0o755),
		os.Symlink(outside, filepath.Join(dir, "out.cc")), os.Symlink("loop.cc", filepath.Join(dir, "loop.cc")))
	must(t, err)
	var errs config.Errors
	if !errors.As(c.CheckFiles(dir), &errs) {
		t.Fatal("nothing is missing")
	}
	want := []config.Error{
		{Line: 4, Column: 14, Msg: `kernel k: "bench/k.cc" does not exist`},
		{Line: 5, Column: 21, Msg: `kernel k: "gone.cc" does not exist`},
		{Line: 5, Column: 30, Msg: `kernel k: "out.cc" is reached by a symbolic link that leaves the configuration's folder: copy the file into the folder, or name a path inside`},
		{Line: 5, Column: 38, Msg: `kernel k: "folder" cannot be used: it is not a regular file`},
		{Line: 5, Column: 46, Msg: `kernel k: "loop.cc" cannot be used: too many levels of symbolic links`},
		{Line: 6, Column: 38, Msg: `kernel k: "old.cc" does not exist`},
	}
	if len(errs) != len(want) {
		t.Fatalf("got %v", errs)
	}
	for i, e := range errs {
		if e.Line != want[i].Line || e.Column != want[i].Column || e.Msg != want[i].Msg {
			t.Errorf("got %d:%d %s, want %d:%d %s", e.Line, e.Column, e.Msg, want[i].Line, want[i].Column, want[i].Msg)
		}
	}
	if err := c.CheckFiles(filepath.Join(dir, "nowhere")); err == nil || errors.As(err, &errs) {
		t.Errorf("a folder that is not there: %v", err)
	}
	whole, err := config.Parse("perfgate.yaml", []byte("version: 1\nkernels: [{name: k, adapter: a.cc}]\n"))
	if err := errors.Join(err, whole.CheckFiles(dir)); err != nil {
		t.Errorf("all that is named is there: %v", err)
	}
}
