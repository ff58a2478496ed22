package parity_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

var openCUDAZoo = sync.OnceValues(func() (*zoo, error) {
	out, err := exec.Command("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0").Output()
	if err != nil {
		return nil, errNoGPU
	}
	nvcc, err := kernels.FindNVCC(context.Background())
	if err != nil {
		return nil, err
	}
	arch := "sm_" + strings.ReplaceAll(strings.TrimSpace(string(out)), ".", "")
	z, err := newZoo(filepath.Join(*zooDir, "cuda"), nvcc, kernels.Target{Device: result.DeviceCUDA, Arch: arch})
	if err == nil {
		runners.start = z.startRunner
		z.start = runners.get
	}
	return z, err
})

var errNoGPU = errors.New("no NVIDIA GPU here: what this covers is covered by no other test")

func cudaZoo(t *testing.T) *zoo {
	t.Helper()
	z, err := openCUDAZoo()
	if errors.Is(err, errNoGPU) || errors.Is(err, kernels.ErrNoNVCC) {
		t.Skip(err)
	}
	must(t, err)
	return z
}

var runners = &stable{running: map[string]*keptRunner{}}

// stable keeps one runner a library alive from check to check: to start one takes longer on a GPU than a hundred cases.
type stable struct {
	start   func(ctx context.Context, library string) (kernels.Process, error)
	mu      sync.Mutex
	running map[string]*keptRunner
}

func (s *stable) get(ctx context.Context, library string) (kernels.Process, error) {
	s.mu.Lock()
	kept := s.running[library]
	s.mu.Unlock()
	if kept != nil && !kept.dead {
		return kept, nil
	}
	r, err := s.start(ctx, library)
	if err != nil {
		return nil, err
	}
	kept = &keptRunner{Process: r}
	s.mu.Lock()
	s.running[library] = kept
	s.mu.Unlock()
	return kept, nil
}

// end ends the runner of a library that nobody needs any more: each holds memory of the GPU.
func (s *stable) end(library string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept := s.running[library]; kept != nil && !kept.dead {
		kept.Process.Close()
	}
	delete(s.running, library)
}

// keptRunner does not end when it is closed, but when its process does.
type keptRunner struct {
	kernels.Process
	dead bool
}

func (k *keptRunner) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	err := k.Process.Call(ctx, op, what, args, answer, limit)
	var fault *kernels.RunnerError
	if errors.As(err, &fault) && fault.Code.EndsProcess() {
		k.dead = true
	}
	return err
}

func (k *keptRunner) Close() {
	if k.dead {
		k.Process.Close()
	}
}

// buildAll builds on all cores: kernels are then checked a few at a time, since they share one GPU.
func (z *zoo) buildAll(t *testing.T, all []animal) {
	began := time.Now()
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for _, a := range all {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			z.library(t, a.Kernel, a.Flag)
		})
	}
	wait.Wait()
	t.Logf("%d libraries built in %.0f s", len(all), time.Since(began).Seconds())
}

// Every wrong CUDA kernel is caught with the default budget, on a GPU.
func TestCUDAZooIsCaught(t *testing.T) {
	z := cudaZoo(t)
	wrong := slices.DeleteFunc(slices.Clone(z.wrong), func(a animal) bool { return !z.asked(a.name()) })
	z.buildAll(t, wrong)
	z.catchAll(t, wrong)
}

func TestRightCUDAKernelsPass(t *testing.T) {
	z := cudaZoo(t)
	var right []animal
	for _, name := range z.names() {
		right = append(right, animal{Kernel: name})
	}
	z.buildAll(t, right)
	z.passAll(t)
}
