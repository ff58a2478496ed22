package doctor

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What this user may connect to is what connecting works with: sockets of the file system that are there and may be written to.
func TestReachableSockets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	listener, err := net.Listen("unix", open)
	must(t, err)
	defer listener.Close()
	row := func(path string) string {
		return "0000000000000000: 00000002 00000000 00010000 0001 01 4711 " + path + "\n"
	}
	table := "Num       RefCount Protocol Flags    Type St Inode Path\n" + row(open) + row(open) + row("@abstract") + row(filepath.Join(dir, "gone")) + row("")
	if got := reachable(table); !slices.Equal(got, []string{open}) {
		t.Errorf("%q", got)
	}
	live, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Skip(err)
	}
	if got := reachable(string(live)); !slices.Contains(got, open) {
		t.Errorf("%s is not among %q", open, got)
	}
}
