package kernels

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

var declaredEntry = text.Pattern(`\bPG_(?:EXPORT|EMIT)\s[^;{(\[]*\b(pg_\w+)\s*[(\[]`)

// entryNames are what perfgate.h declares for the harness to find in a library: the adapter's alone to define.
var entryNames = sync.OnceValue(func() []string {
	var names []string
	for _, m := range declaredEntry().FindAllSubmatch(Header(), -1) {
		names = append(names, string(m[1]))
	}
	return names
})

// entryOf is the name of perfgate.h that a symbol stands for, its version left out, or "".
func entryOf(symbol string) string {
	name, _, _ := strings.Cut(symbol, "@")
	if slices.Contains(entryNames(), name) {
		return name
	}
	return ""
}

// checkObjects refuses a source that defines what perfgate.h declares, which is the adapter's alone, with a *BuildError. It returns
// the adapter's object and its functions.
func (b *Builder) checkObjects(ctx context.Context, s BuildSpec, units []unit, stage, out string) (own *object, entries []string, err error) {
	for i, u := range units {
		o, err := b.readObject(ctx, s, u, stage, out, i)
		if err != nil {
			return nil, nil, err
		}
		if u.adapter {
			own = o
			continue
		}
		for _, symbol := range o.entries() {
			// A source that includes perfgate.h has the header's own functions, which are weak and the same as the adapter's.
			if elf.ST_BIND(symbol.Info) != elf.STB_WEAK {
				return nil, nil, s.refused("%s defines %s, which is the adapter's to define", u.name, symbol.Name)
			}
		}
	}
	for _, symbol := range own.entries() {
		switch kind := elf.ST_TYPE(symbol.Info); kind {
		case elf.STT_FUNC:
			entries = append(entries, symbol.Name)
		case elf.STT_OBJECT:
		default:
			return nil, nil, s.refused("%s in %s is neither a function nor a variable (ELF type %d)", symbol.Name, s.Adapter, kind)
		}
	}
	slices.Sort(entries)
	return own, entries, nil
}

// checkLibrary refuses a library in which the functions of perfgate.h are not those of the adapter's object, whatever other
// objects, libraries and linker scripts define. They are told apart by size and by code, but for what a linker fills in.
func (o *object) checkLibrary(s BuildSpec, library string) error {
	f, err := openLibrary(library)
	if err != nil {
		return err
	}
	defer f.Close()
	if !o.linked || f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64 { // other linkers shorten code
		return nil
	}
	exported, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("read the symbols of %s: %w", filepath.Base(library), err)
	}
	for _, own := range o.entries() {
		for _, there := range exported {
			if there.Name != own.Name || elf.ST_TYPE(own.Info) != elf.STT_FUNC {
				continue
			}
			code := o.code(own)
			if code == nil || there.Size != own.Size || elf.ST_TYPE(there.Info) != elf.STT_FUNC || !bytes.Equal(code, mapped(f.File, there.Value, there.Size, o.relocated(own))) {
				return s.refused("%s of the library is not the function that %s defines: another object, a library or a linker script took its place", own.Name, s.Adapter)
			}
		}
	}
	return nil
}

func (s BuildSpec) refused(format string, args ...any) error {
	return &BuildError{Kernel: s.Kernel, Cause: result.CauseSources, Err: fmt.Errorf(format, args...)}
}

// object is what one unit was compiled to.
type object struct {
	file    *elf.File
	symbols []elf.Symbol
	linked  bool // it is what the library was linked from, and not compiled once more to be looked at
}

