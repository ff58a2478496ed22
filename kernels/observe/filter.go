package observe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// young are system calls that the table of numbers lacks. All kinds of processor share their numbers.
var young = map[string]int{"file_getattr": 468, "file_setattr": 469, "listns": 470, "rseq_slice_yield": 471}

// numbersOf are the system calls of a kind of processor by name.
func numbersOf(processor *arch.Info) map[string]int {
	numbers := maps.Clone(processor.SyscallNames)
	maps.Copy(numbers, young)
	switch processor.ID {
	case arch.AARCH64.ID:
		numbers["newfstatat"] = numbers["fstatat"] // as every other kind of processor calls it
		delete(numbers, "fstatat")
	case arch.X86_64.ID:
		numbers["uprobe"] = 336
	}
	return numbers
}

// What the filter says of a system call. Of the answers of several filters the strictest holds, so what the sandbox refuses is not seen
// here: nothing came of it.
const (
	allow  = unix.SECCOMP_RET_ALLOW
	notify = unix.SECCOMP_RET_USER_NOTIF
	refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// filter is the program for seccomp. Numbers that the table does not have are refused: those that are younger than it, and x32's, which
// are above all; so are all of other kinds of processor, whose numbers mean other calls.
func filter(processor *arch.Info) ([]bpf.RawInstruction, error) {
	const numberAt, archAt, word = 0, 4, 4 // of struct seccomp_data
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: word},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(processor.ID), SkipTrue: 1},
		bpf.RetConstant{Val: refuse},
		bpf.LoadAbsolute{Off: numberAt, Size: word},
	}
	raw, err := bpf.Assemble(append(program, search(spans(numbersOf(processor)))...))
	if err != nil {
		return nil, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	return raw, nil
}

// span is a row of system calls, from one number to that of the next span, of which the filter does the same.
type span struct {
	first int
	code  []bpf.Instruction
	same  uint32 // what it says of all of them; 0 where it depends on arguments
}

func spans(numbers map[string]int) []span {
	all := []span{{code: []bpf.Instruction{bpf.RetConstant{Val: refuse}}, same: refuse}}
	next := 0
	add := func(first int, s span) {
		s.first = first
		if last := all[len(all)-1]; last.same == 0 || last.same != s.same {
			all = append(all, s)
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(numbers), func(a, b string) int { return numbers[a] - numbers[b] }) {
		number := numbers[name]
		if number > next {
			add(next, says(refuse))
		}
		add(number, spanOf(name))
		next = number + 1
	}
	add(next, says(refuse))
	return all
}

func says(answer uint32) span {
	return span{code: []bpf.Instruction{bpf.RetConstant{Val: answer}}, same: answer}
}

func spanOf(name string) span {
	switch c := classes()[name]; {
	case name == "clone":
		return anyBit(0, unix.CLONE_NEWNS)
	case name == "sendto": // without an address it goes where an earlier call has connected to
		return anyBit(4, ^uint64(0))
	case c == reported:
		return says(notify)
	case c == harmless:
		return says(allow)
	}
	return says(refuse)
}

// anyBit reports a call where an argument has any of some bits. They are two words of the program, low then high on these processors.
func anyBit(argument uint32, bits uint64) span {
	const argumentsAt, word = 16, 4
	at := argumentsAt + 8*argument
	return span{code: []bpf.Instruction{
		bpf.LoadAbsolute{Off: at, Size: word},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: uint32(bits), SkipTrue: 3},
		bpf.LoadAbsolute{Off: at + word, Size: word},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: uint32(bits >> 32), SkipTrue: 1},
		bpf.RetConstant{Val: allow},
		bpf.RetConstant{Val: notify},
	}}
}

// search finds the span of the number that was loaded, by halves.
func search(all []span) []bpf.Instruction {
	if len(all) == 1 {
		return all[0].code
	}
	middle := len(all) / 2
	below, above := search(all[:middle]), search(all[middle:])
	jump := []bpf.Instruction{ // of any length: that of a condition has 8 bits
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: uint32(all[middle].first), SkipFalse: 1},
		bpf.Jump{Skip: uint32(len(below))},
	}
	return slices.Concat(jump, below, above)
}

// oldest is the first version of Linux that tells the listener when nobody is left. Letting a call go on is 5.5's.
var oldest = [2]int{5, 9}

// Filter is what Install takes: made by whoever starts helpers, once, since each of them would need as long for it as for all else that it does.
var Filter = sync.OnceValues(func() ([]byte, error) {
	here, err := arch.GetInfo("")
	if err != nil {
		return nil, errors.New("no system calls of this kind of processor are known")
	}
	if err := linuxIsAtLeast(oldest); err != nil {
		return nil, err
	}
	raw, err := filter(here)
	if err != nil {
		return nil, err
	}
	var program []byte
	for _, r := range raw { // as struct sock_filter is
		program = binary.NativeEndian.AppendUint16(program, r.Op)
		program = binary.NativeEndian.AppendUint32(append(program, r.Jt, r.Jf), r.K)
	}
	return program, nil
})

// Install puts a filter on the calling thread and all that it starts, for good, and returns the listener. From now on, whatever the
// thread asks of the file system waits until the listener's holder answers: send the descriptor from another thread. It takes away the way to
// new privileges.
func Install(filter []byte) (listener int, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("set no_new_privs: %w", err)
	}
	filters := make([]unix.SockFilter, len(filter)/unix.SizeofSockFilter)
	if _, err := binary.Decode(filter, binary.NativeEndian, filters); err != nil {
		return -1, fmt.Errorf("read the filter of system calls: %w", err)
	}
	program := &unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	// SPEC_ALLOW: as of the sandbox's filter. WAIT_KILLABLE_RECV, Linux 5.19's: a signal does not ask twice.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
	for _, more := range []uintptr{unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 0} {
		fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags|more, uintptr(unsafe.Pointer(program)))
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EBUSY:
			return -1, errors.New("the process is observed by another program already")
		}
		err = errno
	}
	return -1, fmt.Errorf("observe system calls: %w", err)
}

func linuxIsAtLeast(version [2]int) error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return fmt.Errorf("ask for the version of Linux: %w", err)
	}
	release := unix.ByteSliceToString(name.Release[:])
	var got [2]int
	if _, err := fmt.Sscanf(release, "%d.%d", &got[0], &got[1]); err != nil || slices.Compare(got[:], version[:]) < 0 {
		return fmt.Errorf("it takes Linux %d.%d, and this is %s", version[0], version[1], release)
	}
	return nil
}
