package doctor

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/sandbox"
)

// ofSandbox are the checks of what code under test can be kept from.
var ofSandbox = []check{
	{"sandbox", "Landlock", func(f Facts) Finding {
		if f.Isolation.Landlock == 0 {
			return warn("the kernel has none: code under test may read and change what this user may",
				"use Linux 5.13 or later with lsm=landlock,… among its boot parameters; in a container, a profile that allows its system calls")
		}
		text := fmt.Sprintf("version %d", f.Isolation.Landlock)
		if gaps := sandbox.Gaps(f.Isolation.Landlock, f.Isolation.Seccomp); len(gaps) > 0 {
			text += "; gaps of the sandbox: " + strings.Join(gaps, "; ")
		}
		return fine(text)
	}},
	{"sandbox", "seccomp", func(f Facts) Finding {
		if !f.Isolation.Seccomp {
			return warn("the kernel has none: the sandbox leaves sockets, shared memory and keyrings open", "use a kernel with CONFIG_SECCOMP_FILTER; in a container, one that allows filters")
		}
		return fine("the sandbox filters system calls")
	}},
	// It names what a kernel could talk to. Docker's is as good as root.
	{"sandbox", "sockets", func(f Facts) Finding {
		all := f.Isolation.Sockets
		if len(all) == 0 {
			return fine("this user may connect to none in the file system")
		}
		first := slices.Clone(all)
		slices.SortStableFunc(first, func(a, b string) int { return powers(b) - powers(a) })
		text := fmt.Sprintf("this user may connect to %s: %s", text.Count(len(all), "socket"), strings.Join(first[:min(len(first), mostSockets)], ", "))
		if len(all) > mostSockets {
			text += ", …"
		}
		if !f.Isolation.Seccomp {
			return warn(text+"; the sandbox cannot keep a kernel from them here", "measure as a user who may connect to none, above all not to Docker's")
		}
		return fine(text + "; the sandbox keeps kernels from them, and --sandbox=off does not")
	}},
}

// Isolation is what the kernel of this machine offers to shut code under test in.
type Isolation struct {
	Landlock int      // version of its interface; 0: none
	Seccomp  bool     // filters of system calls
	Sockets  []string // in the file system, of others, that this user may connect to
}

func findIsolation() Isolation {
	table, _ := os.ReadFile("/proc/net/unix")
	return Isolation{Landlock: sandbox.LandlockABI(), Seccomp: sandbox.Seccomp(), Sockets: reachable(string(table))}
}

// reachable are the paths of a table of sockets, as /proc/net/unix has it, that this user may write to, which is what connecting takes.
func reachable(table string) []string {
	var found []string
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 8 || !strings.HasPrefix(fields[7], "/") {
			continue // a heading, a socket without a name, or an abstract one
		}
		if path := fields[7]; unix.Access(path, unix.W_OK) == nil {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// mostSockets are named; a desktop has dozens.
const mostSockets = 3

// powers is 1 for a socket of what starts containers, which can do all that root can.
func powers(path string) int {
	if slices.ContainsFunc([]string{"docker", "containerd", "podman"}, func(word string) bool { return strings.Contains(path, word) }) {
		return 1
	}
	return 0
}
