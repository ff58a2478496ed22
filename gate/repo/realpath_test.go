package repo

import (
	"os"
	"path/filepath"
	"testing"
)

// A git in the checkout is found out by its name and by where links lead to.
func TestGitWithin(t *testing.T) {
	checkout, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{checkout, outside} {
		if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	into, from, alias := t.TempDir(), filepath.Join(checkout, "bin"), filepath.Join(t.TempDir(), "checkout")
	for link, to := range map[string]string{filepath.Join(into, "git"): filepath.Join(checkout, "git"), from: outside, alias: checkout} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for path, within := range map[string]bool{checkout: true, outside: false, into: true, from: true, outside + ":" + checkout: false, alias: true, filepath.Join(alias, "bin"): true, t.TempDir(): false} {
		t.Setenv("PATH", path)
		for _, folder := range []string{checkout, alias} {
			if got := GitWithin(folder); (got != "") != within {
				t.Errorf("PATH=%s, in %s: %q", path, folder, got)
			}
		}
	}
}
