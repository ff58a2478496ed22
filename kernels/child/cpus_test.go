package child

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A program runs where it is told to, and the threads of this process stay where they were.
func TestProgramRunsOnItsProcessors(t *testing.T) {
	var before, after unix.CPUSet
	must(t, unix.SchedGetaffinity(0, &before))
	last := 0
	for cpu := range 1024 {
		if before.IsSet(cpu) {
			last = cpu
		}
	}
	for range 3 {
		out, err := Run(t.Context(), Spec{Path: "/bin/sh", Args: []string{"-c", "grep Cpus_allowed_list /proc/self/status"}, CPUs: []int{last}})
		if _, list, _ := strings.Cut(strings.TrimSpace(out.Stdout), "\t"); err != nil || strings.ContainsAny(list, ",-") {
			t.Errorf("%q, %v: not on processor %d only", out.Stdout, err, last)
		}
		if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
			t.Errorf("%v: this process was moved", err)
		}
	}
	if _, err := Run(t.Context(), Spec{Path: "/bin/true", CPUs: []int{1023}}); err == nil {
		t.Error("a processor that there is not was chosen")
	}
}
