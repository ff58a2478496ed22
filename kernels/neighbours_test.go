package kernels

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/kernelstest"
)

// A build command's library may lie beside libraries of its own, found by $ORIGIN. They are kept with it, and are part of what
// it is: another neighbour is another fingerprint.
func TestLibrariesBesideABuildCommandsAreKept(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	tree := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644))
	}
	write("far.cc", "int far_away() { return 0; }\n")
	write("near.cc", "int far_away();\nint near_by() { return far_away(); }\n")
	write("a.pg.cc", `#include "perfgate.h"
int near_by();
int pg_spec(const pg_case *, pg_tensor *t, int) { t[0] = PG_TENSOR("y", PG_F32, PG_OUT, 4); return 1; }
int pg_launch(const pg_case *, void *const *data, void *, void *) {
  for (int i = 0; i < 4; i++) static_cast<float *>(data[0])[i] = float(near_by());
  return 0;
}
`)
	const command = `mkdir -p out/lib deps &&
"$CXX" -shared -fPIC far.cc -o deps/libfar.so &&
"$CXX" -shared -fPIC near.cc -Ldeps -lfar '-Wl,-rpath,$ORIGIN' -o deps/libnear.so &&
"$CXX" -shared -fPIC -I"$PERFGATE_INCLUDE" a.pg.cc -Ldeps -lnear '-Wl,-rpath,$ORIGIN/../../deps' -Wl,-rpath-link,deps -o out/lib/a.so`
	build := func() Library {
		t.Helper()
		lib, err := r.builder.Build(context.Background(), BuildSpec{Kernel: "k", Tree: tree, AdapterTree: tree, Command: command, Output: "out/lib/a.so"})
		must(t, err)
		return lib
	}
	first := build()
	write("far.cc", "int far_away() { return 1; }\n")
	second := build()
	if first.Path == second.Path || first.Fingerprint == second.Fingerprint {
		t.Errorf("another library beside it, and still %s", first.Fingerprint)
	}
	if err := os.RemoveAll(tree); err != nil { // nothing of the tree may be needed any more
		t.Fatal(err)
	}
	for _, lib := range []Library{first, second} {
		if _, err := r.run(r.spec(lib)).parity(ParityCommand{Case: caseOf("k", ""), Seed: "1", Values: "spec", Oracle: "none"}); err != nil {
			t.Error(err)
		}
	}
	if root := Besides(first.Path); !strings.HasSuffix(root, filepath.Base(root)) || Besides("/cache/adapters/x/adapter.so") != "/cache/adapters/x/adapter.so" {
		t.Errorf("besides = %s", root)
	}
	if _, err := os.Stat(filepath.Join(Besides(first.Path), "deps", "libfar.so")); err != nil {
		t.Error(err)
	}
}

// A run path that leads out of the tree, and a link that does, are not followed.
func TestNeighboursStayInTheTree(t *testing.T) {
	r := newRig(t)
	tree := t.TempDir()
	outside := filepath.Join(filepath.Dir(tree), "outside.so")
	lib := r.adapter("cheats/honest.cc")
	content, err := os.ReadFile(lib.Path)
	must(t, err)
	must(t, os.WriteFile(outside, content, 0o644))
	must(t, os.Symlink(outside, filepath.Join(tree, "libx.so")))
	if _, err := untrusted.ReadIn(tree, "libx.so", mostLibrary); err == nil {
		t.Error("a link out of the tree was followed")
	}
	if found, err := neighbours(tree, "a.so", content); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// A library may read data that its build left beside it, by the place that it is loaded from. Sides with equal libraries have each its own.
func TestDataBesideABuildCommandsLibrary(t *testing.T) {
	t.Parallel()
	scratch := t.TempDir()
	kept := map[string]string{}
	for _, text := range []string{"fast", "slow"} {
		tree := t.TempDir()
		write(t, filepath.Join(tree, "build/k.so"), "the same code")
		write(t, filepath.Join(tree, "build/table.txt"), text)
		write(t, filepath.Join(tree, "build/data/table.txt"), text)
		for range 2 { // built again
			library, err := keep(scratch, tree, "build/k.so", []byte("the same code"))
			must(t, err)
			kept[text] = library
			for _, name := range []string{"table.txt", "data/table.txt"} {
				if found, err := os.ReadFile(filepath.Join(filepath.Dir(library), name)); err != nil || string(found) != text {
					t.Errorf("%s: %q, %v", name, found, err)
				}
			}
		}
	}
	if kept["fast"] == kept["slow"] || len(kept["fast"]) != len(kept["slow"]) {
		t.Errorf("%q", kept)
	}
}
