package observe

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// Requests to the listener that x/sys lacks.
const (
	ioctlIDValid  = 0x40082102 // SECCOMP_IOCTL_NOTIF_ID_VALID
	ioctlSetFlags = 0x40082104 // SECCOMP_IOCTL_NOTIF_SET_FLAGS
)

// notification is struct seccomp_notif.
type notification struct {
	id        uint64
	pid       uint32 // of the thread; 0: this process cannot see it
	flags     uint32
	number    int32
	processor uint32
	at        uint64
	arguments [6]uint64
	_         [256]byte // what later versions of Linux may write
}

// response is struct seccomp_notif_resp.
type response struct {
	id       uint64
	value    int64
	errno    int32
	response uint32
}

// Options say what of a process tree is told.
type Options struct {
	Own   []string // folders of perfgate: what is in them is not recorded
	Trees []string // that the tree may write into: files which it changes elsewhere are shared with others
	// Caches are folders that outlive the run and are not perfgate's: of what is in them the report cannot tell where it came from.
	Caches []string
	// Kept are folders within those: what is in them is recorded, since it is known what it was made of.
	Kept []string
	Most int // different paths, beyond which calls are answered and not recorded; 0 means 500,000
}

const mostPaths = 500_000

// Listener answers for a process tree until its last process is gone.
type Listener struct {
	fd   int
	mu   sync.Mutex // of what is below; held while a call is looked at
	seen *observer
	done chan struct{}
}

// Listen begins to answer. It owns the listener's descriptor.
func Listen(listener int, o Options) *Listener {
	// Whoever asks wakes the listener on its own processor: a third of the time otherwise. Linux 6.6's.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), ioctlSetFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	l := &Listener{fd: listener, seen: newObserver(o), done: make(chan struct{})}
	go l.answer()
	return l
}

// Report is what was asked for until now. It waits a while for the last process, which whoever started the tree has ended before.
func (l *Listener) Report(wait time.Duration) Report {
	survived := false
	select {
	case <-l.done:
	case <-time.After(wait):
		survived = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	report := l.seen.report()
	if survived {
		report.Incomplete = append(report.Incomplete, Reason{Kind: Survived, Times: 1})
	}
	return report
}

// answer lets one call after the other go on. When it returns, or this process ends, calls of whoever is left fail with ENOSYS.
func (l *Listener) answer() {
	runtime.LockOSThread() // a thread of its own is woken sooner; the calls below block it alone
	defer close(l.done)
	defer unix.Close(l.fd)
	calls := callsByNumber()
	var n notification
	l.seen.valid = func() bool { return ioctl(l.fd, ioctlIDValid, unsafe.Pointer(&n.id)) == 0 }
	for l.wait() {
		n = notification{} // Linux takes an empty one only
		if errno := ioctl(l.fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno != 0 {
			continue // it was killed, or its call was interrupted
		}
		l.mu.Lock()
		l.seen.look(calls, &n)
		l.mu.Unlock()
		r := response{id: n.id, response: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		_ = ioctl(l.fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
	}
}

// wait waits for a call, and says no when nobody is left who could make one.
func (l *Listener) wait() bool {
	for {
		fds := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, -1)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return false
		case fds[0].Revents&unix.POLLIN != 0:
			return true
		case fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0:
			return false
		}
	}
}

func ioctl(fd int, request uintptr, argument unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
	return errno
}

// callsByNumber are the calls that are reported on this kind of processor.
func callsByNumber() map[int32]call {
	here, err := arch.GetInfo("")
	if err != nil {
		return nil // then nothing was installed
	}
	byNumber := map[int32]call{}
	for name, number := range numbersOf(here) {
		if c, ok := calls[name]; ok {
			byNumber[int32(number)] = c
		}
	}
	return byNumber
}
