package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/org/perfgate/gate/machine"
)

// turns are what this run has of the machine while others wait, and what it waits for:
//
//	onDevice  a GPU, for all that runs on it; nobody else measures on it
//	untimed   processors, for builds and for what runs on a CPU without being timed; nobody times on this host what depends on them
//	timed     the host, while what depends on processors is timed; nobody builds
//
// A run never waits for a device while it is in the way of others on the host: builds give the device back meanwhile.
type turns struct {
	device   *device
	clocks   *machine.ClockLock
	progress func(Progress)
	drop     func() // ends prestarted processes, which may have the device open

	gpu    *machine.Lock
	finish func() error // ends the use of the device

	mu     sync.Mutex // keeps builds apart that run at once
	builds int
	host   *machine.Lock // while there are any
	waited time.Duration
}

// acquire counts the wait as the machine's, not the run's. told are told who holds the lock, too.
func (t *turns) acquire(ctx context.Context, device string, use machine.Use, told ...func(holder string)) (*machine.Lock, error) {
	start := time.Now()
	defer func() { t.waited += time.Since(start) }()
	return machine.Acquire(ctx, device, use, func(holder string) {
		for _, tell := range told {
			tell(holder)
		}
		t.progress(Progress{Stage: StageWait, What: holder})
	})
}

// onDevice does what needs the device that cases are timed on; on a CPU that is the host, which the rounds alone need for themselves.
func (t *turns) onDevice(ctx context.Context, do func() error) (err error) {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer func() {
		t.device.endWatch()
		err = errors.Join(err, t.handBack())
	}()
	return do()
}

func (t *turns) take(ctx context.Context) (err error) {
	if len(t.device.allowed) > 1 && t.device.watch == nil { // others have taken GPUs while this run was built
		t.device.chooseIdle()
	}
	name := t.device.lockName()
	if name == machine.Host {
		return nil
	}
	if t.gpu, err = t.acquire(ctx, name, machine.Alone); err != nil {
		return err
	}
	if t.finish, err = t.device.prepare(ctx, t.clocks); err != nil {
		t.gpu.Release()
		t.gpu = nil
	}
	return err
}

// handBack ends the use of the device, if there is one.
func (t *turns) handBack() error {
	t.drop()
	if t.gpu == nil {
		return nil
	}
	err := t.finish()
	t.gpu.Release()
	t.gpu = nil
	return err
}

// offDevice is untimed for what a run does in the midst of its use of the device: others have that meanwhile.
func (t *turns) offDevice(ctx context.Context, do func()) error {
	if t.gpu == nil {
		return t.untimed(ctx, do)
	}
	err := t.handBack()
	if err == nil {
		err = t.untimed(ctx, do)
	}
	if err == nil {
		err = t.take(ctx)
	}
	return err
}

// untimed does what disturbs the clocks of others and needs none. It may be called within itself, and several times at once.
func (t *turns) untimed(ctx context.Context, do func()) (err error) {
	t.mu.Lock()
	if t.builds == 0 {
		t.host, err = t.acquire(ctx, machine.Host, machine.Untimed)
	}
	if err == nil {
		t.builds++
	}
	t.mu.Unlock()
	if err != nil {
		return err
	}
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.builds--; t.builds == 0 {
			t.host.Release()
		}
	}()
	do()
	return nil
}

// untimedOnCPU is untimed for what runs kernels where these run on processors.
func (t *turns) untimedOnCPU(do stage) stage {
	return func(ctx context.Context, v *Values) (err error) {
		if t.device.shares() {
			return do(ctx, v)
		}
		return errors.Join(t.untimed(ctx, func() { err = do(ctx, v) }), err)
	}
}

// timed keeps builds of this host from running until leave, and where processors are the device, whoever measures.
func (t *turns) timed(ctx context.Context) (leave func(), err error) {
	use := machine.Alone
	if t.device.shares() {
		use = machine.Launches
	}
	lock, err := t.acquire(ctx, machine.Host, use)
	return lock.Release, err
}
