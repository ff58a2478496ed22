package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refusal is a set of system calls and the errno that they fail with. Those that this processor does not have are passed over.
type refusal struct {
	errno unix.Errno
	names []string
}

// refusals are what no program in the sandbox may call, whatever its arguments. Sockets, threads and others depend on their arguments
// and are in conditional. EACCES and EPERM are what programs expect where something is closed; ENOSYS makes libraries do without.
var refusals = []refusal{
	// Objects that have no place in the file system, which Landlock does not rule on, and which outlive their process.
	{unix.EACCES, []string{"shmget", "shmat", "shmdt", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl"}},
	{unix.EACCES, []string{"mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"}},
	{unix.EACCES, []string{"add_key", "request_key", "keyctl"}},
	// Large interfaces of the kernel that its holes were often found in; io_uring also makes sockets, which no filter sees.
	{unix.ENOSYS, []string{"io_uring_setup", "io_uring_enter", "io_uring_register"}},
	{unix.EPERM, []string{"bpf", "userfaultfd"}},
	// What happens to files tells the names of those of a neighbour: Landlock does not rule on who listens. Whoever waits for a file
	// does without, as where the kernel was built so.
	{unix.ENOSYS, []string{"inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch", "fanotify_init", "fanotify_mark"}},
	// A namespace gives all rights inside of itself, and opens what is for administrators alone. The arguments of clone3 cannot be
	// seen; the C library takes clone where it is missing.
	{unix.EPERM, []string{"unshare", "setns"}},
	{unix.ENOSYS, []string{"clone3"}},
	{unix.EPERM, []string{
		"mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr", "fsopen", "fsconfig", "fsmount", "fspick",
		"mount_setattr", "statmount", "listmount", "name_to_handle_at", "open_by_handle_at",
	}},
	{unix.EPERM, []string{
		"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff", "settimeofday",
		"clock_settime", "sethostname", "setdomainname", "acct", "quotactl", "quotactl_fd", "nfsservctl", "lookup_dcookie", "syslog",
		"vhangup", "iopl", "ioperm",
	}},
}

// unconnected keep a Unix socket of streams or packets from reaching anything. Making, naming and listening is allowed, since CUDA does
// not start without: it waits for processes that share its memory, and looks for the daemon of MPS, where ENOENT means none.
var unconnected = []refusal{{unix.ENOENT, []string{"connect"}}}

// otherProcesses are the ways into another process. Landlock closes them at the edge of the sandbox and leaves them open inside, where
// debuggers and the leak sanitizer need them; without Landlock they are closed altogether.
var otherProcesses = refusal{unix.EPERM, []string{"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"}}

const (
	typeMask       = 0xf // of the type of a socket; flags are above
	cloneAnyNew    = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	askPersonality = 0xffffffff
	// personalities that change nothing but names and the layout of memory: Linux, Linux32, UNAME26, ADDR_NO_RANDOMIZE.
	personalities = 0x8 | 0x20000 | 0x40000
)

// conditional are system calls that are refused with some arguments. The kernel takes many of them as 32 bits and ignores what is
// above, so an equality never refuses: only an inequality or a bit does.
func (p Policy) conditional(self int) map[unix.Errno][]seccomp.NameWithConditions {
	type arguments = seccomp.ArgumentConditions
	call := func(name string, conditions ...seccomp.Condition) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: arguments(conditions)}
	}
	not := func(argument uint32, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: argument, Operation: seccomp.NotEqual, Value: value}
	}
	bits := func(argument uint32, any uint64) seccomp.Condition {
		return seccomp.Condition{Argument: argument, Operation: seccomp.BitsSet, Value: any}
	}
	noBit := func(argument uint32, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: argument, Operation: seccomp.BitsNotSet, Value: value}
	}
	closed := []seccomp.NameWithConditions{call("socketpair", not(0, unix.AF_UNIX)), call("socket", not(0, unix.AF_UNIX))}
	switch {
	case p.Network: // without Unix sockets: connect does not tell which kind it is given
		closed[1] = call("socket", not(0, unix.AF_INET), not(0, unix.AF_INET6), not(0, unix.AF_NETLINK))
	case !p.sockets():
		// What is left are the odd types without bit 2 and 8: streams (1) and sequential packets (5), whose ends stay with each other.
		for _, name := range []string{"socketpair", "socket"} {
			closed = append(closed, call(name, noBit(1, 1)), call(name, bits(1, typeMask&^5)))
		}
		closed = append(closed, call("sendto", not(4, 0)))
	}
	return map[unix.Errno][]seccomp.NameWithConditions{
		unix.EACCES: closed,
		unix.EPERM: {
			call("clone", bits(0, cloneAnyNew)),
			call("personality", not(0, askPersonality), bits(0, askPersonality&^personalities)),
			// Limits and priorities of others: of the process that measures, and of the other side's.
			call("prlimit64", not(0, 0), not(0, uint64(self))),
			call("setpriority", not(0, unix.PRIO_PROCESS), not(0, unix.PRIO_PGRP)),
			call("setpriority", not(1, 0), not(1, uint64(self))),
			call("ioprio_set", not(1, 0), not(1, uint64(self))),
		},
	}
}

