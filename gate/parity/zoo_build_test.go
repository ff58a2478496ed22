package parity_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// library is the path of an animal's library. On a CPU all faults of an adapter are in one, and each has a path of its own.
func (z *zoo) library(t testing.TB, kernel, flag string, more ...string) string {
	t.Helper()
	if z.target.IsCUDA() { // a runner is kept by its library, and each kernel has its own
		return z.linked(t, z.built(t, kernel, append(slices.Clone(more), strings.Fields(flag)...)), kernel, 0)
	}
	built := z.built(t, kernel, append(slices.Clone(more), "-include", "planted.h"))
	if flag == "" {
		return built
	}
	number := faultNumber(t, filepath.Join(z.tree, z.kernels[kernel].Adapter), strings.TrimPrefix(flag, "-DWRONG="))
	return z.linked(t, built, strconv.Itoa(number), number)
}

// linked is another path of a library, whose processes have a fault.
func (z *zoo) linked(t testing.TB, built, name string, number int) string {
	path := fmt.Sprintf("%s-%s.so", strings.TrimSuffix(built, ".so"), name)
	z.mu.Lock()
	defer z.mu.Unlock()
	if _, there := z.faults[path]; !there {
		must(t, os.Link(built, path))
		z.faults[path] = number
	}
	return path
}

var faultName = regexp.MustCompile(`(?m)^  (\w+),`)

// faultNumber is the place of a fault in the enum of its adapter, where 0 is the right kernel.
func faultNumber(t testing.TB, adapter, fault string) int {
	t.Helper()
	text, err := os.ReadFile(adapter)
	must(t, err)
	_, text, _ = bytes.Cut(text, []byte("\nenum {\n"))
	text, _, _ = bytes.Cut(text, []byte("\n};\n"))
	for i, name := range faultName.FindAllSubmatch(text, -1) {
		if string(name[1]) == fault {
			return i
		}
	}
	t.Fatalf("%s has no fault %s", adapter, fault)
	return 0
}

// built builds a kernel's adapter, once for all kernels of it.
func (z *zoo) built(t testing.TB, kernel string, more []string) string {
	t.Helper()
	k := z.kernels[kernel]
	flags := slices.Concat(k.Flags, more)
	key := k.Adapter + strings.Join(flags, " ")
	z.mu.Lock()
	if z.libraries[key] == nil {
		scratch := filepath.Join(z.scratch, strconv.Itoa(len(z.libraries)))
		z.libraries[key] = sync.OnceValues(func() (kernels.Library, error) { return z.build(t, scratch, k.Adapter, flags) })
	}
	build := z.libraries[key]
	z.mu.Unlock()
	lib, err := build()
	if err != nil {
		t.Errorf("%s %s: %v", kernel, more, err)
	}
	return lib.Path
}

func (z *zoo) build(t testing.TB, scratch, adapter string, flags []string) (kernels.Library, error) {
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return kernels.Library{}, err
	}
	builder := &kernels.Builder{Compiler: z.compiler, Target: z.target, Cache: z.cache, Scratch: scratch}
	return builder.Build(context.Background(), kernels.BuildSpec{
		Kernel: adapter, Tree: z.tree, AdapterTree: z.tree, Adapter: adapter, Flags: flags, Keep: true, TreeID: kernelstest.TreeID(t, z.tree),
	})
}
