package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/config"
)

func TestCheckFiles(t *testing.T) {
	src := "version: 1\nkernels:\n  - name: k\n    adapter: bench/k.cc\n    sources: [a.cc, gone.cc, out.cc, folder, loop.cc]\n"
	c, err := config.Parse("perfgate.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "out.cc")
	for _, file := range []string{filepath.Join(dir, "a.cc"), outside} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out.cc")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop.cc", filepath.Join(dir, "loop.cc")); err != nil {
		t.Fatal(err)
	}
	var errs config.Errors
	if !errors.As(c.CheckFiles(dir), &errs) {
		t.Fatal("nothing is missing")
	}
	want := []config.Error{
		{Line: 4, Column: 14, Msg: `kernel k: "bench/k.cc" does not exist`},
		{Line: 5, Column: 21, Msg: `kernel k: "gone.cc" does not exist`},
		{Line: 5, Column: 30, Msg: `kernel k: "out.cc" is reached by a symbolic link that leaves the configuration's folder: copy the file into the folder, or name a path inside`},
		{Line: 5, Column: 38, Msg: `kernel k: "folder" is not a regular file`},
		{Line: 5, Column: 46, Msg: `kernel k: "loop.cc" cannot be used: too many levels of symbolic links`},
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
}

func TestCheckFilesFindsAll(t *testing.T) {
	c, err := config.Parse("perfgate.yaml", []byte("version: 1\nkernels: [{name: k, adapter: k.cc}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.cc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.CheckFiles(dir); err != nil {
		t.Error(err)
	}
}
