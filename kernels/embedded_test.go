package kernels

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/kernelstest"
)

const embedding = calling + "asm(\".section .rodata\\n.global table\\ntable: .incbin \\\"table.bin\\\"\\n.previous\\n\");\nextern \"C\" const char table[];\nvoid f() { volatile char c = table[0]; (void)c; }\n"

// A file that is embedded is in no preprocessed text. Builds of head that differ in it alone are other code, whatever lies in
// the cache; a build of base is found again by the tree that holds the file.
func TestEmbeddedFilesCount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	build := func(table, tree string, keep bool) Library {
		s := BuildSpec{Adapter: "k.pg.cc", TreeID: tree, Keep: keep}
		lib, err := r.buildOf(s, map[string]string{"k.pg.cc": embedding, "table.bin": table}, false)
		must(t, err)
		return lib
	}
	base := build("fast", "", false)
	if head := build("slow", "", false); head.Cached || head.Fingerprint == base.Fingerprint {
		t.Errorf("head was cached (%v) or is base's code", head.Cached)
	}
	kept := build("fast", "one", true)
	if again := build("fast", "one", true); !again.Cached || again.Fingerprint != kept.Fingerprint || kept.Fingerprint != base.Fingerprint {
		t.Errorf("base was built again: %+v", again)
	}
	if head := build("slow", "one", false); head.Cached || head.Fingerprint == base.Fingerprint {
		t.Error("a build that need not be kept came from the cache")
	}
}

// A precompiled header need not be what its header says, and a committed one is not used: named by an include, by a flag, or
// in a folder of its own.
func TestPrecompiledHeadersOfTheTreeAreNotUsed(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	for name, c := range map[string]struct {
		include string
		flags   []string
		pch     string
	}{
		"included": {"#include \"f.h\"\n", nil, "f.h.gch"}, "by a flag": {"", []string{"-include", "f.h"}, "f.h.gch"}, "in a folder": {"#include \"f.h\"\n", nil, "f.h.gch/c++"},
	} {
		t.Run(name, func(t *testing.T) {
			s := BuildSpec{Adapter: "k.pg.cc", Sources: []string{"s.cc"}, Flags: c.flags}
			r.lay(&s, map[string]string{"k.pg.cc": calling, "s.cc": c.include + "void f() { volatile int v = VALUE; (void)v; }\n", "f.h": "#define VALUE 1\n"}, nil)
			clean, err := r.builder.Build(context.Background(), s)
			must(t, err)
			write(t, filepath.Join(s.Tree, c.pch, "..", "slow.h"), "#define VALUE 2\n")
			args := append(r.builder.flags(BuildSpec{}, unit{path: "s.cc"}, "")[2:], "-x", "c++-header", "slow.h", "-o", c.pch)
			cmd := exec.Command(r.builder.Compiler.Path, args...)
			cmd.Dir = s.Tree
			if c.pch != "f.h.gch" {
				write(t, filepath.Join(s.Tree, "slow.h"), "#define VALUE 2\n")
			}
			output(t, cmd)
			planted, err := r.builder.Build(context.Background(), s)
			must(t, err)
			if planted.Fingerprint != clean.Fingerprint {
				t.Error("the precompiled header was used")
			}
		})
	}
}

// The time of day is no difference between two sides.
func TestDatesDoNotMakeCodeDiffer(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	build := func() string {
		lib, err := r.buildOf(BuildSpec{Adapter: "k.pg.cc"}, map[string]string{"k.pg.cc": calling + "extern const char when[];\nconst char when[] = __DATE__ __TIME__;\nvoid f() {}\n"}, false)
		must(t, err)
		return lib.Fingerprint
	}
	first := build()
	time.Sleep(1100 * time.Millisecond)
	if build() != first {
		t.Error("the same code built a second later is other code")
	}
}

// A loader reads no section headers: a library that describes base's code and maps other code is not base's.
func TestFingerprintIsOfWhatIsMapped(t *testing.T) {
	r := newRig(t)
	lib := r.adapter("cheats/honest.cc")
	content, err := os.ReadFile(lib.Path)
	must(t, err)
	stripped := filepath.Join(t.TempDir(), "k.so")
	clear(content[0x28:0x30]) // where section headers are …
	clear(content[0x3a:0x40]) // … and how many
	must(t, kernelstest.WriteProgram(stripped, content))
	if got, err := Fingerprint(stripped); err != nil || got != lib.Fingerprint {
		t.Errorf("without section headers: %v, other code %v", err, got != lib.Fingerprint)
	}
	at := strings.Index(string(content), "y0\x00")
	if at < 0 {
		t.Fatal("the name of a tensor is not in the library")
	}
	content[at] = 'z'
	must(t, kernelstest.WriteProgram(stripped, content))
	if got, err := Fingerprint(stripped); err != nil || got == lib.Fingerprint {
		t.Errorf("with other data mapped: %v, the same code", err)
	}
}

// The cache forgets what was not used for long, and what is more than it may hold, oldest first.
func TestCacheIsBounded(t *testing.T) {
	cache, now := t.TempDir(), time.Now()
	lay := func(folder string, age time.Duration, bytes int64) string {
		file := filepath.Join(cache, folder, "file")
		write(t, file, "")
		must(t, os.Truncate(file, bytes))
		dir := filepath.Dir(file)
		must(t, os.Chtimes(dir, now.Add(-age), now.Add(-age)))
		return dir
	}
	const day = 24 * time.Hour
	kept := []string{lay("adapters/new", 0, 1<<30), lay("adapters/used", day, 1<<30), lay("harness/new", day, 8<<30), lay("elsewhere/old", 90*day, 1)}
	gone := []string{lay("adapters/large", 2*day, 1<<20), lay("adapters/old", 31*day, 1), lay("harness/old", 31*day, 1)}
	prune(cache, now)
	for _, dir := range kept {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("gone: %v", err)
		}
	}
	for _, dir := range gone {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
}
