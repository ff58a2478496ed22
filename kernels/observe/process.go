package observe

import (
	"bytes"
	"encoding/binary"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mostPath is how long a path may be for Linux, with the zero byte at its end.
const mostPath = 4096

// memory reads from the memory of a thread: as much of size bytes as is there.
func memory(pid uint32, address uint64, into []byte) ([]byte, error) {
	page := uint64(os.Getpagesize())
	first := min(page-address%page, uint64(len(into))) // a page may be there, and the next one not
	remote := []unix.RemoteIovec{{Base: uintptr(address), Len: int(first)}}
	if rest := uint64(len(into)) - first; rest > 0 {
		remote = append(remote, unix.RemoteIovec{Base: uintptr(address + first), Len: int(rest)})
	}
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	n, err := unix.ProcessVMReadv(int(pid), local, remote, 0)
	return into[:max(n, 0)], err
}

// text reads a path. ok is false where Linux could not read it either.
func (o *observer) text(n *notification, address uint64) (text []byte, ok bool) {
	if address < 4096 { // nothing can be mapped there: a path that is left out
		return nil, false
	}
	// Most are short, and copying is what takes time.
	for _, size := range []int{256, mostPath} {
		got, err := memory(n.pid, address, o.buffer[:size])
		if end := bytes.IndexByte(got, 0); end >= 0 {
			return got[:end], true
		}
		if err != nil {
			o.unread("the memory of the process: " + err.Error())
			return nil, false
		}
		if len(got) < size {
			return nil, false // it runs out of what is mapped
		}
	}
	return nil, false // too long for Linux
}

// words reads 64-bit numbers.
func (o *observer) words(n *notification, address uint64, count int) []uint64 {
	got, err := memory(n.pid, address, make([]byte, 8*count))
	words := make([]uint64, count)
	if err != nil || len(got) < 8*count {
		o.unread("the memory of the process")
		return words
	}
	for i := range words {
		words[i] = binary.NativeEndian.Uint64(got[8*i:])
	}
	return words
}

// ofProcess is a name in the folder that Linux shows of the thread.
func ofProcess(n *notification, name string) string { return ofThread(n.pid, name) }

func ofThread(thread uint32, name string) string {
	return "/proc/" + strconv.Itoa(int(thread)) + "/" + name
}

// folder is where a path of the thread begins: its working directory, or a descriptor's folder. ok is false where there is none, and
// the call fails or takes something that is no folder.
func (o *observer) folder(n *notification, a ask) (dir string, ok bool) {
	name := "cwd"
	if a.dir != workingDir {
		if fd := int32(n.arguments[a.dir]); fd >= 0 {
			name = "fd/" + strconv.Itoa(int(fd))
		} else if fd != unix.AT_FDCWD {
			return "", false
		}
	}
	target, err := os.Readlink(ofProcess(n, name))
	if err != nil {
		if err, _ := err.(*os.PathError); err != nil && err.Err != unix.ENOENT {
			o.unread("the folder of a process: " + err.Err.Error())
		}
		return "", false
	}
	return o.magic(target)
}

// magic is where a link leads that Linux makes up for what a process holds. ok is false where it holds no file with a name.
func (o *observer) magic(target string) (file string, ok bool) {
	switch {
	case strings.HasPrefix(target, "(unreachable)"):
		o.because(Namespaces, "a folder that no path leads to")
		return "", false
	case !path.IsAbs(target):
		return "", false // a pipe, a socket, memory
	case strings.HasSuffix(target, " (deleted)"):
		var stat unix.Stat_t
		if unix.Lstat(target, &stat) != nil {
			return "", false
		}
	}
	return strings.TrimSuffix(target, "/"), true
}

// root is what "/" means to the thread; "" is the root of this process.
func (o *observer) root(n *notification) string {
	if !o.rooted {
		return ""
	}
	target, err := os.Readlink(ofProcess(n, "root"))
	if err != nil {
		o.unread("the root of a process")
		return ""
	}
	root, _ := o.magic(target)
	return root
}

// process is the id of the process that a thread is in, as /proc/self leads to.
func process(n *notification) string {
	thread := strconv.Itoa(int(n.pid))
	status, err := os.ReadFile(ofProcess(n, "status"))
	if err != nil {
		return thread
	}
	for line := range strings.Lines(string(status)) {
		if id, ok := strings.CutPrefix(line, "Tgid:"); ok {
			return strings.TrimSpace(id)
		}
	}
	return thread
}
