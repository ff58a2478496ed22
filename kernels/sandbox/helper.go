package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Verb is the first argument of the helper: `PROGRAM internal-sandbox FD PATH ARGUMENTS…`. FD is a socket on which the policy
// comes as JSON and which is closed when PATH has taken over; what is written on it before is why it did not. Where another
// program starts the helper, `FD:FILE` stands in the place of FD: FILE has the policy, and no descriptor from FD on is left open.
const Verb = "internal-sandbox"

// Refused begins the line in which a helper that another program started says why it could not become what it was to be.
const Refused = "in the sandbox: "

// installed says that this program calls Helper: started anew, it will serve, and not do again whatever it does.
var installed bool

// Helper serves as the helper where this process was started as one, and then does not return. Every program that starts
// others in a sandbox calls it before anything else in its main, or in TestMain.
func Helper() {
	installed = true
	if len(os.Args) < 4 || os.Args[1] != Verb {
		return
	}
	number, file, written := strings.Cut(os.Args[2], ":")
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 {
		fmt.Fprintf(os.Stderr, "%s: %q is no descriptor\n", Verb, os.Args[2])
		os.Exit(126)
	}
	if written {
		text, err := os.ReadFile(file)
		if err == nil {
			os.Remove(file) // what takes over has no use for it
			err = become(text, fd, os.Args[3], os.Args[4:])
		}
		fmt.Fprintf(os.Stderr, "%s%v\n", Refused, err)
		os.Exit(126)
	}
	link := os.NewFile(uintptr(fd), "policy")
	text, err := io.ReadAll(link)
	if err == nil {
		err = become(text, fd, os.Args[3], os.Args[4:])
	} else {
		err = fmt.Errorf("read the policy: %w", err)
	}
	fmt.Fprint(link, err)
	os.Exit(126)
}

// become turns this process into the program. It returns only where it could not.
func become(text []byte, fd int, path string, args []string) error {
	var p Policy
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("read the policy: %w", err)
	}
	// Whatever is open from here on, by us, by those who started us or by libraries of theirs, is not for the program.
	if err := unix.CloseRange(uint(fd), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		closeOnExec(fd)
	}
	if err := pinSelf(); err != nil {
		return err
	}
	if err := p.limit(); err != nil {
		return err
	}
	if err := p.restrict(); err != nil {
		return err
	}
	if err := syscall.Exec(path, append([]string{path}, args...), os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	return nil
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

// restrict applies Landlock, as far as the kernel has it, and takes away the ways to more rights in any case.
func (p Policy) restrict() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	if err := landlock.V11.BestEffort().Restrict(p.rules()...); err != nil {
		return fmt.Errorf("apply Landlock: %w", err)
	}
	return nil
}

func (p Policy) rules() []landlock.Rule {
	self := landlock.RODirs("/proc/self")
	if p.Self {
		self = landlock.PathAccess(ll.AccessFSExecute|ll.AccessFSReadFile|ll.AccessFSReadDir|ll.AccessFSWriteFile|ll.AccessFSTruncate, "/proc/self")
	}
	rules := []landlock.Rule{self.IgnoreIfMissing()}
	for _, path := range p.Read {
		if rule, ok := ruleFor(path, landlock.RODirs, landlock.ROFiles); ok {
			rules = append(rules, rule)
		}
	}
	for _, path := range p.Write {
		if rule, ok := ruleFor(path, writableFolder, landlock.RWFiles); ok {
			rules = append(rules, rule)
		}
	}
	for _, path := range p.List {
		if rule, ok := ruleFor(path, listed, nil); ok {
			rules = append(rules, rule)
		}
	}
	for _, path := range p.Devices {
		if rule, ok := ruleFor(path, nil, landlock.RWFiles); ok {
			rules = append(rules, rule.WithIoctlDev())
		}
	}
	return rules
}

// writableFolder lets files move between folders as well, which before version 2 they never can.
func writableFolder(paths ...string) landlock.FSRule {
	rule := landlock.RWDirs(paths...)
	if LandlockABI() >= 2 {
		rule = rule.WithRefer()
	}
	return rule
}

func listed(paths ...string) landlock.FSRule {
	return landlock.PathAccess(ll.AccessFSReadDir, paths...)
}

// ruleFor picks the rule by what the path is; none for what is not there, and for a folder where none is meant.
func ruleFor(path string, folder, file func(...string) landlock.FSRule) (landlock.FSRule, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return landlock.FSRule{}, false
	}
	make := file
	if info.IsDir() {
		make = folder
	}
	if make == nil {
		return landlock.FSRule{}, false
	}
	return make(path).IgnoreIfMissing(), true
}
