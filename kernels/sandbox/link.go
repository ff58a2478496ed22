package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/observe"
)

// takeOverLimit is how long a helper may take to become its program: it does so in milliseconds.
const takeOverLimit = 30 * time.Second

// Link is the way to a helper that is about to start a program.
type Link struct {
	order  order
	ours   *os.File
	theirs *os.File
}

// NewLink opens the way to a helper that takes a policy upon itself, if there is one. The caller passes File on to it, then calls Hand or
// HandObserved, or Close where it could not be started.
func NewLink(p *Policy) (*Link, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket for the sandbox: %w", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil { // so that it has deadlines; the helper's end blocks
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, fmt.Errorf("make a socket for the sandbox: %w", err)
	}
	return &Link{order: order{Policy: p}, ours: os.NewFile(uintptr(fds[0]), "sandbox"), theirs: os.NewFile(uintptr(fds[1]), "sandbox")}, nil
}

// Command is the command line of the helper that will become path with args. fd is what File will be there.
func (l *Link) Command(fd int, path string, args []string) (string, []string) {
	return "/proc/self/exe", append([]string{Verb, strconv.Itoa(fd), path}, args...)
}

// File is the helper's end, for it to inherit.
func (l *Link) File() *os.File { return l.theirs }

// mostSaid is how much of what a helper says is read.
const mostSaid = 4096

// Hand gives the started helper its policy and waits until it has become the program. The error says why it could not.
func (l *Link) Hand() error {
	defer l.Close()
	if err := l.give(); err != nil {
		return fmt.Errorf("hand over the policy: %w", err)
	}
	return l.taken(nil)
}

// HandObserved is Hand for a program that is to be observed. It gives listen the listener, which must begin to answer since the program does
// not start before; or says why there is none.
func (l *Link) HandObserved(listen func(listener int), not func(why string)) (err error) {
	if l.order.Observe, err = observe.Filter(); err != nil {
		not(err.Error())
		return l.Hand()
	}
	defer l.Close()
	if err := l.give(); err != nil {
		return fmt.Errorf("hand over the policy: %w", err)
	}
	fd, none, said, err := l.listener()
	switch {
	case err != nil:
		return fmt.Errorf("wait for the sandbox: %w", err)
	case fd >= 0:
		listen(fd)
	case none != nil:
		not(none.Reason)
	}
	return l.taken(said)
}

// taken waits until the helper has become the program; said is what it said before.
func (l *Link) taken(said []byte) error {
	why, err := io.ReadAll(io.LimitReader(l.ours, mostSaid))
	if err != nil {
		return fmt.Errorf("wait for the sandbox: %w", err)
	}
	if why = append(said, why...); len(why) > 0 {
		return fmt.Errorf("in the sandbox: %s", why)
	}
	return nil
}

func (l *Link) give() error {
	l.theirs.Close()
	if err := l.ours.SetDeadline(time.Now().Add(takeOverLimit)); err != nil {
		return err
	}
	if err := json.NewEncoder(l.ours).Encode(l.order); err != nil {
		return err
	}
	raw, err := l.ours.SyscallConn()
	if err != nil {
		return err
	}
	var shut error
	err = raw.Control(func(fd uintptr) { shut = unix.Shutdown(int(fd), unix.SHUT_WR) }) // this was all
	return errors.Join(err, shut)
}

// Close lets go of both ends.
func (l *Link) Close() {
	l.ours.Close()
	l.theirs.Close()
}
