package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// Verb is the first argument of the helper: `PROGRAM internal-sandbox FD PATH ARGUMENTS…`. FD is a socket on which an order
// comes as JSON and which is closed when PATH has taken over; what is written on it before is why it did not.
const Verb = "internal-sandbox"

// A helper is taken over here and not in main: Go has then not yet set up most packages of the program, which takes longer than all else
// that a helper does. It makes this process the program in the sandbox where it was started as a helper, and then does not return.
func init() {
	if len(os.Args) < 4 || os.Args[1] != Verb {
		return
	}
	fd, err := strconv.Atoi(os.Args[2])
	if err != nil || fd < 3 {
		fmt.Fprintf(os.Stderr, "%s: %q is no descriptor\n", Verb, os.Args[2])
		os.Exit(126)
	}
	link := os.NewFile(uintptr(fd), "order")
	fmt.Fprint(link, become(link, os.Args[3], os.Args[4:]))
	os.Exit(126)
}

// order is what a helper is to do before it becomes the program.
type order struct {
	Policy  *Policy `json:"policy"`  // nil: it may touch whatever the user may
	Observe []byte  `json:"observe"` // observe.Filter, by which what it asks the file system for is seen; none: it is not observed
}

// become turns this process into the program. It returns only where it could not.
func become(link *os.File, path string, args []string) error {
	fd := int(link.Fd())
	// To its end: a socket that is closed with something unread tells the other side that the connection was reset.
	text, err := io.ReadAll(link)
	if err != nil {
		return fmt.Errorf("read the policy: %w", err)
	}
	var o order
	if err := json.Unmarshal(text, &o); err != nil {
		return fmt.Errorf("read the policy: %w", err)
	}
	// Whatever is open from here on, by us, by those who started us or by libraries of theirs, is not for the program.
	if err := unix.CloseRange(uint(fd), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		closeOnExec(fd)
	}
	runtime.LockOSThread() // the thread that takes the limits upon itself is the one that becomes the program
	if o.Policy != nil {
		if err := o.Policy.confine(); err != nil {
			return err
		}
	}
	if len(o.Observe) > 0 { // last: what this thread asks for from here on waits for an answer
		if err := observed(fd, o.Observe); err != nil {
			return err
		}
	}
	if err := syscall.Exec(path, append([]string{path}, args...), os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	return nil
}

// confine takes the policy upon the calling thread.
func (p Policy) confine() error {
	if err := pinSelf(); err != nil {
		return err
	}
	if err := p.limit(); err != nil {
		return err
	}
	return p.restrict()
}

// closeOnExec is what close_range(2) does, on kernels before 5.11.
func closeOnExec(first int) {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			syscall.CloseOnExec(fd)
		}
	}
}

// pinSelf keeps /proc/self open for the program. Landlock allows it by its inode; without a user the kernel may drop that and
// make another one, which nothing allows.
func pinSelf() error {
	if _, err := unix.Open("/proc/self", unix.O_PATH|unix.O_DIRECTORY, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open /proc/self: %w", err)
	}
	return nil
}

// limit sets the resource limits. None is ever raised.
func (p Policy) limit() error {
	if err := lower(unix.RLIMIT_CORE, 0); err != nil {
		return fmt.Errorf("limit core dumps: %w", err)
	}
	if p.FileBytes > 0 {
		if err := lower(unix.RLIMIT_FSIZE, uint64(p.FileBytes)); err != nil {
			return fmt.Errorf("limit the size of files: %w", err)
		}
	}
	return nil
}

func lower(resource int, to uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	to = min(to, now.Cur, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: to, Max: to})
}

// restrict applies Landlock and a filter of system calls, as far as the kernel has them, and takes away capabilities and the ways to
// more rights in any case.
func (p Policy) restrict() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	config, rules := landlock.V11.BestEffort(), []landlock.Rule{}
	for _, a := range p.accesses() {
		rules = append(rules, landlock.PathAccess(a.rights, a.path).IgnoreIfMissing())
	}
	err := error(nil)
	if p.Network {
		err = errors.Join(config.RestrictPaths(rules...), config.RestrictScoped())
	} else {
		err = config.Restrict(rules...)
	}
	if err != nil {
		return fmt.Errorf("apply Landlock: %w", err)
	}
	if err := p.dropCapabilities(); err != nil {
		return err
	}
	return p.install()
}
