package machine

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestDescribeReadsFacts(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU @ 2.0GHz\ncpu MHz\t\t: 2000.5\nflags\t\t: sse hypervisor avx\n\nprocessor\t: 1\nmodel name\t: Other\n")
	write("proc/meminfo", "MemTotal:       16384 kB\nMemAvailable:    8192 kB\n")
	write("proc/loadavg", "0.75 0.50 0.25 1/100 1234\n")
	write("sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n")
	write("sys/devices/system/cpu/cpu0/cache/index3/size", "32M\n")
	write("etc/os-release", "NAME=x\nPRETTY_NAME=\"Example Linux 1\"\n")
	root = dir
	t.Cleanup(func() { root = "/" })

	m := Describe()
	if m.Model != "Example CPU @ 2.0GHz" || m.FrequencyMHz != 2000.5 || !m.Virtual {
		t.Errorf("processor: %+v", m)
	}
	if m.MemoryBytes != 16<<20 || m.CacheBytes != 32<<20 || m.LoadBefore != 0.75 || m.OS != "Example Linux 1" {
		t.Errorf("memory, cache, load or system: %+v", m)
	}
	if AvailableBytes() != 8<<20 {
		t.Errorf("available = %d", AvailableBytes())
	}
}

func TestDescribeSurvivesAnEmptyMachine(t *testing.T) {
	root = t.TempDir()
	t.Cleanup(func() { root = "/" })
	if m := Describe(); m.Model == "" || m.Key == "" {
		t.Errorf("machine without facts: %+v", m)
	}
}

func TestOneHolderAtATime(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	var holders, most atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			lock, err := Acquire(context.Background(), "cpu", nil)
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), holders.Add(1)))
			time.Sleep(5 * time.Millisecond)
			holders.Add(-1)
			lock.Release()
		})
	}
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d holders at once", most.Load())
	}
	if left, _ := os.ReadDir(LockDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWaitingIsToldAndEndsWithItsContext(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	lock, err := Acquire(context.Background(), "cpu", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var told string
	if _, err := Acquire(ctx, "cpu", func(h string) { told = h }); err == nil || told == "" {
		t.Errorf("err = %v, told %q", err, told)
	}
}

func TestPlantedLinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PERFGATE_LOCK_DIR", dir)
	target := filepath.Join(t.TempDir(), "victim")
	if err := os.Symlink(target, filepath.Join(dir, "perfgate-cpu.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(context.Background(), "cpu", nil); err == nil {
		t.Error("followed a planted link")
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("wrote through a planted link")
	}
}
