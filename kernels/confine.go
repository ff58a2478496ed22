package kernels

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// Sandbox says what of a run is kept from the rest of the machine; nil is nothing. Compilers and runners always are.
type Sandbox struct {
	Commands  bool  // build.command too, which may need more than a compiler does
	DiskBytes int64 // that one build or runner may write; 0 means half of what is free, from 256 MiB to 16 GiB
}

const (
	mostDiskBytes = 16 << 30
	// leastDiskBytes is what a compiler may need: on a disk with less room, the disk is what is full.
	leastDiskBytes = 256 << 20
)

// disk bounds what is written into folders, which lie on one file system.
func (s *Sandbox) disk(folders ...string) child.DiskLimit {
	bytes := s.DiskBytes
	if bytes == 0 {
		bytes = mostDiskBytes
		var free unix.Statfs_t
		if unix.Statfs(folders[0], &free) == nil {
			bytes = min(bytes, max(leastDiskBytes, int64(free.Bavail)*int64(free.Bsize)/2))
		}
	}
	return child.DiskLimit{Folders: folders, Bytes: bytes}
}

// confined puts a child that builds or runs code under test into the sandbox. It may write into private, which is its home
// and holds its temporary files, and into no other folder but those that allowed names.
func (s *Sandbox) confined(spec child.Spec, private string, allowed ...sandbox.Policy) child.Spec {
	policy := sandbox.System().With(allowed...)
	policy.Write = append(policy.Write, private)
	spec.Disk = s.disk(private)
	policy.FileBytes = spec.Disk.Bytes
	spec.Sandbox = &policy
	spec.Env = child.With(withoutPrefix(spec.Env, "PERFGATE_SCRATCH=", "XDG_"),
		"HOME="+private, "TMPDIR="+private, "CUDA_CACHE_PATH="+filepath.Join(private, "cuda"))
	return spec
}

// Tool completes spec to run a tool that reads what code under test has made, in a sandbox and a private folder if there is one: it
// reads what it is installed with and reads.
func (s *Sandbox) Tool(spec child.Spec, private string, reads ...string) child.Spec {
	if s == nil {
		return spec
	}
	return s.confined(spec, private, sandbox.Policy{Read: reads}, sandbox.Toolchain(spec.Path))
}

func withoutPrefix(environ []string, prefixes ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(entry, prefix) })
	})
}

// readable allows a side's files to be read: all of its tree, but what git keeps of it, which is credentials and hooks.
func readable(tree string) (sandbox.Policy, error) {
	paths, folders, err := sandbox.Without(tree, ".git")
	if err != nil {
		return sandbox.Policy{}, fmt.Errorf("list the files of %s: %w", tree, err)
	}
	return sandbox.Policy{Read: paths, List: folders}, nil
}

// hintDenied adds to what a program in the sandbox said that the sandbox may be why it said so.
func hintDenied(text string) string {
	for _, word := range []string{"ermission denied", "EACCES", "peration not permitted", "Read-only file system"} {
		if strings.Contains(text, word) {
			return "; it ran in the sandbox, which lets it read its sources and the toolchain and write a private folder: if it needs more, --sandbox=off shows whether that is all"
		}
	}
	return ""
}

// privateFolder makes a folder for one build or runner below a private one. remove takes it away, whatever was made of it. All have paths of
// one length: compilers write them down, and code is laid out around them.
func privateFolder(scratch, prefix string) (dir string, remove func(), err error) {
	for range 100 {
		dir = filepath.Join(scratch, fmt.Sprintf("%s%010d", prefix, rand.Uint32()))
		if err = os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("make a private folder: %w", err)
	}
	return dir, func() { _ = sandbox.Remove(dir) }, nil
}

// confined completes spec to run harness, in its sandbox and a folder of its own if it has one. leave takes that away.
func (s RunnerSpec) confined(host *hosted, spec child.Spec, harness []string) (confined child.Spec, leave func(), err error) {
	program := slices.Concat(s.Under, harness)
	spec.Path, spec.Args = program[0], program[1:]
	if s.Sandbox == nil {
		if host != nil {
			spec.Env = host.environment(spec.Env)
		}
		return spec, func() {}, nil
	}
	var hosting sandbox.Policy
	if host != nil {
		if hosting, err = host.policy(s.Harness); err != nil {
			return spec, func() {}, err
		}
	}
	private, leave, err := privateFolder(s.Dir, "run-")
	if err != nil {
		return spec, func() {}, err
	}
	own := sandbox.Policy{Read: append([]string{s.Harness, Besides(s.Library)}, s.Reads...), Write: s.Writes}
	for _, library := range s.Beside {
		own.Read = append(own.Read, Besides(library))
	}
	spec.Dir = private
	spec = s.Sandbox.confined(spec, private, own, hosting, s.Opens, sandbox.CUDA(), sandbox.Toolchain(s.Under[:min(1, len(s.Under))]...))
	spec.Disk.Folders = append(spec.Disk.Folders, s.Writes...)
	if host != nil {
		spec.Env = host.environment(spec.Env)
		spec.Disk.Folders = append(spec.Disk.Folders, host.Caches)
	}
	if len(s.Under) > 0 && s.Apart && sandbox.LandlockABI() > 0 {
		if spec, err = apart(spec, filepath.Join(private, "policy")); err != nil {
			leave()
			return spec, func() {}, err
		}
	}
	return spec, leave, nil
}

// refused begins the line in which a harness says why it could not take its own sandbox upon itself (native/harness/confine.cc).
const refused = "in the sandbox: harness: cannot "

// notConfined finds in what a runner printed why its own sandbox, inside of that of another program, could not be had; "" where
// that is not why it ended. Code under test that prints the like while it is loaded gains that it is not blamed: an error, and
// never a pass.
func (s RunnerSpec) notConfined(printed string) string {
	if s.Sandbox == nil || !s.Apart {
		return ""
	}
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, refused) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// apart makes of spec's sandbox the harness's own, and gives the program that starts it a wider one around. A process may write
// to its own /proc/self only where it was the first of its sandbox, and CUDA does not start where it may not; so the outer one
// has all of /proc, which the harness gives up again before anything else of it runs.
func apart(spec child.Spec, file string) (child.Spec, error) {
	inner := *spec.Sandbox
	inner.Counters = false
	if err := sandbox.Within(inner, file); err != nil {
		return spec, err
	}
	spec.Args = append(slices.Clone(spec.Args), "--policy", file)
	outer := spec.Sandbox.With(sandbox.Policy{Write: []string{"/proc"}})
	spec.Sandbox = &outer
	return spec, nil
}
