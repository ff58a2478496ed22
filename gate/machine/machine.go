// Package machine describes this machine, monitors its GPUs during a measurement, and locks it, so that one measurement runs at a time.
//
//	NVML, /proc, /sys -> result.Machine, GPUs
//	GPUs -> lock -> Monitor of clocks and other processes during a round -> what disturbed it
package machine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// root is the file system that facts are read from; tests point it elsewhere.
var root = "/"

// Describe reads what the machine is. What cannot be read stays zero: a fact that is missing never stops a run.
func Describe() result.Machine {
	cpu := labelled("proc/cpuinfo", ":")
	m := result.Machine{
		Device:       result.DeviceCPU,
		Model:        cmp.Or(cpu["model name"], "unknown processor"),
		Cores:        runtime.NumCPU(),
		MemoryBytes:  memoryKB("MemTotal") << 10,
		CacheBytes:   lastLevelCache(),
		OS:           cmp.Or(labelled("etc/os-release", "=")["PRETTY_NAME"], runtime.GOOS),
		Kernel:       readLine("proc/sys/kernel/osrelease"),
		Arch:         runtime.GOARCH,
		Governor:     readLine("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		FrequencyMHz: parseFloat(cpu["cpu MHz"]),
		Virtual:      strings.Contains(" "+cpu["flags"]+" ", " hypervisor "),
		LoadBefore:   Load(),
	}
	// It names a kind of machine, not an individual: two runners of one type share records.
	m.Key = slug(m.Model, 3) + "-" + shortHash(fmt.Sprintf("%s|%s|%d|%d", m.Arch, m.Model, m.Cores, m.CacheBytes))
	return m
}

// DescribeGPU reads what the machine is for a run on g: the GPU, and the host that it sits in.
func DescribeGPU(g *GPU) result.Machine {
	m := Describe()
	facts := g.Facts
	m.Device, m.Processor, m.Model, m.GPU = result.DeviceCUDA, m.Model, g.Name, &facts
	// A host with another processor launches kernels no faster or slower than the clock of the GPU shows.
	m.Key = slug(g.Name, 3) + "-" + shortHash(g.Name+"|"+facts.ComputeCapability)
	return m
}

// DescribeOther is what the machine is for a run on an accelerator that perfgate has no clock for, of a model.
func DescribeOther(model string) result.Machine {
	m := Describe()
	m.Device, m.Processor, m.Model = result.DeviceOther, m.Model, model
	m.Key = slug(model, 3) + "-" + shortHash("other|"+model)
	return m
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// slug is the first words of a name, fit for a path.
func slug(name string, most int) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words[:min(most, len(words))], "-")
}

// Load is the one-minute load average, 0 where there is none.
func Load() float64 {
	first, _, _ := strings.Cut(readLine("proc/loadavg"), " ")
	return parseFloat(first)
}

// AvailableBytes is the memory that a new process may take, 0 if unknown.
func AvailableBytes() int64 {
	free := memoryKB("MemAvailable") << 10
	return min(free, cmp.Or(ReadQuota().MemoryBytes, free))
}

// memoryKB is a line of /proc/meminfo, in KiB.
func memoryKB(name string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSuffix(labelled("proc/meminfo", ":")[name], " kB"), 10, 64)
	return n
}

// labelled reads lines of the form "label: value" with their separator; the first of a label counts.
func labelled(path, separator string) map[string]string {
	facts := map[string]string{}
	for line := range strings.Lines(contents(path)) {
		label, value, _ := strings.Cut(line, separator)
		if label = strings.TrimSpace(label); facts[label] == "" {
			facts[label] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return facts
}

// lastLevelCache is the size of the largest cache that cpu0 sees.
func lastLevelCache() int64 {
	sizes, _ := filepath.Glob(filepath.Join(root, "sys/devices/system/cpu/cpu0/cache/index*/size"))
	var largest int64
	for _, path := range sizes {
		var size int64
		var unit rune
		_, _ = fmt.Sscanf(readFile(path), "%d%c", &size, &unit) // 32768K or 32M
		largest = max(largest, size<<map[rune]int{'K': 10, 'M': 20}[unit])
	}
	return largest
}

// contents are those of a file; a fact that is missing stays empty.
func contents(path string) string {
	b, _ := os.ReadFile(filepath.Join(root, path))
	return string(b)
}

func readLine(path string) string { return readFile(filepath.Join(root, path)) }

func readFile(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

func parseFloat(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}
