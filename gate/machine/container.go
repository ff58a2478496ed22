package machine

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// IsPrivate says whether a folder belongs to the container that this process is in, so that other containers of the host have another under its name. A
// folder with a mount of its own is taken for the host's, since somebody asked for that.
func IsPrivate(folder string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	pids, _ := os.Readlink(filepath.Join(root, "proc/self/ns/pid"))
	ownPIDs := pids != "" && pids != "pid:[4026531836]" // Linux's PROC_PID_INIT_INO
	var at struct{ point, root, kind string }
	for line := range strings.Lines(contents("proc/self/mountinfo")) {
		fields := strings.Fields(line)
		if dash := slices.Index(fields, "-"); dash >= 5 && dash+1 < len(fields) {
			point := fields[4]
			if len(point) >= len(at.point) && strings.HasPrefix(folder+"/", strings.TrimSuffix(point, "/")+"/") {
				at.point, at.root, at.kind = point, fields[3], fields[dash+1]
			}
		}
	}
	layered := strings.Contains(at.kind, "overlay") || at.kind == "squashfs"
	switch {
	case at.point == "/":
		return layered || ownPIDs && at.root != "/"
	case at.kind == "tmpfs": // that of a runtime, unless it was mounted for this folder
		return ownPIDs && (at.point != folder || folder == "/tmp")
	}
	return false
}

// Quota is what the cgroups of this process grant it.
type Quota struct {
	Processors  float64 // of time; 0 is no limit
	MemoryBytes int64   // 0 is no limit
	Throttled   int64   // how often all processes were stopped, since their share of a period was used up
}

// ReadQuota asks the cgroups of this process, of either version. Those above it bind it too, as far as a container shows them.
func ReadQuota() (q Quota) {
	for line := range strings.Lines(contents("proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		for _, controller := range strings.Split(fields[1], ",") { // "" is version 2
			for at := filepath.Clean("/" + fields[2]); ; at = filepath.Dir(at) {
				q.add(filepath.Join("sys/fs/cgroup", controller, at), controller)
				if at == "/" {
					break
				}
			}
		}
	}
	return q
}

// add takes in the limits of one cgroup.
func (q *Quota) add(folder, controller string) {
	number := func(file string) float64 { return parseFloat(readLine(filepath.Join(folder, file))) } // "max" is 0
	if controller == "" || controller == "cpu" {
		share := number("cpu.cfs_quota_us") / number("cpu.cfs_period_us")
		if quota, period, ok := strings.Cut(readLine(filepath.Join(folder, "cpu.max")), " "); ok {
			share = parseFloat(quota) / parseFloat(period)
		}
		if share > 0 {
			q.Processors = min(cmp.Or(q.Processors, share), share)
			q.Throttled += int64(parseFloat(labelled(filepath.Join(folder, "cpu.stat"), " ")["nr_throttled"]))
		}
	}
	if controller == "" || controller == "memory" {
		bytes := int64(max(number("memory.max"), number("memory.limit_in_bytes")))
		if bytes > 0 && bytes < 1<<60 { // version 1 writes a huge number for none
			q.MemoryBytes = min(cmp.Or(q.MemoryBytes, bytes), bytes)
		}
	}
}
