package sandbox

import (
	"sync"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// LandlockABI is the version of Landlock that can be used here, 0 where there is none: a kernel before 5.13, one that was
// built or booted without it, or a container that forbids its system calls. Kernels whose scoping of signals is known to be
// broken count as 5.
var LandlockABI = sync.OnceValue(func() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	const signalScopeFixed = 1 << 1
	if errata, err := ll.LandlockGetErrata(); v >= 6 && (err != nil || errata&signalScopeFixed == 0) {
		return 5
	}
	return v
})

// Versions of Landlock from which on something can be forbidden.
const (
	abiRefer     = 2
	abiTruncate  = 3
	abiTCP       = 4
	abiDevices   = 5
	abiScopes    = 6
	abiUnixPaths = 9
	abiUDP       = 10
)

// Gaps says what Landlock of a version, and a filter of system calls, cannot forbid a program, worst first: phrases that follow "it could
// not forbid". abi 0 is a kernel without Landlock, filtered false one without seccomp.
func Gaps(abi int, filtered bool) []string {
	switch {
	case abi == 0 && !filtered:
		return []string{"anything that the user may do: this kernel has neither Landlock nor seccomp"}
	case abi == 0:
		return []string{"reading and changing anything that the user may, and signals to all of the user's processes: this kernel has no Landlock"}
	}
	var gaps []string
	if !filtered {
		gaps = unfiltered(abi)
	}
	if abi < abiScopes {
		gaps = append(gaps, "signals to other processes of the user")
	}
	if abi < abiTruncate {
		gaps = append(gaps, "truncating files of the user")
	}
	return append(gaps, "moving other processes of the user between processors",
		"looking up the names, sizes and owners of files, and changing the modes of the user's own")
}

// unfiltered are the gaps of a kernel without seccomp, such as one in a container that forbids it.
func unfiltered(abi int) []string {
	gaps := []string{"System V memory that outlives the run, keyrings, namespaces and rare interfaces of the kernel (it has no seccomp)"}
	if abi < abiTCP {
		gaps = append(gaps, "TCP")
	}
	if abi < abiUnixPaths {
		gaps = append(gaps, "connecting to sockets in the file system, such as Docker's and the runner's own")
	}
	if abi < abiUDP {
		gaps = append(gaps, "UDP and Multipath TCP")
	} else {
		gaps = append(gaps, "Multipath TCP")
	}
	if abi < abiScopes {
		gaps = append(gaps, "abstract sockets")
	}
	return gaps
}

// Opened says what of a policy is open that is closed to others: phrases like those of Gaps.
func (p Policy) Opened() []string {
	var gaps []string
	if p.Sockets && LandlockABI() < abiUnixPaths {
		gaps = append(gaps, "the tool's own connections to sockets of the user, such as the runner's")
	}
	if p.Counters {
		gaps = append(gaps, "counting events of the processor")
	}
	return gaps
}
