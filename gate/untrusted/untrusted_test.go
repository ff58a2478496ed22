package untrusted

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// hostile is a folder with everything that may stand in the place of a file.
func hostile(t *testing.T) (dir string, at func(string) string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "tree")
	at = func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(at("lib"), 0o755), os.WriteFile(at("../outside"), []byte("text"), 0o644), os.WriteFile(at("file"), []byte("text"), 0o644),
		os.WriteFile(at("lib/k.so.1"), []byte("text"), 0o644), os.Symlink("k.so.1", at("lib/k.so")), os.Symlink("lib/k.so", at("k.so")), os.Symlink("lib", at("folder")),
		os.Symlink("/dev/zero", at("endless")), os.Symlink("../outside", at("out")), os.Symlink("..", at("up")), os.Symlink("circle", at("circle")), os.Symlink("none", at("dangling")),
		os.Symlink(at("file"), at("absolute")), syscall.Mkfifo(at("pipe"), 0o644), syscall.Mkfifo(at("lib/pipe"), 0o644), os.Symlink("pipe", at("to a pipe")),
		os.WriteFile(at("nothing"), nil, 0o644), os.Truncate(at("nothing"), 1<<40), os.WriteFile(at("secret"), []byte("text"), 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(socket, &syscall.SockaddrUnix{Name: at("socket")})
		syscall.Close(socket)
	}
	if err != nil {
		t.Log("no socket:", err)
	}
	return dir, at
}

// What stands in the place of a file is neither waited for nor read without end, whichever way leads to it.
func TestOnlyBoundedRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	dir, at := hostile(t)
	for name, want := range map[string]struct{ open, in, linked string }{ // "" is read, else a part of the error
		"file":           {"", "", ""},
		"lib/k.so":       {"link", "", ""},
		"k.so":           {"link", "", ""},
		"folder/../file": {"", "", ""},
		"endless":        {"link", "leaves the folder", "not a regular file"},
		"out":            {"link", "leaves the folder", ""},
		"absolute":       {"link", "leaves the folder", ""},
		"up/outside":     {"", "leaves the folder", ""}, // what lies before the last name is perfgate's
		"../outside":     {"", "leaves the folder", ""},
		"circle":         {"link", "too many", "too many"},
		"dangling":       {"link", "no such file", "no such file"},
		"none":           {"no such file", "no such file", "no such file"},
		"pipe":           {"not a regular file", "not a regular file", "not a regular file"},
		"lib/pipe":       {"not a regular file", "not a regular file", "not a regular file"},
		"to a pipe":      {"link", "not a regular file", "not a regular file"},
		"lib":            {"not a regular file", "not a regular file", "not a regular file"},
		"socket":         {"no such device", "no such device", "no such device"},
		"nothing":        {"larger than 4 bytes", "larger than 4 bytes", "larger than 4 bytes"},
	} {
		for way, read := range map[string]func() ([]byte, error){
			want.open + "|Read": func() ([]byte, error) { return Read(at(name), 4) }, want.in + "|ReadIn": func() ([]byte, error) { return ReadIn(dir, name, 4) },
			want.linked + "|ReadLinked": func() ([]byte, error) { return ReadLinked(at(name), 4) },
		} {
			says, way, _ := strings.Cut(way, "|")
			text, err := read()
			if says == "" && (err != nil || string(text) != "text") || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
				t.Errorf("%s of %s: %q, %v, want %q", way, name, text, err, says)
			}
		}
	}
	if _, err := Read(at("file"), 3); !errors.As(err, &TooLargeError{}) {
		t.Errorf("a file over the limit: %v", err)
	}
}

// A file that grows after it was opened is read up to the limit.
func TestGrowingFile(t *testing.T) {
	t.Parallel()
	_, at := hostile(t)
	f, err := Open(at("file"), 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("file"), make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := whole(8)(f, nil); err == nil {
		t.Errorf("%d bytes were read", len(text))
	}
}

// A folder as a file system has the same files, and none but those.
func TestFS(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	folder := FS(dir, 4)
	if text, err := fs.ReadFile(folder, "k.so"); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"pipe", "endless", "out", "up/outside", "nothing", "../outside", "none", "."} {
		if _, err := fs.ReadFile(folder, name); err == nil {
			t.Errorf("%s was read", name)
		}
		if info, err := fs.Stat(folder, name); err == nil {
			t.Errorf("%s is %v", name, info.Mode())
		}
	}
	if _, err := fs.Stat(folder, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if entries, err := fs.ReadDir(folder, "."); err != nil || len(entries) == 0 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	for _, name := range []string{"up", "../outside", "pipe", "k.so", "none"} {
		if _, err := fs.ReadDir(folder, name); err == nil {
			t.Errorf("%s was listed", name)
		}
	}
}
