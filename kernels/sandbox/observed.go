package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/observe"
)

// noListener is what a helper says first on its socket that was to be observed and could not be. Else it sends the listener.
type noListener struct{ Reason string }

// observed installs an observer on the calling thread and sends the listener off. Where it cannot be had, it says so and the program
// starts without. The next call that the thread makes on files waits until whoever gets the listener answers; where it is lost, that
// call fails.
func observed(link int, filter []byte) error {
	listener, sent := make(chan int), make(chan error)
	// On another thread: this one's messages wait for an answer too.
	go func() {
		fd := <-listener
		// Not kept: where the other side is lost, nobody may seem to listen.
		sent <- errors.Join(unix.Sendmsg(link, []byte{0}, unix.UnixRights(fd), nil, 0), unix.Close(fd))
	}()
	fd, err := observe.Install(filter)
	if err != nil {
		text, _ := json.Marshal(noListener{err.Error()})
		_, err = unix.Write(link, text)
		return err
	}
	listener <- fd
	if err := <-sent; err != nil {
		return fmt.Errorf("hand over the observer: %w", err)
	}
	return nil
}

// listener takes what a helper says of its observer from its socket: the descriptor; or why there is none. said is what else came.
func (l *Link) listener() (fd int, none *noListener, said []byte, err error) {
	raw, err := l.ours.SyscallConn()
	if err != nil {
		return -1, nil, nil, err
	}
	text, rights := make([]byte, mostSaid), make([]byte, unix.CmsgSpace(4))
	var n, control int
	var failed error
	err = raw.Read(func(socket uintptr) bool {
		n, control, _, _, failed = unix.Recvmsg(int(socket), text, rights, unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(failed, unix.EAGAIN) && !errors.Is(failed, unix.EINTR)
	})
	if err := errors.Join(err, failed); err != nil {
		return -1, nil, nil, err
	}
	if messages, err := unix.ParseSocketControlMessage(rights[:control]); err == nil && len(messages) == 1 {
		if fds, err := unix.ParseUnixRights(&messages[0]); err == nil && len(fds) == 1 {
			return fds[0], nil, nil, nil
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text[:n]))
	if err := decoder.Decode(&none); err != nil {
		return -1, nil, text[:n], nil // why it did not get this far
	}
	said, err = io.ReadAll(decoder.Buffered())
	return -1, none, said, err
}
