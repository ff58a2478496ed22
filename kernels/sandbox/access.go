package sandbox

import (
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Rights of Landlock, together as policies have them. What this kernel's version does not know is left out where it is applied.
const (
	read   = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	change = ll.AccessFSWriteFile | ll.AccessFSTruncate
	create = ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym |
		ll.AccessFSMakeChar | ll.AccessFSMakeBlock | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile
	ofFiles = ll.AccessFSExecute | ll.AccessFSReadFile | change | ll.AccessFSIoctlDev
)

// filesOf are the rights to files that a version of Landlock knows, short of sockets in the file system.
func filesOf(abi int) landlock.AccessFSSet {
	switch {
	case abi >= abiDevices:
		return 1<<16 - 1
	case abi >= abiTruncate:
		return 1<<15 - 1
	case abi >= abiRefer:
		return 1<<14 - 1
	}
	return 1<<13 - 1
}

// access is what Landlock allows of one path.
type access struct {
	rights landlock.AccessFSSet
	path   string
}

// accesses is what the policy allows of what is there.
func (p Policy) accesses() []access {
	move := landlock.AccessFSSet(0) // files, between folders; before version 2 they never can be, and asking for it would end all of Landlock
	if LandlockABI() >= abiRefer {
		move = ll.AccessFSRefer
	}
	self := landlock.AccessFSSet(read)
	if p.Self {
		self |= change
	}
	all := []access{{self, "/proc/self"}}
	all = allow(all, p.Read, read, read)
	all = allow(all, p.Write, read|change|create|move, read|change)
	all = allow(all, p.List, ll.AccessFSReadDir, 0)
	return allow(all, p.Devices, 0, read|change|ll.AccessFSIoctlDev)
}

// allow adds paths with the rights that a folder gets, with all in it, or a file; 0 passes those over.
func allow(all []access, paths []string, folder, file landlock.AccessFSSet) []access {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		rights := file & ofFiles
		if info.IsDir() {
			rights = folder
		}
		if rights != 0 {
			all = append(all, access{rights, path})
		}
	}
	return all
}
