package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDescribeReadsFacts(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		full := filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
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
