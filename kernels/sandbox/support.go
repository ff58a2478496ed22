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

// Gaps says what Landlock of a version cannot forbid a program, worst first: phrases that follow "it could not forbid". abi 0
// is a kernel without Landlock.
func Gaps(abi int) []string {
	if abi == 0 {
		return []string{"anything that the user may do: this kernel has no Landlock"}
	}
	var gaps []string
	if abi < abiTCP {
		gaps = append(gaps, "TCP")
	}
	if abi < abiUnixPaths {
		gaps = append(gaps, "connecting to sockets in the file system, such as Docker's")
	}
	if abi < abiUDP {
		gaps = append(gaps, "UDP and Multipath TCP")
	} else {
		gaps = append(gaps, "Multipath TCP")
	}
	if abi < abiScopes {
		gaps = append(gaps, "signals to other processes of the user and abstract sockets")
	}
	if abi < abiTruncate {
		gaps = append(gaps, "truncating files of the user")
	}
	return append(gaps, "looking up the names, sizes and owners of files, and changing the modes of the user's own")
}
