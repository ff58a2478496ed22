package observe

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What lies at a path is told by its kind and content, and a kept digest is not that of a file that was written since.
func TestDigestsTellWhatLiesAtAPath(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	large := filepath.Join(dir, "large")
	text := bytes.Repeat([]byte("a"), leastKept)
	write := func(path string, text []byte, mode os.FileMode) {
		t.Helper()
		must(t, os.WriteFile(path, text, mode))
	}
	of := func(d *Digests, path string) string {
		t.Helper()
		is, err := d.Of(path)
		must(t, err)
		return is
	}
	write(large, text, 0o644)
	first := OpenDigests(cache)
	was := of(first, large)
	if len(first.known) != 0 {
		t.Error("the digest of a file was kept that is as new as what is written into it next")
	}
	first.settles = 0
	of(first, large)
	if len(first.known) != 1 {
		t.Fatalf("%d digests kept", len(first.known))
	}
	first.Save()
	again := OpenDigests(cache)
	again.settles = 0
	if len(again.known) != 1 || of(again, large) != was {
		t.Errorf("kept %d, %s, was %s", len(again.known), of(again, large), was)
	}
	text[7] = 'b'
	before, err := os.Stat(large)
	must(t, err)
	time.Sleep(50 * time.Millisecond) // file systems tell time in steps
	write(large, text, 0o644)
	must(t, os.Chtimes(large, before.ModTime(), before.ModTime()))
	if of(again, large) == was {
		t.Error("other content of equal size and time of writing has the digest that was kept")
	}

	program, link := filepath.Join(dir, "program"), filepath.Join(dir, "link")
	write(program, []byte("1"), 0o755)
	write(filepath.Join(dir, "text"), []byte("1"), 0o644)
	must(t, os.Symlink("text", link))
	seen := map[string]string{}
	for _, name := range []string{"program", "text", "link", "none", "text/below", "."} {
		is := of(again, filepath.Join(dir, name))
		if other, ok := seen[is]; ok && is != "-" {
			t.Errorf("%s and %s are both %q", name, other, is)
		}
		seen[is] = name
	}
	if of(again, filepath.Join(dir, "none")) != "-" || of(again, filepath.Join(dir, "text/below")) != "-" {
		t.Error("nothing is there, and something is said to be")
	}
}

// A cache that is damaged costs time and no more.
func TestDamagedDigests(t *testing.T) {
	cache := t.TempDir()
	must(t, os.WriteFile(filepath.Join(cache, digestsFile), []byte(`{"a":`), 0o644))
	if d := OpenDigests(cache); len(d.known) != 0 {
		t.Errorf("%v", d.known)
	}
	OpenDigests("").Save()
}
