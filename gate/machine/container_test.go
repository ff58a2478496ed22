package machine

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// fakeRoot lets facts be read from files of a test.
func fakeRoot(t *testing.T, files map[string]string) {
	t.Helper()
	root = t.TempDir()
	t.Cleanup(func() { root = "/" })
	for name, text := range files {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// A folder is the container's own where no mount of the host's leads to it.
func TestFoldersOfAContainer(t *testing.T) {
	const (
		host   = "27 1 254:0 / / rw - ext4 /dev/vda rw\n28 27 0:25 / /tmp rw - tmpfs tmpfs rw\n"
		docker = "700 600 0:99 / / rw,relatime master:1 - overlay overlay rw\n701 700 0:50 / /locks rw - tmpfs tmpfs rw\n702 700 8:1 /var/cache /cache rw - ext4 /dev/sda1 rw\n" +
			"703 700 0:51 / /dev/shm rw - tmpfs shm rw\n704 700 0:52 / /run rw - tmpfs tmpfs rw\n"
		folder    = "27 1 254:0 /images/debian / rw - ext4 /dev/vda rw\n28 27 0:25 / /tmp rw - tmpfs tmpfs rw\n" // as bwrap makes one
		apptainer = "27 1 0:40 / / rw - squashfs loop0 rw\n28 27 254:0 /tmp /tmp rw - ext4 /dev/vda rw\n"
	)
	const own, initial = "pid:[4026532999]", "pid:[4026531836]"
	for name, c := range map[string]struct {
		mounts, pids, folder string
		want                 bool
	}{
		"the host":                         {host, initial, "/locks", false},
		"the host's memory":                {host, initial, "/tmp/locks", false},
		"Docker's layers":                  {docker, own, "/var/locks", true},
		"Docker with the host's processes": {docker, initial, "/var/locks", true},
		"a volume":                         {docker, own, "/locks", false},
		"in a volume":                      {docker, own, "/cache/perfgate", false},
		"a volume's neighbour":             {docker, own, "/locks2", true},
		"the runtime's memory":             {docker, own, "/dev/shm/locks", true},
		"the runtime's /run":               {docker, own, "/run/no-such-lock", true},
		"a folder as root":                 {folder, own, "/locks", true},
		"its /tmp":                         {folder, own, "/tmp", true},
		"a subvolume as root":              {folder, initial, "/locks", false},
		"Apptainer's /tmp":                 {apptainer, initial, "/tmp", false},
		"Apptainer's image":                {apptainer, initial, "/locks", true},
		"the host's root, own processes":   {host, own, "/locks", false},
		"nothing is known":                 {"", "", "/locks", false},
	} {
		fakeRoot(t, map[string]string{"proc/self/mountinfo": c.mounts, "proc/self/ns/none": ""})
		if err := os.Symlink(c.pids, filepath.Join(root, "proc/self/ns/pid")); c.pids != "" && err != nil {
			t.Fatal(err)
		}
		if got := IsPrivate(c.folder); got != c.want {
			t.Errorf("%s: %s is private: %t", name, c.folder, got)
		}
	}
}

// The least that a cgroup or one above it grants counts, in both versions.
func TestQuotas(t *testing.T) {
	two := map[string]string{
		"proc/self/cgroup":           "0::/jobs/one\n",
		"sys/fs/cgroup/memory.max":   "max\n",
		"sys/fs/cgroup/cpu.stat":     "usage_usec 1\nnr_throttled 9\n", // without a limit of its own
		"sys/fs/cgroup/jobs/cpu.max": "max 100000\n", "sys/fs/cgroup/jobs/memory.max": "1073741824\n",
		"sys/fs/cgroup/jobs/one/cpu.max": "150000 100000\n", "sys/fs/cgroup/jobs/one/cpu.stat": "usage_usec 1\nnr_periods 8\nnr_throttled 3\n",
		"sys/fs/cgroup/jobs/one/memory.max": "4294967296\n",
	}
	one := map[string]string{ // the paths are the host's, and the container sees its own at the top
		"proc/self/cgroup":                           "8:cpu,cpuacct:/docker/abc\n7:memory:/docker/abc\n1:name=systemd:/docker/abc\n",
		"sys/fs/cgroup/cpu/cpu.cfs_quota_us":         "150000\n",
		"sys/fs/cgroup/cpu/cpu.cfs_period_us":        "100000\n",
		"sys/fs/cgroup/cpu/cpu.stat":                 "nr_periods 8\nnr_throttled 3\nthrottled_time 1\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
	}
	free := maps.Clone(one)
	free["sys/fs/cgroup/cpu/cpu.cfs_quota_us"], free["sys/fs/cgroup/memory/memory.limit_in_bytes"] = "-1\n", "9223372036854771712\n"
	limited := Quota{Processors: 1.5, MemoryBytes: 1 << 30, Throttled: 3}
	for name, c := range map[string]struct {
		files map[string]string
		want  Quota
	}{"version 2": {two, limited}, "version 1": {one, limited}, "no limits": {free, Quota{}}, "no cgroups": {nil, Quota{}}} {
		fakeRoot(t, c.files)
		if got := ReadQuota(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// What a cgroup grants bounds what a process may take of the machine's memory.
func TestAvailableMemoryInAContainer(t *testing.T) {
	fakeRoot(t, map[string]string{"proc/meminfo": "MemAvailable: 4194304 kB\n", "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n"})
	if got := AvailableBytes(); got != 1<<30 {
		t.Errorf("%d", got)
	}
}
