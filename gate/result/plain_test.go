package result

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What a pull request may have put in the place of a file is neither waited for nor read without end.
func TestReadPlain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("text"), 0o644), os.Symlink("file", at("link")), os.Symlink("/dev/zero", at("endless")),
		os.Symlink("circle", at("circle")), syscall.Mkfifo(at("pipe"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		flags int
		limit int64
		want  string // "" where it is read
	}{
		{"file", 0, 4, ""}, {"file", 0, 3, "larger"}, {"link", 0, 4, ""}, {"link", syscall.O_NOFOLLOW, 4, "link"}, {"endless", 0, 4, "not a regular file"},
		{"circle", 0, 4, "link"}, {"pipe", 0, 4, "not a regular file"}, {".", 0, 4, "not a regular file"}, {"none", 0, 4, "no such file"},
	} {
		text, err := ReadPlain(at(c.name), c.flags, c.limit)
		if c.want == "" && (err != nil || string(text) != "text") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v, want %q", c.name, text, err, c.want)
		}
	}
}
