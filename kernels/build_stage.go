package kernels

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/task"
)

// firstHeader is included before anything else. Compilers use a precompiled header only where nothing was declared yet, so
// none is used that lies in a side's tree: it need not be what its header says.
const firstHeader = "perfgate_first.h"

// stageAdapter puts the adapter and perfgate.h into one private folder, under the same path for both sides: what a
// side ships as perfgate.h is never used, and paths cannot make equal code differ.
func (b *Builder) stageAdapter(s BuildSpec) (string, error) {
	stage := b.stage(s)
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the build: %w", err)
	}
	files := map[string][]byte{"perfgate.h": Header(), firstHeader: []byte("struct perfgate_first;\n")}
	if s.Adapter != "" {
		code, err := s.adapter()
		if errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("the adapter %s of kernel %s is not there: write it, or make one with `perfgate init`", filepath.Join(s.AdapterTree, s.Adapter), s.Kernel)
		}
		if err != nil {
			return "", fmt.Errorf("read the adapter: %w", err)
		}
		files[filepath.Base(s.Adapter)] = code
	}
	b.shared.Lock()
	defer b.shared.Unlock()
	for name, text := range files {
		if err := writeChanged(filepath.Join(stage, name), text); err != nil {
			return "", fmt.Errorf("write %s for the build: %w", name, err)
		}
	}
	return stage, nil
}

// writeChanged leaves a file alone that has its text: another build may be reading it.
func writeChanged(path string, text []byte) error {
	if present, err := untrusted.Read(path, int64(len(text))); err == nil && bytes.Equal(present, text) {
		return nil
	}
	return os.WriteFile(path, text, 0o644)
}

// adapter is the text of the adapter: its file, or what stands for a problem of a task format, with all that the problem is made of.
func (s BuildSpec) adapter() ([]byte, error) {
	if task.FormatOf(s.Adapter) == "" {
		return untrusted.ReadIn(s.AdapterTree, s.Adapter, mostText)
	}
	t, err := task.Read(task.Within(s.AdapterTree, "."), s.Adapter)
	if errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, &BuildError{Kernel: s.Kernel, Cause: result.CauseAdapter, Err: err}
	}
	solution := ""
	if len(s.Sources) > 0 {
		solution = s.Sources[0]
	}
	return t.Adapter(solution), nil
}
