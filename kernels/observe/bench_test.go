package observe_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// BenchmarkObserved runs programs with and without an observer in turn, in the sandbox and, where the name says bare, outside of it: the medians of time and of processor time, this process's included,
// in ms; by how many per cent they grow in pairs; and what a request costs. docs/measurements/observe has what it came to.
func BenchmarkObserved(b *testing.B) {
	dir := b.TempDir()
	source := "#include <algorithm>\n#include <map>\n#include <regex>\n#include <string>\n#include <vector>\n" +
		"bool f(const std::string& s) { return std::regex_match(s, std::regex(\"a+b\")); }\n"
	must(b, os.WriteFile(filepath.Join(dir, "source.cc"), []byte(source), 0o644))
	must(b, os.WriteFile(filepath.Join(dir, "tiny.cc"), []byte("int one() { return 1; }\n"), 0o644))
	policy := sandbox.System().With(sandbox.Policy{Write: []string{dir, "/tmp"}}) // so that a helper starts both
	for _, program := range []struct {
		name string
		args []string
	}{
		{"compile", []string{"/usr/bin/g++", "-O2", "-c", "source.cc", "-o", "object.o"}},
		{"import", []string{"/usr/bin/python3", "-c", "import asyncio, unittest, xml.dom.minidom, http.client, email, logging.config, sqlite3, multiprocessing"}},
		{"work", []string{"/usr/bin/python3", "-c", "sum(i * i for i in range(3_000_000))"}},
		{"true", []string{"/bin/true"}},
		{"list", []string{"/usr/bin/find", "/usr/include", "-name", "x"}},
		{"bare-tiny", []string{"/usr/bin/g++", "-O2", "-c", "tiny.cc", "-o", "object.o"}},
		{"bare-true", []string{"/bin/true"}},
	} {
		b.Run(program.name, func(b *testing.B) {
			if _, err := os.Stat(program.args[0]); err != nil {
				b.Skip(err)
			}
			var wall, cpu [2][]float64
			var moreWall, moreCPU []float64
			requests := 0
			for i := 0; b.Loop(); i++ {
				for turn := range 2 {
					which := (turn + i) % 2 // each goes first every second time
					spec := child.Spec{Path: program.args[0], Args: program.args[1:], Dir: dir}
					if !strings.HasPrefix(program.name, "bare-") {
						spec.Sandbox = &policy
					}
					if which == 1 {
						spec.Observe = &observe.Options{Trees: []string{dir}}
					}
					began, before := time.Now(), used()
					p, err := child.Start(spec)
					must(b, err)
					if out, err := p.Wait(context.Background()); err != nil {
						b.Fatal(err, out.Stderr)
					}
					wall[which] = append(wall[which], time.Since(began).Seconds()*1000)
					cpu[which] = append(cpu[which], (used()-before).Seconds()*1000)
					if which == 1 {
						requests = p.Observed().Requests
					}
				}
				moreWall = append(moreWall, 100*(wall[1][i]/wall[0][i]-1))
				moreCPU = append(moreCPU, 100*(cpu[1][i]/cpu[0][i]-1))
			}
			b.ReportMetric(median(wall[0]), "ms-off")
			b.ReportMetric(median(wall[1]), "ms-on")
			b.ReportMetric(median(moreWall), "%-more")
			b.ReportMetric(median(cpu[0]), "cpu-ms-off")
			b.ReportMetric(median(cpu[1]), "cpu-ms-on")
			b.ReportMetric(median(moreCPU), "%-cpu-more")
			b.ReportMetric(float64(requests), "requests")
			b.ReportMetric(1000*(median(cpu[1])-median(cpu[0]))/float64(requests), "cpu-µs-request")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// used is the processor time of this process and of those that it has waited for.
func used() time.Duration {
	var total time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var usage unix.Rusage
		if unix.Getrusage(who, &usage) == nil {
			total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return total
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}
