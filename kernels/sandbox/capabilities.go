package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// capabilities are those that the program keeps if it has them: bits by number.
//
// CAP_PERFMON counts events, on the processor and on NVIDIA's GPUs where counters are for administrators alone (the driver asks for it
// in os_check_access; older ones ask for CAP_SYS_ADMIN, which code under test does not get). CAP_DAC_OVERRIDE is for root where the
// files that it may touch belong to others, as a checkout that is mounted into a container does.
func (p Policy) capabilities() uint64 {
	var keep uint64
	if p.Counters {
		keep |= 1 << unix.CAP_PERFMON
	}
	if os.Geteuid() == 0 && (ofOthers(p.Read) || ofOthers(p.Write)) {
		keep |= 1 << unix.CAP_DAC_OVERRIDE
	}
	return keep
}

// ofOthers says whether one of the paths belongs to another user than this process's.
func ofOthers(paths []string) bool {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
			return true
		}
	}
	return false
}

// dropCapabilities takes all others from the calling thread, for good: without new privileges no program that it becomes gets them
// back, root's neither.
func (p Policy) dropCapabilities() error {
	keep := p.capabilities()
	for n := range uint64(64) {
		if keep>>n&1 != 0 {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(n), 0, 0, 0)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			break // beyond the last one, or without the right to: then no_new_privs is what holds
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	for i := range data {
		kept := uint32(keep >> (32 * i))
		data[i].Effective &= kept
		data[i].Permitted &= kept
		data[i].Inheritable &= kept
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
