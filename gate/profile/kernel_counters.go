package profile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels"
)

// kernelCounters is the name of the counter that is no program: the kernel's own, by perf_event_open.
const kernelCounters = "perf_event_open"

// event is one that the kernel counts (perf_event_open(2)).
type event struct {
	kind   uint32
	config uint64
}

// hardware are counted in user mode. The first is required, the others are optional.
var hardware = []event{
	{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS}, {unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
	{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CACHE_MISSES}, {unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_BRANCH_MISSES},
}

// attached are events of a process that runs, by event its threads' descriptors; nil for an event that the machine does not count.
type attached [][]int

// attach counts events in all threads of a process and in all that they start from now on. What keeps it from the first event is the error.
func attach(pid int, events []event) (attached, error) {
	threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
	if err != nil {
		return nil, fmt.Errorf("list the threads of a process: %w", err)
	}
	out := make(attached, len(events))
	for i, e := range events {
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				return nil, errors.Join(err, out.close())
			}
			fd, err := open(id, e)
			if err != nil && i == 0 {
				return nil, errors.Join(fmt.Errorf("count in thread %d: %w", id, err), out.close())
			}
			if err != nil { // an event of some threads is none
				out[i : i+1].close()
				out[i] = nil
				break
			}
			out[i] = append(out[i], fd)
		}
	}
	return out, nil
}

func open(thread int, e event) (int, error) {
	return unix.PerfEventOpen(&unix.PerfEventAttr{
		Type: e.kind, Config: e.config, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bits: unix.PerfBitInherit | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}, thread, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
}

// read is what was counted of each event until now; 0 for one that is not counted.
func (a attached) read() ([]float64, error) {
	out := make([]float64, len(a))
	for i, threads := range a {
		for _, fd := range threads {
			n, whole, err := readEvent(fd)
			if err == nil && i == 0 && !whole {
				err = errors.New("it did not run all the time: another profiler has it, or the process was on processors of another kind")
			}
			if err != nil {
				return nil, fmt.Errorf("read a counter: %w", err)
			}
			out[i] += n
		}
	}
	return out, nil
}

// readEvent reads a count, for the whole time where the counter ran for a part of it: more events than a processor has counters take turns.
func readEvent(fd int) (n float64, whole bool, err error) {
	var b [24]byte
	if n, err := unix.Read(fd, b[:]); err != nil || n != len(b) {
		return 0, false, errors.Join(err, fmt.Errorf("%d of %d bytes", n, len(b)))
	}
	count, wanted, ran := binary.NativeEndian.Uint64(b[:]), binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:])
	if ran == 0 {
		return 0, wanted == 0, nil
	}
	return float64(count) * float64(wanted) / float64(ran), ran >= wanted, nil
}

func (a attached) close() error {
	var errs error
	for _, threads := range a {
		for _, fd := range threads {
			errs = errors.Join(errs, unix.Close(fd))
		}
	}
	return errs
}

// countsHardware says whether the kernel lets this process count instructions, and the machine has counters.
func countsHardware() bool {
	a, err := attach(os.Getpid(), hardware[:1])
	return err == nil && a.close() == nil
}

// attach counts launches in the process that is timed otherwise, without a program between: first none, so that what is done once is done, then
// what is done without launches, then with them.
func (t Counter) attach(ctx context.Context, j Job) (Counted, error) {
	runner, err := kernels.StartRunner(ctx, j.Runner)
	if err != nil {
		return Counted{}, err
	}
	defer runner.Close()
	counters, err := attach(runner.PID(), t.events)
	if err != nil {
		return Counted{}, err
	}
	defer counters.close()
	var at [3][]float64
	for i, launches := range []int{0, 0, perfLaunches} {
		command := kernels.ProfileCommand{Case: j.Case, Seed: j.Seed, Cache: j.Cache, Warm: launches, Times: 1}
		if err := runner.Call(ctx, "profile", j.Case.Kernel, command, nil, j.Limit); err != nil {
			return Counted{}, err
		}
		if at[i], err = counters.read(); err != nil {
			return Counted{}, err
		}
	}
	each := make([]float64, len(hardware))
	for i := range t.events {
		each[i] = max(0, (at[2][i]-2*at[1][i]+at[0][i])/perfLaunches)
	}
	if each[0] == 0 {
		return Counted{}, errors.New("the count did not grow with the launches")
	}
	return Counted{Instructions: each[0], Cycles: each[1], CacheMisses: each[2], BranchMisses: each[3]}, nil
}
