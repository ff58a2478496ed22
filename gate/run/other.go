package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/result"
	words "github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/child"
)

// Accelerator is one that perfgate has no clock for. Commands of the configuration that counts say what it is; benchmarks time themselves on it.
type Accelerator struct {
	commands config.MachineCommands
	dir      string
	log      child.Log
	clocks   string // as they were last noted
}

const (
	machineLimit = 30 * time.Second // of one command
	mostKey      = 100              // characters
	mostSaid     = 300
)

// NewAccelerator is that of a configuration, nil where it has none.
func NewAccelerator(c *config.Config, log child.Log) *Accelerator {
	if c.Device != config.DeviceOther || c.Machine == nil {
		return nil
	}
	return &Accelerator{commands: *c.Machine, dir: c.Dir, log: log}
}

// Describe is the machine with its accelerator.
func (a *Accelerator) Describe(ctx context.Context) (result.Machine, error) {
	model, failed, err := a.run(ctx, "key", a.commands.Key)
	switch {
	case err != nil:
		return result.Machine{}, err
	case failed != nil:
		return result.Machine{}, fmt.Errorf("machine.key does not say what the accelerator is (%w): %s", failed, model)
	case model == "" || strings.Contains(model, "\n") || utf8.RuneCountInString(model) > mostKey:
		return result.Machine{}, fmt.Errorf("machine.key printed %q: it has to print one line of at most %d characters that names the model", words.Brief(model, mostKey), mostKey)
	}
	return machine.DescribeOther(words.Visible(model)), nil
}

// Idle is an error where somebody uses the accelerator.
func (a *Accelerator) Idle(ctx context.Context) error {
	said, failed, err := a.run(ctx, "idle", a.commands.Idle)
	if err == nil && failed != nil {
		err = fmt.Errorf("machine.idle says that the accelerator is in use (%w): %s", failed, cmp.Or(said, "it printed nothing"))
	}
	return err
}

// Clocks are what the command printed of them, "" where there is none.
func (a *Accelerator) Clocks(ctx context.Context) (string, error) {
	said, failed, err := a.run(ctx, "clocks", a.commands.Clocks)
	if err == nil && failed != nil {
		err = fmt.Errorf("machine.clocks failed (%w): %s", failed, said)
	}
	return said, err
}

// run runs a command within limits. failed says how it ended, if not well. What it prints is data, for people.
func (a *Accelerator) run(ctx context.Context, key, line string) (said string, failed, err error) {
	if line == "" {
		return "", nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, machineLimit)
	defer cancel()
	out, err := child.Run(limited, child.Spec{Path: "/bin/sh", Args: []string{"-c", line}, Dir: a.dir, MaxBytes: 64 << 10, Log: a.log})
	said = strings.TrimSpace(out.Stdout)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", nil, context.Cause(ctx)
	case limited.Err() != nil:
		return "", nil, fmt.Errorf("machine.%s did not end within %s", key, machineLimit)
	case out.Broke == child.OverOutput:
		return "", nil, fmt.Errorf("machine.%s printed more than 64 KiB", key)
	case errors.As(err, &exit):
		failed, err = exit, nil
		said = cmp.Or(said, strings.TrimSpace(out.Stderr))
	}
	if key != "key" || failed != nil {
		said = words.Brief(words.Visible(strings.Join(strings.Fields(said), " ")), mostSaid)
	}
	return said, failed, err
}

// prepare begins the use of an accelerator that this run has to itself, and finish ends it.
func (a *Accelerator) prepare(ctx context.Context, note func(string)) (finish func() error, err error) {
	if err := a.Idle(ctx); err != nil {
		return nil, err
	}
	noteClocks := func(when string) {
		switch now, err := a.Clocks(context.WithoutCancel(ctx)); {
		case err != nil:
			note(err.Error())
		case now != a.clocks:
			note("machine.clocks printed " + when + ": " + now)
			a.clocks = now
		}
	}
	noteClocks("before the rounds")
	return func() error { noteClocks("after the rounds"); return nil }, nil
}

// charDevices are the character devices that paths name, and those in folders that they name. Others are not for the sandbox to open.
func charDevices(paths []string) (all []string) {
	for _, path := range paths {
		inside, _ := filepath.Glob(filepath.Join(path, "*"))
		for _, p := range append(inside, path) {
			if info, err := os.Lstat(p); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				all = append(all, p)
			}
		}
	}
	return all
}
