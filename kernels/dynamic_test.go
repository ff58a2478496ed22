package kernels

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// What a library needs, and where it looks for that, is read as a loader does: also where section headers are gone, which debug/elf goes by. A table that
// leads nowhere is an error.
func TestDynamicNames(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := strings.Repeat("/opt/"+strings.Repeat("a", 100)+":", 60) + "$ORIGIN/more" // as those of a package manager can be
	lib := r.build(side(t, "static int work() { return 1; }\n", "-Wl,--no-as-needed", "-lm", "-Wl,--enable-new-dtags", "-Wl,-rpath,"+path))
	content, err := os.ReadFile(lib.Path)
	must(t, err)
	parse := func(content []byte) *elf.File {
		f, err := elf.NewFile(bytes.NewReader(content))
		must(t, err)
		return f
	}
	f := parse(content)
	needed, err := f.ImportedLibraries()
	if err != nil || !slices.Contains(needed, "libm.so.6") {
		t.Fatalf("%q, %v", needed, err)
	}
	table := f.SectionByType(elf.SHT_DYNAMIC)
	bare := slices.Clone(content)
	clear(bare[0x28:0x30])
	clear(bare[0x3a:0x40])
	for name, f := range map[string]*elf.File{"whole": f, "without section headers": parse(bare)} {
		names, err := dynamicNames(f, elf.DT_NEEDED)
		paths, err2 := dynamicNames(f, elf.DT_RUNPATH)
		if !slices.Equal(names, needed) || !slices.Equal(paths, []string{path}) || errors.Join(err, err2) != nil {
			t.Errorf("%s: %q, %q, %v, %v", name, names, paths, err, err2)
		}
	}
	for at := table.Offset; at < table.Offset+table.Size; at += 16 {
		if elf.DynTag(f.ByteOrder.Uint64(content[at:])) == elf.DT_STRTAB {
			binary.NativeEndian.PutUint64(bare[at+8:], 1<<40)
		}
	}
	if names, err := dynamicNames(parse(bare), elf.DT_NEEDED); !errors.Is(err, errDynamic) {
		t.Errorf("without texts: %q, %v", names, err)
	}
}
