package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Processors are those next to the GPU that this process may use, by what Linux says of its place on the bus; nil where they are all that it may use, or
// are not known. What launches work runs there, on both sides: from another node of the machine a launch takes longer, and which node it is would be chance.
func (g *GPU) Processors() []int {
	own := ownProcessors()
	g.mu.Lock()
	bus := strings.ToLower(g.dev.busID())
	g.mu.Unlock()
	if len(bus) > len("0000:00:00.0") { // the driver's domain has eight digits, and Linux's four
		bus = bus[len(bus)-len("0000:00:00.0"):]
	}
	near := slices.DeleteFunc(parseProcessors(readLine("sys/bus/pci/devices/"+bus+"/local_cpulist")), func(cpu int) bool { return !slices.Contains(own, cpu) })
	if len(near) == len(own) {
		return nil
	}
	return near
}

// Shares divides processors among GPUs that are used at once: those next to each, shared out where several GPUs have the same. A GPU whose share would be
// empty has none of its own, as nil says.
func Shares(gpus []*GPU) [][]int {
	all := make([][]int, len(gpus))
	same := map[string][]int{} // indices of GPUs, by their processors
	for i, g := range gpus {
		if all[i] = g.Processors(); all[i] == nil {
			all[i] = ownProcessors()
		}
		name := fmt.Sprint(all[i])
		same[name] = append(same[name], i)
	}
	for _, group := range same {
		cpus := all[group[0]]
		each := len(cpus) / len(group)
		for at, i := range group {
			all[i] = slices.Clone(cpus[at*each : (at+1)*each])
			if each == 0 {
				all[i] = nil
			}
		}
	}
	return all
}

// ownProcessors are those that this process may use; nil where they are not known.
func ownProcessors() (cpus []int) {
	var own unix.CPUSet
	if err := unix.SchedGetaffinity(0, &own); err != nil {
		return nil
	}
	for cpu := range len(own) * 64 {
		if own.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// parseProcessors reads Linux's lists, such as 0-15,64-79.
func parseProcessors(list string) (cpus []int) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			return nil
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// ProcessorList is the shortest form of a list of processors, in order: 0-15,64-79.
func ProcessorList(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		last := i
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		part := strconv.Itoa(cpus[i])
		if last > i {
			part += "-" + strconv.Itoa(cpus[last])
		}
		parts, i = append(parts, part), last+1
	}
	return strings.Join(parts, ",")
}
