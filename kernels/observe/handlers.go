package observe

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// mostMessages is how many Linux sends with one call.
const mostMessages = 1024

type handler = func(o *observer, n *notification)

// because is a call that the report cannot tell of.
func because(kind ReasonKind, detail string) handler {
	return func(o *observer, _ *notification) { o.because(kind, detail) }
}

func openCall(dir, path, flags int) handler {
	return func(o *observer, n *notification) { o.ask(n, opened(dir, path, n.arguments[flags])) }
}

func creat(o *observer, n *notification) {
	o.ask(n, opened(here, 0, unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC))
}

// openHow is openat2, whose flags are in the memory of the process.
func openHow(o *observer, n *notification) {
	how := o.words(n, n.arguments[2], 3) // struct open_how: flags, mode, resolve
	a := opened(0, 1, how[0])
	a.inRoot = how[2]&unix.RESOLVE_IN_ROOT != 0
	o.ask(n, a)
}

// opened is what an open with some flags asks for.
func opened(dir, path int, flags uint64) ask {
	a := follow(Opened, dir, path)
	a.entry = flags&unix.O_NOFOLLOW != 0 || flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0
	switch {
	case flags&unix.O_PATH != 0:
		a.kinds = LookedUp
		return a
	case flags&unix.O_TMPFILE == unix.O_TMPFILE: // a file without a name
		a.kinds = LookedUp
		return a
	case flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_TRUNC != 0:
		a.kinds |= Changed
	}
	if flags&unix.O_CREAT != 0 {
		a.kinds |= Made
	}
	return a
}

// linksMove is a call that gives another name to what may be a link, or a folder with links in it.
func linksMove(o *observer, n *notification) {
	if o.files < 2 {
		o.otherLinks(n)
	}
}

func linksChange(o *observer, n *notification) { o.otherLinks(n) }

func otherRoot(o *observer, _ *notification) { o.rooted = true }

func mounts(o *observer, n *notification) {
	o.because(Namespaces, "something was mounted")
	o.rooted = true
	o.otherLinks(n)
}

func ownMounts(o *observer, n *notification) {
	if n.arguments[0]&unix.CLONE_NEWNS != 0 {
		mounts(o, n)
	}
}

func clone3(o *observer, n *notification) {
	if o.words(n, n.arguments[0], 1)[0]&unix.CLONE_NEWNS != 0 { // struct clone_args begins with flags
		mounts(o, n)
	}
}

func sharedByKey(o *observer, n *notification) {
	if int32(n.arguments[0]) != 0 { // IPC_PRIVATE
		o.because(SharedMemory, "System V's, by a key")
	}
}

func connects(address, length int) handler {
	return func(o *observer, n *notification) { o.connects(n, n.arguments[address], n.arguments[length]) }
}

func binds(o *observer, n *notification) {
	name, path := o.socket(n, n.arguments[1], n.arguments[2])
	switch {
	case path:
		o.from(n, entry(Made, here, noPath), name)
	case strings.HasPrefix(name, "\x00"):
		o.bound[name] = true
	}
}

func sendsMessages(o *observer, n *notification) {
	o.sends(n, int(min(uint32(n.arguments[2]), mostMessages)))
}

// sends looks at messages, each of which may have an address.
func (o *observer) sends(n *notification, count int) {
	const size = 64 // of struct mmsghdr, which begins with struct msghdr, which begins with an address and its length
	for i := range count {
		name := o.words(n, n.arguments[1]+size*uint64(i), 2)
		if name[0] != 0 {
			o.connects(n, name[0], uint64(uint32(name[1])))
		}
	}
}

// connects looks where a connection or a datagram goes.
func (o *observer) connects(n *notification, address, length uint64) {
	name, path := o.socket(n, address, length)
	switch {
	case path:
		// The sockets of the tree are files that it made, and one that is not there says that nobody listens.
		a := follow(LookedUp, here, noPath)
		a.socket = true
		o.from(n, a, name)
	case name != "" && !o.bound[name]:
		o.because(Connections, strings.TrimPrefix(name, "\x00"))
	}
}

// socket reads the address of a socket: a path, or with a zero byte before it a name of Linux's own, or words for another family. It is
// "" for what leads nowhere: netlink talks to Linux alone.
func (o *observer) socket(n *notification, address, length uint64) (name string, path bool) {
	const families = 2 // bytes
	got, err := memory(n.pid, address, make([]byte, min(length, unix.SizeofSockaddrAny)))
	if err != nil || len(got) < families {
		return "", false
	}
	switch family := binary.NativeEndian.Uint16(got); family {
	case unix.AF_UNSPEC, unix.AF_NETLINK:
		return "", false
	case unix.AF_UNIX:
		if got = got[families:]; len(got) == 0 {
			return "", false
		}
		if got[0] == 0 {
			return string(got), false
		}
		name, _, _ := strings.Cut(string(got), "\x00")
		return name, true
	default:
		return fmt.Sprintf("to the network, by a socket of family %d", family), false
	}
}
