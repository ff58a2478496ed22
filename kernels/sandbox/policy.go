package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Policy is what a program may touch. What is in none of the lists it can neither read, run nor write. Paths that do not
// exist when the program starts are passed over.
type Policy struct {
	Read    []string `json:"read"`    // files, and folders with all that is in them: to read and to run
	Write   []string `json:"write"`   // files and folders: to read, run, change, make and remove
	Devices []string `json:"devices"` // device files: to read, write and control
	List    []string `json:"list"`    // folders whose names, and those of all folders below, may be read
	// Self lets the program write to its own /proc/self as well, not only read it.
	Self bool `json:"self"`
	// FileBytes is the largest file that the program may write; 0 leaves the limit as it is.
	FileBytes int64 `json:"fileBytes"`
	// Sockets lets the program connect Unix sockets and send datagrams, so that it reaches every one of the user that lies in the file
	// system, where the kernel's Landlock does not rule on those. Make and name some, and connect pairs, it always may.
	Sockets bool `json:"sockets"`
	// Network lets the program reach the network, by sockets of the internet, and no Unix socket.
	Network bool `json:"network"`
	// Counters lets the program count events of the processor, and keep the capability for it if it has that.
	Counters bool `json:"counters"`
}

// With is the policy that allows what any of p and more allows. The smaller limit on files holds.
func (p Policy) With(more ...Policy) Policy {
	for _, m := range more {
		p.Read = slices.Concat(p.Read, m.Read)
		p.Write = slices.Concat(p.Write, m.Write)
		p.Devices = slices.Concat(p.Devices, m.Devices)
		p.List = slices.Concat(p.List, m.List)
		p.Self = p.Self || m.Self
		p.Sockets = p.Sockets || m.Sockets
		p.Network = p.Network || m.Network
		p.Counters = p.Counters || m.Counters
		if p.FileBytes == 0 || (m.FileBytes > 0 && m.FileBytes < p.FileBytes) {
			p.FileBytes = m.FileBytes
		}
	}
	return p
}

// System is what nearly every program needs: programs and libraries of the system, how the loader finds them, what the
// kernel says of processor and memory, and devices without content. Of /proc only what tells nothing of other processes:
// their command lines may hold credentials, such as the one of a just-in-time configured runner.
func System() Policy {
	p := Policy{
		Read: []string{
			"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin",
			"/nix/store", "/gnu/store", // what everybody may read by design, of the systems that have their programs there
			"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives", "/etc/localtime",
			"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/version", "/proc/filesystems",
			"/proc/sys/vm", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/ostype",
			"/sys/devices/system", "/sys/kernel/mm/transparent_hugepage", "/sys/kernel/mm/hugepages",
		},
		Devices: []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"},
	}
	p.Read = append(p.Read, configuredLibraries("/etc/ld.so.conf.d")...)
	return p.With(Variables("LD_LIBRARY_PATH"))
}

// Variables are the folders that the user's environment names in lists such as LD_LIBRARY_PATH.
func Variables(names ...string) Policy {
	var p Policy
	for _, name := range names {
		p = p.With(Folders(filepath.SplitList(os.Getenv(name))...))
	}
	return p
}

// Folders allows reading what the user or the configuration named, where that is narrow enough to have been meant, and without what git
// keeps in it.
func Folders(paths ...string) Policy {
	var p Policy
	for _, path := range paths {
		if narrow(path) {
			p = p.With(opened(path))
		}
	}
	return p
}

// Accounts is what tools need that look up who runs them.
func Accounts() Policy {
	return Policy{Read: []string{"/etc/passwd", "/etc/group", "/etc/nsswitch.conf"}}
}

// Network is what reaches the network: how names are resolved, and whose certificates count.
func Network() Policy {
	return Policy{Network: true, Read: []string{
		"/etc/resolv.conf", "/run/systemd/resolve", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
		"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki", "/etc/ca-certificates",
	}}
}

// configuredLibraries are the folders that the files of ld.so.conf.d name: drivers in containers lie there.
func configuredLibraries(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.conf"))
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if path := strings.TrimSpace(line); narrow(path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// CUDA is what the driver's libraries need beyond System: the driver's devices, what the kernel says of it, and the names of
// their own threads, which they write to /proc/self/task/*/comm and do not start without.
func CUDA() Policy {
	p := Policy{Self: true, Read: []string{
		"/proc/driver/nvidia", "/proc/driver/nvidia-uvm", "/proc/devices", "/proc/modules",
		"/sys/bus/pci", "/sys/module/nvidia", "/sys/module/nvidia_uvm", "/sys/class/drm", "/dev/nvidia-caps",
	}}
	for _, pattern := range []string{"/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/dxg"} {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				p.Devices = append(p.Devices, path)
			}
		}
	}
	roots, _ := filepath.Glob("/sys/devices/pci*")
	p.Read = append(p.Read, roots...)
	return p
}
