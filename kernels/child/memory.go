package child

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// memoryLook is how often memory is looked at. What a program can fill meanwhile is the fifth that a limit leaves free.
const memoryLook = 200 * time.Millisecond

// countEvery is how many samples pass at most between two counts of the processes. Memory that neighbours free meanwhile can hide what the child
// takes.
const countEvery = 25

// memoryLimit looks whether a child and all that it started hold more than most. The processes are counted where half of that less is available
// on the machine than before, and now and then: counting reads all of /proc, which a benchmark would feel. Should memory run out first, the Linux
// kernel ends the child and not this program.
func memoryLimit(pid int, most int64) func() Limit {
	preferKilled(pid)
	all, scarce := newFamily(pid), fallen(most/2)
	scarce() // before it has taken any
	sample := 0
	return func() Limit {
		sample++
		if (scarce() || sample%countEvery == 0) && unsharedMemory(all.look()) > most {
			return OverMemory
		}
		return ""
	}
}

// preferKilled makes a process and what it will start the first that the kernel ends where memory runs out.
func preferKilled(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0) // a kernel without it chooses by size alone
}

// fallen asks whether the machine has so many bytes less available than the most since it was made, or does not say.
func fallen(bytes int64) func() bool {
	most := int64(0)
	return func() bool {
		available := kilobytes("/proc/meminfo", "MemAvailable")
		most = max(most, available)
		return most == 0 || most-available >= bytes
	}
}

// unsharedMemory is the memory of processes that no file backs, in bytes. Pages that processes share count once where the kernel says how many
// share them.
func unsharedMemory(pids []int) (bytes int64) {
	for _, pid := range pids {
		own := kilobytes(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss_Anon", "Pss_Shmem")
		if own == 0 { // it hides, or the kernel is old
			own = kilobytes(fmt.Sprintf("/proc/%d/status", pid), "RssAnon", "RssShmem")
		}
		bytes += own
	}
	return bytes
}

// kilobytes adds up lines such as "MemAvailable:  123 kB" of a file, in bytes.
func kilobytes(path string, labels ...string) (bytes int64) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0 // it has ended, or this may not look
	}
	for line := range strings.Lines(string(text)) {
		for _, label := range labels {
			var n int64
			if rest, ok := strings.CutPrefix(line, label+":"); ok {
				_, _ = fmt.Sscan(rest, &n)
				bytes += n << 10
			}
		}
	}
	return bytes
}
