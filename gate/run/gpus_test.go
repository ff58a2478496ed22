//go:build cgo

package run

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/org/perfgate/gate/internal/machinetest"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// onGPUs gives a run GPUs that are made up below the driver's library.
func onGPUs(t *testing.T, opt *Options, uuids ...string) {
	t.Helper()
	t.Setenv("CUDA_MPS_PIPE_DIRECTORY", t.TempDir())
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	opt.Device.Open = func() (*machine.GPUs, error) {
		var all []nvml.Device
		for _, uuid := range uuids {
			l4 := machinetest.L4()
			l4.GetUUIDFunc = func() (string, nvml.Return) { return uuid, nvml.SUCCESS }
			all = append(all, l4)
		}
		return machine.OpenThrough(machinetest.Driver(all...))
	}
}

// Cases are spread over all GPUs, each on one, and what is slower on any is in the one verdict.
func TestCasesAreSpreadOverGPUs(t *testing.T) {
	const yaml = "    build: {command: 'echo $PERFGATE_SIDE >>built'}\n    bench: {command: sh bench.sh, format: csv}\ndevice: cuda\ngate: {tolerance: 3%}\n"
	said := filepath.Join(t.TempDir(), "said")
	script := func(third string) map[string]string {
		return map[string]string{"bench.sh": `for c in $PERFGATE_BENCH_CASES; do echo "$c $CUDA_VISIBLE_DEVICES" >>` + said + `; done
echo kernel,case,ns
for i in 100 200 ` + third + ` 400; do n=$((n + 1)); echo k,n=$n,$((i * 1000 + $$ % 100)); done
`}
	}
	for name, tt := range map[string]struct {
		third string
		exit  result.ExitCode
	}{"unchanged": {"300", result.ExitPassed}, "one is slower": {"390", result.ExitFailed}} {
		t.Run(name, func(t *testing.T) {
			opt := benchSides(t, repo.TrustWorktree, yaml, script("300"), script(tt.third))
			opt.NoSkip = true
			onGPUs(t, &opt, "GPU-a", "GPU-b", "GPU-c")
			write(t, said, "")
			res, err := OnAllGPUs(t.Context(), opt)
			must(t, err)
			if len(res.Merged) != 3 || len(res.Cases) != 4 || res.Conclusion.Exit != tt.exit || res.Shard != nil {
				t.Fatalf("%d shards, %d cases, exit %d: %+v", len(res.Merged), len(res.Cases), res.Conclusion.Exit, res.Conclusion)
			}
			for _, c := range res.Cases {
				if slower := strings.HasSuffix(c.Name, "n=3") && tt.exit == result.ExitFailed; slower != (c.Verdict == result.Regression) {
					t.Errorf("%s: %s", c.Name, c.Verdict)
				}
			}
			text := read(t, said)
			on := map[string][]string{}
			for line := range strings.Lines(text) {
				c, gpu, _ := strings.Cut(strings.TrimSpace(line), " ")
				if !slices.Contains(on[c], gpu) {
					on[c] = append(on[c], gpu)
				}
			}
			used := map[string]bool{}
			for c, gpus := range on {
				if len(gpus) != 1 {
					t.Errorf("%s was on %v", c, gpus)
				}
				used[gpus[0]] = true
			}
			if len(on) != 4 || len(used) != 3 {
				t.Errorf("cases on GPUs: %v", on)
			}
			for _, uuid := range []string{"GPU-a", "GPU-b", "GPU-c"} {
				if !isFree(t, uuid, machine.Alone) {
					t.Errorf("%s is still held", uuid)
				}
			}
		})
	}
}

// A plan with fewer cases than GPUs uses as many as it has cases, and what keeps one shard from a verdict keeps all.
func TestFewerCasesThanGPUs(t *testing.T) {
	const yaml = "    bench: {command: sh bench.sh, format: csv}\ndevice: cuda\ngate: {tolerance: 3%}\n"
	files := map[string]string{"bench.sh": "echo kernel,case,ns; for n in 1 2; do echo k,n=$n,$((n * 100000 + $$ % 100)); done"}
	opt := benchSides(t, repo.TrustWorktree, yaml, files, files)
	opt.NoSkip = true
	onGPUs(t, &opt, "GPU-a", "GPU-b", "GPU-c", "GPU-d")
	res, err := OnAllGPUs(t.Context(), opt)
	if err != nil || len(res.Merged) != 2 || len(res.Cases) != 2 || res.Conclusion.Exit != result.ExitPassed {
		t.Errorf("%v, %+v", err, res)
	}
	t.Setenv("PERFGATE_LOCK_DIR", filepath.Join(t.TempDir(), "none"))
	if res, err := OnAllGPUs(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "PERFGATE_LOCK_DIR") {
		t.Errorf("%v, %+v", err, res)
	}
}
