package profile

import (
	"bytes"
	"debug/elf"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// hiddenFrom are the features of the processor that a tool does not show to what it runs.
func hiddenFrom(shown, machine []string) []string {
	return slices.DeleteFunc(slices.Clone(machine), func(f string) bool { return slices.Contains(shown, f) })
}

// couldUse says whether code that asks the processor can have a path for any of the features: for those of AVX-512 alone it has to hold an
// instruction of them. Code that asks for AVX2 and has nothing wider runs the same path with and without them.
func couldUse(path string, features []string) bool {
	other := func(f string) bool { return !strings.HasPrefix(f, "avx512") }
	wide := func(f *elf.File) bool { return anyCode(f, holdsEVEX) }
	return len(features) > 0 && (slices.ContainsFunc(features, other) || isProgram(path, wide))
}

// holdsEVEX says whether bytes can be an instruction of AVX-512: its prefix 62 with the bits that are fixed. Other bytes may look like it, and
// only make a count be doubted.
func holdsEVEX(code []byte) bool {
	for i := 0; i+4 < len(code); i++ {
		p0, p1, p2 := code[i+1], code[i+2], code[i+3]
		if code[i] == 0x62 && p0&0x08 == 0 && p0&0x07 != 0 && p0&0x07 != 4 && p0&0x07 != 7 && p1&0x04 != 0 && p2&0x60 != 0x60 {
			return true
		}
	}
	return false
}

// objects are the files whose code callgrind saw: ob=(1) /path/of/lib.so.
var objects = text.Pattern(`(?m)^c?ob=\([0-9]+\) (/.+)$`)

// dispatching are the files whose code ran that ask the processor what it can do, of those that are not the system's own: what runs of them may
// differ from machine to machine, and under a tool.
func dispatching(library, counted string) []string {
	var found []string
	files := []string{library}
	for _, m := range objects().FindAllStringSubmatch(counted, -1) {
		files = append(files, m[1])
	}
	for _, path := range files {
		if !systems().MatchString(filepath.Base(path)) && asksProcessor(path) {
			found = append(found, path)
		}
	}
	return found
}

// systems are libraries that dispatch for themselves (memcpy, exp) and whose part in a kernel is none of its code, and valgrind's own.
var systems = text.Pattern(`^(ld-linux.*|lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+)\.so.*|vgpreload_.*|harness.*)$`)

// cpuid is the instruction that asks, which is what __builtin_cpu_supports, ifuncs and the dispatch of libraries come down to.
var cpuid = []byte{0x0f, 0xa2}

// asksProcessor says whether the code of a file can ask the processor: false positives are possible, as those bytes are, and only
// make a count be doubted.
func asksProcessor(path string) bool {
	return isProgram(path, func(f *elf.File) bool {
		symbols, err := f.DynamicSymbols()
		asks := func(s elf.Symbol) bool {
			return elf.ST_TYPE(s.Info) == elf.STT_GNU_IFUNC || strings.HasPrefix(s.Name, "__cpu_")
		}
		return err == nil && slices.ContainsFunc(symbols, asks) || anyCode(f, func(code []byte) bool { return bytes.Contains(code, cpuid) })
	})
}

// isProgram says whether a file is a program or a library that is like that.
func isProgram(path string, like func(*elf.File) bool) bool {
	f, err := untrusted.OpenProgram(path, untrusted.NoLimit)
	if err != nil {
		return false
	}
	defer f.Close()
	return like(f.File)
}

// anyCode says whether any section of code of a file is like that.
func anyCode(f *elf.File, like func([]byte) bool) bool {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 || s.Size > maxFile {
			continue
		}
		if code, err := s.Data(); err == nil && like(code) {
			return true
		}
	}
	return false
}
