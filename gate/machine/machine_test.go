package machine

import "testing"

func TestDescribeReadsFacts(t *testing.T) {
	fakeRoot(t, map[string]string{
		"proc/cpuinfo": "processor\t: 0\nmodel name\t: Example CPU @ 2.0GHz\ncpu MHz\t\t: 2000.5\nflags\t\t: sse hypervisor avx\n\nprocessor\t: 1\nmodel name\t: Other\n",
		"proc/meminfo": "MemTotal:       16384 kB\nMemAvailable:    8192 kB\n",
		"proc/loadavg": "0.75 0.50 0.25 1/100 1234\n",
		"sys/devices/system/cpu/cpu0/cache/index0/size": "48K\n",
		"sys/devices/system/cpu/cpu0/cache/index3/size": "32M\n",
		"etc/os-release": "NAME=x\nPRETTY_NAME=\"Example Linux 1\"\n",
	})
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
	fakeRoot(t, nil)
	if m := Describe(); m.Model == "" || m.Key == "" {
		t.Errorf("machine without facts: %+v", m)
	}
}
