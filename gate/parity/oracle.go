package parity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// StartLibrary starts a process of the harness with a library.
type StartLibrary func(ctx context.Context, library string) (kernels.Process, error)

// Judge is a library that compares outputs which another process delivered, or says what its cases are. It is started when it is first asked, and again where the
// last question ended it.
type Judge struct {
	Library string
	Start   StartLibrary

	HasReference bool // once it was started
	runner       kernels.Process
	loaded       bool
	printed      string
}

// Open starts the judge unless it is alive.
func (j *Judge) Open(ctx context.Context) error {
	if j.runner != nil {
		return nil
	}
	runner, err := j.Start(ctx, j.Library)
	if fault, ok := errors.AsType[*kernels.RunnerError](err); ok && j.loaded {
		return &kernels.RunnerError{Code: result.CodeInternal, Message: "the output checker's library cannot be loaded again: " + fault.Message}
	}
	if err != nil {
		return err
	}
	j.runner, j.loaded, j.HasReference = runner, true, runner.Has("reference")
	return nil
}

// Call asks the judge.
func (j *Judge) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	if err := j.Open(ctx); err != nil {
		return err
	}
	err := j.runner.Call(ctx, op, what, args, answer, limit)
	var fault *kernels.RunnerError
	if errors.As(err, &fault) && fault.Code.EndsProcess() {
		j.Close()
	}
	return err
}

// Compare compares what was delivered of a case with the first of the oracles that there is for it, and returns which that is.
func (j *Judge) Compare(ctx context.Context, name string, q kernels.JudgeCommand, limit time.Duration, oracles ...string) (reply kernels.ParityReply, oracle string, err error) {
	for _, oracle = range oracles {
		q.Oracle, reply = oracle, kernels.ParityReply{}
		err = j.Call(ctx, "judge", name, q, &reply, limit)
		var fault *kernels.RunnerError
		if !errors.As(err, &fault) || fault.Code != result.CodeNoReference {
			break
		}
	}
	return reply, oracle, err
}

// Close ends the judge's process.
func (j *Judge) Close() {
	if j.runner != nil {
		j.runner.Close()
		j.printed = j.runner.Printed()
		j.runner = nil
	}
}

// Printed is the end of what the judge's last process that was closed wrote to standard error.
func (j *Judge) Printed() string { return j.printed }

// DeliveryFolders makes those in which outputs are exchanged, below a scratch folder: given holds what head is compared with, which it must not
// be able to change, made what head writes itself. A sandbox around the runners keeps to that.
func DeliveryFolders(scratch string) (given, made string, err error) {
	given, made = filepath.Join(scratch, "parity-given"), filepath.Join(scratch, "parity-made")
	if err := errors.Join(os.MkdirAll(given, 0o700), os.MkdirAll(made, 0o700)); err != nil {
		return "", "", fmt.Errorf("make a folder for outputs: %w", err)
	}
	return given, made, nil
}

// mostDelivered bounds the outputs of a case that are handed over, and a quarter of what is free on the disk does.
const mostDelivered = 4 << 30

// Deliverable refuses so many bytes of outputs that they cannot be handed over in a folder.
func Deliverable(bytes int64, folder string) error {
	most := int64(mostDelivered)
	var disk unix.Statfs_t
	if unix.Statfs(folder, &disk) == nil {
		most = min(most, int64(disk.Bavail)*int64(disk.Bsize)/4)
	}
	if bytes <= most {
		return nil
	}
	return fmt.Errorf("its outputs are %d MiB, and %d MiB can be handed to the process that compares them", bytes>>20, most>>20)
}