// readObject reads the object of a unit. With link-time optimization there is none to read yet: the unit is compiled without.
func (b *Builder) readObject(ctx context.Context, s BuildSpec, u unit, stage, out string, i int) (*object, error) {
	o, err := openObject(objectPath(out, i))
	if err != nil {
		return nil, err
	}
	if o != nil {
		o.linked = true
		return o, nil
	}
	path := filepath.Join(out, fmt.Sprintf("%d.plain.o", i))
	args := slices.Concat(b.flags(s, u, stage), []string{"-fno-lto", "-c", u.path, "-o", path})
	if _, err := runCompiler(ctx, b.compiler(s, out, args), u.name); err != nil {
		return nil, err
	}
	if o, err = openObject(path); o == nil && err == nil {
		err = fmt.Errorf("%s was compiled to what is no ELF object", u.name)
	}
	return o, err
}

// openObject is nil for what holds no machine code yet.
func openObject(path string) (*object, error) {
	content, err := untrusted.Read(path, mostLibrary)
	if err != nil {
		return nil, fmt.Errorf("read what was compiled: %w", err)
	}
	f, err := untrusted.ParseELF(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, nil
	}
	symbols, err := symbolsOf(path, f.Symbols)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "__gnu_lto_slim" }) {
		return nil, nil
	}
	return &object{file: f, symbols: symbols}, nil
}

// entries are the symbols that the object defines for others under a name of perfgate.h.
func (o *object) entries() []elf.Symbol {
	var found []elf.Symbol
	for _, s := range o.symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL && entryOf(s.Name) != "" {
			found = append(found, s)
		}
	}
	return found
}

// code is the code of a function, zero where a linker fills in.
func (o *object) code(s elf.Symbol) []byte {
	if int(s.Section) >= len(o.file.Sections) {
		return nil
	}
	section := o.file.Sections[s.Section]
	if section.Type != elf.SHT_PROGBITS || s.Value > section.FileSize || s.Size > section.FileSize-s.Value {
		return nil
	}
	code := make([]byte, s.Size)
	if _, err := section.ReadAt(code, int64(s.Value)); err != nil {
		return nil
	}
	blank(code, o.relocated(s))
	return code
}

// relocated are the spans of a function, from its start, that a linker fills in: with what stands before an address, since it may
// take a shorter instruction.
func (o *object) relocated(s elf.Symbol) []span {
	const entry, before, after = 24, 4, 8
	var spans []span
	for _, section := range o.file.Sections {
		if section.Type != elf.SHT_RELA || section.Info != uint32(s.Section) {
			continue
		}
		data, err := section.Data()
		if err != nil {
			continue
		}
		for ; len(data) >= entry; data = data[entry:] {
			at := o.file.ByteOrder.Uint64(data)
			if at+after > s.Value && at < s.Value+s.Size {
				spans = append(spans, span{max(at, s.Value+before) - s.Value - before, at + after - s.Value})
			}
		}
	}
	return spans
}

func blank(code []byte, spans []span) {
	for _, s := range spans {
		clear(code[min(s.from, uint64(len(code))):min(s.to, uint64(len(code)))])
	}
}

// mapped is what a loader puts at an address, without the spans.
func mapped(f *elf.File, at, size uint64, without []span) []byte {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || at < p.Vaddr || at-p.Vaddr > p.Filesz || size > p.Filesz-(at-p.Vaddr) {
			continue
		}
		code := make([]byte, size)
		if _, err := p.ReadAt(code, int64(at-p.Vaddr)); err != nil {
			return nil
		}
		blank(code, without)
		return code
	}
	return nil
}

// HasUnique says whether a library has symbols of which a process has one, whatever the library: those that g++ makes of static variables in inline
// functions and templates (STB_GNU_UNIQUE). Two libraries that were made of one source then write to each other's. False of an adapter in Python.
func HasUnique(library string) (bool, error) {
	if IsHosted(library) {
		return false, nil
	}
	f, err := openLibrary(library)
	if err != nil {
		return false, err
	}
	defer f.Close()
	symbols, err := symbolsOf(library, f.DynamicSymbols)
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return elf.ST_BIND(s.Info) == unique }), err
}

// unique is STB_GNU_UNIQUE, which debug/elf does not name.
const unique = elf.STB_LOOS
