package run

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

func kernelOf(name string, files ...string) plan.KernelPlan {
	return plan.KernelPlan{Kernel: config.Kernel{Name: name, Adapter: files[0], Sources: files[1:]}}
}

func TestWhatAsksForAGPU(t *testing.T) {
	host, cuda, mixed := kernelOf("h", "a.pg.cc", "a.cc"), kernelOf("c", "b.pg.cu"), kernelOf("m", "c.pg.cc", "c.cu")
	for _, c := range []struct {
		device string
		ks     []plan.KernelPlan
		want   string // "" is the CPU, "!" an error
		says   string
	}{
		{config.DeviceAuto, []plan.KernelPlan{host}, "", ""},
		{config.DeviceCPU, []plan.KernelPlan{host}, "", ""},
		{config.DeviceAuto, []plan.KernelPlan{cuda}, "gpu", "b.pg.cu of kernel c"},
		{config.DeviceAuto, []plan.KernelPlan{cuda, mixed}, "gpu", "c.cu of kernel m"},
		{config.DeviceCUDA, []plan.KernelPlan{host}, "gpu", "device: cuda"},
		{config.DeviceCPU, []plan.KernelPlan{mixed}, "!", "c.cu"},
		{config.DeviceAuto, []plan.KernelPlan{host, cuda}, "!", "--kernel"},
		{config.DeviceCUDA, []plan.KernelPlan{host, cuda}, "gpu", "device: cuda"},
	} {
		reason, err := whyGPU(&config.Config{File: "perfgate.yaml", Device: c.device}, c.ks)
		got := "gpu"
		switch {
		case result.IsUsage(err):
			got, reason = "!", err.Error()
		case reason == "":
			got = ""
		}
		if got != c.want || !strings.Contains(reason, c.says) {
			t.Errorf("device: %s, %d kernels: %q (%q), want %q naming %q", c.device, len(c.ks), got, reason, c.want, c.says)
		}
	}
}

// A machine without a GPU says so and what helps; it never measures a .cu on its CPU.
func TestCUDAWithoutGPUIsNeverMeasuredOnTheCPU(t *testing.T) {
	if gpus, err := machine.OpenGPUs(); err == nil {
		gpus.Close()
		t.Skip("this machine has a GPU")
	}
	opt := example(t, "saxpy", "saxpy")
	opt.Trusted.Config.Device = config.DeviceCUDA
	for name, run := range map[string]func() error{
		"run":    func() error { _, err := Run(context.Background(), opt); return err },
		"parity": func() error { _, err := CheckParity(context.Background(), opt, ParityOnly{}); return err },
	} {
		err := run()
		var cure *machine.GPUError
		if !errors.Is(err, ErrNeedsGPU) || !errors.As(err, &cure) || cure.Cure == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGPUFlagsOnACPURunAreRefused(t *testing.T) {
	lock := machine.ClockLock(0)
	for _, change := range []func(*Options){
		func(o *Options) { o.Device.GPU = "0" },
		func(o *Options) { o.Device.LockClocks = &lock },
	} {
		opt := example(t, "saxpy", "saxpy")
		change(&opt)
		if _, err := Run(context.Background(), opt); !result.IsUsage(err) {
			t.Errorf("err = %v", err)
		}
	}
}

// A folder that is missing is said before anything is built.
func TestNoFolderForLocks(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", filepath.Join(t.TempDir(), "none"))
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	opt.Progress = func(p Progress) { t.Errorf("began: %+v", p) }
	if _, err := Run(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "PERFGATE_LOCK_DIR") {
		t.Error(err)
	}
}
