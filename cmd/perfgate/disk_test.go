package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// A full disk is a run that could not be measured, said in words, and never head's fault. Nothing is left behind, on the
// full disk or elsewhere. Mounting one takes rights; TestFileSizeLimit does without them.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	tests := []struct {
		name string
		free bool // a few pages are free: enough to begin
		use  func(p *project, disk string)
	}{
		{"temporary files", false, (*project).useTMPDIR},
		{"temporary files of head's build", true, (*project).useTMPDIR},
		{"cache", false, func(p *project, disk string) {
			p.mustRun("cp", "-r", os.Getenv("PERFGATE_CACHE")+"/harness", disk)
			p.env = append(p.env, "PERFGATE_CACHE="+disk)
		}},
		{"results", false, func(p *project, disk string) {
			must(p.t, os.Symlink(disk, filepath.Join(p.dir, "perfgate-out")))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			base := "."
			if test.name == "cache" { // only what git laid out is kept there
				p.commit("first")
				base = "HEAD"
			}
			p.mustRun("perfgate", "run", "--base", base, "--head", ".", "--out", "first") // base is in the cache now
			size := "size=4m"
			if test.free {
				size = "size=64k"
			}
			disk := t.TempDir()
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, size); err != nil {
				t.Skipf("cannot mount a small disk: %v", err)
			}
			defer syscall.Unmount(disk, syscall.MNT_DETACH)
			test.use(p, disk)
			if !test.free {
				_ = os.WriteFile(filepath.Join(disk, "filling"), make([]byte, 8<<20), 0o644) // as much of it as there is room for
			}
			before := p.mustRun("find", disk, "-type", "f")
			p.expect(3, "no space left on device", "perfgate", "run", "--base", base, "--head", ".", "--head-flags=-DDISK=1")
			if after := p.mustRun("find", disk, "-type", "f"); after != before {
				t.Errorf("left on the full disk:\n%sbefore\n%s", after, before)
			}
			p.clean()
		})
	}
}

// useTMPDIR moves temporary files to a disk. The folder that must be empty in the end stays the old one: TestFullDisk
// compares the disk itself.
func (p *project) useTMPDIR(disk string) { p.env = append(p.env, "TMPDIR="+disk) }

// Every file stops growing, as on a full disk, without the rights to mount one.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.expect(3, "file too large", "sh", "-c", "ulimit -f 1; exec perfgate run --base . --head .")
	p.clean()
}
