package observe

import (
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// class is what the filter does with a system call.
type class uint8

const (
	reported class = iota + 1 // the listener sees it before it runs
	harmless                  // it runs: it names no file, and what it works on was asked for by one that is reported
	refused                   // it fails with ENOSYS, as on a kernel that does not have it
)

// classes is the one table of system calls, by name. One that is not in it is refused, as those that are younger than this program.
var classes = sync.OnceValue(func() map[string]class {
	table := map[string]class{}
	for name := range calls {
		table[name] = reported
	}
	for _, name := range strings.Fields(harmlessCalls) {
		table[name] = harmless
	}
	for _, name := range strings.Fields(refusedCalls) {
		table[name] = refused
	}
	return table
})

// harmlessCalls name no file. Those on descriptors need one that an open of the tree has made, which was reported. Messages come from
// inside of the tree or over a connection, which was reported.
const harmlessCalls = ` read write pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 lseek close close_range dup dup2 dup3 pipe pipe2
 fstat fstatfs ftruncate fallocate fadvise64 readahead fsync fdatasync sync syncfs sync_file_range sendfile splice tee vmsplice copy_file_range
 cachestat fcntl flock ioctl fchdir fchmod fchown fgetxattr flistxattr fsetxattr fremovexattr getcwd umask
 poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 epoll_ctl_old epoll_wait_old
 eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime inotify_init inotify_init1 inotify_rm_watch
 fanotify_init io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents memfd_create memfd_secret
 socket socketpair listen accept accept4 getsockname getpeername getsockopt setsockopt shutdown recvfrom recvmsg recvmmsg
 mmap munmap mremap mprotect madvise msync mincore mlock mlock2 mlockall munlock munlockall brk remap_file_pages
 pkey_alloc pkey_free pkey_mprotect mseal map_shadow_stack membarrier userfaultfd process_madvise process_mrelease
 mbind migrate_pages move_pages get_mempolicy set_mempolicy set_mempolicy_home_node
 fork vfork exit exit_group wait4 waitid kill tkill tgkill pidfd_open pidfd_send_signal ptrace process_vm_readv process_vm_writev kcmp
 rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sigaltstack pause
 restart_syscall set_robust_list get_robust_list set_tid_address rseq rseq_slice_yield
 futex futex_wait futex_waitv futex_wake futex_requeue
 nanosleep clock_nanosleep clock_gettime clock_getres clock_settime clock_adjtime adjtimex gettimeofday settimeofday time times
 alarm getitimer setitimer timer_create timer_delete timer_getoverrun timer_gettime timer_settime
 sched_get_priority_max sched_get_priority_min sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam sched_setparam
 sched_getscheduler sched_setscheduler sched_rr_get_interval sched_yield getcpu getpriority setpriority ioprio_get ioprio_set
 getpid getppid gettid getpgid getpgrp setpgid getsid setsid getuid geteuid getgid getegid getresuid getresgid getgroups
 setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capget capset
 getrlimit setrlimit prlimit64 getrusage sysinfo uname sethostname setdomainname syslog personality prctl arch_prctl modify_ldt
 get_thread_area set_thread_area getrandom perf_event_open bpf seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
 lsm_get_self_attr lsm_set_self_attr lsm_list_modules listns listmount statmount sysfs ustat quotactl_fd uprobe uretprobe
 semop semtimedop semctl shmat shmdt shmctl msgsnd msgrcv msgctl mq_timedsend mq_timedreceive mq_notify mq_getsetattr mq_unlink
 iopl ioperm vhangup reboot `

// refusedCalls take paths or more in ways that nothing in use needs, or have numbers and no code. A ring of io_uring asks without system calls, so nobody
// would see for what; programs do without it, as they have to in containers.
const refusedCalls = ` uselib acct swapon swapoff quotactl lookup_dcookie nfsservctl _sysctl create_module query_module get_kernel_syms init_module
 finit_module delete_module kexec_load kexec_file_load afs_syscall tuxcall security vserver getpmsg putpmsg
 add_key request_key keyctl arch_specific_syscall io_uring_setup io_uring_enter io_uring_register `

// call is what a reported system call asks for.
type call struct {
	asks []ask
	also func(o *observer, n *notification) // of what no path says
}

// ask is one path among the arguments of a system call.
type ask struct {
	kinds Kinds
	dir   int // the argument with the descriptor of the folder that the path begins at; workingDir: there is none
	path  int // the argument with the path; noPath: the descriptor itself
	entry bool
	// Of entry, whether a link at the end is taken for itself and not followed, these bits of an argument say the opposite.
	flags  int
	invert uint64
	inRoot bool // its folder is taken for the root
	socket bool // whoever listens there is outside of the tree, unless the tree made it
}

const (
	workingDir = -1
	noPath     = -1
	noFlags    = -1
)

// follow is a path whose last link is followed, entry one whose last link is meant itself.
func follow(kinds Kinds, dir, path int) ask {
	return ask{kinds: kinds, dir: dir, path: path, flags: noFlags}
}
func entry(kinds Kinds, dir, path int) ask {
	return ask{kinds: kinds, dir: dir, path: path, flags: noFlags, entry: true}
}

func (a ask) unless(flags int, bits uint64) ask { a.flags, a.invert = flags, bits; return a }

func paths(asks ...ask) call { return call{asks: asks} }

const (
	here     = workingDir
	noFollow = unix.AT_SYMLINK_NOFOLLOW
)

// calls are those that are reported.
var calls = map[string]call{
	"open":      {also: openCall(here, 0, 1)},
	"openat":    {also: openCall(0, 1, 2)},
	"openat2":   {also: openHow},
	"creat":     {also: creat},
	"open_tree": {asks: []ask{follow(LookedUp, 0, 1).unless(2, noFollow)}, also: mounts}, "open_tree_attr": {asks: []ask{follow(LookedUp, 0, 1).unless(2, noFollow)}, also: mounts},
	"open_by_handle_at": {also: because(Unread, "a file was opened by its handle")},
	"name_to_handle_at": paths(entry(LookedUp, 0, 1).unless(4, unix.AT_SYMLINK_FOLLOW)),

	"stat": paths(follow(LookedUp, here, 0)), "lstat": paths(entry(LookedUp, here, 0)),
	"newfstatat": paths(follow(LookedUp, 0, 1).unless(3, noFollow)),
	"statx":      paths(follow(LookedUp, 0, 1).unless(2, noFollow)),
	"access":     paths(follow(LookedUp, here, 0)), "faccessat": paths(follow(LookedUp, 0, 1)),
	"faccessat2": paths(follow(LookedUp, 0, 1).unless(3, noFollow)),
	"readlink":   paths(entry(LookedUp, here, 0)), "readlinkat": paths(entry(LookedUp, 0, 1)),
	"statfs": paths(follow(LookedUp, here, 0)),
	"chdir":  paths(follow(LookedUp, here, 0)), "chroot": {asks: []ask{follow(LookedUp, here, 0)}, also: otherRoot},
	"inotify_add_watch": paths(follow(LookedUp, here, 1)), "fanotify_mark": paths(follow(LookedUp, 3, 4)),
	"getdents": paths(follow(Listed, 0, noPath)), "getdents64": paths(follow(Listed, 0, noPath)),
	"file_getattr": paths(follow(LookedUp, 0, 1).unless(4, noFollow)), "file_setattr": paths(follow(Changed, 0, 1).unless(4, noFollow)),

	"getxattr": paths(follow(LookedUp, here, 0)), "lgetxattr": paths(entry(LookedUp, here, 0)), "getxattrat": paths(follow(LookedUp, 0, 1).unless(2, noFollow)),
	"listxattr": paths(follow(LookedUp, here, 0)), "llistxattr": paths(entry(LookedUp, here, 0)), "listxattrat": paths(follow(LookedUp, 0, 1).unless(2, noFollow)),
	"setxattr": paths(follow(Changed, here, 0)), "lsetxattr": paths(entry(Changed, here, 0)), "setxattrat": paths(follow(Changed, 0, 1).unless(2, noFollow)),
	"removexattr": paths(follow(Changed, here, 0)), "lremovexattr": paths(entry(Changed, here, 0)), "removexattrat": paths(follow(Changed, 0, 1).unless(2, noFollow)),

	"execve": paths(follow(Executed, here, 0)), "execveat": paths(follow(Executed, 0, 1).unless(4, noFollow)),

	"truncate": paths(follow(Changed, here, 0)),
	"chmod":    paths(follow(Changed, here, 0)), "fchmodat": paths(follow(Changed, 0, 1)), "fchmodat2": paths(follow(Changed, 0, 1).unless(3, noFollow)),
	"chown": paths(follow(Changed, here, 0)), "lchown": paths(entry(Changed, here, 0)), "fchownat": paths(follow(Changed, 0, 1).unless(4, noFollow)),
	"utime": paths(follow(Changed, here, 0)), "utimes": paths(follow(Changed, here, 0)), "futimesat": paths(follow(Changed, 0, 1)),
	"utimensat": paths(follow(Changed, 0, 1).unless(3, noFollow)),
	"mkdir":     paths(entry(Made, here, 0)), "mkdirat": paths(entry(Made, 0, 1)), "mknod": paths(entry(Made, here, 0)), "mknodat": paths(entry(Made, 0, 1)),
	"unlink": paths(entry(Changed, here, 0)), "unlinkat": paths(entry(Changed, 0, 1)), "rmdir": paths(entry(Changed, here, 0)),
	"symlink": {asks: []ask{entry(Made, here, 1)}, also: linksChange}, "symlinkat": {asks: []ask{entry(Made, 1, 2)}, also: linksChange},
	"link": moves(here, 0, here, 1), "linkat": {asks: []ask{entry(Opened, 0, 1).unless(4, unix.AT_SYMLINK_FOLLOW), entry(Made|Changed, 2, 3)}, also: linksMove},
	"rename": moves(here, 0, here, 1), "renameat": moves(0, 1, 2, 3), "renameat2": moves(0, 1, 2, 3),

	"connect": {also: connects(1, 2)}, "bind": {also: binds}, "sendto": {also: connects(4, 5)},
	"sendmsg": {also: func(o *observer, n *notification) { o.sends(n, 1) }}, "sendmmsg": {also: sendsMessages},
	"pidfd_getfd": {also: because(Descriptors, "one was taken from another process")},
	"shmget":      {also: sharedByKey}, "semget": {also: sharedByKey}, "msgget": {also: sharedByKey}, "mq_open": {also: because(SharedMemory, "a message queue")},

	// A folder that something else is mounted on, or another root, makes equal paths mean different files.
	"clone": {also: ownMounts}, "clone3": {also: clone3}, "unshare": {also: ownMounts}, "setns": {also: mounts},
	"mount": {asks: []ask{follow(LookedUp, here, 0), follow(LookedUp, here, 1)}, also: mounts}, "umount2": {asks: []ask{follow(LookedUp, here, 0)}, also: mounts},
	"pivot_root": {asks: []ask{follow(LookedUp, here, 0), follow(LookedUp, here, 1)}, also: mounts},
	"move_mount": {asks: []ask{follow(LookedUp, 0, 1), follow(LookedUp, 2, 3)}, also: mounts}, "mount_setattr": {asks: []ask{follow(LookedUp, 0, 1)}, also: mounts},
	"fsopen": {also: mounts}, "fsconfig": {also: mounts}, "fsmount": {also: mounts}, "fspick": {asks: []ask{follow(LookedUp, 0, 1)}, also: mounts},
}

// moves is a call that makes a name for what another one names, and may take that away.
func moves(fromDir, from, toDir, to int) call {
	return call{asks: []ask{entry(Moved|Changed, fromDir, from), entry(Made|Changed, toDir, to)}, also: linksMove}
}