// sockets says whether the program may make Unix sockets: where its policy says so, and where Landlock rules on what they connect to.
func (p Policy) sockets() bool { return p.Sockets || LandlockABI() >= abiUnixPaths }

// unconditional are the refusals of this policy.
func (p Policy) unconditional() []refusal {
	all := slices.Clone(refusals)
	if LandlockABI() == 0 {
		all = append(all, otherProcesses)
	}
	if !p.sockets() && !p.Network {
		all = append(all, unconnected...)
	}
	if !p.Counters {
		all = append(all, refusal{unix.EPERM, []string{"perf_event_open"}})
	}
	return all
}

// errUnknownProcessor says that there is no table of system calls for this kind of processor.
var errUnknownProcessor = errors.New("no system calls of this kind of processor are known")

// filter is the program for seccomp that refuses what a policy closes. self is the process that will take it upon itself, or 0.
//
// System calls of other kinds of processor (int 0x80, a 32-bit program) end the process: their numbers mean something else. Those that
// are younger than the table that the names come from are not there, and x32's neither, which are above all.
func (p Policy) filter(self int) ([]bpf.RawInstruction, error) {
	here, err := arch.GetInfo("")
	if err != nil {
		return nil, errUnknownProcessor
	}
	rules := seccomp.Policy{DefaultAction: seccomp.ActionAllow}
	refuse := func(errno unix.Errno, names []string, conditional []seccomp.NameWithConditions) {
		known := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := here.SyscallNames[name]; return !ok })
		action := seccomp.ActionErrno | seccomp.Action(errno)
		rules.Syscalls = append(rules.Syscalls, seccomp.SyscallGroup{Names: known, NamesWithCondtions: conditional, Action: action})
	}
	for _, r := range p.unconditional() {
		refuse(r.errno, r.names, nil)
	}
	conditional := p.conditional(self)
	for _, errno := range slices.Sorted(maps.Keys(conditional)) {
		refuse(errno, nil, conditional[errno])
	}
	program, err := rules.Assemble()
	if err != nil {
		return nil, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	raw, err := bpf.Assemble(append(onlyKnown(here), program...))
	if err != nil {
		return nil, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	return raw, nil
}

// onlyKnown comes before all else: it lets go on only system calls of this kind of processor that are in the table.
func onlyKnown(here *arch.Info) []bpf.Instruction {
	newest := 0
	for number := range here.SyscallNumbers {
		newest = max(newest, number)
	}
	const numberAt, archAt, word = 0, 4, 4 // of struct seccomp_data
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: word},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(here.ID), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(seccomp.ActionKillProcess)},
		bpf.LoadAbsolute{Off: numberAt, Size: word},
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: uint32(newest), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(seccomp.ActionErrno) | uint32(unix.ENOSYS)},
	}
}

// Seccomp says whether system calls can be filtered here.
var Seccomp = sync.OnceValue(func() bool {
	_, err := Policy{}.filter(0)
	return err == nil && seccomp.Supported()
})

// install takes the filter upon the calling thread, for good. SPEC_ALLOW: kernels before 5.16 slow down what has a filter, against
// leaks by speculation between parts of one process, and what is measured here is to run as it does elsewhere.
func (p Policy) install() error {
	if !Seccomp() {
		return nil
	}
	raw, err := p.filter(unix.Getpid())
	if err != nil {
		return err
	}
	filters := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filters[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := &unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	for _, flags := range []uintptr{unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, 0} { // the flag is Linux 4.17's
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(program)))
		if errno == 0 {
			return nil
		}
		err = errno
	}
	return fmt.Errorf("filter system calls: %w", err)
}
